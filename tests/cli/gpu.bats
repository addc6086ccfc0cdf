# Cases on the GPU, on a driver without one (tests/drivers): what happens around a device.
load support

bats_require_minimum_version 1.5.0

# kgate with the fake driver, NVML and CUPTI: none of what this machine may have of them.
gpu() { env LD_LIBRARY_PATH="$PLUGINS/fake_cuda:$PLUGINS/fake_cupti" "$KGATE" "$@"; }

# A suite of simulated work: lines of workloads.
gpu_suite() {
    {
        echo 'version: 1'
        echo 'suite: gpu'
        echo 'defaults: {disturbance: 100%, devices: [cuda], trace: no, rounds: {min: 3, max: 4}, min_time: 2ms, timeout: 120s, threads: 1}'
        echo 'workloads:'
        cat
    } >gpu.yaml
}

needs_code() {
    gpu doctor --seconds 0 --quiet | grep -q 'built without CUDA' && skip "built without CUDA"
    gpu list -c gpu.yaml --json >/dev/null
}

@test "config/gpu.yaml without a GPU: every case SKIPPED with the reason, exit 4; 3 where it must not miss" {
    run -4 --separate-stderr kgate gate -c "$SOURCE/config/gpu.yaml" -b base -o out
    [[ "$output" == UNDECIDED*"nothing was compared"*"kgate doctor"* && "$output" == *"no CUDA device"* ]]
    run -3 kgate gate -c "$SOURCE/config/gpu.yaml" -b base -o out --set policy.missing_device=fail
    jq -e 'all(.cases[]; .status == "SKIPPED" and (.reason | length > 10))' out/results.json
    valid out/results.json results
    run -0 kgate validate -c "$SOURCE/config/gpu_check.yaml"
}

@test "a GPU that a suite is meant for: where all its cases were SKIPPED the gate is UNDECIDED, a run exits 4" {
    suite_of <<<'  - {name: both, kernel: copy, params: {bytes: 16KiB, version: plain}, devices: [cpu, cuda]}'
    run -0 kgate gate -c one.yaml -b base -o out --update-missing
    run -4 --separate-stderr kgate gate -c one.yaml -b base -o out --set policy.missing_device=undecided
    [[ "$output" == UNDECIDED*"no case on cuda was measured: 1 skipped, first reason: no CUDA device"* ]]
    jq -e '.policy.missing_device == "undecided" and .verdict == "UNDECIDED"' out/comparison.json
    valid out/comparison.json comparison
    grep -q 'a missing device is undecided' out/report.md
    run -4 kgate run -c one.yaml -o r.json --set policy.missing_device=undecided
    valid r.json results
    # a first run that has nothing to compare with is no excuse
    run -4 kgate gate -c one.yaml -b new -o out --set policy.missing_device=undecided
    # where there is one, or none is asked for, all is as without
    run kgate gate -c one.yaml -b base -o out --set policy.missing_device=undecided --filter '*/cpu'
    passes_or_open
    [[ "$output" != *"no case on cuda"* ]]
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, matrix: {fail: [none, unavailable]}}
YAML
    needs_code
    run -0 gpu run -c gpu.yaml -o r.json --set policy.missing_device=undecided
}

@test "a filter by tag selects workloads" {
    suite_of <<YAML
  - {name: one, command: ["true"], tags: [quick, small]}
  - {name: two, command: ["true"], tags: [slow]}
  - {name: tag, command: ["true"]}
YAML
    run -0 kgate list -c one.yaml --filter tag:quick
    [ "$output" = one/cpu ]
    run -0 kgate list -c one.yaml --filter 'tag:s*'
    [ "$output" = $'one/cpu\ntwo/cpu' ]
    run -0 kgate list -c one.yaml --filter 'tag/*'
    [ "$output" = tag/cpu ]
}

