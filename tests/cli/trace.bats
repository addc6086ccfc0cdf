# What calls put on the GPU, seen apart from the rounds: on a driver and a CUPTI without a device.
load support

bats_require_minimum_version 1.5.0

gpu() { env LD_LIBRARY_PATH="$PLUGINS/fake_cuda:$PLUGINS/fake_cupti" "$KGATE" "$@"; }

# Two launches a call, timed in two ways.
gpu_suite() {
    cat >gpu.yaml <<YAML
version: 1
suite: gpu
defaults: {disturbance: 100%, devices: [cuda], rounds: {min: 3, max: 4}, min_time: 2ms, timeout: ${1:-120s}, threads: 1}
workloads:
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {launches: 2}, timing: [cold, wall]}
YAML
    gpu doctor --seconds 0 --quiet | grep -q 'built without CUDA' && skip "built without CUDA"
    gpu list -c gpu.yaml --json >/dev/null
}

@test "a call is recorded and seen: launches, kernels, their times, occupancy, counters" {
    gpu_suite
    run -0 gpu run -c gpu.yaml -o r.json
    valid r.json results
    jq -e '.cases[0].trace | .source == "graph, cupti" and .reason == null and .launches == 2' r.json
    jq -e '.cases[0].trace | .kernel_ns == 4000 and .gap_ns == 1000 and .transfer_ns == 0' r.json
    jq -e '.cases[0].trace.kernels | length == 1 and (.[0] | .name == "work" and .launches == 2
        and .gpu_ns == 4000 and .occupancy > 0 and .waves > 0)' r.json
    jq -e '[.cases[0].series[2:][] | select(.source == "cupti") | .values | length] == [1, 1, 1, 1, 1]' r.json
    # timings of one workload have one trace
    jq -e '.cases[1].trace == .cases[0].trace and .cases[1].series[2:] == .cases[0].series[2:]' r.json
}

@test "one process traces all cases" {
    gpu_suite
    for name in second third; do
        echo "  - {name: $name, plugin: $PLUGINS/libgpu.so, workload: gpu_work}" >>gpu.yaml
    done
    GPU_PLUGIN_ENDED=$PWD/ended run -0 gpu run -c gpu.yaml -o r.json
    jq -e 'all(.cases[].trace; .source == "graph, cupti" and .reason == null)' r.json
    jq -e '.cases[0].trace.launches == 2 and .cases[2].trace.launches == 1' r.json
    GPU_PLUGIN_ENDED=$PWD/without run -0 gpu run -c gpu.yaml -o r.json --set trace=no --set rounds.max=3
    # the wanted rounds are one process each, like the check
    [ "$(sort -u without | wc -l)" -eq 4 ]
    GPU_PLUGIN_ENDED=$PWD/with run -0 gpu run -c gpu.yaml -o r.json --set rounds.max=3
    [ "$(sort -u with | wc -l)" -le 6 ]
}

@test "a call's time is divided, and the parts are no more than the whole" {
    gpu_suite
    run -0 gpu run -c gpu.yaml -o r.json
    jq -e 'all(.cases[].breakdown; .gpu_ns > 0 and .transfer_ns == 0 and .overhead_ns >= 0
        and .gpu_ns + .transfer_ns + .overhead_ns <= .wall_ns * 1.000001)' r.json
}

# bats test_tags=thorough
@test "counters are for looking at: a run against its own baseline passes with and without them" {
    gpu_suite
    run -0 gpu gate -c gpu.yaml -b base -o out --update-missing
    FAKE_CUPTI=denied run gpu gate -c gpu.yaml -b base -o out --set threshold=300%
    passes_or_open
    jq -e '.cases[0] | .trace.source == "graph, cupti" and ([.series[2:][]?] | length == 0)
        and (.trace.reason | test("NVreg_RestrictProfilingToAdminUsers=0"))' out/results.json
    run gpu gate -c gpu.yaml -b base -o out --set threshold=300%
    passes_or_open
}

@test "tracing that crashes costs no case, and is said" {
    gpu_suite
    FAKE_CUPTI=crash run -0 gpu run -c gpu.yaml -o r.json
    jq -e 'all(.cases[]; .status == "OK" and .trace.source == null
        and (.trace.reason | test("crashed: signal 6")))' r.json
}

# bats test_tags=thorough
@test "tracing that hangs twice in a row is given up, and costs no case" {
    gpu_suite 5s
    for name in second third; do
        echo "  - {name: $name, plugin: $PLUGINS/libgpu.so, workload: gpu_work}" >>gpu.yaml
    done
    FAKE_CUPTI=hang run -0 gpu run -c gpu.yaml -o r.json
    jq -e 'all(.cases[]; .status == "OK")' r.json
    jq -e '[.cases[0, 2].trace.reason] | all(test("timed out"))' r.json
    jq -e '.cases[3].trace.reason | test("^not traced: ")' r.json
}

# bats test_tags=thorough
@test "tracing that hangs once costs that case's trace alone" {
    gpu_suite 5s
    echo "  - {name: other, plugin: $PLUGINS/libgpu.so, workload: gpu_work}" >>gpu.yaml
    FAKE_CUPTI_HANGS_ONCE=hung run -0 gpu run -c gpu.yaml -o r.json
    jq -e '.cases[0].trace.reason | test("timed out")' r.json
    jq -e '.cases[2].trace | .source == "graph, cupti" and .reason == null' r.json
}
