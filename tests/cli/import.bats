load support

# Files of other harnesses as results: kept files of them (tests/import), and of hyperfine where it is
# installed.

files() { printf '%s/tests/import/%s' "$SOURCE" "$1"; }

# The file $1 of Google Benchmark as another process would have written it, its times $2 times as long.
process() { jq --argjson by "$2" '.benchmarks |= map(.real_time *= $by)' "$(files google-benchmark.json)" >"$1"; }

@test "Google Benchmark: a file is a process and so a round, its repetitions are samples" {
    run kgate import "$(files google-benchmark.json)" -o r.json
    [ "$status" -eq 3 ] # one of its benchmarks failed
    valid r.json results
    [[ $output == *"no such device"* && $output == *"measured in one process"* ]]
    jq -e '[.cases[].id] == ["google-benchmark/benchmark=BM_sum/1024/cpu", "google-benchmark/benchmark=BM_sum/65536/cpu",
                             "google-benchmark/benchmark=BM_pair<int%2C double>/cpu", "google-benchmark/benchmark=BM_error/cpu"]' r.json
    jq -e '.cases[0] | (.rounds.median_ns | length == 1) and (.rounds.samples_ns[0] | length == 2) and .work.bytes == 4096' r.json
    jq -e '.created == "2026-11-20T09:00:00Z" and .machine.cpu_count == 2 and (.machine.fingerprint | startswith("cpu-with-caches"))' r.json
    jq -e '.cases[0].series[] | select(.name == "widgets").values == [5]' r.json
    # one round against one says nothing
    later r.json 60 >later.json
    run kgate compare r.json later.json
    [[ $output == *INCONCLUSIVE* && $output != *NO_CHANGE* ]]
}

@test "files of several processes are several rounds, on which compare, report, suggest and baseline work" {
    for i in 1 2 3 4 5 6; do
        process base$i.json "1.00$i"
        process head$i.json "1.40$i"
    done
    run kgate import base?.json -o base.json --set threshold=10% --name gb
    [ "$status" -eq 3 ]
    jq -e '.suite == "gb" and (.cases[0].rounds.median_ns | length == 6) and (.cases[0].note == null)' base.json
    run kgate import head?.json -o head.json --set threshold=10% --name gb
    run kgate compare base.json head.json -o out
    jq -e '[.cases[] | select(.id | contains("sum")) | .change] == ["REGRESSION", "REGRESSION"]' out/comparison.json
    run kgate report base.json --format markdown
    [ "$status" -eq 0 ]
    [[ $output != *"0 B |"* ]]
    run kgate suggest base.json
    [ "$status" -eq 0 ]
    run kgate baseline update base.json -b store
    [ "$status" -eq 0 ]
    run kgate import base?.json -o base.json --machine runner-a
    jq -e '.machine.fingerprint == "runner-a"' base.json
}

@test "hyperfine: every run is a process, so each is a round" {
    run kgate import "$(files hyperfine.json)" -o r.json
    [ "$status" -eq 0 ]
    valid r.json results
    jq -e '.cases[0] | .id == "hyperfine/benchmark=sleep 0.01/cpu" and (.rounds.median_ns | length == 6)
           and .rounds.median_ns[0] == 18784943 and .rounds.user_ns[0] > 0' r.json
    command -v hyperfine >/dev/null || skip "no hyperfine"
    hyperfine -N -r 4 --export-json now.json true >/dev/null 2>&1
    run kgate import now.json -o r.json
    [ "$status" -eq 0 ]
    jq -e '.cases[0].rounds.median_ns | length == 4' r.json
}

