bats_require_minimum_version 1.5.0
load support

# What a newcomer gets wrong, and what kgate says of it.

fast() { kgate "$@" --set rounds.min=1 --set rounds.max=1 --set min_time=1ms; }

@test "a gate that finds no baseline compares nothing: exit 4, with the folder and what is in it" {
    run --separate-stderr fast gate -c suite.yaml -b bsae -o out --filter '*plain*'
    [ "$status" -eq 4 ]
    [[ "${lines[0]}" == UNDECIDED* ]]
    [[ "$output" == *"nothing was compared: 1 new; no baseline of suite 'small' for "*" in 'bsae', which does not exist"* ]]
    [[ "$output" == *"next: "*"baseline record"*"--update-missing"* ]]
    mkdir base && echo '{}' >base/another-machine.json
    run fast gate -c suite.yaml -b base -o out --filter '*plain*'
    [ "$status" -eq 4 ]
    [[ "$output" == *"in 'base' (found there: another-machine)"* ]]
    # what is recorded passes, and says the same
    run fast gate -c suite.yaml -b base -o out --update-missing
    [ "$status" -eq 0 ]
    [[ "$output" == *"note: no baseline of suite 'small'"* && "$output" == *"recorded 2 new"* ]]
    sed 's/suite: small/suite: large/' suite.yaml >large.yaml
    run fast gate -c large.yaml -b base -o out --filter '*plain*'
    [ "$status" -eq 4 ]
    [[ "$output" == *"no baseline of suite 'large'"*"(its suites there: small)"* ]]
}

@test "the path of a baseline in the place of its folder is bad usage" {
    mkdir base && echo '{}' >base/machine.json
    for action in gate "gate --update-missing"; do
        run kgate $action -c suite.yaml -b base/machine.json -o out
        [ "$status" -eq 2 ]
        [[ "$output" == *"'base/machine.json' is not a folder"*'did you mean `-b base`?'* ]]
    done
    [ ! -e out/results.json ]
}

@test "a store that cannot be written costs the recording, not the verdict: exit 3" {
    run -3 kgate gate -c suite.yaml -b /proc/nowhere -o out --update-missing
    [[ "$output" == *"2 new"* && "$output" == *"/proc/nowhere"* ]]
    [ -s out/report.md ] && [ -s out/comparison.json ] && [ -s out/results.json ]
}

@test "where recording fails the verdict and the reports are there all the same" {
    mkdir -p base && echo '{"schema": "kgate.baseline.v1", "fingerprint": "x", "machine": {}, "runs": []}' >base/x.json
    # the store goes away while the workload runs
    suite_of <<'YAML'
  - {name: vandal, command: [sh, -c, 'rm -rf base; : >base']}
YAML
    run kgate gate -c one.yaml -b base -o out --update-missing --set rounds.min=1 --set rounds.max=1
    [ "$status" -ge 2 ]
    [[ "$output" == *"1 new"* && "$output" == *"base"* ]]
    [ -s out/report.md ] && [ -s out/comparison.json ] && [ -s out/results.json ]
}

@test "the same run is recorded once" {
    fast run -c suite.yaml -o r.json -q
    agreeing r.json >a.json
    kgate baseline update a.json -b base -q
    run kgate baseline update a.json -b base
    [ "$status" -eq 2 ]
    [[ "$output" == *"the baseline already has this run"* ]]
    [ "$(jq '.runs | length' base/*.json)" -eq 1 ]
    # another of the same second is another, and a pin is no second run
    jq '.cases[0].rounds.median_ns[0] *= 1.001' a.json >b.json
    kgate baseline update b.json -b base -q
    kgate baseline update a.json -b base -q --pin v1
    [ "$(jq '.runs | length' base/*.json)" -eq 3 ]
}

@test "a baseline of several runs is one command" {
    suite_of <<<"  - {name: program, command: ['true'], metrics: [time], rounds: {min: 1, max: 1}}"
    run kgate baseline record -c one.yaml --runs 2 -b base --set trace=no
    [ "$status" -eq 0 ]
    [[ "$output" == *"run 2 of 2"*"recorded 2 runs of 1 case of suite one in base/"* ]]
    [ "$(jq '.runs | length' base/*.json)" -eq 2 ]
    # another, by its name
    run kgate baseline record -c one.yaml --runs 1 --pin v1 -b base -q --set trace=no
    [ "$status" -eq 0 ] && [ -z "$output" ]
    [ "$(jq '[.runs[].pin] | map(select(. != null)) == ["v1"]' base/*.json)" = true ]
}

