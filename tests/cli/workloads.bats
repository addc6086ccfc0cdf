load support

fails_with() {
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    jq -e --arg reason "$1" '.cases[0].status == "FAILED" and (.cases[0].reason | contains($reason))' r.json
}

@test "a crash fails its case with the signal and the last words; the run goes on" {
    suite_of <<YAML
  - {name: broken, plugin: $PLUGINS/libbroken.so, workload: crash}
  - {name: copy, kernel: copy, params: {bytes: 16KiB}}
YAML
    fails_with "signal 11"
    jq -e '.cases[0].stderr_tail | contains("about to crash")' r.json
    jq -e '.cases[1].status == "OK"' r.json
    run kgate report r.json
    [[ "$output" == *"| about to crash"* ]]
}

@test "a wrong result is FAILED, not fast" {
    suite_of <<<"  - {name: broken, plugin: $PLUGINS/libbroken.so, workload: wrong, check_seed: 7}"
    fails_with "wrong result: error 0.5 is above the tolerance 0.1 (\`check_seed: 7\` repeats this check)"
    jq -e '.cases[0] | has("rounds") and (.rounds.median_ns == [])' r.json
}

@test "what works in its first call only is FAILED after the timed calls; what adds up is not" {
    suite_of <<YAML
  - {name: broken, plugin: $PLUGINS/libbroken.so, workload: first_call_only, rounds: {min: 1, max: 1}, min_time: 1ms}
  - {name: adds, plugin: $PLUGINS/libbroken.so, workload: add_up, rounds: {min: 1, max: 1}, min_time: 1ms, disturbance: 100%}
YAML
    fails_with "wrong result after the timed calls: error 1 is above the tolerance 0"
    jq -e '.cases[1] | .check.checked and .check.error == 0' r.json
}

@test "a result that is not a number is FAILED" {
    suite_of <<<"  - {name: broken, plugin: $PLUGINS/libbroken.so, workload: not_a_number}"
    fails_with "wrong result"
}

@test "a workload that hangs is timed out" {
    suite_of <<<"  - {name: broken, plugin: $PLUGINS/libbroken.so, workload: hang, timeout: 500ms}"
    fails_with "timed out after 0.5 s"
}

@test "a workload that exits is FAILED with its status" {
    suite_of <<<"  - {name: broken, plugin: $PLUGINS/libbroken.so, workload: leave}"
    fails_with "exited with status 7"
}

@test "a workload that is killed is FAILED and says what it may have been" {
    suite_of <<<"  - {name: broken, plugin: $PLUGINS/libbroken.so, workload: killed}"
    fails_with "SIGKILL"
}

@test "memory_limit makes allocation fail, with the workload's own words" {
    [ -z "$SANITIZED" ] || skip "the sanitizer reserves terabytes of addresses"
    suite_of <<<'  - {name: copy, kernel: copy, params: {bytes: 4GiB}, memory_limit: 1GiB}'
    fails_with "set-up failed: no memory"
}

@test "a good plugin is measured, with its parameters" {
    suite_of <<<"  - {name: spin, plugin: $PLUGINS/libgood.so, params: {turns: 1000}}"
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    jq -e '.cases[0] | .status == "OK" and .check.checked and .work.items == 1000 and .work.item_name == "turns" and .code_hash != null' r.json
    suite_of <<<"  - {name: spin, plugin: $PLUGINS/libgood.so, params: {turn: 1000}}"
    fails_with "did you mean 'turns'?"
    suite_of <<<'  - {name: spin, plugin: no/such.so}'
    fails_with "cannot load the plugin"
}

@test "a command is measured as a process, with parameters in its words" {
    suite_of <<<'  - {name: sh, command: [sh, -c, "test {n} -eq 3"], params: {n: 3}}'
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    jq -e '.cases[0] | .id == "sh/n=3/cpu" and .memory.peak_bytes > 0 and .summary.median_ns > 1000' r.json
}

@test "a command that fails, or is not there, is FAILED with what it said" {
    suite_of <<<'  - {name: sh, command: [sh, -c, "echo no luck >&2; exit 5"]}'
    fails_with "'sh' exited with status 5"
    jq -e '.cases[0].stderr_tail | contains("no luck")' r.json
    suite_of <<<'  - {name: sh, command: [no-such-program]}'
    # of a PATH with a folder that this user may not read, exec says "Permission denied"
    PATH=/usr/bin:/bin fails_with "No such file or directory"
    suite_of <<<'  - {name: sh, command: [sh, -c, "echo {wrong}"]}'
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"{wrong}"*"no such parameter"* ]]
}