@test "NVBench: samples beside the file, axes as parameters, what was skipped with its reason" {
    run kgate import "$(files nvbench.json)" -o r.json
    [ "$status" -eq 3 ]
    valid r.json results
    jq -e '[.cases[].id] == ["nvbench/benchmark=copy,T=I32,Elements=1048576/cuda", "nvbench/benchmark=copy,T=I32,Elements=16777216/cuda",
                             "nvbench/benchmark=copy,T=I32,Elements=1073741824/cuda"]' r.json
    jq -e '.cases[0] | (.rounds.samples_ns[0] | length == 5) and (.rounds.median_ns[0] | . > 9999 and . < 10001)' r.json
    jq -e '.cases[2] | .status == "FAILED" and .reason == "Insufficient memory"' r.json
    jq -e '.machine.gpus[0].name == "NVIDIA H100 80GB HBM3"' r.json
    cp "$(files nvbench.json)" .
    run kgate import nvbench.json -o x.json
    [ "$status" -eq 2 ]
    [[ $output == *"nvbench.json-bin/0.bin"* ]]
    [ ! -e x.json ]
}

# The case $2 of the file x.json, imported by itself, is FAILED, and says the words $1.
failed_with() {
    run kgate import x.json -o r.json
    [ "$status" -eq 3 ]
    valid r.json results
    [[ $output == *"$1"* ]]
    jq -e --arg words "$1" ".cases[${2:-0}] | .status == \"FAILED\" and (.rounds.median_ns | length == 0) and (.reason | contains(\$words))" r.json
}

@test "what is no time is never left out in silence" {
    jq '.results[0].times[1] = -1' "$(files hyperfine.json)" >x.json
    failed_with "1 of 6 times cannot be the time of a call; the first is -1e+09 ns"
    jq '.results[0].times[1] = "a" | .results[0].times[4] = 0' "$(files hyperfine.json)" >x.json
    failed_with "2 of 6 times cannot be the time of a call; the first is no number"
    # 1 by its status, null by a signal
    jq '.results[0].exit_codes = [0, 1, null, 0, 0, 0]' "$(files hyperfine.json)" >x.json
    failed_with "2 of 6 runs failed"
    jq '.benchmarks[0].real_time = 0' "$(files google-benchmark.json)" >x.json
    failed_with "1 of 2 times"
    cp "$(files nvbench.json)" x.json
    cp -r "$(files nvbench.json-bin)" nvbench.json-bin
    printf '\0\0\200\277' | dd of=nvbench.json-bin/0.bin conv=notrunc status=none # -1
    failed_with "1 of 5 times cannot be the time of a call; the first is -1e+09 ns"
}

@test "Google Benchmark: what was skipped says so, and of aggregates alone the median is taken" {
    jq '.benchmarks = [.benchmarks[0] | .real_time = 0 | .iterations = 0 | .skipped = true | .skip_message = "no AVX"]' \
        "$(files google-benchmark.json)" >x.json
    failed_with "skipped: no AVX"
    jq '.benchmarks |= map(select(.run_type == "aggregate" and (.run_name | contains("sum"))))' "$(files google-benchmark.json)" >x.json
    run kgate import x.json -o r.json
    [ "$status" -eq 0 ]
    jq -e '[.cases[].rounds.median_ns[0] | round] == [1127, 28749]' r.json
}

@test "a file that has a benchmark twice is refused: its two would be two rounds of one" {
    jq '.results += .results' "$(files hyperfine.json)" >x.json
    run kgate import x.json -o r.json
    [ "$status" -eq 2 ]
    [[ $output == *"x.json: has 'sleep 0.01' twice"* ]]
    [ ! -e r.json ]
}

@test "what another harness does not tell is left out: memory, CPUs" {
    for file in hyperfine.json nvbench.json google-benchmark.json; do
        run kgate import "$(files "$file")" -o r.json
        run kgate report r.json
        [[ $output != *" 0 B"* ]]
        run kgate report r.json --format markdown
        [[ $output != *" 0 B"* && $output != *"0 CPU"* ]]
        [ -z "$(kgate report r.json --format csv | grep peak_memory)" ]
        run kgate explain "$(jq -r '.cases[0].id' r.json)" r.json
        [ "$status" -eq 0 ]
        [[ $output != *"0 B"* && $output != *"page faults"* && $output != *"waits of threads"* ]]
    done
    # of one round there is no interval
    run kgate import "$(files google-benchmark.json)" -o r.json
    [[ $output != *"±"* ]]
    run kgate explain '*1024*' r.json
    [[ $output == *"per call (median of rounds); min "* ]]
    # nor is one of them a plural
    jq '.results |= [.[0] | .times |= [.[0]] | .exit_codes |= [0]]' "$(files hyperfine.json)" >one.json
    run kgate import one.json -o r.json
    run kgate explain sleep r.json
    [[ $output == *"; 1 round, 1 call"$'\n'* ]]
}

