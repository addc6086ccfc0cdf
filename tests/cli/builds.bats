# The builds that the store keeps, and gates that measure against them.
load support

# Compiles the plugin to the file $1, with the compiler's other arguments. It never has a sanitizer: the
# sanitizer's libraries open others, and kgate then knows only a part of the code.
plugin_build() {
    cc -std=c17 -O2 -fPIC -shared -I"$SOURCE/include" "${@:2}" "$SOURCE/tests/plugins/reporting.c" -o "$1"
}

# A suite of one plugin, which the test may change.
plugin_suite() {
    plugin_build libit.so
    cat >builds.yaml <<'YAML'
version: 1
suite: builds
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 30%, rounds: {min: 6, max: 16}, min_time: 4ms, threads: 1, timeout: 120s, metrics: [time]}
workloads:
  - {name: turns, plugin: libit.so}
YAML
}

@test "a build is kept by its hash, in a folder that git leaves alone" {
    plugin_suite
    kgate run -c builds.yaml -o a.json -q
    valid a.json results
    # the loader lists the libraries of a plugin whose name has no slash
    [ "$(jq -r '.cases[0].code_scope' a.json)" = libraries ]
    sum=$(sha256sum libit.so | cut -d' ' -f1)
    [ "$(jq -r '.cases[0].build' a.json)" = "$sum" ]
    run kgate baseline update a.json -b base
    [[ "$output" == *"kept 1 build; all that are kept take "* ]]
    cmp libit.so "base/builds/$sum/libit.so"
    valid base/*.json baseline
    git init -q . && git add -A
    [ -z "$(git ls-files base/builds)" ]
    run kgate baseline show -b base
    [[ "$output" == *"1 case, builds kept"*"1 build kept in base/builds, "* ]]
    rm -r "base/builds/$sum"
    run kgate baseline list -b base
    [[ "$output" == *"no builds kept"* ]]
}

@test "a build that changed since it was measured is not kept, and said" {
    plugin_suite
    kgate run -c builds.yaml -o a.json -q
    plugin_build libit.so -DTURNS=80000
    run kgate baseline update a.json -b base
    [ "$status" -eq 0 ]
    [[ "$output" == *"not kept, because the file changed after the measurement: $PWD/libit.so"* ]]
    [ -z "$(find base/builds -name '*.so')" ]
}

@test "programs are kept; scripts, interpreters and the system's programs are not" {
    cp /bin/true app
    cp /bin/true python3.11
    printf '#!/bin/sh\nexit 0\n' >script && chmod +x script
    suite_of <<'YAML'
  - {name: app, command: [./app]}
  - {name: script, command: [./script]}
  - {name: interpreter, command: [./python3.11]}
  - {name: system, command: ["true"]}
YAML
    kgate run -c one.yaml -o a.json -q
    [ "$(jq -c '[.cases[] | has("build")]' a.json)" = '[true,false,false,false]' ]
    run kgate baseline update a.json -b base
    [[ "$output" == *"kept 1 build;"*"no build is kept for 3 cases: "* ]]
    [ -x base/builds/*/app ]
}

@test "room for builds: a limit, none, and what pruning removes" {
    plugin_suite
    kgate run -c builds.yaml -o a.json -q
    kgate baseline update a.json -b base --keep-builds 0
    [ ! -e base/builds ]
    later a.json 1 >again.json
    run kgate baseline update again.json -b base --keep-builds 1kB
    [[ "$output" == *"not kept, because there is no room (--keep-builds): $PWD/libit.so"* ]]
    kgate baseline update a.json -b base --pin first
    plugin_build libit.so -DTURNS=80000
    kgate run -c builds.yaml -o b.json -q
    for i in 1 2 3; do
        later b.json $i >again.json
        kgate baseline update again.json -b base -q --keep 2
    done
    [ "$(find base/builds -name '*.so' | wc -l)" -eq 2 ]
    # the pinned run keeps its build until it goes
    kgate baseline prune -b base --keep 1
    [ "$(find base/builds -name '*.so' | wc -l)" -eq 2 ]
    run kgate baseline prune -b base --pin first
    [ "$output" = "removed 1 run and 1 build" ]
    [ "$(find base/builds -name '*.so' | wc -l)" -eq 1 ]
    run kgate baseline prune -b base --run "$(jq -r .created again.json)"
    [ "$output" = "removed 1 run and 1 build" ]
    [ "$(find base/builds -name '*.so' | wc -l)" -eq 0 ]
    run kgate baseline update a.json -b base --keep-builds much
    [ "$status" -eq 2 ]
}