@test "Ctrl-C keeps what was measured, writes it and says so; no worker stays" {
    suite_of <<<'  - {name: copy, kernel: copy, params: {bytes: 16KiB}, rounds: {min: 10000, max: 10000}}'
    # a shell without a terminal lets its background jobs ignore Ctrl-C
    env --default-signal=INT "$KGATE" run -c one.yaml -o r.json 2>err.txt >/dev/null &
    pid=$!
    lines_wait r.json.journal 4
    kill -INT $pid
    status=0; wait $pid || status=$?
    [ "$status" -eq 130 ]
    grep -q 'interrupted; the measured rounds are in r.json' err.txt
    jq -e '.complete == false and (.cases[0].rounds.median_ns | length > 1)' r.json
    [ ! -e r.json.journal ]
}

@test "SIGTERM ends a run like Ctrl-C" {
    suite_of <<<'  - {name: copy, kernel: copy, params: {bytes: 16KiB}, rounds: {min: 10000, max: 10000}}'
    "$KGATE" run -c one.yaml -o r.json 2>err.txt >/dev/null &
    pid=$!
    lines_wait r.json.journal 4
    kill -TERM $pid
    status=0; wait $pid || status=$?
    [ "$status" -eq 143 ]
    jq -e '.complete == false and (.cases[0].rounds.median_ns | length > 1)' r.json
    run kgate baseline update r.json -b base
    [ "$status" -eq 2 ]
}

@test "interrupted before anything is measured, a command says so and ends as one that was measuring" {
    exec 7<> <(:) # a pipe that nobody writes to keeps it waiting for the suite
    for signal in INT:130 TERM:143; do
        for what in gate "run -o r.json"; do
            # shellcheck disable=SC2086  # the arguments are words
            env --default-signal=INT "$KGATE" $what -c /dev/stdin 2>err.txt >/dev/null 3>&- <&7 &
            pid=$!
            for _ in $(seq 600); do # until kgate reads
                [ "$(readlink "/proc/$pid/fd"/* | grep -cxF "$(readlink /proc/$BASHPID/fd/7)")" -ge 3 ] && break
                sleep 0.1
            done
            kill "-${signal%:*}" $pid
            status=0; wait $pid || status=$?
            [ "$status" -eq "${signal#*:}" ]
            [ "$(cat err.txt)" = "kgate: interrupted" ]
        done
    done
}

@test "a killed run leaves a journal that reads as results" {
    suite_of <<<'  - {name: copy, kernel: copy, params: {bytes: 16KiB}, rounds: {min: 10000, max: 10000}}'
    "$KGATE" run -c one.yaml -o r.json >/dev/null 2>&1 &
    pid=$!
    lines_wait r.json.journal 4
    kill -KILL $pid
    wait $pid || true
    run kgate report r.json.journal
    [ "$status" -eq 0 ]
    [[ "$output" == *"incomplete"* ]]
    [[ "$output" == *"copy/bytes=16KiB/cpu"* ]]
}

@test "a program that prints what is no UTF-8 is reported, and the others are measured" {
    suite_of <<'YAML'
  - {name: latin, command: [sh, -c, 'printf "ung\374ltig\n" >&2; exit 7']}
  - {name: fine, command: ["true"]}
YAML
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $output != *"out of memory"* ]]
    [ "$(jq -r '.cases[0].status, .cases[0].stderr_tail' r.json)" = $'FAILED\nung\\xfcltig' ]
    [ "$(jq -r '.cases[1].round_count // (.cases[1].rounds | length)' r.json)" != 0 ]
}

@test "results say how much of what a kernel moves it writes" {
    kgate run -c suite.yaml -o r.json -q
    jq -e 'all(.cases[].work; .bytes == 32768 and .written_bytes == 16384)' r.json
    valid r.json results
}

@test "a program that prints its usage and exits with 0 is measured, with a note" {
    printf '#!/bin/sh\necho "Usage: $0 FILE" >&2\n' >program
    chmod +x program
    suite_of <<<'  - {name: a, command: [./program]}'
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    jq -e '.cases[0] | .status == "OK" and (.note | startswith("the program prints its usage"))' r.json
}