@test "what cannot be imported is refused by name, and nothing is written" {
    refused() {
        local words=$1
        shift
        run kgate import "$@" -o x.json
        [ "$status" -eq 2 ]
        [[ $output == *"$words"* ]]
        [ ! -e x.json ]
    }
    process a.json 1
    echo '{"results": 1}' >other.json
    echo '{"results": ' >broken.json
    refused "even if you give it twice" a.json a.json
    refused "hyperfine, but google-benchmark is expected" a.json "$(files hyperfine.json)"
    refused "google-benchmark, but nvbench is expected" --format nvbench a.json
    refused "has none of the formats google-benchmark, nvbench" other.json
    refused "has none of the formats" --format csv a.json
    refused "broken.json" broken.json
    refused "no-such" no-such.json
    mkdir empty
    refused "it is a folder" empty
    jq '.context.num_cpus = 64' a.json >b.json
    refused "another machine" a.json b.json
    jq '.benchmarks = []' a.json >none.json
    refused "has no benchmark" none.json
    refused "--machine" a.json --machine 'A B'
    refused "--name is '', but must be" a.json --name ''
    refused "--name is given twice" a.json --name a --name b
    run kgate import a.json
    [ "$status" -eq 2 ]
}

@test "an import does not write over its input" {
    cp "$(files hyperfine.json)" hf.json
    for written in hf.json ./hf.json; do
        run kgate import "$(files google-benchmark.json)" hf.json -o "$written"
        [ "$status" -eq 2 ]
        [[ $output == *"-o names '"*"hf.json', which is also an input"* ]]
    done
    cmp hf.json "$(files hyperfine.json)"
}

@test "of a file that is no JSON it is said how the harness writes it" {
    printf 'command,mean,stddev\nsleep 1,1.0,0.1\n' >hf.csv
    run kgate import hf.csv -o r.json
    [ "$status" -eq 2 ]
    [[ $output == *"hf.csv: not JSON"*"Google Benchmark"*"hyperfine's \`--export-json\`"* ]]
    # what begins as JSON has the place of its fault
    printf '{"results": [\n' >hf.json
    run kgate import hf.json -o r.json
    [ "$status" -eq 2 ]
    [[ $output == *"hf.json:"*"malformed JSON"* ]]
}

@test "a long command is a case of a short id, and two long ones are two cases" {
    long=$(printf 'sort €%.0s' $(seq 700))
    jq --arg long "$long" '.results = [.results[0], .results[0]] | .results[0].command = $long + "a" | .results[1].command = $long + "b"' \
        "$(files hyperfine.json)" >hf.json
    run kgate import hf.json -o r.json
    [ "$status" -eq 0 ]
    valid r.json results
    jq -e '.cases | length == 2 and (map(.id) | unique | length == 2)' r.json
    jq -e '[.cases[] | (.params.benchmark | utf8bytelength <= 200 and startswith("sort €"))] | all' r.json
    jq -e --arg long "$long" '.cases[0].target == $long + "a"' r.json
    [[ $output == *"its name of 5601 bytes is shortened"*"hyperfine --command-name"* ]]
    # the same name gives the same id
    jq '.results |= [.[1]]' hf.json >one.json
    kgate import one.json -o one-r.json
    [ "$(jq -r '.cases[0].id' one-r.json)" = "$(jq -r '.cases[1].id' r.json)" ]
}
