#!/usr/bin/env bash
# How fast the CPU versions of the kernels are beside what a user would otherwise call (suite.yaml,
# peers.c), rounds of all in turn, with one thread and with all. Prints the table of docs/evidence/kernels.md;
# leaves the results in out/kernels. Less than four minutes: leave the machine alone meanwhile.
# --quick measures next to nothing, to see that it works. Needs jq.
#     tests/studies/kernels/run.sh [--quick] [--core OPENBLAS_CORETYPE] [FOLDER_OF_A_BUILD]
# OpenBLAS is measured as it is by itself, whatever OPENBLAS_* the environment has, or with the code
# of --core.
set -euo pipefail
cd "$(dirname "$0")/../../.."
bench=tests/studies/kernels
quick=()
asked=
while [[ ${1:-} = --* ]]; do
    case $1 in
    --quick) quick=(--set rounds.min=1 --set rounds.max=1 --set min_time=1us) ;;
    --core)
        asked=${2:?a name of OPENBLAS_CORETYPE}
        shift
        ;;
    *)
        echo "no option $1; see the top of $0" >&2
        exit 2
        ;;
    esac
    shift
done
build=${1:-build/test}
if [ ! -e "$build/CMakeCache.txt" ]; then
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
fi
cmake --build "$build" --target kgate kernel_peers >&2

# A kernel and its peer take what the processor has, whatever the caller's other programs need.
unset KGATE_AVX512 "${!OPENBLAS_@}"
if [ -n "$asked" ]; then
    export OPENBLAS_CORETYPE=$asked
fi

# OpenBLAS says which processor it takes this for, when it is loaded.
core() { OPENBLAS_VERBOSE=2 "$build/kgate" validate -c "$bench/blas.yaml" 2>&1 | sed -n "s/^Core: //p"; }

# A processor with AVX-512 that OpenBLAS does not know is one with AVX2 to it, and half a peer. Then it
# is told better.
core=$(core)
blas="OpenBLAS for $core${asked:+ (asked for)}"
if [ -z "$asked" ] && [[ $core = Haswell || $core = Zen ]] && grep -qw avx512vl /proc/cpuinfo &&
    [ "$(OPENBLAS_CORETYPE=SkylakeX core)" = SkylakeX ]; then
    export OPENBLAS_CORETYPE=SkylakeX
    blas="OpenBLAS for SkylakeX (OPENBLAS_CORETYPE; by itself it takes this processor for a $core)"
fi

folder=out/kernels
mkdir -p "$folder"
sed "s|PEERS|$build/tests/libkernel_peers.so|" $bench/suite.yaml >"$folder/suite.yaml"
for threads in 1 all; do
    "$build/kgate" run -c "$folder/suite.yaml" -o "$folder/$threads.json" -q "${quick[@]}" \
        --set "threads=$threads" >&2
done
jq -rs --arg blas "$blas" -f $bench/table.jq "$folder/1.json" "$folder/all.json"
