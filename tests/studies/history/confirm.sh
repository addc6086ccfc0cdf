#!/usr/bin/env bash
# Replays alarms through `kgate history watch --confirm`, and counts the decisions (README.md). Leaves confirm.tsv in
# out/history.
#     tests/studies/history/confirm.sh [PATH_OF_KGATE [FALSE_ALARMS [TRUE_ROUNDS]]]     default: build/release/kgate 200 2
# A false alarm is a step in the stored times of two builds that do the same: copies of a program of the system, or
# one source whose second build has a function that never runs. A true one is a build with 5, 10 or 50 % more work.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/../../.."
kgate=$(realpath "${1:-build/release/kgate}")
wanted=${2:-200}
repeats=${3:-2}
source=$PWD/tests/studies/history
mkdir -p out/history
table=$(realpath out/history)/confirm.tsv
folder=$(mktemp -d "${TMPDIR:-/tmp}/kgate-confirm-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=$folder/cache

header() {
    cat <<'YAML'
version: 1
suite: confirm
defaults: {trace: no, sample_time: 0ns, rounds: {min: 5, max: 30}, min_time: 20ms, disturbance: 100%, timeout: 60s, metrics: [time, cpu_time]}
workloads:
  - {name: work, command: [bin/work, "{mode}", "{rounds}"], matrix: {mode: [0, 1, 2], rounds: [4, 8]}}
YAML
}

tools=(gzip xz sort sha256sum sed grep cut wc tr)
mkdir bin a b runs
seq 1 60000 >numbers
header >true.yaml
{
    header
    cat <<'YAML'
  - {name: gzip, command: [bin/gzip, -c, numbers]}
  - {name: xz, command: [bin/xz, -1, -c, numbers]}
  - {name: sort, command: [bin/sort, -n, numbers]}
  - {name: sha256sum, command: [bin/sha256sum, numbers, numbers, numbers]}
  - {name: sed, command: [bin/sed, "s/1/2/g", numbers]}
  - {name: grep, command: [bin/grep, -c, "[13579]$", numbers]}
  - {name: cut, command: [bin/cut, -c2, numbers]}
  - {name: wc, command: [bin/wc, numbers]}
  - {name: tr, command: [bin/tr, "1-4", "5-8"], stdin: numbers}
YAML
} >false.yaml

measure() { # SIDE SUITE: results of the builds in SIDE
    cp "$1"/* bin
    "$kgate" run -c "$2.yaml" -o "$1.json" -q
}

# One history of 30 runs with a step after the 20th, and its decisions: adds rows to the table.
replay() { # false|true SEED drawn|FACTOR
    local begin db="$1-$2.db"
    begin=$(date +%s%N)
    cp a/* bin
    python3 "$source/plant.py" a.json a.json 1 20 "$2" "$3" runs
    "$kgate" history add runs/n{1..20}.json -q --history "$db"
    cp b/* bin
    python3 "$source/plant.py" a.json b.json 21 30 "$2" "$3" runs
    "$kgate" history add runs/n{21..30}.json -q --history "$db"
    "$kgate" history watch -c "$1.yaml" --history "$db" --confirm --json -q >decided.json || true
    jq -r --arg kind "$1" --arg step "$3" '.changes[]
        | [$kind, $step, .metric, .case, .ratio, .state, .cause, .proof // ""] | @tsv' decided.json >>"$table"
    echo "$1 $2: $((($(date +%s%N) - begin) / 1000000000)) s, $(grep -c "^$1" "$table") alarms" >&2
}

build() { # SIDE COMPILER_ARGUMENTS...
    cc -O2 "${@:2}" "$source/work.c" -o "$1/work"
}

: >"$table"
build a
build b -DPADDING
for tool in "${tools[@]}"; do
    cp "$(realpath "$(command -v "$tool")")" "a/$tool"
    { cat "a/$tool" && echo kgate; } >"b/$tool"
    chmod +x "b/$tool"
done
measure a false
measure b false
seed=0
while [ "$(grep -c '^false' "$table" || true)" -lt "$wanted" ]; do
    seed=$((seed + 1))
    replay false "$seed" drawn
done
rm -f a/* b/* bin/*
build a
measure a true
for size in 05 10 50; do
    build b "-DEXTRA=${size#0}"
    measure b true
    for repeat in $(seq "$repeats"); do
        replay true "$size$repeat" "1.$size"
    done
done

echo "| alarms | step | metric | replayed | confirmed | refuted | suspected |"
echo "| --- | --- | --- | --: | --: | --: | --: |"
awk -F'\t' '{
    row = $1 " | " $2 " | " $3; state[row, $6]++; count[row]++
} END {
    for (row in count) printf "| %s | %d | %d | %d | %d |\n", row, count[row], state[row, "confirmed"], state[row, "refuted"], state[row, "suspected"]
}' "$table" | sort -V
