load support

# A baseline of this machine, but 10,000 times as fast, so that the gate sees times move by more than any
# other program on the machine can move a round. Calls are long enough to be timed one by one: how many
# shorter ones go into a sample depends on what else runs, and skewed times averaged over different numbers
# of calls are INCONCLUSIVE.
baseline_faster() {
    sed -i 's/bytes: 16KiB/bytes: 4MiB/' suite.yaml
    kgate run -c suite.yaml -o r.json -q --set rounds.min=8 --set rounds.max=12
    scale r.json 0.0001 >scaled.json
    kgate baseline update scaled.json -b base --keep-builds 0
}

@test "a suspect is confirmed by later rounds before it fails the gate" {
    baseline_faster
    run kgate gate -c suite.yaml -b base -o out
    [ "$status" -eq 1 ]
    jq -e '[.cases[].rounds.confirms | (any and (all | not))] | all' out/results.json
    jq -e '[.cases[] | .change == "REGRESSION" and .confirming_rounds > 0
                       and .confirming_rounds < .rounds] | all' out/comparison.json
    valid out/results.json results
    valid out/comparison.json comparison
}

@test "a suspect whose later rounds do not confirm it is no regression, and the report says so" {
    baseline_faster
    kgate gate -c suite.yaml -b base -o out || true
    # as if the first rounds had met a neighbour, and the later ones were as the baseline's
    jq --slurpfile base scaled.json '.cases |= [to_entries[] | .key as $case | .value
            | .rounds |= (. as $r | .median_ns |= [to_entries[] | if $r.confirms[.key]
                then $base[0].cases[$case].rounds.median_ns[.key % 8] else .value end])]' \
        out/results.json >later.json
    run kgate compare scaled.json later.json -v
    [[ "$output" != *REGRESSION* ]]
    [[ "$output" == *"not confirmed: +"* ]]
}

@test "what is doubtful is INCONCLUSIVE, says how to decide it, and where most is the gate is UNDECIDED: exit 4" {
    kgate run -c suite.yaml -o run.json -q --set rounds.min=10 --set rounds.max=12
    quiet run.json >r.json
    jq '(.cases[].rounds.median_ns) |= [to_entries[] | .value * (if .key % 2 == 0 then 1 else 4 end)]' \
        r.json >swinging.json
    run kgate compare r.json swinging.json
    [ "$status" -eq 4 ]
    [[ "${lines[0]}" == "UNDECIDED  small, 2 cases: 2 "* && "$output" == *"next: decide it with paired rounds"* ]]
    [[ "$output" == *INCONCLUSIVE* && "$output" == *"would decide it"* ]]
    jq '.policy.undecided = "pass"' swinging.json >lenient.json
    run kgate compare r.json lenient.json
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "PASS  small, 2 cases: 2 "* && "$output" == *"passes: undecided: pass"* ]]
    jq '.policy.undecided = "fail"' swinging.json >strict.json
    run kgate compare r.json strict.json
    [ "$status" -eq 1 ]
}

@test "one round a side does not say that nothing changed" {
    kgate run -c suite.yaml -o run.json -q --set rounds.min=1
    jq 'del(.cases[].code_hash)' run.json >r.json
    later r.json 60 >later.json
    run kgate compare r.json later.json
    [ "$status" -eq 4 ]
    [[ "$output" == *INCONCLUSIVE*"1 round against 1 cannot show that nothing changed"* ]]
}

@test "--budget ends the doubt in time, and a bad one is bad usage" {
    kgate run -c suite.yaml -o r.json -q --set rounds.min=8 --set rounds.max=12
    jq '(.cases[].rounds.median_ns) |= [to_entries[] | .value * (if .key % 2 == 0 then 0.2 else 5 end)] | del(.cases[].code_hash)' \
        r.json >swinging.json
    kgate baseline update swinging.json -b base --keep-builds 0
    run kgate gate -c suite.yaml -b base -o out --budget 1ms
    [ "$status" -eq 4 ]
    # not a round beyond the fewest
    jq -e '[.cases[].rounds.median_ns | length == 3] | all' out/results.json
    # on a slow machine the fewest rounds alone take longer than the first of these
    for budget in 4s 20s 2min; do
        run kgate gate -c suite.yaml -b base -o out --budget $budget -q
        more=$(jq '[.cases[].rounds.median_ns | length > 3] | any' out/results.json)
        [ "$more" = false ] || break
    done
    [ "$more" = true ]
    for bad in 5 banana -1s 0s; do
        run kgate gate -c suite.yaml -b base -o out --budget=$bad
        [ "$status" -eq 2 ]
        [[ "$output" == *"--budget is '$bad'"* ]]
    done
}