@test "a baseline of several runs: what is bad usage, and a case that fails" {
    for bad in "" "-c suite.yaml --runs 0" "-c suite.yaml --runs 6" "-c suite.yaml --pin v1" "-c suite.yaml extra" \
        "-c nowhere.yaml"; do
        run kgate baseline record $bad -b base
        [ "$status" -eq 2 ]
    done
    [[ "$(kgate baseline record -c suite.yaml --runs 6 2>&1)" == *"give --keep 6"* ]]
    run kgate baseline list -c suite.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *'are for `kgate baseline record`'* ]]
    suite_of <<<"  - {name: program, command: ['false']}"
    run kgate baseline record -c one.yaml -b base -q
    [ "$status" -eq 3 ]
    [[ "$output" == *"program/cpu failed: "* ]]
    ! ls base/*.json
}

@test "a baseline of several runs that is stopped keeps the whole ones" {
    suite_of <<<"  - {name: program, command: [sh, stop.sh], rounds: {min: 1, max: 1}, min_time: 1us, metrics: [time]}"
    stop_when TERM "grep -q 'run 3 of' said"
    stopped baseline record -c one.yaml --runs 100 --keep 100 --keep-builds 0 -b base --set trace=no
    [ "$status" -eq 143 ]
    [ "$(jq '.runs | length' base/*.json)" -eq 2 ]
    grep -q "interrupted; the 2 whole runs of 100 are stored" said
    grep -q "recorded 2 runs of 1 case" said
}

@test "a suite that is given without -c, and a second build that is not given" {
    run kgate gate ok.yaml
    [ "$status" -eq 2 ]
    [ "$output" = "kgate: unexpected argument 'ok.yaml'; did you mean \`-c ok.yaml\`?" ]
    run kgate gate -c suite.yaml extra
    [ "$output" = "kgate: unexpected argument 'extra'; usage: kgate gate [options]" ]
    run kgate ab -c suite.yaml --base x
    [ "$status" -eq 2 ]
    [[ "$output" == *"needs --head B too: the candidate build" ]]
}

@test "a workload that the plugin does not have is refused, though it has one alone" {
    suite_of <<<"  - {name: turns, plugin: $PLUGINS/libreporting.so, workload: nope}"
    run fast run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ "$output" == *"has no workload 'nope'; it has '"* ]]
    # whatever the entry is called, where the suite names none
    suite_of <<<"  - {name: mine, plugin: $PLUGINS/scopes.so}"
    run fast run -c one.yaml -o r.json -q
    [ "$status" -eq 0 ]
}

@test "a CPU that is not there is refused, and those that are there are named" {
    suite_of <<<"  - {name: copy, kernel: copy, pin: 1000}"
    for action in "run -o r.json" "gate -b base -o out" validate; do
        run kgate $action -c one.yaml
        [ "$status" -eq 2 ]
        [[ "$output" == *"one.yaml:5:12: in workload 'copy': pin: 1000, but the CPUs that kgate may use here are "* ]]
    done
}

@test "validate opens plugins, asks them for their parameters, and looks for programs" {
    suite_of <<YAML
  - {name: turns, plugin: $PLUGINS/libreporting.so}
  - {name: program, command: ['true']}
YAML
    run kgate validate -c one.yaml
    [ "$status" -eq 0 ]
    suite_of <<<"  - {name: turns, plugin: ./nowhere.so}"
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"one.yaml:5:27: in workload 'turns': cannot load the plugin"*nowhere.so* ]]
    suite_of <<<"  - {name: turns, plugin: $PLUGINS/libreporting.so, params: {nosuch: 1}}"
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"one.yaml:5:27: in workload 'turns': "*"nosuch"* ]]
    suite_of <<<"  - {name: turns, plugin: $PLUGINS/libreporting.so, workload: nope}"
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    for program in nosuchprogram ./nosuchprogram; do
        suite_of <<<"  - {name: program, command: [$program]}"
        run kgate validate -c one.yaml
        [ "$status" -eq 2 ]
        [[ "$output" == *"one.yaml:5:31: in workload 'program': cannot "*"program '$program'"* ]]
    done
}

@test "validate refuses a plugin of another interface version" {
    cat >other.c <<'C'
struct plugin { unsigned abi; unsigned count; void *workloads; };
const struct plugin *kgate_plugin_workloads(void) { static const struct plugin p = {99, 0, 0}; return &p; }
C
    cc -shared -fPIC other.c -o libother.so
    suite_of <<<"  - {name: other, plugin: ./libother.so}"
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"has interface version 99, this kgate has "* ]]
}

@test "ab: an empty folder, and a library in the place of a program" {
    mkdir empty
    run kgate ab -c suite.yaml --base empty --head "$KGATE" -o out
    [ "$status" -eq 2 ]
    [[ "$output" == *"--base: 'empty' is an empty folder: there is nothing to compare"* ]]
    echo 'int answer(void) { return 42; }' >library.c
    cc -shared -fPIC library.c -o libanswer.so.1
    suite_of <<<"  - {name: program, command: ['true']}"
    run kgate ab -c one.yaml --base libanswer.so.1 --head libanswer.so.1 -o out
    [ "$status" -eq 2 ]
    [[ "$output" == *"--base: 'libanswer.so.1' is a shared library"*"docs/ab.md"* ]]
    grep -q '^### Two versions of a library' "$SOURCE/docs/ab.md"
}

@test "ab: a case that fails says on which side" {
    printf '#!/bin/sh\nexit 0\n' >good
    printf '#!/bin/sh\nexit 3\n' >bad
    chmod +x good bad
    suite_of <<<"  - {name: program, command: [./good], metrics: [time]}"
    run fast ab -c one.yaml --base good --head bad -o out
    [ "$status" -eq 3 ]
    [[ "$output" == *"the candidate fails: "* ]]
    run fast ab -c one.yaml --base bad --head bad -o out
    [ "$status" -eq 3 ]
    [[ "$output" == *"the candidate fails, and so does the baseline: "* ]]
}

@test "a command that fails shows what it wrote to both of its outputs" {
    suite_of <<<"  - {name: chatty, command: [sh, -c, 'echo said; echo complained >&2; exit 3']}"
    run fast run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ "$output" == *"wrote last:"*"| said"* && "$output" == *"| complained"* ]]
}

@test "values of a parameter that no word of the command has are refused" {
    suite_of <<<"  - {name: program, command: ['true'], matrix: {size: [1, 2]}}"
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"one.yaml:5:"*"no word of the command has the parameter 'size': its 2 values would be the same case"* ]]
    suite_of <<<"  - {name: program, command: ['true', '{size}'], matrix: {size: [1, 2]}}"
    kgate validate -c one.yaml
}

@test "what cannot be printed is no success" {
    [ -e /dev/full ] || skip "no /dev/full"
    for arguments in --help --version "gate --help" "validate -c suite.yaml" "list -c suite.yaml" schema; do
        status=0
        "$KGATE" $arguments >/dev/full 2>said || status=$?
        [ "$status" -eq 3 ]
        grep -q 'No space left on device' said
    done
}

@test "no character beyond ASCII in the bar where the locale has none" {
    run env LC_ALL=C script -qec "'$KGATE' run -c suite.yaml -o r.json --set rounds.min=1 --set min_time=1ms" /dev/null
    [[ "$output" == *....* && "$output" != *░* && "$output" != *█* ]]
    run env LC_ALL=C.UTF-8 script -qec "'$KGATE' run -c suite.yaml -o r.json --set rounds.min=1 --set min_time=1ms" /dev/null
    [[ "$output" == *░* ]]
}

@test "a calibration that is stopped says what its whole runs say" {
    suite_of <<<"  - {name: program, command: [sh, stop.sh], rounds: {min: 1, max: 1}, min_time: 1us}"
    stop_when TERM "grep -q 'run 4 of' said"
    stopped calibrate -c one.yaml --runs 100 --set rounds.min=1 -o part.json
    [ "$status" -eq 143 ]
    grep -q 'cover the complete runs' said
    jq -e '.runs == 3' part.json
}

@test "what fewest rounds take beyond --budget is said, and so is a busy machine" {
    suite_of <<<"  - {name: program, command: [sleep, '0.1'], rounds: {min: 2, max: 30}}"
    # asked before and after: the load may cross the number of CPUs meanwhile
    busy() { awk -v cpus="$(nproc)" '{ exit !($1 > cpus) }' /proc/loadavg; }
    busy && loaded=yes || loaded=no
    run kgate gate -c one.yaml -b base -o out --update-missing --budget 100ms
    [ "$status" -eq 0 ]
    [[ "$output" == *"note: measuring took "*", but --budget is 100 ms: every case got its minimum rounds"* ]]
    # and before, once, while there is time to stop it
    [ "$(grep -c '^kgate: note: the minimum rounds take about .*, but --budget is 100 ms: give --budget [0-9]*m*s or more, ' <<<"$output")" -eq 1 ]
    jq -e '.cases[0].rounds.median_ns | length == 2' out/results.json
    # on the screen if it is in the file
    [[ "$output" == *"note: when measuring began "* ]] && said=true || said=false
    [ "$(jq 'has("start_note")' out/results.json)" = $said ]
    if [ $loaded = yes ] && busy; then [[ "$output" == *"note: when measuring began the load was "* ]]; fi
    busy && loaded=yes || loaded=no
    kgate run -c one.yaml -o r.json --set rounds.min=1 >said
    if [ $loaded = yes ] && busy; then
        grep -q '^note: when measuring began the load was ' said
        jq -e '.start_note' r.json
    fi
}

@test "docs: two versions of a library under one plugin are compared by two folders" {
    cp "$SOURCE/docs/examples/plugin/spin.c" bench.c
    sed -n '/^### Two versions of a library/,/^The report names/p' "$SOURCE/docs/ab.md" | sed -n '/^```sh/,/^```/p' | grep -v '```' >recipe
    mkdir old new
    for side in old new; do
        echo "int version_of(void) { static const char name[] = \"$side\"; return name[0]; }" >library.c
        cc -shared -fPIC library.c -Wl,-soname,liblz4.so.1 -o $side/liblz4.so.1
    done
    cp old/liblz4.so.1 .
    echo 'int version_of(void); int (*const used)(void) = version_of;' >>bench.c
    sed -i "s|\$(pkg-config --cflags kgate-profiler)|-I'$SOURCE/include'|; /^kgate ab/d" recipe
    bash -e recipe
    rm liblz4.so.1
    suite_of <<<"  - {name: spin, plugin: libbench.so, params: {turns: 1000}, metrics: [time]}"
    fast ab -c one.yaml --base base --head head -o out -q || [ $? -eq 4 ]
    [ "$(jq '.cases[0].code_hash' out/base.json)" = "$(jq '.cases[0].code_hash' out/head.json)" ]
    [ "$(jq '.cases[0].libraries' out/base.json)" != "$(jq '.cases[0].libraries' out/head.json)" ]
}

# Results like those of the file, measured $2 minutes later, with every time $3 ms and rounds 0.2 % apart.
at_level() {
    jq --argjson minutes "$2" --argjson ms "$3" '
        .created |= (fromdate + 60 * $minutes | todate)
        | .cases |= map(select(.status == "OK") | del(.code_hash)
            | .rounds |= (del(.disturbance, .wait_ns, .stolen_ns, .user_ns, .system_ns)
                          | with_entries(if .key | test("^(median|mean|min|max|p95)_ns$")
                                         then .value |= [to_entries[] | 1e6 * $ms * (1 + 0.002 * .key)]
                                         else . end)))' "$1"
}

@test "a slowdown that is stored is told, and does not hide the next one" {
    suite_of <<<"  - {name: program, command: ['true'], metrics: [time], threshold: 15%}"
    kgate run -c one.yaml -o r.json -q --set rounds.min=5 --set rounds.max=5 --set min_time=1ms --set trace=no
    for run in 0 1 2; do
        at_level r.json $run 100 >run.json
        run kgate baseline update run.json -b base --keep-builds 0
        [ "$status" -eq 0 ]
        [[ "$output" != *"stored a worse run"* ]]
    done
    at_level r.json 3 150 >slower.json
    run kgate baseline update slower.json -b base --keep-builds 0
    [ "$status" -eq 0 ]
    [[ "$output" == *"warning: stored a worse run: program/cpu, time +50.0 %, REGRESSION"*"kgate accept"* ]]
    # the next: half as slow again
    at_level r.json 4 200 >next.json
    run kgate compare base/*.json next.json -o out
    [ "$status" -eq 4 ]
    [ "$(jq -r '.cases[0].metrics[0] | "\(.change) \(.doubt)"' out/comparison.json)" = "SUSPECT stepped" ]
    [[ "$output" == *"the baseline has a step"* ]]
    # what is at one of the levels is none
    at_level r.json 4 150 >same.json
    run kgate compare base/*.json same.json -o out
    [ "$(jq -r '.cases[0].metrics[0].change' out/comparison.json)" = INCONCLUSIVE ]
}

@test "a baseline that was merged by hand has each run once, in the order of their times" {
    suite_of <<<"  - {name: program, command: ['true'], metrics: [time]}"
    kgate run -c one.yaml -o r.json -q --set rounds.min=5 --set rounds.max=5 --set min_time=1ms --set trace=no
    for run in 0 1 2; do
        at_level r.json $run 10$run >run.json
        kgate baseline update run.json -b base --keep-builds 0 -q
    done
    file=$(echo base/*.json)
    jq '.runs += .runs' "$file" >twice.json
    run kgate compare twice.json run.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"twice.json"*"runs[3] repeats runs[0]"*"remove one of them"* ]]
    jq '.runs[1].created = "not a date"' "$file" >undated.json
    run kgate compare undated.json run.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"runs[1].created"*"not a date"* ]]
    # what is no time is none of results either
    jq '.created = "2026-02-30T00:00:00Z"' run.json >undated.json
    run kgate baseline update undated.json -b base
    [ "$status" -eq 2 ]
    [[ "$output" == *"created: expected a time"* ]]
    cp "$file" ordered.json
    jq '.runs |= reverse' ordered.json >"$file"
    at_level r.json 3 103 >run.json
    kgate baseline update run.json -b base --keep-builds 0 -q
    jq -e '[.runs[].created] | . == sort and length == 4' "$file"
}
