load support

bats_require_minimum_version 1.5.0

# A suite of a hostile workload, and of one that must be measured all the same.
hostile_suite() { # WORKLOAD [timeout]
    suite_of <<YAML
  - {name: it, plugin: $PLUGINS/libhostile.so, workload: $1, timeout: ${2:-120s}, trace: no}
  - {name: other, plugin: $PLUGINS/libhostile.so, workload: nothing, trace: no}
YAML
}

# After `run`: the hostile case is $1 and says $2, the other is measured, and nobody is left.
case_is() {
    [ "$(jq -r '.cases[0].status' r.json)" = "$1" ]
    [[ "$(jq -r '.cases[0].reason' r.json)" == *"$2"* ]]
    [ "$(jq -r '.cases[1].status' r.json)" = OK ]
    nobody_left
    # what was written can be read
    run kgate report r.json
    [ "$status" -eq 0 ]
}

# No process is left in this test's folder but those of the test itself.
nobody_left() {
    for process in /proc/[0-9]*; do
        if [ "$(readlink "$process/cwd" 2>/dev/null)" = "$PWD" ] && [[ "$(cat "$process/comm" 2>/dev/null)" == kgate* ]]; then
            echo "left: $process $(tr '\0' ' ' <"$process/cmdline")"
            return 1
        fi
    done
}

@test "a response that cannot be is refused with the field, and the case is FAILED" {
    hostile_suite forge_negative
    for name in zero null huge batch; do
        echo "  - {name: $name, plugin: $PLUGINS/libhostile.so, workload: forge_$name, trace: no}" >>one.yaml
    done
    run -3 kgate run -c one.yaml -o r.json
    case_is FAILED "its worker gave an answer that cannot be: rounds[0].median_ns: expected a number above 0, found -5"
    for words in "expected a number above 0, found 0" "expected a number, found null" "median_ns: no round has that" "a batch of 0 calls"; do
        jq -e --arg words "$words" 'any(.cases[2:][]; .reason | endswith($words))' r.json
    done
    [ "$(jq '[.cases[] | select(.status == "FAILED" and (.reason | contains("an answer that cannot be")))] | length' r.json)" -eq 5 ]
}

@test "a workload that leaves its process group is ended by its time-out" {
    hostile_suite flee 1s
    run -3 timeout 60 "$KGATE" run -c one.yaml -o r.json
    case_is FAILED "timed out after 1 s"
}

@test "processes that a passing workload leaves behind end with its round" {
    for workload in leave_behind bomb; do
        hostile_suite $workload
        run -0 kgate run -c one.yaml -o r.json
        case_is OK ""
    done
    [ ! -d "/proc/$(cat left.pid)" ]
    # and those of a command
    suite_of <<'YAML'
  - {name: it, command: [sh, -c, "setsid sleep 1000 & echo $! >left.pid"], trace: no}
  - {name: other, command: ["true"], trace: no}
YAML
    run -0 kgate run -c one.yaml -o r.json
    [ ! -d "/proc/$(cat left.pid)" ]
}

@test "a workload that writes without end is ended by its time-out" {
    hostile_suite flood 1s
    run -3 timeout 60 "$KGATE" run -c one.yaml -o r.json
    case_is FAILED "timed out after 1 s"
    [ "$(stat -c %s r.json)" -lt 200000 ]
}

@test "a workload has no terminal, and what it says is shown without control characters" {
    hostile_suite escape
    run -3 kgate run -c one.yaml -o r.json
    [[ "$output" != *$'\033'* ]]
    case_is FAILED "exited with status 9"
    run kgate report r.json --format markdown
    [[ "$output" != *$'\033'* ]]
    suite_of <<'YAML'
  - {name: it, command: [sh, -c, "! (echo >/dev/tty) 2>/dev/null"], trace: no}
YAML
    if command -v script >/dev/null; then
        run script -qec "'$KGATE' run -c one.yaml -o r.json" /dev/null
        [ "$(jq -r '.cases[0].status' r.json)" = OK ]
    fi
}

@test "a command cannot answer in its worker's place" {
    suite_of <<'YAML'
  - {name: it, command: [sh, -c, "for f in 3 4 5 6 7 8 9; do if [ -e /proc/self/fd/$f ]; then exit 1; fi; done"], trace: no}
YAML
    run -0 kgate run -c one.yaml -o r.json
}

@test "a signal to kgate from what it measures is an interruption, never a pass" {
    hostile_suite kill_parent
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 143 ]
    nobody_left
}

@test "workers end with a kgate that is killed" {
    hostile_suite hangs 100s
    "$KGATE" run -c one.yaml -o r.json -q 3>&- &
    lines_wait r.json.journal 0
    sleep 0.3
    kill -KILL $!
    wait $! || true
    for _ in $(seq 100); do
        nobody_left >/dev/null && break
        sleep 0.1
    done
    nobody_left
}

@test "a tolerance without a limit is no check" {
    hostile_suite infinite
    run -3 kgate run -c one.yaml -o r.json
    case_is FAILED "tolerance"
}

# --- A change cannot keep a case from being judged ------------------------------------------------

# An ab of the plugin and of its changed build.
pair_run() { # WORKLOAD
    suite_of <<YAML
  - {name: it, plugin: $PLUGINS/libhostile.so, workload: $1, metrics: [time], trace: no}
YAML
    run kgate ab -c one.yaml --base "$PLUGINS/libhostile.so" --head "$PLUGINS/libhostile_head.so" -o out
}

@test "a head that kills its base's worker fails the case" {
    pair_run kill_base
    [ "$status" -eq 3 ]
    [[ "$output" == *"the base failed while the head ran beside it: killed by signal 9"* ]]
}