@test "a moved clock is taken out of the times and said" {
    kgate run -c suite.yaml -o run.json -q --set rounds.min=8 --set rounds.max=12
    quiet run.json >r.json
    # the same work on a core whose clock jumps, and is a third slower on the whole
    jq '(.cases[].rounds) |= (.median_ns |= [to_entries[] | .value * (if .key % 2 == 0 then 1.4 else 1.3 end)]
            | .pulse_ns = [range(8) | 10000 * (if . % 2 == 0 then 1.4 else 1.3 end)])' r.json >slow.json
    jq '(.cases[].rounds) |= (.median_ns |= [to_entries[] | .value * (if .key % 2 == 0 then 1.1 else 1 end)]
            | .pulse_ns = [range(8) | 10000 * (if . % 2 == 0 then 1.1 else 1 end)])' r.json >fast.json
    run kgate compare fast.json slow.json -v
    [ "$status" -eq 0 ]
    [[ "$output" == *"clock "*"lower than the baseline's"* ]]
}

@test "a machine whose memory became slower is said to have" {
    kgate run -c suite.yaml -o r.json -q
    # as many readings as a longer run has
    jq '.probes |= map_values([range(8) as $i | .[0]])' r.json >long.json
    mv long.json r.json
    jq '.probes.bandwidth_bytes_per_s |= map(. * 0.8)' r.json >slower.json
    run kgate compare r.json slower.json
    [[ "$output" == *"memory bandwidth of this machine is 20 % below the baseline's"* ]]
}

@test "counters that a plugin or a command reports are compared, each in its direction" {
    suite_of <<YAML
  - name: turns
    plugin: $PLUGINS/libreporting.so
    metrics: [time]
    threshold: 900%
    counters: {turns: {better: lower, threshold: 1%}, quality: {better: higher, threshold: 1%}}
  - name: program
    command: [sh, -c, 'echo "hits 42" >>"\$KGATE_COUNTERS"']
    metrics: [time]
    threshold: 900%
    counters: {hits: {better: higher, threshold: 1%}}
YAML
    kgate run -c one.yaml -o run.json -q --set rounds.min=3
    valid run.json results
    # the times do not matter here
    jq '.cases[].rounds |= (del(.disturbance) | .median_ns |= map(1000) | .mean_ns |= map(1000)) |
        del(.cases[].code_hash)' run.json >r.json
    jq -e '.cases[0].series[2:] | map({(.name): .values[0]}) | add == {turns: 20000, quality: 50}' r.json
    jq -e '.cases[1].series[2].values == [42, 42, 42]' r.json
    run kgate compare r.json r.json
    [ "$status" -eq 0 ]
    jq '.cases[0].series[2].values |= map(. * 1.05)' r.json >more.json
    run kgate compare r.json more.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"turns, time "* ]]
    jq '.cases[1].series[2].values |= map(. * 0.9)' r.json >fewer.json
    run kgate compare r.json fewer.json
    [ "$status" -eq 1 ]
    jq '.cases[1].series[2].values |= map(. * 1.1)' r.json >better.json
    run kgate compare r.json better.json
    [ "$status" -eq 0 ]
    [[ "$output" == *IMPROVEMENT* ]]
}

