#!/usr/bin/env bash
# Installs missing packages, builds kgate, and gates config/default.yaml. Exits with kgate's status.
# Passes its arguments to `kgate gate`: ci/gate.sh --filter 'gemm/*'
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/setup.sh

setup gate
cmake --preset release -G Ninja -B build/gate >build-gate.log 2>&1 ||
    { cat build-gate.log >&2; rm -f build-gate.log; exit 2; }
cmake --build build/gate >build-gate.log 2>&1 ||
    { cat build-gate.log >&2; rm -f build-gate.log; exit 2; }
rm -f build-gate.log
exec build/gate/kgate gate -c config/default.yaml -b baselines -o out --update-missing "$@"
