#!/usr/bin/env bash
# The job of a machine with an NVIDIA GPU: tests what only a GPU can, runs the suite of the GPU, and
# leaves results and a baseline. Needs no package: it takes the portable build that ci/gpu.sh --build
# makes elsewhere, which needs only glibc and the driver, and makes it here where there is none.
#
#   ci/gpu.sh --build         makes build/portable and stops
#   ci/gpu.sh [ARGUMENTS]     runs; further arguments go to `kgate run`: ci/gpu.sh --filter 'copy/*'
#
# Leaves in out/gpu: results.json, again.json and again/ (the same run once more, compared with the
# first: what moves by itself), cpu.json (what has a version for the CPU), profile.txt, and logs; in
# baselines/ the runs as baseline of this machine. Exit status: 3 without a usable GPU, 1 where a test
# or the comparison of two runs of the same code fails, else kgate's.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${KGATE_GPU_BUILD:-build/portable}
out=${KGATE_GPU_OUT:-out/gpu}

build_make() {
    command -v ninja >/dev/null && set -- -G Ninja || set --
    cmake --preset portable "$@" >/dev/null
    cmake --build --preset portable -j "$(nproc)" --target kgate gpu_tests
}

if [ "${1-}" = --build ]; then
    build_make
    exit
fi
[ -x "$build/kgate" ] || build_make

kgate=$build/kgate
mkdir -p "$out"

"$kgate" doctor | tee "$out/doctor.txt" || true
# The smallest case there is: where it cannot be measured, nothing can, and kgate says why.
if ! "$kgate" run -c config/gpu_check.yaml --filter 'copy/bytes=4B,version=plain/cuda' \
    --set policy.missing_device=fail -o "$out/first.json"; then
    echo "ci/gpu.sh: no GPU of this machine can be measured" >&2
    exit 3
fi

failed=0
for test in "$build"/tests/gpu/*; do
    [ -x "$test" ] || continue
    echo "== $test"
    "$test" 2>&1 | tee "$out/$(basename "$test").log" || failed=1
done

# Every kernel once, at small sizes, under the memory checker. Its shadow memory slows a case a
# hundredfold, so nothing of this is timed.
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        echo "== compute-sanitizer --tool $tool"
        compute-sanitizer --tool "$tool" --error-exitcode 9 --target-processes all \
            "$kgate" run -c config/gpu_check.yaml -o "$out/$tool.json" >"$out/$tool.log" 2>&1 ||
            { failed=1; tail -n 40 "$out/$tool.log"; }
    done
else
    echo "ci/gpu.sh: no compute-sanitizer here: memory was not checked" >&2
fi

status=0
"$kgate" run -c config/gpu.yaml -o "$out/results.json" "$@" || status=$?
"$kgate" run -c config/gpu.yaml -o "$out/again.json" "$@" || status=$?
# What the CPU has too, for the ratio of the two; its plain versions may take too long for these sizes.
"$kgate" run -c config/gpu.yaml --set devices=cpu --set timeout=30s -o "$out/cpu.json" "$@" || true
# What only a device can give has to be there: else a part of kgate does not work here.
while read -r field what; do
    grep -q "\"$field\"" "$out/results.json" ||
        { failed=1; echo "ci/gpu.sh: results have no $what ($field)" >&2; }
done <<'FIELDS'
sm_clock_hz clock read on the device
copy_bytes_per_s ceiling of copies
tensor_flops_per_s ceiling of tensor cores
occupancy occupancy of a kernel
kernel_ns time of a kernel by CUPTI
temperature_c telemetry by NVML
FIELDS
"$kgate" compare "$out/results.json" "$out/again.json" -o "$out/again" || failed=1
"$kgate" run -c config/gpu.yaml --filter 'gemm_bf16/*' --profile -o "$out/profiled.json" >/dev/null &&
    "$kgate" report "$out/profiled.kgprof" --format tree >"$out/profile.txt" || failed=1
for results in "$out/results.json" "$out/again.json"; do
    "$kgate" baseline update "$results" -b baselines || failed=1
done
[ "$status" -ne 0 ] && exit "$status"
exit "$failed"
