bats_require_minimum_version 1.5.0
load support

# Two builds of one plugin, the second of which does four times the work.
ab_suite() {
    cat >ab.yaml <<YAML
version: 1
suite: ab
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 30%, rounds: {min: 8, max: 12}, min_time: 4ms, threads: 1, timeout: 120s,
           metrics: [time]}
workloads:
  - {name: turns, plugin: $PLUGINS/libreporting.so}
YAML
}

@test "ab of a build against one that is slower: exit 1, with reports and both results" {
    ab_suite
    run --separate-stderr kgate ab -c ab.yaml --base "$PLUGINS/libreporting.so" --head "$PLUGINS/libreporting_slow.so" -o out
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == "FAIL  ab, 1 case: 1 regressed" ]]
    [[ "$output" != *"the baseline has one run"* ]]
    valid out/base.json results
    valid out/head.json results
    valid out/comparison.json comparison
    [ -s out/report.md ]
    [ ! -e out/base.json.journal ] && [ ! -e out/head.json.journal ]
    jq -e '.cases[0].metrics[0] | .against == "base" and .ratio > 1.3' out/comparison.json
    # confirmed by later pairs, of which there are at least as many
    jq -e '.cases[0].confirming_rounds >= 8' out/comparison.json
}

@test "compare decides from an ab's two files as pairs again" {
    ab_suite
    kgate ab -c ab.yaml --base "$PLUGINS/libreporting.so" --head "$PLUGINS/libreporting_slow.so" -o out || true
    # both sides swing by a factor of nine together: only the pairs show the change
    for side in base head; do
        jq '.cases[0].rounds.median_ns |= [to_entries[] | .value * (if .key % 2 == 0 then 1 else 9 end)]' \
            out/$side.json >$side.json
    done
    run kgate compare base.json head.json
    [ "$status" -eq 1 ]
    jq 'del(.pair)' head.json >alone.json
    run kgate compare base.json alone.json
    [ "$status" -eq 4 ]
    [[ "$output" == *SUSPECT* || "$output" == *INCONCLUSIVE* ]]
}

@test "ab of a build against itself does not fail" {
    ab_suite
    run kgate ab -c ab.yaml --base "$PLUGINS/libreporting.so" --head "$PLUGINS/libreporting.so" -o out --measure-unchanged
    [ "$status" -eq 0 ]
    [[ "$output" == *"1 of 1 case has the same code on both sides"* ]]
}

@test "ab of two programs" {
    printf '#!/bin/sh\nexit 0\n' >old
    printf '#!/bin/sh\nexec sleep 0.02\n' >new
    chmod +x old new
    suite_of <<<"  - {name: program, command: [./old, --flag], threshold: 50%, rounds: {min: 8, max: 8}, metrics: [time]}"
    run kgate ab -c one.yaml --base old --head new -o out
    [ "$status" -eq 1 ]
}

@test "ab of two checkouts: relative plugins are those in each folder" {
    mkdir -p base head
    cp "$PLUGINS/libreporting.so" base/libit.so
    cp "$PLUGINS/libreporting_slow.so" head/libit.so
    ab_suite
    sed -i "s|plugin: .*|plugin: libit.so}|" ab.yaml
    run kgate ab -c ab.yaml --base base --head head -o out
    [ "$status" -eq 1 ]
    [ "$(jq -r '.cases[0].code_hash' out/base.json)" != "$(jq -r '.cases[0].code_hash' out/head.json)" ]
}

@test "a folder or a script called kgate in a checkout is no build of kgate" {
    mkdir -p base/kgate head/build/kgate
    printf '#!/bin/sh\nexit 2\n' | tee base/it head/it >head/kgate
    printf '#!/bin/sh\nexit 0\n' | tee base/it >head/it
    chmod +x base/it head/it head/kgate
    ab_suite
    sed -i "s|plugin: .*|command: [./it]}|" ab.yaml
    run kgate ab -c ab.yaml --base base --head head --measure-unchanged -o out
    [ "$status" -ne 2 ]
    jq -e '.cases[0].status == "OK"' out/head.json
}

