bats_require_minimum_version 1.5.0
load support

# `kgate merge` with files of real runs. SLURMD_NODENAME names a machine; jq sets what other machines would measure.
# tests/text/compare/fleet.test has the verdicts of files without a run.

# Four cases of two workloads: shard I of 2 has every second one.
fleet_suite() {
    sed -i 's/threshold: 50%/threshold: 900%/; s/rounds:/min_effect: 1s, rounds:/; s/^suite:.*/suite: fleet/' suite.yaml
    cat >>suite.yaml <<'YAML'
  - name: reduce
    kernel: reduce
    params: {bytes: 16KiB}
    matrix: {version: [plain, fast]}
YAML
}

# shard_set FILE INDEX COUNT NODE [ATTEMPT]: as --shard writes it.
shard_set() {
    jq --argjson index "$2" --argjson count "$3" --arg node "$4" --argjson attempt "${5:-1}" \
        '.shard += {count: $count, index: $index, cases: 4, attempt: $attempt, job: "4711", node: $node}' \
        "$1" >shard.json && mv shard.json "$1"
}

# Eight rounds of 1 us, of code that is not known, and the same readings of all probes: what else runs on this machine
# decides nothing.
calm() {
    jq '.cases[].rounds |= (del(.disturbance, .wait_ns, .stolen_ns, .pulse_ns) | map_values(.[0] as $first | [range(8) | $first])
            | .median_ns |= map(1000) | .mean_ns = .median_ns | .cpu_ns = .median_ns)
        | del(.cases[].code_hash)
        | .probes = {at_ns: [range(6)], pulse_ns: [range(6) | 24576], bandwidth_bytes_per_s: [range(6) | 1e10],
                     latency_ns: [range(6) | 90]}' "$1" >calm.json && mv calm.json "$1"
}

# Runs all cases once, stores them, and deals them to $1 shards in fleet/: each as the file of a `run`.
fleet_of_runs() {
    fleet_suite
    kgate run -c suite.yaml -o all.json -q
    calm all.json
    kgate baseline update all.json -b base --keep-builds 0
    mkdir -p fleet
    for index in $(seq "$1"); do
        later all.json 60 | jq --argjson index "$index" --argjson count "$1" \
            '.cases |= [to_entries[] | select(.key % $count == $index - 1) | .value]
             | .filter = "--shard \($index)/\($count)"' >"fleet/r$index.json"
        shard_set "fleet/r$index.json" "$index" "$1" "n$index"
    done
}

@test "the shards that runs wrote are judged as one run" {
    fleet_suite
    kgate run -c suite.yaml -o all.json -q
    calm all.json
    kgate baseline update all.json -b base --keep-builds 0
    for index in 1 2; do
        SLURMD_NODENAME=n$index kgate run -c suite.yaml --shard $index/2 -o "fleet-n$index.json" -q
        calm "fleet-n$index.json"
    done
    run -0 --separate-stderr kgate merge fleet-n1.json fleet-n2.json -b base -o out
    [[ "${lines[0]}" == "PASS  fleet, 4 cases: "* ]]
    [ "$(jq -c '[.cases[].id]' out/results.json)" = "$(jq -c '[.cases[].id]' all.json)" ]
    jq -e '[.nodes[].name] == ["n1", "n2"] and all(.cases[]; .node == "n\(.shard)")' out/comparison.json
    valid out/results.json results
    valid out/comparison.json comparison
    [ -s out/report.md ] && [ -s out/suggestions.json ]
    # the union is a whole run: a store takes it
    kgate baseline update out/results.json -b base --keep-builds 0
}

@test "the folders of gates are judged with the runs of a common store" {
    fleet_suite
    kgate gate -c suite.yaml -b base -o first --update-missing -q
    for index in 1 2; do
        SLURMD_NODENAME=n$index run kgate gate -c suite.yaml --shard $index/2 -b base -o "fleet/job/n$index"
        passes_or_open
    done
    run --separate-stderr kgate merge fleet -b base -o out
    passes_or_open
    jq -e '.baseline_runs == 1 and (.cases | length) == 4 and .counts.new == 0' out/comparison.json
    # its own output is no shard, wherever it lies
    mv out fleet/out
    run --separate-stderr kgate merge fleet -b base -o fleet/out
    passes_or_open
    jq -e '(.cases | length) == 4 and (any(.notes[]; startswith("left out")) | not)' fleet/out/comparison.json
}