@test "each timing is a case; the ids of cold ones say nothing of it" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {ns: 50000, cold_ns: 30000}, timing: [cold, hot, graph, wall]}
YAML
    needs_code
    run -0 gpu run -c gpu.yaml -o r.json
    valid r.json results
    jq -e '[.cases[].id] == ["work/ns=50000,cold_ns=30000/cuda",
        "work/ns=50000,cold_ns=30000,timing=hot/cuda", "work/ns=50000,cold_ns=30000,timing=graph/cuda",
        "work/ns=50000,cold_ns=30000,timing=wall/cuda"]' r.json
    jq -e '[.cases[].timing] == ["cold", "hot", "graph", "wall"]' r.json
    # what the flush costs the simulated work shows in cold times alone
    jq -e '.cases[0].summary.min_ns > .cases[1].summary.min_ns + 25000' r.json
    jq -e '.cases[0].summary.min_ns > .cases[2].summary.min_ns + 25000' r.json
}

@test "iterations: so many calls per round on the GPU, in whole samples" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, iterations: 9, timing: [cold, hot]}
YAML
    needs_code
    run -0 gpu run -c gpu.yaml -o r.json
    jq -e '.cases[0].rounds.calls | length >= 3 and all(. == 9)' r.json
    jq -e '.cases[1].rounds | .calls[0] >= 9 and .calls[0] < 9 + .batch[0]' r.json
    # paired rounds take turns, and come to the same number
    run gpu ab -c gpu.yaml --base "$PLUGINS/libgpu.so" --head "$PLUGINS/libgpu.so" --measure-unchanged -o out
    jq -e '.cases[0].rounds.calls | length >= 3 and all(. == 9)' out/base.json out/head.json
}

@test "results have clocks, cycles, telemetry, memory, and what a call launches" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {launches: 2, transfer_bytes: 1MiB, allocate_bytes: 64MiB}, trace: yes}
YAML
    needs_code
    FAKE_CUDA_SM_CLOCK_HZ=1500000000 FAKE_NVML_TEMPERATURE=61 run -0 gpu run -c gpu.yaml -o r.json
    jq -e '.cases[0].rounds | all(.sm_clock_hz[]; . > 1.49e9 and . < 1.51e9)' r.json
    jq -e '.cases[0].rounds | [.median_ns, .median_cycles] | transpose | all(.[]; (.[1] / .[0] - 1.5 | fabs) < 0.02)' r.json
    jq -e '.cases[0].rounds | all(.call_ns[]; . > 0) and all(.launch_ns[]; . > 0)' r.json
    jq -e '.cases[0].memory.device_allocated_bytes >= 67108864' r.json
    jq -e '.cases[0] | .memory.device_allocated_bytes as $asked | .rounds.peak_bytes | all(.[]; . == $asked)' r.json
    # the copies are recorded; the CUPTI of the tests does not know of them, and that is said
    jq -e '.cases[0].trace.reason | contains("the recorded graph of a call has 4")' r.json
    jq -e '.cases[0].trace.kernels[0] | .launches == 2 and .occupancy > 0 and .registers > 0' r.json
    jq -e '.cases[0].breakdown | .wall_ns >= .gpu_ns and .gpu_ns > 0' r.json
}

# bats test_tags=thorough
@test "a failure costs its own case: the others are measured, each reason is said, exit 3" {
    gpu_suite <<YAML
  - {name: first, plugin: $PLUGINS/libgpu.so, workload: gpu_work}
  - {name: fails, plugin: $PLUGINS/libgpu.so, workload: gpu_work, timeout: 8s, matrix: {fail: [crash, wrong, hang, fault, set_up]}}
  - {name: last, plugin: $PLUGINS/libgpu.so, workload: gpu_work}
YAML
    needs_code
    run -3 gpu run -c gpu.yaml -o r.json
    jq -e '[.cases[] | select(.workload != "fails") | .status] == ["OK", "OK"]' r.json
    jq -e 'all(.cases[] | select(.workload != "fails"); .rounds.median_ns | length == 3)' r.json
    jq -e '[.cases[] | select(.workload == "fails") | .status] | all(. == "FAILED")' r.json
    for words in 'crashed: signal 11' 'wrong result' 'timed out after 8 s' 'illegal memory access' 'told to fail'; do
        [[ "$output" == *"$words"* ]]
    done
}

