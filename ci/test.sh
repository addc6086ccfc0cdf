#!/usr/bin/env bash
# Installs missing packages, builds kgate and runs its tests. See --help.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/setup.sh

usage() {
    cat <<'TEXT'
usage: ci/test.sh [--all]

Installs missing Debian packages, builds kgate, and runs its tests. Exits with the status of ctest. A later run
builds only the changed files.

  --all     also run: most tests under AddressSanitizer and UndefinedBehaviorSanitizer, tests with threads under
            ThreadSanitizer, clang-tidy, ci/fuzz.sh, the portable build, more tests of the command line, and a
            Slurm cluster of four nodes; compile the tests for a GPU; check the limits of the kernels' machine code
  --help    print this help

The builds are in build/PRESET. KGATE_TEST_JOBS is the number of parallel tests. Default: the number of CPUs; without
--all one more, because many tests wait.
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

# These command-line tests run under the sanitizers, because they read foreign files, programs and options.
sanitized='ab|adapters|differences|files|gate|history|hostile|import|mistakes|plugin|suggest|trace|worker'

# Configures and builds a preset, with extra options of CMake. An existing build folder keeps its generator.
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
    # Preset test runs the other command-line tests below. Sanitizers would change the peaks of the CPU.
    preset_test sanitize -R "^(unit|fuzz|text|emulated|thread)[.]|^conformance[.]json\$|^cli[.]($sanitized)\$" \
        -E '^unit[.]test_cpu_ceilings_measure$'
    ci/fuzz.sh --runs 10000
    # Another architecture than in preset test.
    preset_build portable -DCMAKE_CUDA_ARCHITECTURES=80-real
    tests/structure/portable.sh build/portable/kgate build/portable/kgate-kernels/*.so*
    preset_build test
    # Compiles the tests for a GPU, and reads the machine code of the kernels.
    cmake --build --preset test -j "$(nproc)" --target gpu_tests device_figures
    # Preset sanitize has run the rest.
    preset_test test -E '^(emulated|fuzz|text)[.]'
else
    preset_build test
    preset_test test -LE thorough
fi