# A store with one run of the plugin, and its build, as if it had been measured a thousand times as fast:
# more than any wait for a CPU can explain, which the threshold allows for.
stored() {
    plugin_suite
    faster_store
}
faster_store() {
    kgate gate -c builds.yaml -b base -o first -q --update-missing
    jq ".runs[].cases[].series[] |= if .name == \"time\" or .name == \"mean_time\"
        then .values |= map(. / 1000) else . end" base/*.json >changed.json
    mv changed.json base/*.json
}

decided() { jq -r '.cases[0].change' out/comparison.json; }
# What the stored runs alone decide of a slower build.
slower() {
    [ "$status" -eq 1 ]
    [ "$(decided)" = REGRESSION ]
    jq -e '.cases[0].confirming_rounds > 0' out/comparison.json
}
pairs() { jq '.cases[0].pairs' out/comparison.json; }
# What pairs say of the build that is stored: that it is the same, or on a busy machine too little.
same_or_open() {
    if [ "$status" -eq 4 ]; then
        [ "$(decided)" = INCONCLUSIVE ] || [ "$(decided)" = SUSPECT ]
    else
        [ "$status" -eq 0 ]
        [ "$(decided)" = NO_CHANGE ]
    fi
}

@test "what only the moment made slower is decided by paired rounds: PASS" {
    stored
    run kgate gate -c builds.yaml -b base -o out -v
    same_or_open
    [[ "$output" == *"decided by $(pairs) paired rounds against the baseline's build (stored runs alone: +"* ]]
    grep -q "decided by $(pairs) paired rounds" out/comparison.json
    valid out/comparison.json comparison
    valid out/base.json results
    valid out/head.json results
    [ "$(jq '.cases[0].rounds.median_ns | length' out/head.json)" -eq "$(pairs)" ]
    # no rounds to confirm it were taken of the stored comparison
    jq -e '.cases[0].confirming_rounds // 0 == 0' out/comparison.json
    for format in text markdown json; do
        kgate report out/comparison.json --format $format -v >report.$format
        grep -q "decided by $(pairs) paired rounds" report.$format
    done
    [[ "$output" == *" of 1 case that the stored runs left undecided was decided by paired rounds against the baseline's build"* ]]
}

@test "what is slower is decided by paired rounds: FAIL, and the pairs' files say so too" {
    stored
    plugin_build libit.so -DTURNS=80000
    run kgate gate -c builds.yaml -b base -o out
    [ "$status" -eq 1 ]
    [ "$(decided)" = REGRESSION ]
    [[ "$output" == *"decided by $(pairs) paired rounds against the baseline's build"* ]]
    [[ "$output" == *"pairs: base.json, head.json"* ]]
    grep -q "decided by $(pairs) paired rounds" out/report.md
    # judged with the tests of the whole suite
    [ "$(jq .tests out/head.json)" -ge 1 ]
    run kgate compare out/base.json out/head.json
    [ "$status" -eq 1 ]
}

@test "a slower helper program is no PASS: both builds start it in pairs" {
    printf '#include <stdlib.h>\nint main(void) { return system("exec ./helper"); }' | cc -x c - -o app
    printf '#include <unistd.h>\nint main(void) { return usleep(WAIT); }' >helper.c
    cc -DWAIT=1000 helper.c -o helper
    cat >builds.yaml <<'YAML'
version: 1
suite: builds
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 50%, rounds: {min: 5, max: 5}, min_time: 4ms, threads: 1, metrics: [time]}
workloads:
  - {name: app, command: [./app]}
YAML
    kgate gate -c builds.yaml -b base -o first -q --update-missing
    cc -DWAIT=100000 helper.c -o helper
    run kgate gate -c builds.yaml -b base -o out
    [ "$status" -eq 4 ]
    [ "$(decided)" = SUSPECT ]
    [ "$(jq -r '.cases[0].metrics[0].doubt' out/comparison.json)" = drift ]
    [[ "$output" == *"against the stored runs, but not in $(pairs) paired rounds against the baseline's build"* ]]
    [[ "$output" == *'`kgate baseline record -c builds.yaml'* ]]
    valid out/comparison.json comparison
}

# bats test_tags=thorough
@test "a program and kgate itself are measured again too" {
    cp /bin/true app
    cat >mixed.yaml <<'YAML'
version: 1
suite: mixed
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 50%, rounds: {min: 6, max: 12}, min_time: 4ms, threads: 1, devices: [cpu], metrics: [time]}
workloads:
  - {name: copy, kernel: copy, params: {bytes: 16KiB}}
  - {name: app, command: [./app]}
YAML
    kgate gate -c mixed.yaml -b base -o first -q --update-missing || true
    jq '.runs[].cases[].series[] |= if .name == "time" then .values |= map(. / 1000) else . end | del(.runs[].cases[].code_hash)' base/*.json >b.json
    mv b.json base/*.json
    printf '#!/bin/sh\nexec sleep 0.1\n' >app
    run kgate gate -c mixed.yaml -b base -o out
    [ "$status" -eq 1 ]
    [ "$(jq -r '.cases[] | select(.workload == "app").change' out/comparison.json)" = REGRESSION ]
    # the same kernel: on a busy machine pairs may leave it open
    jq -e '.cases[] | select(.workload == "copy").change | IN("NO_CHANGE", "INCONCLUSIVE", "SUSPECT")' out/comparison.json
    [ "$(jq '[.cases[] | select(.pairs >= 6)] | length' out/comparison.json)" -eq 2 ]
}

@test "a kept build that does not run any more is a note, and the stored runs decide" {
    stored
    printf '\177ELF of nothing' >none
    sum=$(sha256sum none | cut -d' ' -f1)
    mkdir "base/builds/$sum" && cp none "base/builds/$sum/libit.so"
    jq ".runs[].cases[].build = \"$sum\"" base/*.json >b.json && mv b.json base/*.json
    plugin_build libit.so -DTURNS=80000
    run kgate gate -c builds.yaml -b base -o out
    slower
    [ "$(pairs)" -eq 0 ]
    [[ "$output" == *"note: turns/cpu: the baseline's build cannot be used: "* ]]
}

# bats test_tags=thorough
@test "a kept build with other bytes is not run" {
    stored
    printf 'x' >>base/builds/*/libit.so
    plugin_build libit.so -DTURNS=80000
    run kgate gate -c builds.yaml -b base -o out
    slower
    [[ "$output" == *"cannot be used: "*"is damaged: its bytes have another hash"* ]]
    [ ! -e out/base.json ]
}

