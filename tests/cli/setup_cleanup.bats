bats_require_minimum_version 1.5.0
load support

# A command may write files: what looks at it lets each call come to its end. And what `setup` has started, `cleanup`
# ends, however the process that ran them ends.

# Appends "start" to the file $1, computes for so many million turns, and appends "end".
program() {
    cat >start_end.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static void append(const char *path, const char *word)
{
    FILE *file = fopen(path, "a");
    if (!file || fputs(word, file) < 0 || fclose(file))
        exit(9);
}
int main(int argc, char **argv)
{
    const unsigned long turns = argc == 3 ? strtoul(argv[2], NULL, 10) * 1000000 : 0;
    volatile unsigned long sum = 0;
    append(argv[1], "start\n");
    for (unsigned long i = 0; i < turns; i++)
        sum = sum + i;
    append(argv[1], "end\n");
    return 0;
}
C
    cc -O1 start_end.c -o start_end
}

# A suite of one command, with a line in the file `log` for each setup and cleanup.
logging_suite() {
    cat >one.yaml <<YAML
version: 1
suite: one
defaults: {disturbance: 100%, rounds: {min: 2, max: 2}, min_time: 1ms, threads: 1, ${1-timeout: 120s}}
workloads:
  - name: one
    command: [$2]
    setup: [sh, -c, "echo setup >>log"]
    cleanup: [sh, -c, "echo cleanup >>log"]
YAML
}

count() { grep -cx "$1" "${2-log}" || true; }

# There was a setup, and a cleanup for each.
cleaned_up() {
    cat log
    [ "$(count setup)" -gt 0 ]
    [ "$(count setup)" -eq "$(count cleanup)" ]
}

# bats test_tags=thorough
@test "looks end no call half-way, of a long command or a short one, and each setup has its cleanup" {
    program
    for turns in 400 2; do # under Callgrind half a minute, and less than a second
        rm -rf log calls baselines cache
        logging_suite 'sample_time: 50ms' "./start_end, calls, '$turns'"
        kgate gate --update-missing -c one.yaml -q
        jq -e '.cases[0].status == "OK" and .cases[0].hot.sampled.samples > 0' out/results.json
        [ "$(count start calls)" -gt 5 ]
        [ "$(count start calls)" -eq "$(count end calls)" ]
        cleaned_up
    done
}

@test "a command too long for Callgrind is not counted, and the reason is in the results" {
    needs_valgrind
    program
    logging_suite 'sample_time: 1ms' "./start_end, calls, '400'"
    kgate run -c one.yaml -o r.json -q --set rounds.min=1 --set rounds.max=1
    jq -e '.cases[0].hot.counted | .source == null and (.reason | test("cannot cut a command short"))' r.json
    [ "$(count start calls)" -eq "$(count end calls)" ]
    cleaned_up
}

@test "after a time-out the cleanup runs, also where the command ignores SIGTERM or its setup hangs" {
    for command in 'sleep, "600"' 'sh, -c, "trap : TERM; while :; do sleep 0.1; done"'; do
        rm -f log
        logging_suite 'trace: no, sample_time: 0ns, timeout: 2s' "$command"
        run -3 kgate run -c one.yaml -o r.json
        jq -e '.cases[0].status == "FAILED" and (.cases[0].reason | test("timed out"))' r.json
        cleaned_up
    done
    rm -f log
    sed -i 's/echo setup >>log/echo setup >>log; sleep 600/' one.yaml
    run -3 kgate run -c one.yaml -o r.json
    cleaned_up
}

@test "a command or a setup that fails is cleaned up after; a cleanup that fails, fails the case" {
    logging_suite 'trace: no, sample_time: 0ns' '"false"'
    run -3 kgate run -c one.yaml -o r.json
    cleaned_up
    rm -f log
    sed -i 's/echo setup >>log/&; exit 7/' one.yaml
    run -3 kgate run -c one.yaml -o r.json
    [ "$(jq -r '.cases[0].reason' r.json)" = "'sh' exited with status 7" ]
    cleaned_up
    logging_suite 'trace: no, sample_time: 0ns' '"true"'
    sed -i 's/echo cleanup >>log/&; exit 8/' one.yaml
    run -3 kgate run -c one.yaml -o r.json
    [ "$(jq -r '.cases[0].reason' r.json)" = "'sh' exited with status 8" ]
}

@test "Ctrl-C and SIGTERM end a command in the middle, and its cleanup runs, in run and in ab" {
    printf '#!/bin/sh\necho start >>calls\nexec sleep 600\n' >wait
    chmod +x wait
    mkdir before && cp wait before
    logging_suite 'trace: no, sample_time: 0ns' ./wait
    sed -i "s| >>log| >>$PWD/log|" one.yaml
    sed -i "s| >>calls| >>$PWD/calls|" wait before/wait
    for what in 'run -o r.json' 'ab --base before --head .'; do
        for signal in INT:130 TERM:143; do
            rm -f log calls r.json*
            # shellcheck disable=SC2086  # the arguments are words
            env --default-signal=INT "$KGATE" $what -c one.yaml -q >out.txt 2>&1 3>&- &
            pid=$!
            lines_wait calls 0
            kill "-${signal%:*}" $pid
            status=0; wait $pid || status=$?
            cat out.txt
            [ "$status" -eq "${signal#*:}" ]
            cleaned_up
        done
    done
}
