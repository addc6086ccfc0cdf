#!/usr/bin/env bash
# What each command that measures nothing takes of results of 10,000 and 100,000 cases by 10 rounds: CPU time
# of all its threads and peak memory, once each, and how many times as much the larger takes: 10 is in
# proportion. Prints a markdown table. Takes some minutes, 2 GB of files and 2 GB of memory.
#     tests/studies/harness/cases.sh [PATH_OF_KGATE [CASES...]]
set -euo pipefail
cd "$(dirname "$0")/../../.."
kgate=$(realpath "${1:-build/release/kgate}")
sizes=("${@:2}")
[ ${#sizes[@]} -gt 0 ] || sizes=(10000 100000)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$kgate" run -c config/default.yaml -o "$folder/few.json" -q --set rounds.min=2 --set rounds.max=2 --set min_time=5ms \
    --set threshold=100% >/dev/null || [ -s "$folder/few.json" ] # cases that the machine was too busy for will do

# "seconds MiB" of kgate with these arguments. Of its exit statuses 1 and 4 are verdicts.
used() {
    local status=0
    /usr/bin/time -q -f '%U %S %M' -o "$folder/used" "$kgate" "$@" >"$folder/out" 2>"$folder/err" || status=$?
    case $status in
    0 | 1 | 4) awk 'END {printf "%.2f %.0f\n", $1 + $2, $3 / 1024}' "$folder/used" ;;
    *)
        echo "kgate $*: exit status $status: $(tail -n 1 "$folder/err")" >&2
        echo "- -"
        ;;
    esac
}

row() { # NAME ARGUMENTS... of the files as they are now
    echo "$1|$(used "${@:2}")" >>"$folder/figures.$size"
}

for size in "${sizes[@]}"; do
    for half in a b; do
        python3 tests/studies/harness/many.py "$folder/few.json" "$size" "$folder/$half.json" "$half" # its seed
    done
    : >"$folder/figures.$size"
    cat >"$folder/suite.yaml" <<YAML
version: 1
suite: many
workloads:
  - {name: true, command: ["true", "{i}"], matrix: {i: {range: [1, $size, 1]}}}
YAML
    row 'compare' compare "$folder/a.json" "$folder/b.json" -q
    row 'compare -o' compare "$folder/a.json" "$folder/b.json" -q -o "$folder/reports"
    for format in text markdown csv junit openmetrics github json html; do
        row "report --format $format, results" report "$folder/a.json" --format $format
    done
    for format in text markdown csv junit openmetrics json; do
        row "report --format $format, comparison" report "$folder/reports/comparison.json" --format $format
    done
    for format in text markdown json; do
        row "suggest --format $format" suggest "$folder/b.json" --format $format
    done
    rm -rf "$folder/store"
    row 'baseline update' baseline update "$folder/a.json" -b "$folder/store"
    row 'baseline update, a second run' baseline update "$folder/b.json" -b "$folder/store"
    row 'baseline list' baseline list -b "$folder/store"
    row 'baseline show' baseline show -b "$folder/store"
    row 'list' list -c "$folder/suite.yaml"
    row 'list --json' list -c "$folder/suite.yaml" --json
    row 'validate' validate -c "$folder/suite.yaml"
done

echo "machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs, $(date -u +%F), load $(cut -d' ' -f1 /proc/loadavg)"
echo
head=("command")
for size in "${sizes[@]}"; do head+=("$size cases"); done
printf '| %s ' "${head[@]}" 'times as long' 'times the memory'
printf '|\n| :-- '
for _ in "${sizes[@]}" 1 2; do printf '| --: '; done
echo '|'
paste -d'|' "${sizes[@]/#/$folder/figures.}" | awk -F'|' 'function times(large, small) {return small > 0 ? sprintf("%.1f", large / small) : "-"}
{
    printf "| `%s` ", $1
    for (i = 2; i <= NF; i += 2) {
        split($i, figure, " ")
        seconds[i] = figure[1]; mib[i] = figure[2]
        printf "| %s s, %s MiB ", seconds[i], mib[i]
    }
    last = NF - NF % 2
    printf "| %s | %s |\n", times(seconds[last], seconds[2]), times(mib[last], mib[2])
}'
