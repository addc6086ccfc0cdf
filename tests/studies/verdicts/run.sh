#!/usr/bin/env bash
# How often kgate cries wolf and how much it misses, measured on this machine, in three parts:
# - recorded: rounds of four workloads on the quiet machine and beside a bursty neighbour, judged by
#   kgate's rules and by other tools'. Leaves verdicts.json, power-*.txt and, where there is gnuplot,
#   power-*.png in out/verdicts. Some twelve minutes;
# - live: the program itself on ordinary programs, by pairs and against a store (live/live.sh).
#     tests/studies/verdicts/run.sh                       both, short
#     tests/studies/verdicts/run.sh recorded [--runs N] [--state quiet|neighbour]
#     tests/studies/verdicts/run.sh live [--long] [OPTION...]      see live/live.sh
#     tests/studies/verdicts/run.sh public FORKS.csv RUNS.csv [GATES]
#     tests/studies/verdicts/run.sh spread FORKS.csv RUNS.csv [DRAWS]
#     tests/studies/verdicts/run.sh prior_noise RUNS.csv [develop|report] [GATES]
# The last three judge public recordings of unchanged programs: `public` all rules, `spread` the rule of
# a wider spread, `prior_noise` the prior of a history. The recordings are not in this repository; noise.h has their format,
# docs/evidence/verdicts.md their source.
# Leave the machine alone meanwhile: that is what quiet means.
set -euo pipefail
cd "$(dirname "$0")/../../.."
folder=out/verdicts

recorded() {
    mkdir -p "$folder"
    cmake --preset test -G Ninja >/dev/null
    cmake --build --preset test --target verdicts verdicts_plugins >/dev/null
    build/test/tests/verdicts --plugins build/test/tests --output "$folder" "$@"
    command -v gnuplot >/dev/null || return 0
    for state in quiet neighbour; do
        [ -e "$folder/power-$state.txt" ] || continue
        gnuplot -e "data='$folder/power-$state.txt'; out='$folder/power-$state.png'" \
            tests/studies/verdicts/power.gnuplot
    done
}

case ${1:-both} in
both)
    recorded
    tests/studies/verdicts/live/live.sh
    ;;
recorded)
    shift
    recorded "$@"
    ;;
live)
    shift
    tests/studies/verdicts/live/live.sh "$@"
    ;;
public | spread | prior_noise)
    program=$1
    [ "$program" != public ] || program=public_noise
    shift
    cmake --preset test -G Ninja >/dev/null
    cmake --build --preset test --target "$program" >/dev/null
    build/test/tests/"$program" "$@"
    ;;
*)
    echo "no part $1; see the top of $0" >&2
    exit 2
    ;;
esac
