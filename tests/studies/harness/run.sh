#!/usr/bin/env bash
# What the harness costs, each figure the median of several runs: wall time of `run` over what it
# measured, memory of the parent on 10,000 cases, time to compare two results files, and how each
# grows from 100 to 10,000 cases. Prints a markdown table. Takes some minutes, and 0.5 GB for files.
#     tests/studies/harness/run.sh [PATH_OF_KGATE]
set -euo pipefail
cd "$(dirname "$0")/../../.."
kgate=$(realpath "${1:-build/release/kgate}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

median() { sort -n | awk '{v[NR] = $0} END {print v[int((NR + 1) / 2)]}'; }


# Runs SUITE with rounds of $2, and $3 of them: "elapsed measured cases", in seconds. The threshold keeps
# the length of rounds as it is asked for. Nothing is looked into: that is no measuring of times.
timed() {
    "$kgate" run -c "$1" -o "$folder/r.json" -q --filter "$4" --set min_time="$2" --set rounds.min="$3" \
        --set rounds.max="$3" --set threshold=100% --set trace=no >/dev/null
    jq -r '"\(.elapsed_ns / 1e9) \(.measured_ns / 1e9) \(.cases | length)"' "$folder/r.json"
}

# What a further round takes over what it measures, from runs of few and many rounds of $1 cases of
# config/default.yaml, $2 long; what there is once, however many the rounds are; and all of it, of 10.
overhead() {
    local filter=$1 length=$2 few many
    for _ in 1 2 3; do
        few=$(timed config/default.yaml "$length" 3 "$filter")
        many=$(timed config/default.yaml "$length" 10 "$filter")
        awk -v a="$few" -v b="$many" 'BEGIN {split(a, few); split(b, many)
            round = (many[1] - few[1]) / (many[2] - few[2])
            printf "%.3f %.1f %.3f\n", round, 1000 * (few[1] - round * few[2]) / few[3], many[1] / many[2]}'
    done | median
}

# A results file of $1 cases and 10 rounds, made from one that was measured.
results() {
    jq -c --argjson n "$1" '.cases[0] as $case
        | .cases = [range($n) | . as $i | $case | .id = "copy/i=\($i)/cpu"
                    | .rounds.median_ns |= map(. + $i * 0.001)]' "$folder/one.json"
}

# Elapsed, and CPU time of both threads.
compare_seconds() {
    for _ in 1 2 3 4 5; do
        /usr/bin/time -f '%e %U %S' -o "$folder/used" \
            "$kgate" compare "$folder/a$1.json" "$folder/b$1.json" -q >/dev/null || true
        awk 'END {printf "%s s, %.2f s of CPU time\n", $1, $2 + $3}' "$folder/used"
    done | median
}

peak_mib() { # of the parent, on a plan of $1 commands of nothing
    cat >"$folder/many.yaml" <<YAML
version: 1
suite: many
defaults: {rounds: {min: 1, max: 1}, min_time: 1us}
workloads:
  - {name: true, command: ["true", "{i}"], matrix: {i: {range: [1, $1, 1]}}}
YAML
    /usr/bin/time -f %M -o "$folder/rss" "$kgate" run -c "$folder/many.yaml" -o "$folder/m.json" -q >/dev/null
    awk '{printf "%.1f\n", $1 / 1024}' "$folder/rss"
}

echo "machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs, $(date -u +%F)"
echo
echo "| figure | value |"
echo "| :-- | --: |"
for length in 10ms 50ms 500ms; do
    filter='*'
    [ $length = 500ms ] && filter='copy*'
    read -r round once all <<<"$(overhead "$filter" $length)"
    echo "| wall time of each further round over measured time, rounds of $length | $round |"
    echo "| once a case: its check, the size of its samples, its share of the start | $once ms |"
    echo "| all of \`run\`, 10 rounds of $length, over measured time | $all |"
done
"$kgate" run -c config/default.yaml --filter 'copy*plain*' -o "$folder/one.json" -q --set rounds.min=10 \
    --set threshold=100% --set trace=no >/dev/null
for n in 100 1000 10000; do
    results "$n" >"$folder/a$n.json"
    cp "$folder/a$n.json" "$folder/b$n.json"
    echo "| \`compare\`, $n cases x 10 rounds, $(du -m "$folder/a$n.json" | cut -f1) MiB each | $(compare_seconds "$n") |"
done
"$kgate" run -c config/default.yaml -o "$folder/few.json" -q --set rounds.min=2 --set rounds.max=2 --set min_time=5ms \
    --set threshold=100% >/dev/null
for n in 10000 100000; do
    python3 tests/studies/harness/many.py "$folder/few.json" "$n" "$folder/many.json"
    for format in text markdown json; do
        /usr/bin/time -f '%e s, %M' -o "$folder/used" "$kgate" suggest "$folder/many.json" --format $format >/dev/null
        echo "| \`suggest --format $format\`, $n cases x 10 rounds, $(du -m "$folder/many.json" | cut -f1) MiB, and peak memory" \
            "| $(awk '{printf "%s %s %.0f MiB", $1, $2, $3 / 1024}' "$folder/used") |"
    done
done
for n in 100 1000 10000; do
    echo "| peak memory of the parent, \`run\` of $n cases | $(peak_mib "$n") MiB |"
done
