bats_require_minimum_version 1.5.0
load support

@test "gate without a baseline calls all cases NEW, and writes its files: exit 4" {
    run --separate-stderr kgate gate -c suite.yaml -b base -o out
    [ "$status" -eq 4 ]
    [[ "${lines[0]}" == "UNDECIDED  small, 2 cases: 2 new" ]]
    [ -s out/results.json ] && [ -s out/comparison.json ] && [ -s out/report.md ]
    [ ! -e out/results.json.journal ]
    [ ! -e base ]
    head -n 1 out/report.md | grep -q 'kgate UNDECIDED'
}

@test "gate --update-missing records, and the next run compares" {
    run kgate gate -c suite.yaml -b base -o out --update-missing
    [ "$status" -eq 0 ]
    [[ "$output" == *"recorded 2 new cases in base/"* ]]
    [ "$(ls base/*.json | wc -l)" -eq 1 ]
    run --separate-stderr kgate gate -c suite.yaml -b base -o out --update-missing --json
    [[ "$output" != *'"NEW"'* ]]
    [ "$(jq .baseline_runs <<<"$output")" -eq 1 ]
}

@test "of two gates that record at once the one that came second says so" {
    mkdir flags
    # one run waits until the other gate has recorded
    cat >work.sh <<'SH'
touch flags/started
for _ in $(seq 600); do
    [ -e flags/go ] && exit
    sleep 0.1
done
exit 1
SH
    suite_of <<<'  - {name: work, command: [sh, work.sh], rounds: {min: 2, max: 2}}'
    touch flags/go
    kgate gate -c one.yaml -b first -o first.out --update-missing --keep-builds 0 -q
    rm flags/*
    kgate gate -c one.yaml -b base -o out --update-missing --keep-builds 0 >second.txt 2>&1 3>&- &
    second=$!
    until [ -e flags/started ]; do
        kill -0 "$second"
        sleep 0.1
    done
    cp -r first base
    touch flags/go
    wait "$second"
    grep -q "nothing recorded, nothing compared yet: another gate recorded these cases meanwhile" second.txt
    run grep "BASELINE RECORDED\|recorded 1 new case" second.txt out/report.md out/comparison.json
    [ "$status" -eq 1 ]
    grep -q "another gate recorded these cases meanwhile" out/report.md
    cmp first/*.json base/*.json
}

@test "a baseline that is much faster makes a regression: exit 1" {
    kgate run -c suite.yaml -o r.json -q --set rounds.min=6
    scale r.json 0.001 >fast.json
    kgate baseline update fast.json -b base --keep-builds 0 # no build for paired rounds
    run --separate-stderr kgate gate -c suite.yaml -b base -o out --set memory_threshold=60%
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == "FAIL  small, 2 cases: 2 regressed" ]]
    [[ "$output" == *"reproduce: kgate gate -c suite.yaml -b base --set memory_threshold=60% --filter copy/"* ]]
    [[ "$output" == *REGRESSION* ]]
    grep -q '🔴 REGRESSION' out/report.md
}

@test "no baseline is no verdict where the policy demands one: exit 4" {
    run kgate gate -c suite.yaml -b base -o out --set policy.fail_on=NEW
    [ "$status" -eq 4 ]
    [[ "$output" == *"2 cases without a baseline"* ]]
}

@test "a broken baseline is refused before anything is measured: exit 2" {
    kgate gate -c suite.yaml -b base -o out --update-missing -q
    file=$(echo base/*.json)
    head -c 200 "$file" >cut && cp cut "$file"
    run kgate gate -c suite.yaml -b base -o other
    [ "$status" -eq 2 ]
    [[ "$output" == *"$file"*"malformed JSON"* ]]
    [ "$(ls other)" = report.md ]
    cmp cut "$file"
}

@test "a missing device is skipped with the reason, or fails by policy: exit 3" {
    suite_of <<<'  - {name: copy, kernel: copy, devices: [cpu, cuda]}'
    if kgate list -c one.yaml | grep -q 'copy/cuda$'; then skip "this machine has a GPU"; fi
    run kgate gate -c one.yaml -b base -o out --update-missing
    [ "$status" -eq 0 ]
    [[ "$output" == *"copy/cuda"*"SKIPPED"*"no CUDA device"* ]]
    run kgate gate -c one.yaml -b base -o out --set policy.missing_device=fail
    [ "$status" -eq 3 ]
}

@test "a first run in which every case is skipped compared nothing: exit 4" {
    suite_of <<<'  - {name: copy, kernel: copy, devices: [cuda]}'
    run --separate-stderr env CUDA_VISIBLE_DEVICES=-1 "$KGATE" gate -c one.yaml -b base -o out
    [ "$status" -eq 4 ]
    [[ "$output" == UNDECIDED*"nothing was compared: 1 skipped"* ]]
}

@test "a violated budget is a regression even without a baseline: exit 1" {
    suite_of <<<'  - {name: copy, kernel: copy, params: {bytes: 16KiB}, budget: {items_per_second: ">= 1e18"}}'
    run kgate gate -c one.yaml -b base -o out
    [ "$status" -eq 1 ]
    [[ "$output" == *"the budget asks"* ]]
    kgate report out/comparison.json --format github | grep -q '^::error file=one.yaml,line=5,title=REGRESSION'
}

@test "a budget on what a workload reports is a range, and a file says the same as the run" {
    suite_of <<YAML
  - name: turns
    plugin: $PLUGINS/libreporting.so
    budget: {turns: [">= 10e3", "<= 30e3"], quality: ">= 40"}
    counters: {turns: {better: lower, threshold: 1%}, quality: {better: higher, threshold: 1%}}
YAML
    run kgate gate -c one.yaml -b base -o out
    [ "$status" -eq 0 ]
    valid out/results.json results
    valid out/comparison.json comparison
    jq -e '.cases[0].budgets | map(.metric) == ["turns", "turns", "quality"]' out/results.json
    jq -e '[.cases[0].metrics[] | select(.against == "budget") | .change] == ["NO_CHANGE", "NO_CHANGE", "NO_CHANGE"]' \
        out/comparison.json
    sed 's/libreporting/libreporting_slow/' one.yaml >slow.yaml
    run kgate gate -c slow.yaml -b base -o slow
    [ "$status" -eq 1 ]
    [[ "$output" == *"quality is 12.5, the budget asks >= 40.0"* || "$output" == *"turns is 80.0 k, the budget asks <= 30.0 k"* ]]
    run kgate compare out/results.json slow/results.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"the budget asks"* && "$output" != *" against budget"* ]]
}

@test "a budget on a figure that neither kgate nor the workload has: file, line, column, and the nearest" {
    suite_of <<YAML
  - name: turns
    plugin: $PLUGINS/libreporting.so
    budget: {qualty: ">= 40"}
    counters: {quality: {better: higher, threshold: 1%}}
YAML
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"one.yaml:7:14: unknown metric 'qualty' in budget; did you mean 'quality'?"* ]]
}

@test "filter and shard leave cases out, and nothing is called removed" {
    kgate gate -c suite.yaml -b base -o out --update-missing -q
    run --separate-stderr kgate gate -c suite.yaml -b base -o out --filter '*version=fast*'
    [[ "${lines[0]}" == *"1 case: "* ]]
    jq -e ".counts.removed == 0" out/comparison.json
    run kgate list -c suite.yaml --shard 2/2
    [ "${#lines[@]}" -eq 1 ]
    run kgate gate -c suite.yaml --filter 'nothing'
    [ "$status" -eq 2 ]
}

@test "reports that cannot be written are said, and the results stay" {
    mkdir out && mkdir out/comparison.json
    run kgate gate -c suite.yaml -b base -o out
    [ "$status" -eq 3 ]
    [[ "$output" == *"cannot write 'out/comparison.json'"* ]]
    jq -e '.cases | length == 2' out/results.json
}

@test "the folder has the reports that the suite names, and none of an earlier gate" {
    sed -i '2i reports: [csv, github]' suite.yaml
    run kgate gate -c suite.yaml -b base -o out
    [[ "$output" == *"reports: out/annotations.txt, comparison.csv, results.csv, comparison.json, suggestions.json, results.json"* ]]
    [ "$(ls out | paste -sd ' ')" = "annotations.txt comparison.csv comparison.json results.csv results.json suggestions.json" ]
    run kgate compare out/results.json out/results.json -o again -q
    [ "$(ls again | paste -sd ' ')" = "annotations.txt comparison.csv comparison.json results.csv suggestions.json" ]
    # another suite's reports replace them all
    jq '.policy.reports = ["junit"]' out/results.json >other.json
    run kgate compare other.json other.json -o again -q
    [ "$(ls again | paste -sd ' ')" = "comparison.json junit.xml suggestions.json" ]
}

@test "a report that nobody knows: file, line, column, and the names that are known" {
    sed -i '2i reports: [csv, wordperfect]' suite.yaml
    run kgate validate -c suite.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"suite.yaml:2:16: "*"'reports'"*"'wordperfect'"*"markdown, junit, "*"svg"* ]]
    sed -i 's/, wordperfect//' suite.yaml
    run kgate validate -c suite.yaml --set reports=jnit
    [[ "$output" == *"'jnit'"*"did you mean 'junit'?"* ]]
}

@test "without gnuplot a report asks for it, and a gate says once that it has no pictures" {
    mkdir bin
    sed -i '2i reports: [markdown, png, svg]' suite.yaml
    run env PATH="$PWD/bin" "$KGATE" gate -c suite.yaml -b base -o out --update-missing
    [ "$status" -eq 0 ]
    [ "$(grep -c 'kgate: note: no report as png: there is no gnuplot' <<<"$output")" -eq 1 ]
    [ "$(ls out | paste -sd ' ')" = "comparison.json report.md results.json suggestions.json" ]
    kgate compare out/results.json out/results.json -o same -q || [ $? -eq 4 ]
    run env PATH="$PWD/bin" "$KGATE" report same/comparison.json --format png -o x.png
    [ "$status" -ne 0 ]
    [[ "$output" == *"apt-get install gnuplot-nox"* ]]
    [ ! -e x.png ]
}

@test "a gnuplot that fails is said, is no failure of a gate, and leaves nothing behind" {
    mkdir bin tmp
    printf '#!/bin/sh\necho broken >&2\nexit 3\n' >bin/gnuplot && chmod +x bin/gnuplot
    kgate run -c suite.yaml -o r.json -q
    jq '.policy.reports = ["png"]' r.json >asks.json
    run env PATH="$PWD/bin:$PATH" TMPDIR="$PWD/tmp" "$KGATE" compare asks.json asks.json -o out
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ]
    [[ "$output" == *"kgate: note: no comparison.png: gnuplot ended with status 3: broken"* ]]
    [ ! -e out/comparison.png ] && [ -z "$(ls tmp)" ]
}