@test "what a workload reports and the suite does not name is kept and shown, and judged by nobody" {
    suite_of <<YAML
  - name: turns
    plugin: $PLUGINS/libreporting.so
    threshold: 900%
    counters: {turns: {better: lower, threshold: 1%}}
  - name: program
    command: [sh, -c, 'printf "loss -1\nhits 42\n" >>"\$KGATE_COUNTERS"']
    threshold: 900%
YAML
    run kgate run -c one.yaml -o r.json --verbose --set rounds.min=3
    [[ "$output" == *"turns 20.0 k, quality 50.0"* && "$output" == *"hits 42.0"* ]]
    [[ "$output" != *loss* ]]
    run kgate run -c one.yaml -o r.json --set rounds.min=3
    [[ "$output" != *quality* ]]
    valid r.json results
    jq -e '.cases[0].series[2:] | map({(.name): .threshold}) | add == {turns: 0.01, quality: null}' r.json
    jq -e '.cases[1].series[2:] | map(.values) == [[42, 42, 42]]' r.json
    kgate report r.json --format markdown | grep -q 'turns/cpu\*\*: turns 20.0 k, quality 50.0'
    agreeing r.json >quiet.json
    jq '.cases[0].series[3].values |= map(. * 5)' quiet.json >other.json
    run kgate compare quiet.json other.json --verbose -o out
    [ "$status" -eq 0 ]
    [[ "$output" == *"2 unchanged"*"turns 20.0 k, quality 250"* ]]
    valid out/comparison.json comparison
    grep -q 'turns/cpu\*\*: turns 20.0 k, quality 250' out/report.md
}

@test "a killed run keeps its counters too" {
    suite_of <<YAML
  - name: turns
    plugin: $PLUGINS/libreporting.so
    rounds: {min: 10000, max: 10000}
    counters: {turns: {better: lower, threshold: 1%}}
YAML
    "$KGATE" run -c one.yaml -o r.json -q >/dev/null 2>&1 &
    pid=$!
    lines_wait r.json.journal 8
    kill -KILL $pid
    wait $pid || true
    kgate report r.json.journal --format json >killed.json
    jq -e '.cases[0] | (.series[2].values | length) > 1
           and (.series[2].values[0] == 20000)' killed.json
}

@test "a counter that is not reported fails its case" {
    suite_of <<YAML
  - name: turns
    plugin: $PLUGINS/libreporting.so
    counters: {misses: {better: lower, threshold: 1%}}
YAML
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ "$output" == *"did not report 'misses'"* ]]
}

@test "instructions are counted, repeat, and a growth of 1 % is caught" {
    [ -z "$SANITIZED" ] || skip "Valgrind does not run under AddressSanitizer"
    needs_valgrind
    suite_of <<YAML
  - {name: turns, plugin: $PLUGINS/libreporting.so, metrics: [instructions]}
  - {name: program, command: ['true'], metrics: [instructions]}
YAML
    kgate run -c one.yaml -o r.json -q
    kgate run -c one.yaml -o again.json -q
    jq -e '.cases[0].series[2] | .name == "instructions" and (.values | length == 3) and .values[0] > 20000' r.json
    run kgate compare r.json again.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"2 unchanged"* ]]
    jq '.cases[].series[2:][].values |= map(. * 1.01) | del(.cases[].code_hash)' again.json >more.json
    run kgate compare r.json more.json
    [ "$status" -eq 1 ]
    [[ "$output" == *instructions* ]]
}

@test "what crashes where it is counted alone is measured, and says why nothing was counted" {
    [ -z "$SANITIZED" ] || skip "Valgrind does not run under AddressSanitizer"
    needs_valgrind
    suite_of <<YAML
  - {name: uncountable, plugin: $PLUGINS/libreporting.so, metrics: [time, instructions]}
  - {name: fragile, plugin: $PLUGINS/libreporting_slow.so, metrics: [time, instructions]}
YAML
    run kgate run -c one.yaml -o r.json -q
    [ "$status" -eq 3 ]
    jq -e '.cases[1].status == "FAILED"' r.json
    if jq -e '.cases[0].series[2].source == "perf"' r.json >/dev/null; then
        skip "this machine's processor counts"
    fi
    jq -e '.cases[0] | .status == "OK" and (.rounds | length > 0) and (.series[2].values | length == 0)
           and (.series[2].reason | startswith("its instructions were not counted: the process that counted them crashed: signal 4"))
           and (.series[2].reason | contains("AVX-512")) and .note == .series[2].reason' r.json
    run kgate compare r.json r.json
    [[ "$output" == *INCONCLUSIVE*"were not counted"* ]]
}