@test "a driver that hangs costs two time limits: the cases after those fail at once, with the reason" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, timeout: 2s, matrix: {ns: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}
YAML
    needs_code
    export FAKE_CUDA_HUNG=$PWD/hung
    gpu run -c gpu.yaml -o r.json --set rounds.min=1000 --set rounds.max=1000 >log 2>&1 3>&- &
    pid=$!
    lines_wait r.json.journal 25
    touch hung
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq 3 ]
    jq -e 'all(.cases[]; .status == "FAILED" and (.rounds.median_ns | length >= 1))' r.json
    jq -e '[.cases[].reason | select(startswith("timed out"))] | length == 2' r.json
    jq -e '[.cases[].reason | select(startswith("not measured: the GPU was lost"))] | length == 8 and
        all(contains("did not answer in 2"))' r.json
    # a device that answers keeps the others: two cases that hang by themselves
    rm hung
    sed -i 's/ns: .*/ns: [1, 2], fail: [hang]}}/' gpu.yaml
    echo "  - {name: last, plugin: $PLUGINS/libgpu.so, workload: gpu_work}" >>gpu.yaml
    run -3 gpu run -c gpu.yaml -o r.json
    jq -e '[.cases[].status] == ["FAILED", "FAILED", "OK"]' r.json
}

@test "a process that worked for cases on the GPU comes to its own end, with all that waits for that" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, matrix: {ns: [20000, 30000]}}
YAML
    needs_code
    GPU_PLUGIN_ENDED=$PWD/ended run -0 gpu run -c gpu.yaml -o r.json
    rounds=$(jq '.cases[0].rounds.median_ns | length' r.json)
    # a process for each round, and one that found out how to time
    [ "$(sort -u ended | wc -l)" -gt "$rounds" ]
}

@test "what is not available here is SKIPPED, not FAILED" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, matrix: {fail: [none, unavailable]}}
YAML
    needs_code
    run -0 gpu run -c gpu.yaml -o r.json
    jq -e '[.cases[].status] == ["OK", "SKIPPED"]' r.json
    [[ "$output" == *"told to be unavailable"* ]]
}

@test "what is not available leaves its process to the others" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, rounds: {min: 3, max: 3}}
  - {name: not, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {fail: unavailable}, matrix: {ns: [1, 2, 3, 4, 5, 6, 7, 8]}}
YAML
    needs_code
    GPU_PLUGIN_ENDED=$PWD/ended run -0 gpu run -c gpu.yaml -o r.json
    jq -e '[.cases[].status] == ["OK"] + [range(8) | "SKIPPED"]' r.json
    # one checks all cases, and one is for each round
    [ "$(sort -u ended | wc -l)" -eq "$((1 + $(jq '.cases[0].rounds.median_ns | length' r.json)))" ]
}

@test "energy per call is measured for a second; that of cold calls is refused" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, metrics: [time, energy], timing: [cold, hot], rounds: {min: 2, max: 2}}
YAML
    needs_code
    sed -i 's/, min_time: 2ms//' gpu.yaml
    run -0 gpu run -c gpu.yaml -o r.json
    jq -e '.cases[1] | (.series[] | select(.name == "energy") | .source == "nvml" and (.values | length == 2)) and
        all(.rounds.wall_ns[]; . >= 50e6)' r.json
    jq -e '.cases[0].note | contains("most of it is the flush")' r.json
    # a suite that names min_time has it
    sed -i 's/threads: 1/threads: 1, min_time: 3ms/' gpu.yaml
    run -0 gpu run -c gpu.yaml -o r.json --filter '*hot*'
    jq -e 'any(.cases[0].rounds.wall_ns[]; . < 50e6)' r.json
}

@test "a call that waits for the device is measured; as a graph it fails with the reason" {
    gpu_suite <<YAML
  - {name: waits, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {synchronises: "yes"}, timing: [cold, graph]}
YAML
    needs_code
    run -3 gpu run -c gpu.yaml -o r.json
    jq -e '[.cases[].status] == ["OK", "FAILED"]' r.json
    [[ "$output" == *"cannot be recorded as a CUDA graph"*"waits for the device"* ]]
}

