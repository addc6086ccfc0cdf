load support

# Beside processes that spin on the CPU that cases are bound to, whatever else the machine does.

rivals=()

setup_file() {
    export CPU=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
}

rivals_start() {
    needs_waits
    # In sessions of their own, as workers are: the scheduler may divide a CPU among sessions first.
    for _ in 1 2 3; do
        setsid taskset -c "$CPU" sh -c 'while :; do :; done' 3>&- &
        rivals+=($!)
    done
}

rivals_end() {
    [ ${#rivals[@]} -eq 0 ] || kill "${rivals[@]}" 2>/dev/null || true
    rivals=()
}

teardown() { rivals_end; }

# A case whose call is about as long as the scheduler lets one thread run.
busy_suite() {
    cat >busy.yaml <<YAML
version: 1
suite: busy
defaults: {sample_time: 0ns, trace: no, rounds: {min: 4, max: 4}, min_time: 100ms, threads: 1, pin: $CPU, timeout: 120s, metrics: [time, peak_memory]}
workloads:
  - {name: spin, plugin: $PLUGINS/libgood.so, params: {turns: 10000000}$1}
YAML
}

@test "rounds that wait for a CPU are measured again, and a result of such rounds is none" {
    busy_suite
    rivals_start
    run kgate run -c busy.yaml -o r.json
    rivals_end
    [ "$status" -eq 3 ]
    [[ "$output" == *UNMEASURED*"the machine is too busy: 6 of 6 rounds"* ]]
    [[ "$output" != *±* ]]
    valid r.json results
    jq -e '.cases[0] | .status == "UNMEASURED" and (.reason | startswith("the machine is too busy"))' r.json
    # two more for the four that were asked for
    jq -e '.cases[0].rounds | (.wait_ns | length) == 6 and (.disturbance | all(. > 0.3 and . <= 1))' r.json
    jq -e '.cases[0].rounds | [.wait_ns, .wall_ns] | transpose | all(.[0] > 0.3 * .[1])' r.json
    jq -e '.cases[0].rounds.involuntary_switches | all(. > 0)' r.json
}

@test "memory and counts are judged by such rounds, which nobody measures again" {
    busy_suite
    sed -i 's/metrics: \[time, peak_memory\]/metrics: [peak_memory]/' busy.yaml
    rivals_start
    run kgate gate -c busy.yaml -b base -o out --update-missing
    run kgate gate -c busy.yaml -b base -o out
    rivals_end
    [ "$status" -eq 0 ]
    jq -e '.cases[0] | .change == "NO_CHANGE"' out/comparison.json
    jq -e '.cases[0] | .status == "OK" and (.rounds.wait_ns | length) == 4 and .disturbance_limit == 1' out/results.json
    jq -e '.cases[0].rounds.disturbance | any(. > 0.3)' out/results.json
}

@test "gate: a case of such rounds is INCONCLUSIVE with that reason, and no baseline" {
    busy_suite
    kgate run -c busy.yaml -o r.json -q --set disturbance=100%
    # the same code is unchanged, however busy the machine is
    jq 'del(.cases[].code_hash)' r.json >other.json
    kgate baseline update other.json -b base -q
    rivals_start
    run kgate gate -c busy.yaml -b base -o out
    run kgate gate -c busy.yaml -b none -o new --update-missing
    rivals_end
    # a first run that records nothing is no green one
    [ "$status" -eq 4 ]
    [[ "$output" == *"next: measure again when the machine is idle"* ]]
    jq -e '.cases[0] | .change == "INCONCLUSIVE" and (.reason | startswith("the machine is too busy"))' out/comparison.json
    jq -e '.cases[0].metrics[0] | .name == "time" and .doubt == "busy"' out/comparison.json
    # memory does not wait
    jq -e '.cases[0].metrics | any(.name == "peak_memory" and .change == "NO_CHANGE")' out/comparison.json
    valid out/comparison.json comparison
    [ ! -e none ]
}

# bats test_tags=thorough
@test "a new case that is left out of the baseline is named, and the gate is UNDECIDED" {
    busy_suite
    # one that every round counts of is recorded
    echo "  - {name: copy, kernel: copy, params: {bytes: 16KiB}, disturbance: 100%}" >>busy.yaml
    rivals_start
    run kgate gate -c busy.yaml -b base -o out --update-missing -q
    rivals_end
    [ "$status" -eq 4 ]
    [[ "$output" == *"NOT recorded: spin/turns=10000000/cpu (the machine was too busy); run it again"* ]]
    [[ "$output" == *"recorded 1 new case"* ]]
    grep -q 'NOT recorded: spin' out/report.md
    jq -e '.verdict == "UNDECIDED" and ([.cases[] | select(.unrecorded) | .workload] == ["spin"])' out/comparison.json
    jq -e '[.runs[].cases[].id] == ["copy/bytes=16KiB/cpu"]' base/*.json
    valid out/comparison.json comparison
}

# bats test_tags=thorough
@test "a budget is not judged by such rounds" {
    busy_suite ', budget: {time: "<= 1ns"}'
    rivals_start
    run kgate gate -c busy.yaml -b base -o out
    rivals_end
    [[ "$output" == *"the budget for time was not checked: the machine is too busy"* ]]
    [ "$status" -ne 1 ]
}

# bats test_tags=thorough
@test "pairs are as disturbed as the worse of the two builds, and replaced together" {
    busy_suite
    rivals_start
    # A worker that has just begun a session may run before its rivals for some tenths of a second.
    kgate ab -c busy.yaml --base "$PLUGINS/libgood.so" --head "$PLUGINS/libgood.so" --measure-unchanged -o out -q --set min_time=300ms || true
    rivals_end
    jq 'del(.cases[] | .code_hash, .same_as_base)' out/head.json >head.json
    run kgate compare out/base.json head.json --json
    [ "$status" -eq 4 ]
    jq -e '.cases[0] | .change == "INCONCLUSIVE" and .missing and (.reason | startswith("the machine is too busy"))' <<<"$output"
    [ "$(jq -c '.cases[0].rounds.disturbance' out/base.json)" = "$(jq -c '.cases[0].rounds.disturbance' out/head.json)" ]
    jq -e '.cases[0].rounds.disturbance | length >= 6' out/head.json
}

# bats test_tags=thorough
@test "a command's processes wait too" {
    cat >busy.yaml <<YAML
version: 1
suite: busy
defaults: {sample_time: 0ns, trace: no, rounds: {min: 2, max: 2}, min_time: 20ms, pin: $CPU, timeout: 120s}
workloads:
  - {name: count, command: [sh, -c, 'i=0; while [ \$i -lt 20000 ]; do i=\$((i+1)); done']}
YAML
    rivals_start
    run kgate run -c busy.yaml -o r.json -q
    rivals_end
    [ "$status" -eq 3 ]
    jq -e '.cases[0].rounds | (.wait_ns | length) == 3 and (.disturbance | all(. > 0.3))' r.json
}

# bats test_tags=thorough
@test "a suite may take every round as it is" {
    busy_suite
    rivals_start
    kgate run -c busy.yaml -o r.json -q --set disturbance=100%
    rivals_end
    jq -e '.cases[0] | .status == "OK" and (.rounds.wait_ns | length) == 4 and .disturbance_limit == 1' r.json
}

# bats test_tags=thorough
@test "threads of its own that take the CPU from a case make no change pass" {
    needs_waits
    cat >w.c <<'C'
#include <pthread.h>
static volatile int stop;
static void *spin(void *state) { while (!stop) ; return state; }
int main(void) {
    pthread_t threads[4];
    volatile unsigned long x = 1;
    for (int i = 0; i < HOGS; i++) pthread_create(&threads[i], 0, spin, 0);
    for (long i = 0; i < 5000000; i++) x = x * 6364136223846793005UL + 1;
    stop = 1;
    for (int i = 0; i < HOGS; i++) pthread_join(threads[i], 0);
    return 0;
}
C
    cat >hogs.yaml <<YAML
version: 1
suite: hogs
defaults: {sample_time: 0ns, trace: no, threshold: 10%, rounds: {min: 5, max: 8}, min_time: 10ms, timeout: 120s}
workloads:
  - {name: w, command: [./w]}
  - {name: one, kernel: copy, params: {bytes: 4KiB}}
  - {name: two, kernel: copy, params: {bytes: 8KiB}}
YAML
    gcc -O2 -pthread -DHOGS=0 w.c -o w
    kgate run -c hogs.yaml -o r.json -q --set disturbance=100%
    kgate baseline update r.json -b base -q
    gcc -O2 -pthread -DHOGS=4 w.c -o w
    run kgate gate -c hogs.yaml -b base -o out -q
    [[ "$status" -eq 1 || "$status" -eq 4 ]]
}
