#!/usr/bin/env bash
# Installs what is missing, builds and runs every test: the release build, the sanitizers, clang.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/setup.sh

setup test
for preset in clang sanitize; do
    echo "== $preset"
    cmake --preset "$preset" -G Ninja >/dev/null
    cmake --build --preset "$preset" -- -k 0
done
echo "== release"
cmake --preset release -G Ninja >/dev/null
cmake --build --preset release -- -k 0
cmake --preset portable -G Ninja -DBUILD_TESTING=OFF >/dev/null
cmake --build --preset portable -- -k 0
cmake --preset thread -G Ninja >/dev/null
cmake --build --preset thread -- -k 0
ctest --preset thread
ctest --preset sanitize
ctest --preset release
