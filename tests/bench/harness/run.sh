#!/usr/bin/env bash
# What the harness costs, each figure the median of several runs: wall time of `run` over what it
# measured, memory of the parent on 10,000 cases, time to compare two results files, and how each
# grows from 100 to 10,000 cases. Prints a markdown table. Takes some minutes.
#     tests/bench/harness/run.sh [PATH_OF_KGATE]
set -euo pipefail
cd "$(dirname "$0")/../../.."
kgate=$(realpath "${1:-build/release/kgate}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

median() { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }


overhead() {
    for _ in 1 2 3; do
        "$kgate" run -c "$1" -o "$folder/r.json" -q --set rounds.min=10 >/dev/null
        jq '.elapsed_ns / .measured_ns' "$folder/r.json"
    done | median
}

# A results file of $1 cases and 10 rounds, made from one that was measured.
results() {
    jq -c --argjson n "$1" '.cases[0] as $case
        | .cases = [range($n) | . as $i | $case | .id = "copy/i=\($i)/cpu"
                    | .rounds.median_ns |= map(. + $i * 0.001)]' "$folder/one.json"
}

compare_seconds() {
    for _ in 1 2 3 4 5; do
        local start end
        start=$(date +%s.%N)
        "$kgate" compare "$folder/a$1.json" "$folder/b$1.json" -q >/dev/null || true
        end=$(date +%s.%N)
        awk "BEGIN {print $end - $start}"
    done | median
}

peak_mib() { # of the parent, on a plan of $1 commands of nothing
    cat >"$folder/many.yaml" <<YAML
version: 1
suite: many
defaults: {rounds: {min: 1, max: 1}, min_time: 1us}
workloads:
  - {name: true, command: ["true"], matrix: {i: {range: [1, $1, 1]}}}
YAML
    /usr/bin/time -f %M -o "$folder/rss" "$kgate" run -c "$folder/many.yaml" -o "$folder/m.json" -q >/dev/null
    awk '{printf "%.1f\n", $1 / 1024}' "$folder/rss"
}

echo "machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs, $(date -u +%F)"
echo
echo "| figure | value |"
echo "| :-- | --: |"
echo "| wall time of \`run\` over measured time, config/default.yaml, 10 rounds of 50 ms | $(overhead config/default.yaml) |"
"$kgate" run -c config/default.yaml --filter 'copy*plain*' -o "$folder/one.json" -q --set rounds.min=10 >/dev/null
for n in 100 1000 10000; do
    results "$n" >"$folder/a$n.json"
    cp "$folder/a$n.json" "$folder/b$n.json"
    echo "| \`compare\`, $n cases x 10 rounds, $(du -m "$folder/a$n.json" | cut -f1) MiB each | $(compare_seconds "$n") s |"
done
for n in 100 1000 10000; do
    echo "| peak memory of the parent, \`run\` of $n cases | $(peak_mib "$n") MiB |"
done