@test "a call that cannot be recorded leaves no error to the next case of its plugin" {
    gpu_suite <<YAML
  - {name: waits, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {synchronises: "yes"}, matrix: {ns: [20000, 30000]}, trace: yes}
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, trace: yes}
YAML
    needs_code
    run -0 gpu run -c gpu.yaml -o r.json
    jq -e 'all(.cases[]; .status == "OK" and .trace.source != null)' r.json
}

@test "a call of more launches than the driver queues: timed without a hold, and said; as a graph without a word" {
    gpu_suite <<YAML
  - {name: many, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {launches: 3000, ns: 1000}, timing: [hot, graph]}
YAML
    needs_code
    run -0 gpu run -c gpu.yaml -o r.json
    jq -e '(.cases[0].note | contains("too many launches")) and (.cases[1] | has("note") | not)' r.json
    [[ "$output" == *"too many launches"* ]]
}

@test "a call that puts nothing on its stream has no time on the device" {
    gpu_suite <<YAML
  - {name: none, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {launches: 0}, timing: [cold, hot, graph, wall]}
YAML
    needs_code
    run -3 gpu run -c gpu.yaml -o r.json
    jq -e '[.cases[].status] == ["FAILED", "FAILED", "FAILED", "OK"]' r.json
    [[ "$output" == *"a call puts nothing on its stream"* ]]
}

@test "what was timed without a hold is said by the gate too" {
    gpu_suite <<YAML
  - {name: waits, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {synchronises: "yes"}}
YAML
    needs_code
    run -0 gpu gate -c gpu.yaml -b base -o out --update-missing
    [[ "$output" == *"note: waits/synchronises=yes/cuda: "*"waits for the device"* ]]
    grep -q 'waits for the device' out/report.md
}

@test "gate on the GPU: unchanged against itself; a moved clock is said and fails nothing; a slowdown fails" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {ns: 400000}, threshold: 30%, rounds: {min: 7, max: 8}}
YAML
    needs_code
    run -0 gpu gate -c gpu.yaml -b base -o out --update-missing
    run gpu gate -c gpu.yaml -b base -o out
    passes_or_open
    run -0 gpu run -c gpu.yaml -o measured.json
    agreeing measured.json | jq '.cases[].work.bandwidth_share = 0.1' >before.json
    run -0 gpu compare before.json before.json
    [[ "$output" == *"1 unchanged"* ]]
    # the same, on a device on which everything takes 1.4 times as long
    jq '(.cases[].rounds.median_ns, .cases[].rounds.mean_ns) |= map(. * 1.4) |
        (.cases[].rounds.pulse_ns) |= map(. * 1.4) | (.cases[].rounds.sm_clock_hz) |= map(. / 1.4)' \
        before.json >clock.json
    run -0 gpu compare before.json clock.json --verbose
    [[ "$output" == *"changed with the GPU clock"* && "$output" == *"GPU clock 28.6 % lower"* ]]
    scale before.json 1.5 >slower.json
    run -1 gpu compare before.json slower.json
    [[ "$output" == *REGRESSION* ]]
}

@test "rounds on a throttled device are marked and measured again, within bounds" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, rounds: {min: 4, max: 4}}
YAML
    needs_code
    FAKE_NVML_THROTTLE=0x40 run -0 gpu run -c gpu.yaml -o r.json
    [[ "$output" == *"throttled in 6 of 6 rounds by temperature"* ]]
    jq -e '.cases[0].rounds | (.throttled | length == 6 and all(.[]; .)) and (.throttle | all(.[]; . == 64))' r.json
    FAKE_NVML_THROTTLE=0x40 run -0 gpu gate -c gpu.yaml -b base -o out --update-missing
    [[ "$output" == *"note: the GPU was throttled in"* ]]
    grep -q 'the GPU was throttled in' out/report.md
    FAKE_NVML_THROTTLE=0x1 run -0 gpu run -c gpu.yaml -o r.json
    jq -e '.cases[0].rounds | (has("throttled") | not) and (.median_ns | length == 4)' r.json
}

