#!/usr/bin/env bash
# Whether suggestions are right: of each pair of a bad and a mended version (suite.yaml) the bad one is
# measured by itself, in a run of its own, and `kgate suggest` asked what is wrong; then the mended
# one in the same way, which must get no suggestion of priority high or critical. Before, all are
# measured in turn: what mending really gains. Prints the table of README.md; leaves
# results and suggestions in out/suggestions. About four minutes: leave the machine alone meanwhile.
# --repeat N asks N times, and says how often each was right. --filter GLOB takes only those pairs.
# Needs jq, and for instructions Valgrind where the processor's own counter is not to be had.
#     tests/studies/suggestions/run.sh [--repeat N] [--filter GLOB] [FOLDER_OF_A_BUILD]
#
# And whether suggestions are right at all defaults, on one of the two halves of more pairs and
# well-made workloads: the suite is measured N times (once), and what is said of each case is held
# against truth.tsv. Prints the goals' table and what went wrong, case by case. --beside-load keeps
# half of the CPUs busy meanwhile. Needs Python 3. A minute, and another each time, on a quiet machine.
# libraries: the same of libraries that Debian has, with settings that are known to be slow.
#     tests/studies/suggestions/run.sh judge developed|judged|libraries [--times N] [--beside-load] [FOLDER_OF_A_BUILD]
set -euo pipefail
cd "$(dirname "$0")/../../.."
bench=tests/studies/suggestions
if [ "${1:-}" = judge ]; then
    shift
    exec $bench/judge.sh "$@"
fi
repeat=1
filter='*'
while [[ ${1:-} = --* ]]; do
    case $1 in
    --repeat) repeat=${2:?how often} ;;
    --filter) filter=${2:?a pattern of pairs} ;;
    *)
        echo "no option $1; see the top of $0" >&2
        exit 2
        ;;
    esac
    shift 2
done
build=${1:-build/test}
if [ ! -e "$build/CMakeCache.txt" ]; then
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
fi
cmake --build "$build" --target kgate suggestion_pairs >&2

# Versions take what the processor has, whatever the caller's other programs need.
unset KGATE_AVX512 "${!OPENBLAS_@}"

folder=out/suggestions
mkdir -p "$folder"
rm -f "$folder"/*.json "$folder"/*.kgprof
sed "s|PAIRS|$build/tests/libsuggestion_pairs.so|" $bench/suite.yaml >"$folder/suite.yaml"

# A case that could not be measured is a line below the table.
kgate() {
    local status=0
    "$build/kgate" "$@" || status=$?
    [ "$status" = 0 ] || [ "$status" = 3 ] || exit "$status"
}

kgate run -c "$folder/suite.yaml" -o "$folder/turns.json" --filter "$filter" -q \
    --set metrics=time,peak_memory --set rounds.min=9 --set rounds.max=9 >&2

mapfile -t names < <(jq -r '[.cases[] | select(.status == "OK") | .workload] | unique[]' "$folder/turns.json")
for name in "${names[@]}"; do
    for ((turn = 1; turn <= repeat; turn++)); do
        results=$folder/$name.$turn.json
        echo "$name, $turn of $repeat" >&2
        kgate run -c "$folder/suite.yaml" -o "$results" --filter "$name/*" --profile -q >/dev/null
        kgate suggest "$results" --json --top 0 >"$folder/$name.$turn.suggestions.json"
    done
done

for results in "$folder"/*.[0-9]*.json; do
    [[ $results = *.suggestions.json ]] && continue
    jq -nc --slurpfile results "$results" --slurpfile found "${results%.json}.suggestions.json" \
        '{cases: $results[0].cases, suggestions: $found[0].suggestions}'
done | jq -rn --slurpfile turns "$folder/turns.json" -f $bench/table.jq