@test "where nothing can count, instructions are INCONCLUSIVE with the reason" {
    suite_of <<<"  - {name: copy, kernel: copy, params: {bytes: 16KiB}, metrics: [instructions]}"
    mkdir -p nothing
    PATH=nothing "$KGATE" run -c one.yaml -o r.json -q
    if jq -e '.cases[0].series[2].source == "perf"' r.json >/dev/null; then
        skip "this machine's processor counts"
    fi
    run kgate compare r.json r.json
    [ "$status" -eq 4 ]
    [[ "$output" == *"next: instructions has no value"*INCONCLUSIVE*"valgrind is not installed"* ]]
}

# bats test_tags=thorough
@test "calibrate says what a suite is worth here" {
    run kgate calibrate -c suite.yaml --runs 2 -o calibration.json -q
    [ "$status" -eq 0 ]
    [[ "$output" == *"2 runs of the same code"*"pairs of runs"* ]]
    valid calibration.json calibration
    jq -e '.pairs == 2 and (.cases | length == 2)' calibration.json
    run kgate report calibration.json
    [[ "$output" == *"2 runs of the same code"* ]]
    run kgate report calibration.json --format markdown
    [ "$status" -eq 2 ]
    [[ "$output" == *"calibration files can be printed as text, json or html"* ]]
    kgate calibrate -c suite.yaml --runs 2 --json --filter '*plain*' | jq -e '.cases | length == 1'
    for bad in 0 1 101; do
        run kgate calibrate -c suite.yaml --runs $bad
        [ "$status" -eq 2 ]
    done
}

@test "calibrate of a workload that fails says which" {
    suite_of <<<"  - {name: broken, plugin: $PLUGINS/libbroken.so, workload: crash}"
    run kgate calibrate -c one.yaml --runs 2 -q
    [ "$status" -eq 3 ]
    [[ "$output" == *"broken/cpu failed: crashed: signal 11"* ]]
}

@test "doctor's JSON is what its schema says" {
    kgate doctor --seconds 1 --json >doctor.json
    valid doctor.json doctor
}

@test "the budget bounds confirming too: a suspect stays one" {
    baseline_faster
    run kgate gate -c suite.yaml -b base -o out --budget 1ms --set rounds.min=6
    [ "$status" -eq 4 ]
    [[ "$output" == *SUSPECT*"looks worse, not confirmed: --budget ended before the later rounds. Raise --budget"* ]]
    valid out/comparison.json comparison
    jq -e '[.cases[].rounds | has("confirms")] | any | not' out/results.json
    # and compare of the file says the same: its rounds were looked at while they were taken
    run kgate compare scaled.json out/results.json
    [ "$status" -eq 4 ]
    [[ "$output" == *SUSPECT*"looks worse, not confirmed: there are no later rounds"* ]]
}

# The results $1 with the times of eight quiet rounds, whatever this machine is doing. Of unknown code: unchanged
# code is no regression.
quiet() {
    jq '(.cases[].rounds) |= (del(.pulse_ns, .disturbance, .wait_ns, .stolen_ns) | map_values(.[:8]) |
        .batch |= map(64) | .calls |= map(6400) |
        .median_ns = [1000, 1010, 990, 1005, 995, 1000, 1008, 992] | .mean_ns = .median_ns) | del(.cases[].code_hash)' "$1"
}

@test "a median that stands still does not hide a mean that moves" {
    kgate run -c suite.yaml -o run.json -q --set rounds.min=8 --set rounds.max=12
    quiet run.json >r.json
    jq '(.cases[].rounds.mean_ns) |= map(. * 4)' r.json >tail.json
    run kgate compare r.json tail.json
    [ "$status" -eq 4 ]
    [[ "$output" == *INCONCLUSIVE*"the mean is +300"*"some calls changed"* ]]
}

@test "what lies within the noise of the stored runs only is not called unchanged" {
    for factor in 0.85 1 1.15; do
        kgate run -c suite.yaml -o run.json -q --set rounds.min=8 --set rounds.max=12 --set threshold=5%
        quiet run.json >r.json
        scale r.json $factor >scaled.json
        kgate baseline update scaled.json -b base --keep-builds 0
    done
    scale r.json 1.2 >slower.json
    run kgate compare base/*.json slower.json
    [ "$status" -eq 4 ]
    [[ "$output" == *INCONCLUSIVE*"noise floor"*"stored runs differ by"*"kgate ab"* ]]
}
