#!/usr/bin/env bash
# How often kgate cries wolf and how much it misses, measured on this machine: builds, records runs
# on the quiet machine and beside a bursty neighbour, judges them by kgate's rules and by other
# tools', and prints tables. Leaves verdicts.json, power-*.txt and, where there is gnuplot, power-*.png
# in out/verdicts. About twelve minutes; longer and sharper with more runs, or one state only:
#     tests/bench/verdicts/run.sh [--runs N] [--ab N] [--state quiet|neighbour]
# The tables of docs/statistics.md: --runs 6 --ab 4.
# Leave the machine alone meanwhile: that is what quiet means.
set -euo pipefail
cd "$(dirname "$0")/../../.."
folder=out/verdicts
mkdir -p "$folder"
cmake --preset release -G Ninja >/dev/null
cmake --build --preset release --target verdicts verdicts_plugins >/dev/null
build/release/tests/verdicts --plugins build/release/tests --output "$folder" "$@"
if command -v gnuplot >/dev/null; then
    for state in quiet neighbour; do
        [ -e "$folder/power-$state.txt" ] || continue
        gnuplot -e "data='$folder/power-$state.txt'; out='$folder/power-$state.png'" \
            tests/bench/verdicts/power.gnuplot
    done
fi
