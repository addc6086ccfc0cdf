#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests. See --help.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/setup.sh

usage() {
    cat <<'TEXT'
usage: ci/test.sh [--all]

Installs what is missing (Debian packages), builds and runs every test; a minute or more of it is saved
where the tree was built before. ctest's summary is the last that is printed, and its exit status is this
script's.

  --all     also what takes longer: most tests under AddressSanitizer and UndefinedBehaviorSanitizer, those
            of threads under ThreadSanitizer, clang-tidy, a build with clang that gives readers made-up bytes
            (ci/fuzz.sh), the portable build, what only a machine with a GPU runs (compiled), the budgets of
            the kernels' machine code, further tests of the command line, and a Slurm cluster of four nodes
  --help    prints this

The builds are in build/PRESET. KGATE_TEST_JOBS is how many tests run at a time. Default: as many as there
are CPUs; without --all one more, because many tests wait.
TEXT
}

job=test
for argument in "$@"; do
    case $argument in
    --all) job=all ;;
    --help | -h)
        usage
        exit
        ;;
    *)
        echo "ci/test.sh: unknown argument '$argument'" >&2
        usage >&2
        exit 2
        ;;
    esac
done

# Command-line tests that run under the sanitizers: they read the files, programs and options of others.
sanitized='ab|adapters|differences|files|gate|history|hostile|import|mistakes|plugin|suggest|trace|worker'

# Configures a preset, with these further options, and builds it. A build folder that is there keeps its generator.
preset_build() {
    local preset=$1 generator=()
    shift
    echo "== $preset ($((SECONDS / 60)) min since the start)"
    [ -f "build/$preset/CMakeCache.txt" ] || generator=(-G Ninja)
    cmake --preset "$preset" "${generator[@]}" "$@" >/dev/null
    cmake --build --preset "$preset" -j "$(nproc)"
}

preset_test() {
    local preset=$1 jobs
    shift
    jobs=$(nproc)
    [ "$job" = all ] || jobs=$((jobs + 1))
    ctest --preset "$preset" -j "${KGATE_TEST_JOBS:-$jobs}" "$@"
}

setup "$job"
if [ "$job" = all ]; then
    preset_build thread
    preset_test thread
    preset_build sanitize
    # The rest of the command line runs once, by preset test below. Peaks of the CPU are measured without sanitizers.
    preset_test sanitize -R "^(unit|fuzz|text|emulated|thread)[.]|^conformance[.]json\$|^cli[.]($sanitized)\$" \
        -E '^unit[.]test_cpu_ceilings_measure$'
    ci/fuzz.sh --runs 10000
    # For another architecture than preset test.
    preset_build portable -DCMAKE_CUDA_ARCHITECTURES=80-real
    tests/structure/portable.sh build/portable/kgate build/portable/kgate-kernels/*.so*
    preset_build test
    # What only a machine with a GPU runs, and the kernels' machine code.
    cmake --build --preset test -j "$(nproc)" --target gpu_tests device_figures
    # Preset sanitize ran these.
    preset_test test -E '^(emulated|fuzz|text)[.]'
else
    preset_build test
    preset_test test -LE thorough
fi