@test "the sides of an ab are joined, with their paired rounds" {
    fleet_suite
    for index in 1 2; do
        SLURMD_NODENAME=n$index run kgate ab -c suite.yaml --base "$KGATE" --head "$KGATE" --shard $index/2 -o "fleet/n$index"
        passes_or_open
    done
    run --separate-stderr kgate merge fleet -o out
    passes_or_open
    jq -e '(.cases | length) == 4 and all(.cases[].metrics[]; .against == "base")
        and all(.cases[]; .node == "n\(.shard)")' out/comparison.json
    [ "$(jq '.cases | length' out/base.json)" -eq 4 ] && [ "$(jq '.cases | length' out/head.json)" -eq 4 ]
    [ ! -e out/results.json ]
}

@test "a shard without files makes the fleet UNDECIDED, by its number: exit 4" {
    fleet_of_runs 4
    rm fleet/r3.json
    run -4 --separate-stderr kgate merge fleet -b base -o out
    [[ "${lines[0]}" == "UNDECIDED  fleet, 4 cases: 1 missing, 3 unchanged" ]]
    [[ "$output" == *"shard 3 of 4 has no results"* && "$output" == *"next: measure shard 3 again, then merge again"* ]]
    jq -e '.cases[0] | .id == "shard 3 of 4" and .change == "MISSING" and .shard == 3' out/comparison.json
    run -2 kgate baseline update out/results.json -b base
    # a plan that the shards did not use names the cases, but not their shards
    kgate plan -c suite.yaml --shards 4 -o plan.json -q
    run -4 --separate-stderr kgate merge fleet -b base --plan plan.json -o out
    [[ "$output" == *"the plan names the missing cases, but not their shards"* ]]
    jq -e '.counts.missing == 1 and any(.cases[]; .change == "MISSING" and (.id | endswith("/cpu")))' out/comparison.json
}

