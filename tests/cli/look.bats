# What is seen of cases on the CPU apart from their rounds: time with one thread, cache lines.
load support

bats_require_minimum_version 1.5.0

unset OMP_NUM_THREADS # the suite says how many

@test "what may use more threads than one is measured with one, too; what may not is not" {
    looked_suite_of <<YAML
  - {name: two, kernel: copy, params: {bytes: 64KiB}, threads: 2}
  - {name: one, kernel: copy, params: {bytes: 64KiB}}
  - {name: pinned, kernel: copy, params: {bytes: 64KiB}, threads: 2, pin: auto}
  - {name: unseen, kernel: copy, params: {bytes: 64KiB}, threads: 2, trace: no}
  - {name: plugin, plugin: $PLUGINS/libgood.so, workload: spin, threads: 2}
  - {name: program, command: ['true'], threads: 2}
YAML
    kgate run -c one.yaml -o r.json -q
    valid r.json results
    jq -e '[.cases[].threads] == [2, 1, 2, 2, 2, 2]' r.json
    jq -e '[.cases[].target] == ["copy", "copy", "copy", "copy", $plugin, "true"]' \
        --arg plugin "$PLUGINS/libgood.so:spin" r.json
    jq -e '.cases[0].look | .alone_ns > 0 and .reason == null' r.json
    jq -e '.cases[4].look.alone_ns > 0' r.json
    jq -e 'all(.cases[1, 2, 3, 5]; .look.alone_ns == null)' r.json
    # nothing of it is a round or a counter
    jq -e 'all(.cases[]; (.rounds.median_ns | length) == 2 and (.series | length) == 2)' r.json
}

@test "all threads are one for each CPU" {
    looked_suite_of <<<"  - {name: copy, kernel: copy, params: {bytes: 64KiB}, threads: all}"
    kgate run -c one.yaml -o r.json -q
    jq -e '.cases[0].threads == .machine.cpu_count' r.json
    jq -e '(.cases[0].look.alone_ns > 0) == (.machine.cpu_count > 1)' r.json
}

# bats test_tags=thorough
@test "what breaks with one thread is a reason, and no failure" {
    looked_suite_of <<YAML
  - {name: crash, plugin: $PLUGINS/libbroken.so, workload: crash_alone, threads: 2}
  - {name: hang, plugin: $PLUGINS/libbroken.so, workload: hang_alone, threads: 2, timeout: 8s}
YAML
    run -0 kgate run -c one.yaml -o r.json
    [[ "$output" != *FAILED* ]]
    jq -e 'all(.cases[]; .status == "OK" and .look.alone_ns == null)' r.json
    jq -e '.cases[0].look.reason | startswith("the process that measured it with one thread crashed: signal 11")' r.json
    jq -e '.cases[1].look.reason == "the process that measured it with one thread timed out"' r.json
}

@test "time with one thread that had other work to do is none" {
    looked_suite_of <<<"  - {name: each, plugin: $PLUGINS/libreporting.so, workload: each, threads: 2}"
    kgate run -c one.yaml -o r.json -q
    jq -e '.cases[0].look | .alone_ns == null
           and .reason == "with one thread it does other work: 20000 flops instead of 40000"' r.json
}

# Begins a run whose last process hangs, and waits until it does.
run_until_it_hangs() {
    looked_suite_of <<YAML
  - {name: copy, kernel: copy, params: {bytes: 64KiB}, threads: 2}
  - {name: hang, plugin: $PLUGINS/libbroken.so, workload: hang_alone, threads: 2}
YAML
    "$KGATE" run -c one.yaml -o r.json -q >/dev/null 2>&1 &
    pid=$!
    for _ in $(seq 1200); do
        grep -q alone_ns r.json.journal 2>/dev/null && break
        sleep 0.1
    done
}

@test "asked to stop while it looks, a run keeps its rounds" {
    run_until_it_hangs
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ "$status" -eq 143 ]
    jq -e 'all(.cases[]; .rounds.median_ns | length == 2)' r.json
    jq -e '.cases[0].look.alone_ns > 0 and .cases[1].look == null' r.json
}

@test "killed while it looks, a run's journal has what was seen" {
    run_until_it_hangs
    kill -KILL $pid
    wait $pid || true
    kgate report r.json.journal --format json >killed.json
    jq -e 'all(.cases[]; (.rounds.median_ns | length == 2) and .threads == 2)' killed.json
    jq -e '.cases[0].target == "copy" and .cases[0].look.alone_ns > 0' killed.json
}

@test "under a budget and in ab nobody looks" {
    looked_suite_of <<<"  - {name: two, kernel: copy, params: {bytes: 64KiB}, threads: 2}"
    kgate gate -c one.yaml -b base -o out -q --budget 10s || true
    jq -e '.cases[0].look == null' out/results.json
    kgate ab -c one.yaml --base "$KGATE" --head "$KGATE" --measure-unchanged -o ab -q || true
    jq -e '.cases[0].look == null and .cases[0].threads == 2' ab/head.json
}

# bats test_tags=thorough
@test "cache lines are counted with instructions: a copy's are what it moves, a transpose's more" {
    [ -z "$SANITIZED" ] || skip "Valgrind does not run under AddressSanitizer"
    needs_valgrind
    looked_suite_of <<YAML
  - {name: copy, kernel: copy, params: {bytes: 256KiB, version: plain}, metrics: [time, instructions]}
  - {name: transpose, kernel: transpose, params: {rows: 256, cols: 256}, matrix: {version: [plain, fast]}, metrics: [instructions]}
  - {name: uncounted, kernel: copy, params: {bytes: 64KiB}}
  - {name: program, command: ['true'], metrics: [instructions]}
YAML
    kgate run -c one.yaml -o r.json -q
    valid r.json results
    jq -e '.cases[0].look.source == ([.cases[0].series[] | select(.name == "instructions")][0].source)' r.json
    # counted as before, in processes of their own
    jq -e 'all(.cases[0, 1, 2, 4]; .look.instructions > 0 and ([.series[] | select(.name == "instructions")] | length == 1)
        and ([.series[] | select(.name == "instructions")][0].values | length >= 3))' r.json
    if ! jq -e '.cases[0].look.source == "callgrind"' r.json; then
        skip "this machine's processor counts, and decides itself what comes into its caches"
    fi
    jq -e '.cases[0] | (.look.line_bytes / .work.bytes) as $lines | $lines > 0.99 and $lines < 1.05' r.json
    jq -e '(.cases[0].look.instructions / .cases[0].series[2].values[0] - 1) | fabs < 0.05' r.json
    jq -e '.cases[1].look.line_bytes > 3 * .cases[2].look.line_bytes' r.json
    jq -e '.cases[2] | .look.line_bytes < 1.5 * .work.bytes' r.json
    jq -e '.cases[4].look | .line_bytes > 0 and .memory_line_bytes > 0' r.json
}

@test "where nothing can count, that is the reason" {
    looked_suite_of <<YAML
  - {name: seen, kernel: copy, params: {bytes: 16KiB}, metrics: [instructions]}
  - {name: unseen, kernel: copy, params: {bytes: 16KiB}, metrics: [instructions], trace: no}
YAML
    mkdir -p nothing
    PATH=nothing "$KGATE" run -c one.yaml -o r.json -q
    jq -e '.cases[0].look.source == "perf" or (.cases[0].look.reason | contains("valgrind is not installed"))' r.json
    jq -e '.cases[1].look == null' r.json
}
