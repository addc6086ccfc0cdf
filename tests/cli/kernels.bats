# The table of tests/studies/kernels, from results of a few cases.
load support

table() { jq -rs --arg blas "OpenBLAS for Generic" -f "$SOURCE/tests/studies/kernels/table.jq" "$@"; }

@test "the benchmark of kernels shows each fast version beside the fastest of its peers" {
    cat >suite.yaml <<'YAML'
version: 1
suite: kernels
defaults: {sample_time: 0ns, disturbance: 100%, rounds: {min: 2, max: 2}, min_time: 1us}
workloads:
  - {name: gemm.8, kernel: gemm, params: {m: 8, n: 8, k: 8, version: blocked}, tags: [fast, gemm, rate.product]}
  - {name: OpenBLAS_sgemm.8, kernel: gemm, params: {m: 8, n: 8, k: 8, version: blas}, tags: [peer, gemm]}
  - {name: slow_loops.8, kernel: gemm, params: {m: 400, n: 400, k: 400, version: naive}, tags: [peer, gemm]}
  - {name: OpenBLAS_sgemm.9, kernel: gemm, params: {m: 9, n: 9, k: 9, version: blas}, tags: [peer, rate.product]}
  - {name: alone, kernel: copy, params: {bytes: 64B}, tags: [fast, nobody]}
YAML
    kgate run -c suite.yaml -o results.json -q
    run table results.json results.json
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == *", OpenBLAS for Generic:" ]]
    [ "$(grep -c '^| gemm | m=8 n=8 k=8 | OpenBLAS sgemm | ' <<<"$output")" -eq 2 ]
    [ "$(grep -c '^| gemm | .* | OpenBLAS sgemm | .* GFLOP/s | .* | .* GFLOP/s |' <<<"$output")" -eq 1 ]
    [[ "$output" != *slow* ]]
    [[ "$output" != *alone* ]]
}

@test "a row of the benchmark is one round, the one whose ratio is in the middle" {
    cat >rounds.json <<'JSON'
{"machine": {"cpu_model": "A CPU", "cpu_count": 1, "kernel": "Linux", "compiler": "C"},
 "created": "2000-01-02T00:00:00Z",
 "cases": [
  {"id": "own", "workload": "gemm.8", "status": "OK", "tags": ["fast", "g"], "params": {},
   "rounds": {"median_ns": [100, 400, 200]}},
  {"id": "peer", "workload": "peer", "status": "OK", "tags": ["peer", "g"], "params": {},
   "rounds": {"median_ns": [100, 100, 100]}}]}
JSON
    run table rounds.json
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "A CPU, 1 CPUs. Linux, C. 2000-01-02, OpenBLAS for Generic:" ]
    [ "${lines[-1]}" = "| gemm |  | peer | 200 ns | 50 % ! | - | - |" ]

    # within a tenth: without a mark
    jq '.cases[0].rounds.median_ns = [201, 200, 199]' rounds.json >steady.json
    run table steady.json
    [ "${lines[-1]}" = "| gemm |  | peer | 200 ns | 50 % | - | - |" ]

    # with all threads, another peer is the fastest
    jq '.cases[1].workload = "other"' steady.json >all.json
    run table steady.json all.json
    [ "${lines[-1]}" = "| gemm |  | peer; all: other | 200 ns | 50 % | 200 ns | 50 % |" ]
}

# The code that docs/kernels.md shows under the comment <!-- FILE -->.
shown() { sed -n "\\|^<!-- $1 -->\$|,/^\`\`\`\$/p" "$SOURCE/docs/kernels.md" | sed '1,2d;$d'; }

@test "docs/kernels.md shows a kernel's table and functions as they are in the tree, under 60 lines" {
    diff <(shown kernels/histogram/histogram.c) "$SOURCE/kernels/histogram/histogram.c"
    for file in "$SOURCE"/kernels/histogram/*; do
        grep -qF "\`${file##*/}\`" "$SOURCE/docs/kernels.md"
    done
    [ "$(shown kernels/registry.def)" = "KG_KERNEL(histogram, histogram)" ]
    grep -qx "$(shown kernels/registry.def)" "$SOURCE/kernels/registry.def"

    lines=$(wc -l <"$SOURCE/kernels/histogram/histogram.c")
    [ "$lines" -lt 60 ]
    grep -qF "has $lines lines" "$SOURCE/docs/kernels.md"
}

@test "a kernel is measured without a suite, with its parameters and a matrix on the command line" {
    quick=(--set rounds.max=1 --set rounds.min=1 --set min_time=1us --set trace=no --set disturbance=100% -q)
    run kgate run --kernel lattice_encode --param lattice=D4,q=4,M=2 --matrix batch=1,10,100 "${quick[@]}" -o r.json
    [ "$status" -eq 0 ]
    [ "$(jq -r '.cases[].id' r.json | paste -sd' ')" = "lattice_encode/lattice=D4,q=4,M=2,batch=1/cpu lattice_encode/lattice=D4,q=4,M=2,batch=10/cpu lattice_encode/lattice=D4,q=4,M=2,batch=100/cpu" ]
    run kgate run --kernel softmax --matrix rows=4,8,version=plain,fast "${quick[@]}" --json
    [ "$(jq '.cases | length' <<<"$output")" -eq 4 ]
    run kgate run --kernel lattice_encode --param batch=1,10
    [ "$status" -eq 2 ]
    [[ "$output" == *"--param is 'batch=1,10', but must be KEY=VALUE"*"--matrix takes several values"* ]]
    run kgate run --kernel lattice_encod -q
    [ "$status" -eq 2 ]
    [[ "$output" == *"lattice_encode"* ]]
    run kgate run --kernel softmax -c suite.yaml -o r.json
    [ "$status" -eq 2 ]
    run kgate run --param batch=1 -- true
    [ "$status" -eq 2 ]
}

@test "a folder of run gets the results and the suite's reports" {
    suite_of <<<'  - {name: sh, command: ["true"]}'
    sed -i 's/^defaults:/reports: [markdown, csv]\ndefaults:/' one.yaml
    run kgate run -c one.yaml -o results/
    [ "$status" -eq 0 ]
    [[ "$output" == *"reports: results/results.json, results.md, results.csv"* ]]
    jq -e '.cases[0].status == "OK"' results/results.json
    grep -q '^| sh/cpu |' results/results.md
    grep -q ',sh/cpu,' results/results.csv
    # docs/reports.md: every run is kept
    run kgate run -c one.yaml -o "runs/$(date +%F.%H%M)/" -q
    ls runs/2*-*-*.*/results.{json,md,csv}
    run kgate run -c one.yaml -o results -q
    [ "$status" -eq 0 ]
}