@test "a policy accepts a share of missing cases, with the reason" {
    fleet_of_runs 4
    rm fleet/r3.json fleet/r4.json
    for file in fleet/*.json; do jq '.policy.missing = 0.5' "$file" >changed.json && mv changed.json "$file"; done
    run -0 --separate-stderr kgate merge fleet -b base -o out
    [[ "${lines[0]}" == "PASS  fleet, 4 cases: 2 missing, 2 unchanged" ]]
    [[ "$output" == *"2 cases missing: shard 3 of 4 has no results, so its cases are unknown; and 1 more shard"* ]]
}

@test "a killed gate loses its cases by name, and the node that lost them is named: exit 4" {
    fleet_suite
    kgate gate -c suite.yaml -b base -o first --update-missing -q
    for index in 1 2; do
        kgate gate -c suite.yaml --shard $index/2 -b base -o "fleet/n$index" -q || true
    done
    rm -r fleet/n2
    SLURMD_NODENAME=n2 kgate gate -c suite.yaml --shard 2/2 -b base -o fleet/n2 -q --set rounds.min=10000 --set rounds.max=10000 >killed.txt 2>&1 3>&- &
    lines_wait fleet/n2/results.json.journal 3
    kill -KILL $!
    wait $! || true
    [ -s fleet/n2/results.json.journal ] && [ ! -e fleet/n2/comparison.json ]
    run -4 --separate-stderr kgate merge fleet -b base -o out
    [[ "$output" == *"2 cases missing: copy/bytes=16KiB,version=fast/cpu (shard 2 of 2 ended before its verdict on node n2), and 1 more"* ]]
    [[ "$output" == *"left out fleet/n2: it ended before its verdict, on node n2"* ]]
    jq -e '.nodes[] | select(.name == "n2") | .missing == 2 and .cases == 0' out/comparison.json
}

@test "a folder whose comparison is missing is half, and another attempt counts" {
    fleet_suite
    kgate gate -c suite.yaml -b base -o first --update-missing -q
    for folder in 1 2 again; do
        index=${folder/again/2}
        SLURMD_NODENAME=n$folder kgate gate -c suite.yaml --shard "$index/2" -b base -o "fleet/n$folder" -q || true
    done
    shard_set fleet/nagain/results.json 2 2 nagain 2
    run --separate-stderr kgate merge fleet -b base -o out
    passes_or_open
    [[ "$output" == *"left out fleet/n2: node n2, attempt 1 of shard 2; fleet/nagain counts instead"* ]]
    rm fleet/nagain/comparison.json
    run --separate-stderr kgate merge fleet -b base -o out
    passes_or_open
    [[ "$output" == *"left out fleet/nagain: node nagain, attempt 2 of shard 2; fleet/n2 counts instead"* ]]
    rm fleet/n2/comparison.json
    run -4 --separate-stderr kgate merge fleet -b base -o out
    jq -e '.counts.missing == 2' out/comparison.json
}

@test "shards of different suites, policies, commits, kgates and builds are refused with both files: exit 2" {
    fleet_of_runs 4
    for change in '.suite = "other"' '.policy.fail_on += ["NEW"]' '.commit = "v1"' '.kgate_version = "9.9.9"' \
        '.shard.count = 5' '.cases[0].id = "copy/bytes=16KiB,version=plain/cpu"'; do
        jq "$change" fleet/r2.json >changed.json
        run -2 --separate-stderr kgate merge fleet/r1.json changed.json -b base -o out
        [[ "$stderr" == *fleet/r1.json* && "$stderr" == *changed.json* ]]
        [ ! -e out/comparison.json ] && [ ! -e out/results.json ]
        grep -q "no verdict" out/report.md
    done
    jq '.cases[0].code_hash = "00112233"' fleet/r1.json >one.json
    jq '.cases[0].code_hash = "44556677"' fleet/r2.json >two.json
    run -2 --separate-stderr kgate merge one.json two.json -b base -o out
    [[ "$stderr" == *"has other code in two.json than in one.json"* ]]
}

@test "a file that is no shard, half files and other files are left out beside shards" {
    fleet_of_runs 4
    cp all.json fleet/whole.json
    head -c 300 fleet/r1.json >fleet/half.json
    echo '{"schema": "kgate.plan.v1"}' >fleet/plan.json
    echo hello >fleet/notes.txt
    run -0 --separate-stderr kgate merge fleet -b base -o out
    [[ "${lines[0]}" == "PASS  fleet, 4 cases: 4 unchanged" ]]
    [[ "$output" == *"left out fleet/whole.json: it is no shard"* && "$output" == *"left out fleet/half.json: "* ]]
    [[ "$output" != *plan.json* && "$output" != *notes.txt* ]]
    run -2 --separate-stderr kgate merge fleet/half.json -b base -o out
    [[ "$stderr" == *fleet/half.json* ]]
    mkdir empty
    run -2 --separate-stderr kgate merge empty -o out
    [[ "$stderr" == *"no results in 'empty'"* ]]
}

@test "regressions of a node that is slower than its peers are only suspect" {
    fleet_of_runs 4
    cp fleet/r2.json usual.json
    scale fleet/r2.json 5e6 >slow && mv slow fleet/r2.json # the code became slower
    scale fleet/r4.json 5e6 >slow && mv slow fleet/r4.json # the machine is slower
    run -1 kgate merge fleet -b base -o out
    jq -e '.counts.regression == 2 and all(.nodes[]; .suspect | not)' out/comparison.json
    jq '.probes.pulse_ns |= map(. * 1.2)' fleet/r4.json >slow && mv slow fleet/r4.json
    run -1 --separate-stderr kgate merge fleet -b base -o out
    [[ "$output" == *"its core clock is slower by 20.0 % than on 3 other machines"* ]]
    jq -e '.nodes | map(select(.suspect).name) == ["n4"]' out/comparison.json
    jq -e '[.cases[] | select(.change == "REGRESSION").node] == ["n2"]' out/comparison.json
    jq -e '[.cases[] | select(.change == "SUSPECT") | .node, .metrics[0].doubt] == ["n4", "node"]' out/comparison.json
    # alone it leaves the gate open
    mv usual.json fleet/r2.json
    run -4 --separate-stderr kgate merge fleet -b base -o out
    [[ "${lines[0]}" == "UNDECIDED  fleet, 4 cases: 1 suspect, 3 unchanged" ]]
    [[ "$output" == *"next: measure shard 4 again on another machine than n4"* ]]
}

@test "a run in a folder of its own is a shard although it compares nothing" {
    fleet_of_runs 2
    for index in 1 2; do
        mkdir "fleet/n$index"
        mv "fleet/r$index.json" "fleet/n$index/results.json"
    done
    run -0 kgate merge fleet -b base -o out
    [[ "${lines[0]}" == "PASS  fleet, 4 cases: 4 unchanged" ]]
}

@test "a merge that cannot write leaves nothing half, and its inputs as they were" {
    strace -qq -o /dev/null true 2>/dev/null || skip "no strace that may trace"
    fleet_of_runs 2
    find fleet base -type f -exec sha256sum {} + | sort >before.txt
    # the first five renames keep the earlier files as .previous
    for name in 6:results.json 7:comparison.json; do
        rm -rf out
        run -0 kgate merge fleet -b base -o out
        run -3 --separate-stderr strace -qq -o /dev/null -e trace=rename -e inject=rename:error=ENOSPC:when="${name%:*}" \
            "$KGATE" merge fleet -b base -o out
        [[ "$stderr" == *"${name#*:}"*"No space left"* ]]
        grep -q "no verdict" out/report.md
        [ ! -e "out/${name#*:}" ] && [ ! -e out/junit.xml ]
        [ -z "$(find out -name '*.tmp.*')" ]
    done
    find fleet base -type f -exec sha256sum {} + | sort | diff before.txt -
    run -2 --separate-stderr kgate merge fleet -b base -o /dev/null/out
    [[ "$stderr" == *"/dev/null/out"* ]]
}

@test "shards of other settings, filters or cases are refused, though their numbers agree: exit 2" {
    fleet_suite
    kgate run -c suite.yaml --shard 1/2 -o one.json -q
    kgate run -c suite.yaml --shard 2/2 --set threshold=90% -o two.json -q
    run -2 --separate-stderr kgate merge one.json two.json -o out
    [[ "$stderr" == *"cases or settings"*one.json*two.json* ]]
    kgate run -c suite.yaml --filter 'copy/*' --shard 1/2 -o one.json -q
    kgate run -c suite.yaml --filter 'reduce/*' --shard 2/2 -o two.json -q
    run -2 --separate-stderr kgate merge one.json two.json -o out
    [[ "$stderr" == *"use the same suite, --filter and --set"* ]]
}

@test "an ab that lacks one side is left out by name, and its cases are missing" {
    fleet_suite
    for index in 1 2; do
        kgate ab -c suite.yaml --base "$KGATE" --head "$KGATE" --measure-unchanged --shard "$index/2" \
            -o "fleet/n$index" -q || [ $? -eq 4 ]
    done
    rm fleet/n2/head.json
    run -4 --separate-stderr kgate merge fleet -o out
    [[ "$output" == *"left out fleet/n2: "*"head.json"* && "$output" == *"shard 2 of 2 has no results"* ]]
    [[ "$output" == *"next: measure shard 2 again, then merge again"* ]]
}

@test "the folder of the reports is no input: exit 2, and nothing is touched" {
    fleet_of_runs 2
    mkdir mine
    mv fleet/r1.json mine/results.json
    run -2 --separate-stderr kgate merge fleet mine -b base -o mine
    [[ "$stderr" == *"'mine' is an input and the folder of the reports"* ]]
    [ -s mine/results.json ] && [ ! -e mine/report.md ]
}

@test "within a job the attempt counts, not the clock; shards of two jobs get a note" {
    fleet_of_runs 2
    jq '.shard.attempt = 2 | .created = "2020-01-01T00:00:00Z"' fleet/r2.json >fleet/again.json
    run -0 kgate merge fleet -b base -o out
    [[ "$output" == *"left out fleet/r2.json: node n2, attempt 1 of shard 2; fleet/again.json counts instead"* ]]
    rm fleet/again.json
    jq '.shard.job = "4712"' fleet/r2.json >other && mv other fleet/r2.json
    run -0 kgate merge fleet -b base -o out
    [[ "$output" == *"the shards are of several jobs: 4711 and 4712"* ]]
}
