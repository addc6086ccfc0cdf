# What a GPU is capable of, on a driver without a device: its kernels compute nothing, which is noticed.
load support

bats_require_minimum_version 1.5.0

gpu() { env LD_LIBRARY_PATH="$PLUGINS/fake_cuda:$PLUGINS/fake_cupti" XDG_CACHE_HOME="$PWD/cache" "$KGATE" "$@"; }

gpu_suite() {
    cat >gpu.yaml <<YAML
version: 1
suite: gpu
defaults: {disturbance: 100%, devices: [cuda], rounds: {min: 3, max: 4}, min_time: 2ms, timeout: 120s, threads: 1}
workloads:
  - {name: work, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {launches: 2}}
YAML
    gpu doctor --seconds 0 --quiet | grep -q 'built without CUDA' && skip "built without CUDA"
    gpu list -c gpu.yaml --json >/dev/null
}

@test "kernels that compute something else have no time that counts, and nothing is kept" {
    gpu_suite
    run -0 gpu run -c gpu.yaml -o r.json
    valid r.json results
    jq -e '.ceilings | .fma_flops_per_s == null and .tensor_flops_per_s == null and .tensor_by == null
        and .launch_ns > 0 and (.reason | test("kg_ceiling_fma on the GPU is wrong"))' r.json
    ! ls cache/kgate/ceilings-*
}

@test "ceilings of a throttled device name the reason; the power limit is its own" {
    gpu_suite
    FAKE_NVML_THROTTLE=0x80 run -0 gpu run -c gpu.yaml -o r.json
    valid r.json results
    jq -e '.ceilings.note | startswith("measured throttled by the power brake")' r.json
    FAKE_NVML_THROTTLE=0x4 run -0 gpu run -c gpu.yaml -o r.json
    jq -e '.ceilings.note // "" | contains("throttled") | not' r.json
}