@test "ab of two kgate builds measures their built-in kernels" {
    run kgate ab -c suite.yaml --base "$KGATE" --head "$KGATE" --measure-unchanged -o out --set threshold=500%
    passes_or_open
    jq -e '[.cases[].rounds.base_ratio | length >= 3] == [true, true]' out/head.json
}

@test "a kgate without kernels beside it says nothing about them" {
    mkdir bare
    cp "$KGATE" bare/
    run kgate ab -c suite.yaml --base bare/kgate --head "$KGATE" -o out
    [ "$status" -eq 2 ]
    [[ "$output" == *"no case can be compared: --base has no such kernel beside its kgate"* ]]
}

@test "a plugin of another interface version is refused by both versions, also of a kgate's kernels" {
    mkdir -p bare/kgate-kernels
    cp "$KGATE" bare/
    cat >old.c <<'C'
struct { unsigned abi; const void *workloads; unsigned long count; } plugin = {99, 0, 0};
void *kgate_plugin_workloads(void) { return &plugin; }
C
    cc -shared -fPIC old.c -o old.so
    for family in "$(dirname "$KGATE")"/kgate-kernels/*.so; do cp old.so "bare/kgate-kernels/${family##*/}"; done
    run kgate ab -c suite.yaml --base bare/kgate --head "$KGATE" -o out
    [[ "$output$(cat out/base.json)" == *"has interface version 99, this kgate has 1: build it again"* ]]
}

@test "a side that says nothing about any case is bad usage" {
    run kgate ab -c suite.yaml --base "$PLUGINS/libreporting.so" --head "$PLUGINS/libreporting.so" --measure-unchanged -o out
    [ "$status" -eq 2 ]
    [[ "$output" == *"no case can be compared: --"*"is a plugin, and this is not in a plugin"* ]]
    run kgate ab -c suite.yaml --base nowhere --head "$KGATE" -o out
    [ "$status" -eq 2 ]
    [[ "$output" == *"--base: cannot find 'nowhere'"* ]]
    run kgate ab -c suite.yaml --base suite.yaml --head "$KGATE" -o out
    [ "$status" -eq 2 ]
    [[ "$output" == *"neither a folder, a kgate, a plugin nor an executable program"* ]]
    run kgate ab -c suite.yaml --base "$KGATE"
    [ "$status" -eq 2 ]
}

@test "a side is named as it was given: an option, or an operand" {
    echo 'int main(void) { return 0; }' >work.c
    run kgate ab ./work.c true
    [ "$status" -eq 2 ]
    [[ "$output" == "kgate: OLD: './work.c' is neither a folder, a kgate, a plugin nor an executable program"* ]]
    run kgate ab true ./work.c
    [ "$status" -eq 2 ]
    [[ "$output" == "kgate: NEW: './work.c' is neither"* ]]
    run kgate ab -c suite.yaml work.c "$KGATE"
    [ "$status" -eq 2 ]
    [[ "$output" == *"OLD: 'work.c' is neither"* ]]
}

@test "a budget of nothing is refused as what it is" {
    run kgate ab true false --budget 0s
    [ "$status" -eq 2 ]
    [ "$output" = "kgate: --budget is '0s', but must be more than 0" ]
    run kgate ab true false --budget 5
    [ "$status" -eq 2 ]
    [[ "$output" == *"must be a time with its unit"* ]]
}