@test "a head that says that it cannot run here, where the base can, fails the case" {
    pair_run unavailable
    [ "$status" -eq 3 ]
    [[ "$output" == *"the base can be measured, the head cannot: not today"* ]]
}

@test "a stored case that is not measured any more is no pass" {
    suite_of <<YAML
  - {name: it, plugin: $PLUGINS/libhostile.so, workload: unavailable, metrics: [time], trace: no}
  - {name: other, plugin: $PLUGINS/libhostile.so, workload: nothing, metrics: [time], trace: no, threshold: 1000%}
YAML
    run -0 kgate gate -c one.yaml -b base -o out --update-missing
    cp "$PLUGINS/libhostile_head.so" changed.so
    sed -i "s|plugin: $PLUGINS/libhostile.so, workload: una|plugin: changed.so, workload: una|" one.yaml
    run kgate gate -c one.yaml -b base -o out
    [ "$status" -eq 4 ]
    [[ "$output" == *"1 stored case was not measured: it/cpu was SKIPPED"* ]]
    run kgate gate -c one.yaml -b base -o out --set policy.undecided=pass
    [ "$status" -eq 0 ]
}

# --- Reports and files ----------------------------------------------------------------------------

@test "an early failure leaves no earlier report, but one that says why" {
    kgate gate -c suite.yaml -o out -b base --update-missing --filter '*plain*'
    grep -q PASS out/report.md
    run -2 kgate gate -c nowhere.yaml -o out -b base
    [[ "$(cat out/report.md)" == *"no verdict"*"nowhere"* ]]
    [ ! -e out/comparison.json ] && [ ! -e out/suggestions.json ] && [ ! -e out/results.json ]
    run -2 kgate ab -c suite.yaml --base nowhere --head "$KGATE" -o out
    [[ "$(cat out/report.md)" == *"no verdict"*"cannot find"* ]]
    run -2 kgate compare suite.yaml nowhere.json -o out
    [[ "$(cat out/report.md)" == *"no verdict"*"suite.yaml"* ]]
}

@test "a store that cannot be written to costs no verdict" {
    mkdir store
    ln -s /dev/null store/.lock
    run kgate gate -c suite.yaml -o out -b store --update-missing --filter '*plain*'
    [ "$status" -eq 3 ]
    [[ "$output" == *PASS*"cannot make the lock"* ]]
    grep -q PASS out/report.md
}

@test "a second gate with the same folder for its reports is refused and leaves the first alone" {
    mkdir out
    echo first >out/report.md
    exec 9<out
    flock 9
    run -2 kgate gate -c suite.yaml -o out -b base
    [[ "$output" == *"another kgate is writing to the folder 'out'"* ]]
    [ "$(cat out/report.md)" = first ]
    exec 9<&-
    touch r.json.journal
    exec 9<r.json.journal
    flock 9
    run -2 kgate run -c suite.yaml -o r.json
    [[ "$output" == *"another kgate is writing 'r.json.journal'"* ]]
}

@test "a journal does not follow a symbolic link" {
    echo precious >file
    ln -s file r.json.journal
    run -2 kgate run -c suite.yaml -o r.json
    [[ "$output" == *"it is a symbolic link"* ]]
    [ "$(cat file)" = precious ]
}

@test "what killed writers left is removed, and hinders nobody" {
    mkdir -p base out
    kgate run -c suite.yaml -o r.json --filter '*plain*' -q
    touch "base/$(jq -r .machine.fingerprint r.json).json.tmp.123" out/report.md.tmp.abcdef r.json.tmp.7 base/other.tmp.1
    kgate run -c suite.yaml -o r.json --filter '*plain*' -q
    kgate gate -c suite.yaml -o out -b base --update-missing --filter '*plain*' -q
    [ "$(find . -name '*.tmp.*')" = ./base/other.tmp.1 ]
}

@test "a fingerprint names a file and nothing else" {
    kgate run -c suite.yaml -o r.json --filter '*plain*' -q
    jq '.machine.fingerprint = "../../x"' r.json >bad.json
    run -2 kgate baseline update bad.json -b base
    [[ "$output" == *"machine.fingerprint: expected a fingerprint of small letters, digits and dashes"* ]]
    [ ! -e x.json ]
    for action in show prune; do
        run -2 kgate baseline $action -b base --machine ../x
        [[ "$output" == *"--machine: expected a fingerprint"* ]]
    done
}

@test "a machine that does not say what it is has no other fingerprint: it is an error" {
    [ -z "$SANITIZED" ] || skip "sanitizers ask for themselves, and end where they are refused"
    for call in sched_getaffinity sysinfo; do
        run "$PLUGINS/without_call" $call /bin/true
        [ "$status" -ne 77 ] || skip "this kernel makes no such sandbox"
        run -3 "$PLUGINS/without_call" $call "$KGATE" list -c suite.yaml
        [[ "$output" == *"cannot tell which machine this is: its "* ]]
    done
}

@test "one broken file of a store does not hide the others" {
    kgate gate -c suite.yaml -o out -b base --update-missing --filter '*plain*' -q
    echo '{' >base/a-broken.json
    run -2 kgate baseline list -b base
    [[ "$output" == *"1 run, 0 pinned"* ]]
    [[ "$output" == *"a-broken.json:"*"malformed JSON"* ]]
}

@test "a pipe in the place of a recording is not waited for" {
    kgate run -c suite.yaml -o r.json --filter '*plain*' -q
    mkfifo pipe
    jq '.profile = "pipe"' r.json >piped.json
    for format in tree markdown; do
        run timeout 10 "$KGATE" report piped.json --format $format
        [ "$status" -ne 124 ]
    done
}