@test "throttled times decide, not the last instant; at the power limit rounds are longer" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, rounds: {min: 3, max: 3}}
YAML
    needs_code
    # the sum of throttled time grows by a second at each look; the last instant is idle
    held=$(seq -s , 0 1000000000 60000000000)
    FAKE_NVML_POWER_HELD=$held FAKE_NVML_THROTTLE=0x1 run -0 gpu run -c gpu.yaml -o r.json
    [[ "$output" == *"by the power limit"* ]]
    jq -e '.cases[0].rounds | all(.throttled[]; .) and all(.throttle[]; . == 5) and
        all(.throttled_ns[]; . >= 1e9) and all(.power_limit_w[]; . == 700) and
        all(.wall_ns[]; . >= 10e6) and all(.warm_up_ns[]; . >= 200e6)' r.json
    # a sum that stays the same: the rounds were not throttled, whatever the last instant says
    FAKE_NVML_POWER_HELD=5 FAKE_NVML_THERMAL_HELD=5 FAKE_NVML_THROTTLE=0x4 run -0 gpu run -c gpu.yaml -o r.json
    [[ "$output" != *throttled* ]]
    jq -e '.cases[0].rounds | (has("throttled") | not) and all(.throttled_ns[]; . == 0) and
        any(.wall_ns[]; . < 10e6)' r.json
}

@test "locked clocks are reset at the end, on a signal and after SIGKILL" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, rounds: {min: 2, max: 2}}
  - {name: long, plugin: $PLUGINS/libgpu.so, workload: gpu_work, min_time: 60s}
YAML
    needs_code
    export FAKE_NVML_LOCKS=$PWD/locks
    run -0 gpu run -c gpu.yaml --filter 'work/*' -o r.json --lock-clocks
    [ "$(cat locks)" = $'lock ffffff01 ffffff01\nreset' ]
    # without the option nothing is touched
    rm locks
    run -0 gpu run -c gpu.yaml --filter 'work/*' -o r.json
    [ ! -e locks ]
    for signal in TERM KILL; do
        rm -f locks
        env LD_LIBRARY_PATH="$PLUGINS/fake_cuda:$PLUGINS/fake_cupti" "$KGATE" run -c gpu.yaml --filter 'long/*' -o r.json --lock-clocks >log 2>&1 3>&- &
        lines_wait locks 0
        kill -$signal $!
        wait $! || true
        lines_wait locks 1
        [ "$(tail -n 1 locks)" = reset ]
    done
    # who may not: nothing is measured
    rm locks
    FAKE_NVML_LOCK_CODE=4 run -3 gpu run -c gpu.yaml --filter 'work/*' -o no.json --lock-clocks
    [[ "$output" == *"cannot lock the clocks of the GPU: "*"only root may"* ]]
    [ ! -e no.json ] && [ ! -e locks ]
    FAKE_CUDA_DEVICES=0 run -2 gpu run -c gpu.yaml -o no.json --lock-clocks
    [[ "$output" == *"no GPU that kgate can use"* ]]
}

@test "the device that was chosen is the only one its workers see; one that is not there is refused" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work}
YAML
    needs_code
    FAKE_CUDA_DEVICES=2 FAKE_NVML_DEVICES=2 run -0 gpu run -c gpu.yaml -o r.json --device cuda:1
    jq -e '.machine.gpu_chosen == 1 and (.machine.gpus | length == 2)' r.json
    FAKE_CUDA_DEVICES=2 run -2 gpu run -c gpu.yaml -o r.json --device cuda:2
    [[ "$output" == *"cuda:2"* ]]
}

@test "memory_limit bounds device memory" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {allocate_bytes: 64MiB}, memory_limit: 32MiB}
YAML
    needs_code
    run -3 gpu run -c gpu.yaml -o r.json
    [[ "$output" == *"set-up failed"*"memory_limit"* ]]
}

@test "ab on the GPU: the cases of a round share one pair of processes" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, matrix: {ns: [20000, 30000, 40000]}}
YAML
    needs_code
    sed -i 's/max: 4/max: 3/' gpu.yaml
    GPU_PLUGIN_ENDED=$PWD/ended run gpu ab -c gpu.yaml --base "$PLUGINS/libgpu.so" --head "$PLUGINS/libgpu.so" --measure-unchanged \
        --set threshold=500% -o out
    passes_or_open
    jq -e 'all(.cases[]; .rounds.median_ns | length == 3)' out/base.json
    jq -e 'all(.cases[]; .rounds.base_ratio | length == 3 and all(. > 0))' out/head.json
    # two check all cases, and two are for each round
    [ "$(sort -u ended | wc -l)" -eq 8 ]
}

