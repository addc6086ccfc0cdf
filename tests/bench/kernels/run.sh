#!/usr/bin/env bash
# How fast the CPU versions of the kernels are beside what a user would otherwise call (suite.yaml,
# peers.c), rounds of all in turn, with one thread and with all. Prints the table of docs/kernels.md;
# leaves the results in out/kernels. Less than four minutes: leave the machine alone meanwhile.
# --quick measures next to nothing, to see that it works. Needs jq.
#     tests/bench/kernels/run.sh [--quick] [FOLDER_OF_A_BUILD]
set -euo pipefail
cd "$(dirname "$0")/../../.."
bench=tests/bench/kernels
quick=()
if [ "${1:-}" = --quick ]; then
    quick=(--set rounds.min=1 --set rounds.max=1 --set min_time=1us)
    shift
fi
build=${1:-build/release}
if [ ! -e "$build/CMakeCache.txt" ]; then
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
fi
cmake --build "$build" --target kgate kernel_peers >&2

# OpenBLAS says which processor it takes this for, when it is loaded.
core() { OPENBLAS_VERBOSE=2 "$build/kgate" --version 2>&1 | sed -n "s/^Core: //p"; }

# A processor with AVX-512 that OpenBLAS does not know is one with AVX2 to it: half a peer. Then it is
# told better, unless the caller has told it something.
core=$(core)
blas="OpenBLAS for $core"
if [ -n "${OPENBLAS_CORETYPE:-}" ]; then
    blas+=" (OPENBLAS_CORETYPE)"
elif [[ $core = Haswell || $core = Zen ]] && grep -qw avx512vl /proc/cpuinfo &&
    [ "$(OPENBLAS_CORETYPE=SkylakeX core)" = SkylakeX ]; then
    export OPENBLAS_CORETYPE=SkylakeX
    blas="OpenBLAS for SkylakeX (OPENBLAS_CORETYPE; by itself it takes this processor for a $core)"
fi
unset KGATE_AVX512 # the kernels as they are, too

folder=out/kernels
mkdir -p "$folder"
sed "s|PEERS|$build/tests/libkernel_peers.so|" $bench/suite.yaml >"$folder/suite.yaml"
for threads in 1 all; do
    "$build/kgate" run -c "$folder/suite.yaml" -o "$folder/$threads.json" -q "${quick[@]}" \
        --set "threads=$threads" >&2
done
jq -rs --arg blas "$blas" -f $bench/table.jq "$folder/1.json" "$folder/all.json"
