load support

bats_require_minimum_version 1.5.0

# What kgate is started with, and what lies where a file is expected.

# Starts a command as a parent does that ignores and blocks SIGCHLD.
ignoring() {
    /usr/bin/python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}

@test "a parent that ignores SIGCHLD costs no case" {
    suite_of <<'YAML'
  - {name: it, command: ["true"]}
YAML
    run ignoring "$KGATE" run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    jq -e '.cases[0].status == "OK"' r.json
}

@test "a small limit on the stack is raised, or is an error with what to do" {
    run bash -c 'ulimit -Ss 128; "$KGATE" run -c suite.yaml -o r.json -q'
    [ "$status" -eq 0 ]
    run -3 bash -c 'ulimit -s 128; "$KGATE" run -c suite.yaml -o r.json -q'
    [ "$output" = 'kgate: the limit on the stack is 128 KiB, and kgate needs 1024 KiB: raise it (`ulimit -s 1024`)' ]
}

@test "too few files are an error with the reason and what to do" {
    for files in 10 8; do
        run -3 bash -c "ulimit -n $files; '$KGATE' run -c suite.yaml -o r.json -q"
        [[ "$output" == *'cannot start'*'worker process: Too many open files; raise the limit on open files (`ulimit -n 64`)'* ]]
    done
}

# Runs kgate for a minute at most; it refuses the pipe.
refuses_pipe() {
    run timeout 60 "$KGATE" "$@"
    echo "$* -> $status: $output"
    [ "$status" -eq "${refused:-2}" ]
    [[ "$output" == *"${words:-it is a named pipe, not a file}"* ]]
}

@test "a named pipe in the place of a file is refused and not waited for" {
    kgate run -c suite.yaml -o r.json -q
    kgate baseline update r.json -b base
    mkfifo pipe
    refuses_pipe gate -c pipe
    refuses_pipe gate -c suite.yaml --accepted pipe
    refuses_pipe compare pipe r.json
    refuses_pipe compare r.json pipe
    refuses_pipe baseline update pipe -b base
    refuses_pipe ab ./pipe ./pipe
    mkfifo suite.accepted.yaml
    refuses_pipe gate -c suite.yaml
    fingerprint=$(basename base/*.json)
    rm suite.accepted.yaml base/*.json
    mkfifo "base/$fingerprint"
    refuses_pipe gate -c suite.yaml -b base
    suite_of <<'YAML'
  - {name: it, plugin: ./pipe}
YAML
    words="no regular file" refuses_pipe validate -c one.yaml
    words="no regular file" refused=3 refuses_pipe gate -c one.yaml
    suite_of <<'YAML'
  - {name: it, command: [./pipe]}
YAML
    words="Permission denied" refused=3 refuses_pipe gate -c one.yaml
}

@test "a pipe that somebody writes to is read" {
    kgate run -c suite.yaml -o r.json -q
    run kgate compare <(cat r.json) r.json
    [[ "$output" == *"small, 2 cases"* ]]
    kgate validate -c <(cat suite.yaml)
}

@test "a workload that stops its tracer does not stop the gate" {
    cat >stops.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status))
        if (!strncmp(line, "TracerPid:", 10) && atoi(line + 10) > 0) {
            fclose(fopen("stopped", "w"));
            kill(atoi(line + 10), SIGSTOP);
        }
    return fclose(status);
}
C
    cc -O2 stops.c -o stops
    looked_suite_of 20ms <<'YAML'
  - {name: it, command: [./stops]}
YAML
    run timeout 300 "$KGATE" gate -c one.yaml -b base --update-missing </dev/null
    [ "$status" -eq 0 ]
    [ -f stopped ] || skip "nothing may be traced here"
    [[ "$output" == *"1 new"* ]]
}

# bats test_tags=thorough
@test "a named pipe that a program's debug link names is not waited for" {
    cat >spin.c <<'C'
int main(void)
{
    for (volatile int i = 0; i < 3000000; i++)
        ;
    return 0;
}
C
    cc -g -O1 spin.c -o spin
    objcopy --only-keep-debug spin spin.debug
    objcopy --strip-debug --add-gnu-debuglink=spin.debug spin
    rm spin.debug
    mkfifo spin.debug
    suite_of <<<'  - {name: it, command: [./spin], sample_time: 50ms}'
    sed -i 's/trace: no, //' one.yaml
    run timeout -k 1 300 "$KGATE" gate -c one.yaml --update-missing -o out
    [ "$status" -eq 0 ]
    jq -e '.cases[0].hot.sampled | length > 0' out/results.json
}