# bats test_tags=thorough
@test "why kept builds cannot be used is noted once, with the number of cases" {
    plugin_suite
    echo '  - {name: again, plugin: libit.so, workload: turns}' >>builds.yaml
    faster_store
    printf 'x' >>base/builds/*/libit.so
    run kgate gate -c builds.yaml -b base -o out
    [ "$(grep -c 'cannot be used' <<<"$output")" -eq 1 ]
    [[ "$output" == *" and 1 more case: the baseline's build cannot be used: "*"is damaged"* ]]
}

@test "without a build it decides as before, and says what it lacks" {
    stored
    rm -r base/builds
    # without time to confirm it, the suspicion stays
    run kgate gate -c builds.yaml -b base -o out --budget 1ms
    [ "$(decided)" = SUSPECT ]
    [ "$(pairs)" -eq 0 ]
    [ "$(grep -c 'the store has no baseline build to measure 1 undecided case again: `kgate baseline update` stores builds' <<<"$output")" -eq 1 ]
    [ ! -e out/base.json ]
    [[ "$output" == *"note: --budget leaves out the profiling passes"* ]]
}

@test "--base names the build for all cases; one that is none is bad usage" {
    stored
    rm -r base/builds
    cp libit.so before.so
    run kgate gate -c builds.yaml -b base -o out --base "$PWD/before.so" -v
    same_or_open
    [[ "$output" == *"decided by $(pairs) paired rounds against '$PWD/before.so'"* ]]
    run kgate gate -c builds.yaml -b base -o out --base nowhere
    [ "$status" -eq 2 ]
    [[ "$output" == *"--base: cannot find 'nowhere'"* ]]
}

@test "no time is left for pairs: said, and the stored runs decide" {
    stored
    run kgate gate -c builds.yaml -b base -o out --budget 1ms
    [ "$status" -ne 2 ] && [ "$status" -ne 3 ]
    [[ "$output" == *"--budget left no time for paired rounds of 1 case against the baseline's build"* ]]
}