@test "programs of one name have their folders as names, and env is none" {
    mkdir -p builds/old builds/new
    printf '#!/bin/sh\nsleep 0.01\n' >builds/old/app
    printf '#!/bin/sh\nsleep 0.05\n' >builds/new/app
    chmod +x builds/*/app
    run kgate ab "$PWD/builds/old/app --all" "env LC_ALL=C $PWD/builds/new/app --all" --rounds 3 --set disturbance=100%
    [[ "$output" == *$'\n'"  old/app "*$'\n'"  new/app "* ]]
}

@test "ab of one program says that the code is unchanged" {
    run kgate ab "sleep 0.01" "sleep 0.05" --rounds 5 --set disturbance=100%
    [[ "$output" == *"sleep 0.05 is slower than sleep 0.01: "*"% interval): the code "*" unchanged"*"Likely cause: the input"* ]]
    # the program of a command is behind env, and that of the loader's variables is not known
    run kgate ab "sleep 0.01" "env LC_ALL=C sleep 0.05" --rounds 5 --set disturbance=100%
    [[ "$output" == *"% interval): the code "*" unchanged"* ]]
    # env finds another program of the same name
    mkdir first second
    printf '#include <unistd.h>\nint main(void) { return usleep(TIME); }\n' >rest.c
    cc -DTIME=10000 rest.c -o first/rest
    cc -DTIME=50000 rest.c -o second/rest
    PATH="$PWD/first:$PATH" run kgate ab rest "env PATH=$PWD/second:$PATH rest" --rounds 5 --set disturbance=100% -o paths
    [[ "$output" != *" unchanged"* ]]
    jq -es 'map(.cases[0].code_hash) | all(. != null) and .[0] != .[1]' paths/base.json paths/head.json
    run kgate ab "sleep 0.01" "env LD_DEBUG=none sleep 0.05" --rounds 5 --set disturbance=100%
    [[ "$output" == *"kgate did not check code that the program loads or starts later"* ]]
}

@test "what ab exports names both commands, and the case after the one that is judged" {
    printf '#!/bin/sh\nexit 0\n' >old
    printf '#!/bin/sh\nexec sleep 0.05\n' >new
    chmod +x old new
    run kgate ab ./old './new --flag' --rounds 3 --export ab.json --export ab.md --export ab.csv
    jq -e '.base == "./old" and .head == "./new --flag" and .cases[0].id == "new/cpu"' ab.json
    valid ab.json comparison
    grep -q 'Baseline: .*old.*, candidate: .*new --flag' ab.md
    grep -q 'new/cpu' ab.csv
}

@test "ab of two plugins without -o names no file that is removed" {
    run kgate ab "$PLUGINS/libreporting.so" "$PLUGINS/libreporting_slow.so" --rounds 3 --filter 'turns/*' --export ab.json
    echo "$output"
    [[ "$output" != *"kgate-ab-"* ]]
    # whether anything is suggested depends on the machine
    if grep -qE '^  [0-9]+ suggestions?' <<<"$output"; then [[ "$output" == *"with -o DIR the files are kept"* ]]; fi
    jq -e '.base | endswith("/libreporting.so")' ab.json
}

@test "a crash in one of the builds fails the case and names the build" {
    ab_suite
    sed -i "s|name: turns|name: fragile|" ab.yaml
    run kgate ab -c ab.yaml --base "$PLUGINS/libreporting.so" --head "$PLUGINS/libreporting_slow.so" -o out
    [ "$status" -eq 3 ]
    [[ "$output" == *"signal 6"* ]]
    run kgate ab -c ab.yaml --base "$PLUGINS/libreporting_slow.so" --head "$PLUGINS/libreporting.so" -o out
    # a head may mend, or add, what the base cannot do; but nothing else is compared here
    [ "$status" -eq 4 ]
    [[ "$output" == *"nothing was compared: 1 skipped"*SKIPPED*"the baseline cannot be measured: crashed: signal 6"* ]]
}

@test "a stop in the middle of an ab leaves what was measured" {
    ab_suite
    "$KGATE" ab -c ab.yaml --base "$PLUGINS/libreporting.so" --head "$PLUGINS/libreporting.so" --measure-unchanged -o out \
        --set rounds.min=10000 --set rounds.max=10000 -q &
    pid=$!
    lines_wait out/head.json.journal 4
    kill -TERM "$pid"
    status=0; wait "$pid" || status=$?
    [ "$status" -eq 143 ]
    jq -e '.complete == false and (.cases[0].rounds.median_ns | length > 0)' out/head.json
}

@test "what would settle an ab is its own command, as it was given, with more pairs" {
    # one pair decides nothing, whatever it says
    one_pair=(--set rounds.min=1 --set rounds.max=1 --set disturbance=100%)
    run kgate ab 'true old' 'true new' --name x --name y "${one_pair[@]}" -o out -q
    [ "$status" -eq 4 ]
    jq -r .next out/comparison.json >next.txt
    grep -qxF "more paired rounds: \`kgate ab --set rounds.min=1 --set disturbance=100% --name x --name y 'true old' 'true new' --set rounds.max=2\`" next.txt
    ab_suite
    run kgate ab -c ab.yaml --base "$PLUGINS/libreporting.so" --head "$PLUGINS/libreporting_slow.so" "${one_pair[@]}" -o out
    [ "$status" -eq 4 ]
    [[ "$output" == *"kgate ab -c ab.yaml --base "*" --head "* && "$output" != *"BASE --head HEAD"* ]]
}

@test "in a pipeline the advice of ab names an option, and no folder of the runner" {
    # one pair decides nothing, whatever it says
    CI=true run kgate ab 'sleep 0' 'sleep 0.001' --set rounds.min=1 --set rounds.max=1 --set disturbance=100% -o out
    [ "$status" -eq 4 ]
    jq -r .next out/comparison.json >next.txt
    grep -qxF 'more paired rounds: give `--set rounds.max=2`' next.txt
}

@test "with --budget a doubt goes on beyond rounds.max, and the advice is no more rounds" {
    run kgate ab 'sleep 0' 'sleep 0.02' --set rounds.min=1 --set rounds.max=1 --set min_time=1ms --set disturbance=100% --budget 30s -o out
    [ "$status" -eq 1 ]
    jq -e '.cases[0].rounds > 2' out/comparison.json
}

@test "a candidate that is far slower makes a round no longer than planned" {
    run kgate ab 'sleep 0' 'sleep 0.06' --rounds 5 --set min_time=1ms --set disturbance=100% --set trace=no -o out
    [ "$status" -eq 1 ]
    # by the time of the baseline alone there would be more
    jq -e '.cases[0].rounds.calls | max <= 8' out/head.json
}

@test "a third name is one too many" {
    run kgate ab "true a" "true b" --rounds 3 --name one --name two --name three
    [ "$status" -eq 2 ]
    [[ "$output" == *"--name is given 3 times, and there are two sides"* ]]
    run kgate ab "true a" "true b" --name ''
    [ "$status" -eq 2 ]
    [ "$output" = "kgate: --name is '', but must be the name of a side" ]
}

@test "builds and plugins have the names that they are given, in every report" {
    ab_suite
    run kgate ab -c ab.yaml --base "$PLUGINS/libreporting.so" --head "$PLUGINS/libreporting_slow.so" -o out --name v1 --name v2
    [ "$status" -eq 1 ]
    [[ "$output" == *"  baseline: v1 ($PLUGINS/libreporting.so), candidate: v2 ($PLUGINS/libreporting_slow.so)"* ]]
    jq -e '.base | startswith("v1 (")' out/comparison.json
    grep -q 'Baseline: v1 (.*, candidate: v2 (' out/report.md
    # one name is the base's
    run kgate ab "$PLUGINS/libreporting.so" "$PLUGINS/libreporting_slow.so" --rounds 3 --set trace=no --name old --export ab.json
    [[ "$output" == *"  baseline: old ($PLUGINS/libreporting.so), candidate: $PLUGINS/libreporting_slow.so"* ]]
    jq -e '(.base | startswith("old (")) and (.head | endswith("libreporting_slow.so"))' ab.json
    # nobody asked: as ever
    kgate ab -c ab.yaml --base "$PLUGINS/libreporting.so" --head "$PLUGINS/libreporting.so" --measure-unchanged -o out -q --rounds 3 || true
    jq -e '.base == null' out/comparison.json
}

# A folder $1 with a program that does nothing, and a suite of workloads $2… that run it.
checkout() {
    local folder=$1 name
    shift
    mkdir -p "$folder"
    printf '#!/bin/sh\nexit 0\n' >"$folder/program"
    chmod +x "$folder/program"
    [ $# -gt 0 ] || return 0
    for name in "$@"; do echo "  - {name: $name, command: [./program], metrics: [time]}"; done | suite_of
    sed 's/trace: no/& , threshold: 500%/' one.yaml >"$folder/kgate.yaml"
}

@test "a base that cannot be run leaves the verdict open, and the report says why" {
    checkout base one two
    checkout head one two
    sed -i 's/two, command: \[.\/program/two, command: [.\/other/' {base,head}/kgate.yaml
    cp head/program head/other # the build of the base failed half-way
    run kgate ab -c head/kgate.yaml --base base --head head -o out
    [ "$status" -eq 4 ]
    # of the other case a busy machine may say too little
    [[ "${lines[0]}" == UNDECIDED*"1 skipped, 1 unchanged" || "${lines[0]}" == UNDECIDED*"1 inconclusive, 1 skipped" ]]
    [[ "$output" == *"1 case was not measured: two/cpu was SKIPPED: the baseline cannot be measured: "*"other"* ]]
    grep -q 'two/cpu.*the baseline cannot be measured' out/report.md
    jq -e '.cases[1].unpaired' out/head.json
    valid out/head.json results
    # likewise of a suite elsewhere, of which nobody knows whether the base has it
    mv head/kgate.yaml .
    run kgate ab -c kgate.yaml --base base --head head -o out
    [ "$status" -eq 4 ]
}

@test "a case that the base's suite does not have is NEW, measured alone, and fails nothing" {
    checkout base
    checkout head one two
    # a pass of nothing but new cases would stay one if the base never gets a suite
    run kgate ab -c head/kgate.yaml --base base --head head -o out
    [ "$status" -eq 4 ]
    [[ "${lines[0]}" == UNDECIDED*"2 new" ]]
    [[ "$output" == *"nothing was compared: 2 new; the baseline build has none of these cases"* ]]
    [[ "$output" == *"these cases are new: they are compared once this change is merged"* ]]
    grep -q 'these cases are new' out/report.md
    grep -q 'baseline: it has none of these cases' out/report.md
    jq -e '[.cases[].rounds.median_ns | length >= 2] | all' out/head.json
    checkout base one
    rm base/program
    ln head/program base/program
    run kgate ab -c head/kgate.yaml --base base --head head -o out
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == PASS*"1 new"* ]]
    run kgate compare out/base.json out/head.json
    [ "$status" -eq 0 ]
    # one that fails on its own is no pass
    printf '#!/bin/sh\nexit 3\n' >head/other
    chmod +x head/other
    sed -i 's/two, command: \[.\/program/two, command: [.\/other/' head/kgate.yaml
    run kgate ab -c head/kgate.yaml --base base --head head -o out
    [ "$status" -eq 3 ]
}

@test "ab of two folders: a relative stdin of the suite is found, and both sides read it" {
    mkdir -p old new data
    printf '#!/bin/sh\nread -r word && [ "$word" = kept ] && [ "$(wc -c)" -eq 0 ]\n' >old/app
    cp old/app new/app
    chmod +x old/app new/app
    echo kept >data/in.txt
    cat >ab.yaml <<'YAML'
version: 1
suite: ab
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 100%, rounds: {min: 3, max: 3}, min_time: 1ms}
workloads:
  - {name: app, command: [./app], stdin: data/in.txt}
YAML
    kgate ab -c ab.yaml --base old --head new --measure-unchanged -o out || [ $? -eq 4 ]
    jq -e '.cases[0].status == "OK"' out/base.json
    jq -e '.cases[0].status == "OK"' out/head.json
}