# bats test_tags=thorough
@test "ab on the GPU: a failure costs its own case; each reason is said" {
    gpu_suite <<YAML
  - {name: first, plugin: $PLUGINS/libgpu.so, workload: gpu_work}
  - {name: fails, plugin: $PLUGINS/libgpu.so, workload: gpu_work, timeout: 4s, matrix: {fail: [crash, wrong, hang, fault, set_up]}}
  - {name: last, plugin: $PLUGINS/libgpu.so, workload: gpu_work}
YAML
    needs_code
    # the checks are good, the rounds fail: the first three beside the other build, the last two in each build alone
    GPU_PLUGIN_LATE=$PWD/late run -3 gpu ab -c gpu.yaml --base "$PLUGINS/libgpu.so" --head "$PLUGINS/libgpu.so" \
        --measure-unchanged --set threshold=500% -o out
    jq -e 'all(.cases[] | select(.workload != "fails"); .status == "OK" and (.rounds.base_ratio | length == 3))' out/head.json
    jq -e '[.cases[] | select(.workload == "fails") | .status] == ["FAILED", "FAILED", "FAILED", "SKIPPED", "SKIPPED"]' out/head.json
    for words in 'signal 11' 'wrong result' 'timed out after 4 s' 'illegal memory access' 'told to fail'; do
        [[ "$(jq -r '.cases[].reason // ""' out/head.json out/base.json)" == *"$words"* ]]
    done
}

@test "ab on the GPU: the same plugin twice does not fail" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {ns: 300000}, threshold: 40%, rounds: {min: 6, max: 8}}
YAML
    needs_code
    run gpu ab -c gpu.yaml --base "$PLUGINS/libgpu.so" --head "$PLUGINS/libgpu.so" --measure-unchanged -o out
    passes_or_open
    jq -e '.cases[0].rounds.base_ratio | length >= 6' out/head.json
}

@test "interrupted while the GPU is measured, nothing measured is lost" {
    gpu_suite <<YAML
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, rounds: {min: 10000, max: 10000}}
YAML
    needs_code
    env LD_LIBRARY_PATH="$PLUGINS/fake_cuda" "$KGATE" run -c gpu.yaml -o r.json >log 2>&1 3>&- &
    pid=$!
    lines_wait r.json.journal 3
    kill -TERM "$pid"
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq 143 ]
    jq -e '.complete == false and (.cases[0].rounds.median_ns | length >= 1)' r.json
}

@test "a speedup over the CPU is a budget of the case on the GPU; left out on the CPU it is not known" {
    gpu_suite <<'YAML'
  - name: program
    command: [sleep, "0.01"]
    devices: [cpu, cuda]
    budget: {speedup_over_cpu: [">= 0.001", "<= 1000"]}
YAML
    run -0 gpu gate -c gpu.yaml -b base -o out
    valid out/results.json results
    valid out/comparison.json comparison
    jq -e '[.cases[] | {(.id): [.metrics[].name]}] | add
           == {"program/cpu": [], "program/cuda": ["speedup_over_cpu", "speedup_over_cpu"]}' out/comparison.json
    sed 's/">= 0.001", "<= 1000"/">= 1000"/' gpu.yaml >fast.yaml
    run -1 gpu gate -c fast.yaml -b base -o out
    [[ "$output" == *"speedup_over_cpu is "*", the budget asks >= 1.00 k"* ]]
    run -0 gpu gate -c gpu.yaml -b base -o out --filter '*/cuda' --update-missing
    [[ "$output" == *INCONCLUSIVE*"the case on the CPU was left out (--filter */cuda)"* ]]
    jq '.policy.fail_on = ["INCONCLUSIVE"]' out/results.json >strict.json
    run -4 kgate compare out/results.json strict.json -o file
    # a noisy time may be what decides
    jq -e '.cases[0].metrics | any(.against == "budget" and (.reason // "" | contains("on the CPU was left out")))' \
        file/comparison.json
}
