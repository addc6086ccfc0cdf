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

# The process whose number the file has ends, though who has killed it may not have said farewell yet.
gone() {
    local process
    process=$(cat "$1")
    for _ in $(seq 600); do
        ! ended "$process" || return 0
        sleep 0.1
    done
    return 1
}

@test "a response that cannot be is refused with the field, and the case is FAILED" {
    hostile_suite forge_negative
    for name in zero null huge batch; do
        echo "  - {name: $name, plugin: $PLUGINS/libhostile.so, workload: forge_$name, trace: no}" >>one.yaml
    done
    run -3 kgate run -c one.yaml -o r.json
    case_is FAILED "its worker gave an impossible answer: rounds[0].median_ns: expected a number above 0, found -5"
    for words in "expected a number above 0, found 0" "expected a number, found null" "median_ns: a round has no such field" "a batch of 0 calls"; do
        jq -e --arg words "$words" 'any(.cases[2:][]; .reason | endswith($words))' r.json
    done
    [ "$(jq '[.cases[] | select(.status == "FAILED" and (.reason | contains("an impossible answer")))] | length' r.json)" -eq 5 ]
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
    gone left.pid
    # and those of a command
    suite_of <<'YAML'
  - {name: it, command: [sh, -c, "setsid sleep 1000 & echo $! >left.pid"], trace: no}
  - {name: other, command: ["true"], trace: no}
YAML
    run -0 kgate run -c one.yaml -o r.json
    gone left.pid
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

@test "what a workload has started ends with a kgate that is killed, wherever it went" {
    # each in a session of its own, one with a parent that is gone, one that lets go of all it was given
    suite_of <<'YAML'
  - name: it
    command: [sh, -c, "(setsid sleep 1000 & echo $! >one.pid); setsid sh -c 'cd /; exec sleep 1000 <&- >&- 2>&-' & echo $! >two.pid; sleep 1000"]
    trace: no
YAML
    "$KGATE" run -c one.yaml -o r.json -q 3>&- &
    lines_wait two.pid 0
    kill -KILL $!
    wait $! || true
    for left in one two; do
        gone $left.pid
    done
    nobody_left
}

@test "a tolerance without a limit is no check" {
    hostile_suite infinite
    run -3 kgate run -c one.yaml -o r.json
    case_is FAILED "tolerance"
}

@test "a plugin that remembers its answer is FAILED where its input is made again with another seed" {
    hostile_suite remembers
    sed -i 's/rounds: {min: 2, max: 4}, min_time: 2ms/rounds: {min: 1, max: 1}, min_time: 1ms/' one.yaml
    for name in adds remembers_unseen refresh_fails; do
        echo "  - {name: $name, plugin: $PLUGINS/libhostile.so, workload: $name, trace: no}" >>one.yaml
    done
    run -3 kgate run -c one.yaml -o r.json
    case_is FAILED "wrong result after the timed calls"
    # what computes each time is right; without a refresh nobody can tell
    jq -e '[.cases[2:][] | .status] == ["OK", "OK", "FAILED"]' r.json
    jq -e '.cases[4].reason == "refresh failed: no other input today"' r.json
}

@test "a check that compared nothing is no check" {
    hostile_suite compares_nothing
    run -3 kgate run -c one.yaml -o r.json
    case_is FAILED "-inf is below 0"
}

@test "a message without an end is as long as its room" {
    hostile_suite endless
    run -3 kgate run -c one.yaml -o r.json
    jq -e '.cases[0].reason == "set-up failed: " + "x" * 255' r.json
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
    [[ "$output" == *"the baseline failed while the candidate ran beside it: killed by signal 9"* ]]
}

@test "a head that says that it cannot run here, where the base can, fails the case" {
    pair_run unavailable
    [ "$status" -eq 3 ]
    [[ "$output" == *"the baseline can be measured, the candidate cannot: not today"* ]]
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
    grep -q 'BASELINE RECORDED' out/report.md
    run -2 kgate gate -c nowhere.yaml -o out -b base
    [[ "$(cat out/report.md)" == *"no verdict"*"nowhere"* ]]
    [ ! -e out/comparison.json ] && [ ! -e out/suggestions.json ] && [ ! -e out/results.json ]
    run -2 kgate ab -c suite.yaml --base nowhere --head "$KGATE" -o out
    [[ "$(cat out/report.md)" == *"no verdict"*"cannot find"* ]]
    run -2 kgate compare suite.yaml nowhere.json -o out
    [[ "$(cat out/report.md)" == *"no verdict"*"suite.yaml"* ]]
}

@test "an early failure keeps what the gate before measured, under a name that is no gate's" {
    kgate gate -c suite.yaml -o out -b base --update-missing --filter '*plain*'
    cp out/results.json out/comparison.json .
    run -2 --separate-stderr kgate gate -c suite.yaml -o out -b base --filter 'nosuch*'
    [[ "$stderr" == *"kept in out: comparison.json.previous, suggestions.json.previous, results.json.previous"* ]]
    [[ "$(cat out/report.md)" == *"no verdict"*"kept: \`comparison.json.previous"* ]]
    echo damaged: [ >bad.yaml
    run -2 kgate gate -c bad.yaml -o out -b base
    run -2 kgate ab -c suite.yaml --base nowhere --head "$KGATE" -o out
    cmp results.json out/results.json.previous
    cmp comparison.json out/comparison.json.previous
    [ "$(cd out && echo *.json)" = '*.json' ]
    kgate report out/results.json.previous
    # a gate that measures leaves its own files alone
    run kgate gate -c suite.yaml -o out -b base --filter '*plain*'
    [ -e out/results.json ] && [ -e out/comparison.json ]
    [ "$(cd out && echo *.previous)" = '*.previous' ]
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
    [[ "$output" == *"machine.fingerprint: expected a fingerprint of lower-case letters, digits and dashes"* ]]
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
        [[ "$output" == *"cannot identify this machine: its "* ]]
    done
}

# Runs a script of sh in folders that are mounted for it alone.
mounted() { # SCRIPT
    [ -z "$SANITIZED" ] || skip "what looks for leaks may not trace there"
    unshare -rm mount -t tmpfs none "$BATS_TEST_TMPDIR" 2>/dev/null || skip "no mounts of one's own here"
    run env KGATE="$KGATE" unshare -rm sh -c "$1"
}

@test "a machine that does not say which processor it has is an error, not another machine" {
    mounted 'mount --bind /dev/null /proc/cpuinfo && exec "$KGATE" list -c suite.yaml'
    [ "$status" -eq 3 ]
    [[ "$output" == *"cannot identify this machine: /proc/cpuinfo: it is empty"* ]]
}

@test "a disk that is full costs neither the store nor a word" {
    kgate gate -c suite.yaml -o out -b base --update-missing --filter '*plain*' -q
    mounted 'mkdir full && mount -t tmpfs -o size=256k none full && mkdir full/base && cp base/*.json full/base &&
        { head -c 1000000 /dev/zero >full/filled 2>/dev/null; "$KGATE" gate -c suite.yaml -o out -b full/base --update-missing >said 2>&1; } ;
        echo "$?"; "$KGATE" baseline show -b full/base --json; cat said'
    [ "$(head -n 1 <<<"$output")" -eq 3 ]
    [[ "$output" == *'"runs"'*"cannot write 'full/base/"*"No space left on device"* ]]
    [[ "$output" != *"recorded 1 new case"* ]]
    grep -q "1 new" out/report.md
    mounted 'mount -t tmpfs -o size=4k none out && exec "$KGATE" gate -c suite.yaml -o out -b base'
    [ "$status" -eq 3 ]
    [[ "$output" == *"cannot write 'out/"*"No space left on device"* ]]
}

# Reports, an update of the store and a run, onto old files: exit status and lines of each, then what it said.
old_files() { # commands.sh FOLDER, and $LIMITED before each command
    kgate run -c suite.yaml -o r.json -q
    later r.json 1 >r2.json
    kgate baseline update r.json -b base -q --keep-builds 0
    cat >commands.sh <<'SH'
cp -r base old
echo old | tee old/report.json old/report.html >old/comparison.csv
cp r.json old/results.json
cp -r old "$1"
[ "$1" = small ] || head -c 3000000 /dev/zero >"$1/filled" 2>/dev/null
while read -r command; do
    $LIMITED "$KGATE" $command >said 2>&1
    echo "$? $(wc -l <said) $(cat said)"
done <<END
baseline update r2.json -b $1
baseline prune -b $1 --keep 0
report r.json --format json -o $1/report.json
report r.json --format html -o $1/report.html
report r.json --format csv -o $1/comparison.csv
run -c suite.yaml -q -o $1/results.json
gate -c suite.yaml -q -b $1 -o $1/new
END
rm -f "$1/filled"
diff -r -x .lock -x new old "$1" && echo "all as it was"
SH
}

@test "a full disk keeps each old file, and is told once with the file's name: exit 3" {
    old_files
    mounted 'mkdir full && mount -t tmpfs -o size=1m none full && sh commands.sh full/in'
    [ "$(grep -c "^3 1 kgate: .*'full/in/.*No space left on device$" <<<"$output")" -eq 7 ]
    [ "${lines[-1]}" = "all as it was" ]
}

@test "a limit on the size of files keeps each old file, and is told once with the file's name: exit 3" {
    old_files
    cat >limited <<'SH'
#!/bin/sh
ulimit -f 1
exec "$@"
SH
    chmod +x limited
    KGATE=$KGATE LIMITED=./limited run sh commands.sh small
    [ "$(grep -c "^3 1 kgate: .*'small/.*File too large$" <<<"$output")" -eq 7 ]
    [ "${lines[-1]}" = "all as it was" ]
}

@test "a limit on the size of files costs neither the store nor a word" {
    kgate gate -c suite.yaml -o out -b base --update-missing --filter '*plain*' -q
    kgate run -c suite.yaml -o r.json -q
    run -3 sh -c 'ulimit -f 1; exec "$1" baseline update r.json -b base' sh "$KGATE"
    [[ "$output" == *"cannot write 'base/"*"File too large"* ]]
    [ "$(kgate baseline show -b base --json | jq '.runs | length')" -eq 1 ]
    [ -z "$(find base -name '*.tmp.*')" ]
}

@test "a store that is removed while a gate runs costs no verdict" {
    suite_of <<'YAML'
  - {name: it, command: [rm, -rf, base], threshold: 1000%, metrics: [time], trace: no}
YAML
    run -0 kgate gate -c one.yaml -o out -b base --update-missing
    run kgate gate -c one.yaml -o out -b base
    passes_or_open
    [ ! -e base ]
    jq -e '.cases[0].change | . == "NO_CHANGE" or . == "INCONCLUSIVE"' out/comparison.json
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
        run timeout 60 "$KGATE" report piped.json --format $format
        [ "$status" -ne 124 ]
    done
}

# Two folders with a program `w`, each a script of one line, and a suite that runs ./w.
two_programs() {
    mkdir base head
    printf '#!/bin/sh\n%s\n' "$1" >base/w
    printf '#!/bin/sh\n%s\n' "$2" >head/w
    chmod +x base/w head/w
    suite_of <<<"  - {name: w, command: [$PWD/w], rounds: {min: 3, max: 3}, metrics: [time]}"
    sed -i "s|$PWD/w|./w|" one.yaml
}

@test "what a call of the head leaves running ends before the base's calls" {
    two_programs "count=0; for p in \$(cat $PWD/left); do kill -0 \$p && count=\$((count + 1)); done 2>>/dev/null; echo \$count >$PWD/alive" \
        "setsid sleep 1000 >/dev/null 2>&1 & echo \$! >>$PWD/left"
    run kgate ab -c one.yaml --base base --head head -o out
    [ "$status" -ne 2 ]
    [ "$(cat alive)" -eq 0 ]
    [ "$(wc -l <left)" -gt 5 ]
}

# A server runs for all calls of a process, on both sides. Its file is named by the worker's number.
@test "a server that setup has started goes on in paired rounds" {
    two_programs "kill -0 \$(cat $PWD/server.\$PPID)" "kill -0 \$(cat $PWD/server.\$PPID)"
    sed -i "s|metrics|setup: [sh, -c, \"setsid sleep 1000 >/dev/null 2>\&1 \& echo \$! >$PWD/server.\$PPID\"], &|" one.yaml
    run kgate ab -c one.yaml --base base --head head -o out
    jq -e '.cases[0].status != "FAILED" and (.cases[0].rounds.median_ns | length > 0)' out/head.json
    for file in server.*; do gone "$file"; done
}

@test "a head that writes over the base's program is FAILED" {
    two_programs "sleep 0.002" "sleep 0.01; cp $PWD/head/w $PWD/base/w"
    run kgate ab -c one.yaml --base base --head head -o out
    [ "$status" -eq 3 ]
    [[ "$output" == *"the base's '"*"/w' changed during measuring"* ]]
    # and one that restores it
    printf '#!/bin/sh\nsleep 0.002\n' >base/w
    printf '#!/bin/sh\nsleep 0.01; cp -p %s/base/w %s/kept; cp %s/head/w %s/base/w; cp -p %s/kept %s/base/w\n' "$PWD" "$PWD" "$PWD" "$PWD" "$PWD" "$PWD" >head/w
    run kgate ab -c one.yaml --base base --head head -o out
    [ "$status" -eq 3 ]
    # without any of it the sides are compared
    printf '#!/bin/sh\nsleep 0.002\n' >head/w
    run kgate ab -c one.yaml --base base --head head -o out
    jq -e '.cases[0].status == "OK"' out/head.json
}

# `setup` and `cleanup` are scripts of each checkout. The head's put its own program in the base's place
# for as long as a round lasts.
@test "a head whose setup replaces the base's program, and whose cleanup restores it, is FAILED" {
    two_programs "sleep 0.002" "sleep 0.01"
    sed -i "s|metrics|setup: [./prepare.sh], cleanup: [./restore.sh], &|" one.yaml
    printf '#!/bin/sh\n' | tee base/prepare.sh base/restore.sh head/prepare.sh >head/restore.sh
    chmod +x base/*.sh head/*.sh
    kgate ab -c one.yaml --base base --head head -o out || true
    jq -e '.cases[0].status == "OK"' out/head.json
    printf '#!/bin/sh\ncp -p %s/base/w %s/kept; cp %s/head/w %s/base/w\n' "$PWD" "$PWD" "$PWD" "$PWD" >head/prepare.sh
    printf '#!/bin/sh\ncp -p %s/kept %s/base/w\n' "$PWD" "$PWD" >head/restore.sh
    run kgate ab -c one.yaml --base base --head head -o out
    [ "$status" -eq 3 ]
    [[ "$output" == *"the base's '"*"/w' changed during measuring"* ]]
}
