load support

# What a newcomer gets wrong, and what kgate says of it.

fast() { kgate "$@" --set rounds.min=1 --set rounds.max=1 --set min_time=1ms; }

@test "a gate that finds no baseline compares nothing: exit 4, with the folder and what is in it" {
    run fast gate -c suite.yaml -b bsae -o out --filter '*plain*'
    [ "$status" -eq 4 ]
    [[ "${lines[0]}" == UNDECIDED* ]]
    [[ "$output" == *"nothing was compared: 1 new; no baseline of suite 'small' for "*" in 'bsae', which is not there"* ]]
    [[ "$output" == *"next: "*"--update-missing"* ]]
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

@test "a store that cannot be written is found before anything is measured" {
    run kgate gate -c suite.yaml -b /proc/nowhere -o out --update-missing
    [ "$status" -ne 0 ] && [ "$status" -ne 1 ] && [ "$status" -ne 4 ]
    [[ "$output" == *"/proc/nowhere"* ]]
    [ ! -e out/results.json ]
}

@test "where recording fails the verdict and the reports are there all the same" {
    mkdir -p base && echo '{"schema": "kgate.baseline.v2", "fingerprint": "x", "machine": {}, "runs": []}' >base/x.json
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
    [[ "$output" == *"is in the baseline already"* ]]
    [ "$(jq '.runs | length' base/*.json)" -eq 1 ]
    # another of the same second is another, and a pin is no second run
    jq '.cases[0].rounds.median_ns[0] *= 1.001' a.json >b.json
    kgate baseline update b.json -b base -q
    kgate baseline update a.json -b base -q --pin v1
    [ "$(jq '.runs | length' base/*.json)" -eq 3 ]
}

@test "a suite that is given without -c, and a second build that is not given" {
    run kgate gate ok.yaml
    [ "$status" -eq 2 ]
    [ "$output" = "kgate: unexpected argument 'ok.yaml'; did you mean \`-c ok.yaml\`?" ]
    run kgate gate -c suite.yaml extra
    [ "$output" = "kgate: unexpected argument 'extra'; usage: kgate gate [options]" ]
    run kgate ab -c suite.yaml --base x
    [ "$status" -eq 2 ]
    [[ "$output" == *"needs --head B: the new build, likewise" ]]
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
    [[ "$output" == *"--base: 'libanswer.so.1' is a shared library"*"docs/ci.md"* ]]
    grep -q '^### Two versions of a library' "$SOURCE/docs/ci.md"
}

@test "ab: a case that fails says on which side" {
    printf '#!/bin/sh\nexit 0\n' >good
    printf '#!/bin/sh\nexit 3\n' >bad
    chmod +x good bad
    suite_of <<<"  - {name: program, command: [./good], metrics: [time]}"
    run fast ab -c one.yaml --base good --head bad -o out
    [ "$status" -eq 3 ]
    [[ "$output" == *"the head fails: "* ]]
    run fast ab -c one.yaml --base bad --head bad -o out
    [ "$status" -eq 3 ]
    [[ "$output" == *"the head fails, and so does the base: "* ]]
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
    suite_of <<<"  - {name: program, command: [sh, -c, 'echo x >>$PWD/calls'], rounds: {min: 1, max: 1}, min_time: 1us}"
    "$KGATE" calibrate -c one.yaml --runs 100 --set rounds.min=1 -o part.json >said 2>&1 &
    pid=$!
    for _ in $(seq 1200); do grep -q 'run 4 of' said && break; sleep 0.1; done
    kill -TERM $pid
    status=0; wait $pid || status=$?
    [ "$status" -eq 143 ]
    grep -q 'runs that were whole' said
    jq -e '.runs >= 3 and .runs < 100' part.json
}

@test "what fewest rounds take beyond --budget is said, and so is a busy machine" {
    suite_of <<<"  - {name: program, command: [sleep, '0.1'], rounds: {min: 2, max: 30}}"
    run kgate gate -c one.yaml -b base -o out --update-missing --budget 100ms
    [ "$status" -eq 0 ]
    [[ "$output" == *"note: measuring took "*", --budget asks for 100 ms: every case has its fewest rounds"* ]]
    jq -e '.cases[0].rounds.median_ns | length == 2' out/results.json
    load=$(cut -d' ' -f1 /proc/loadavg)
    if awk "BEGIN { exit !($load > $(nproc)) }"; then
        [[ "$output" == *"note: when measuring began the load was "* ]]
    fi
}

@test "docs: two versions of a library under one plugin are compared by two folders" {
    cp "$SOURCE/tests/plugins/good.c" bench.c
    sed -n '/^### Two versions of a library/,/^Where time/p' "$SOURCE/docs/ci.md" | sed -n '/^```sh/,/^```/p' | grep -v '```' >recipe
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
