# Advice never changes a verdict: profiles, suggestions, reports and kept builds come after it.
load support

needs_strace() {
    strace -qq -o /dev/null true 2>/dev/null || skip "no strace that may trace"
    export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # a traced process cannot look for leaks
}

one_case() {
    suite_of <<<"  - {name: it, command: ['true'], threshold: 1000%}"
}

@test "an unwritable TMPDIR costs the profile that needs it, and no verdict" {
    needs_valgrind
    looked_suite_of 10ms <<<'  - {name: copy, kernel: copy, params: {bytes: 16KiB}, threshold: 1000%}'
    TMPDIR=/proc run -0 kgate gate -c one.yaml -b base -o out --update-missing
    [[ "$output" == *"BASELINE RECORDED"*"recorded 1 new case"* ]]
    jq -e '.cases[0] | (.look.reason // .hot.counted.reason) | contains("cannot make a temporary folder")' out/results.json
    TMPDIR=/proc run kgate gate -c one.yaml -b base -o out
    passes_or_open
    # a metric that needs the folder fails alone
    TMPDIR=/proc run kgate gate -c one.yaml -b base -o out --set metrics=instructions
    [ "$status" -eq 4 ] || [ "$status" -eq 0 ]
    TMPDIR=/proc run kgate ab true true --measure-unchanged --rounds 2 --set disturbance=100%
    passes_or_open
}

@test "a store that cannot be written costs no verdict, and nothing at all where nothing is missing" {
    one_case
    run -3 kgate gate -c one.yaml -b /proc/nowhere -o out --update-missing
    [[ "$output" == *PASS*"cannot make the folder '/proc/nowhere'"* ]]
    grep -q PASS out/report.md
    run -0 kgate gate -c one.yaml -b base -o out --update-missing
    rm base/.lock
    ln -s /dev/null base/.lock
    run kgate gate -c one.yaml -b base -o out --update-missing
    passes_or_open
    [[ "$output" != *.lock* ]]
}

@test "a store that is locked: the verdict, who holds it, and exit status 3 in the end" {
    one_case
    mkdir base
    # The process that took the lock lives on: a kernel in a container names no other.
    flock base/.lock sh -c 'touch locked; for _ in $(seq 600); do [ ! -e free ] || break; sleep 0.05; done' 3>&- &
    holder=$!
    until [ -e locked ]; do sleep 0.02; done
    KGATE_LOCK_SECONDS=0 run -3 --separate-stderr kgate gate -c one.yaml -b base -o out --update-missing
    [[ "$output" == *PASS* ]]
    [[ "$stderr" == *"nothing compared yet"*"waiting up to 0 s for process $holder (flock), which holds the lock 'base/.lock'"*"has held the lock"* ]]
    grep -q PASS out/report.md
    touch free
    wait "$holder"
    run -0 kgate gate -c one.yaml -b base -o out --update-missing
    # nothing is missing: the gate needs no lock
    exec 9>base/.lock
    flock 9
    KGATE_LOCK_SECONDS=0 run kgate gate -c one.yaml -b base -o out --update-missing
    passes_or_open
}

@test "a report that cannot be written is a note, and the others are written" {
    one_case
    kgate run -c one.yaml -o r.json -q
    run kgate compare r.json r.json -o fine
    expected=$status
    mkdir -p out/report.md/folder
    run --separate-stderr kgate compare r.json r.json -o out
    [ "$status" -eq "$expected" ]
    [[ "$stderr" == *"note: no report.md: cannot write"* ]]
    [[ "$output" == *"note: no report.md: "* ]]
    [ -s out/junit.xml ] && [ -s out/suggestions.json ]
    jq -e --arg verdict "$(jq -r .verdict fine/comparison.json)" \
        '.verdict == $verdict and any(.notes[]; startswith("no report.md"))' out/comparison.json
}

@test "a file system that cannot sync and cannot change permissions costs nothing" {
    needs_strace
    one_case
    for error in EPERM ENOSYS EINVAL; do
        run -0 strace -qq -f -o /dev/null -e trace=fsync,fchmod,chmod -e inject=fsync,fchmod,chmod:error=$error \
            "$KGATE" gate -c one.yaml -b "base-$error" -o out --update-missing
        [[ "$output" == *"recorded 1 new case"* && "$output" != *"not kept"* ]]
        [ "$(stat -c %a out/report.md)" = "$(printf %o $((0666 & ~$(umask))))" ]
    done
}

@test "a full disk for kept builds says why, and nothing that is not so" {
    needs_strace
    suite_of <<<"  - {name: it, command: ['./program'], threshold: 1000%}"
    printf '#!/bin/sh\n' >program
    chmod +x program
    run -0 strace -qq -o /dev/null -e trace=openat -P "$PWD/base/builds" -e inject=openat:error=ENOSPC \
        "$KGATE" gate -c one.yaml -b "$PWD/base" -o out --update-missing
    [[ "$output" == *"recorded 1 new case"* && "$output" != *"has changed"* ]]
}

@test "a mistyped command line leaves no earlier verdict" {
    one_case
    kgate gate -c one.yaml -b base -o out --update-missing -q
    for words in 'gate -o out --nonsense' 'gate --nonsense -o out' 'gate -o out --top x' 'gate --output=out extra' \
        'gate -oout -b' 'gate --nonsense' 'ab --nonsense' 'ab -o out one two three' 'ab -o out --base'; do
        echo PASS >out/report.md
        echo PASS >out/junit.xml
        run -2 kgate $words
        [[ "$(cat out/report.md)" == *"no verdict"* ]]
        [ ! -e out/junit.xml ] && [ ! -e out/results.json ]
    done
    [ -s out/results.json.previous ]
    echo PASS >out/report.md
    run -2 kgate compare -o out a.json
    [[ "$(cat out/report.md)" == *"no verdict"* ]]
    rm -r out
    run -2 kgate gate --nonsense
    [ ! -e out ]
}
