# The table of tests/bench/kernels, from results of two cases.
load support

@test "the benchmark of kernels shows each fast version beside the fastest of its peers" {
    cat >suite.yaml <<'YAML'
version: 1
suite: kernels
defaults: {rounds: {min: 2, max: 2}, min_time: 1us}
workloads:
  - {name: gemm.8, kernel: gemm, params: {m: 8, n: 8, k: 8, version: blocked}, tags: [fast, gemm, rate.product]}
  - {name: OpenBLAS_sgemm.8, kernel: gemm, params: {m: 8, n: 8, k: 8, version: blas}, tags: [peer, gemm]}
  - {name: slow_loops.8, kernel: gemm, params: {m: 400, n: 400, k: 400, version: naive}, tags: [peer, gemm]}
  - {name: OpenBLAS_sgemm.9, kernel: gemm, params: {m: 9, n: 9, k: 9, version: blas}, tags: [peer, rate.product]}
  - {name: alone, kernel: copy, params: {bytes: 64B}, tags: [fast, nobody]}
YAML
    kgate run -c suite.yaml -o results.json -q
    run jq -rs --arg core Generic -f "$SOURCE/tests/bench/kernels/table.jq" results.json results.json
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == *"OpenBLAS for Generic:" ]]
    [ "$(grep -c '^| gemm | m=8 n=8 k=8 | 1 | .* | OpenBLAS sgemm | ' <<<"$output")" -eq 2 ]
    [ "$(grep -c '^| gemm | .* | all | ' <<<"$output")" -eq 2 ]
    [[ "$output" != *slow* ]]
    [[ "$output" != *alone* ]]
}
