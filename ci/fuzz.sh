#!/usr/bin/env bash
# Gives kgate's readers bytes that nobody meant: see --help.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/setup.sh

usage() {
    cat <<'TEXT'
usage: ci/fuzz.sh [--seconds N] [READER...]

Runs libFuzzer on each reader of kgate (tests/fuzz), under AddressSanitizer and UndefinedBehaviorSanitizer,
and prints a table: what was tried, and how often a reader crashed, hung, leaked, or took what kgate could
not write and read again. Exit status 0 where that is all zero, and each reader had inputs.

  --seconds N   for each reader (default: 60)
  --runs N      in place of that N inputs for each reader, the same each time: what ci/test.sh --all does
  --help        prints this

What is found lies in build/fuzz/found/READER; inputs that reach new code are kept in build/fuzz/corpus and
begin the next run. Once mended, an input that was found belongs into tests/fuzz/inputs/READER, where
ci/test.sh gives it to the reader each time.
TEXT
}

export limit=-max_total_time=60
readers=()
while [ $# -gt 0 ]; do
    case $1 in
    --seconds)
        limit=-max_total_time=${2:?how many}
        shift
        ;;
    --runs)
        limit="-seed=1 -runs=${2:?how many}"
        shift
        ;;
    --help | -h)
        usage
        exit
        ;;
    -*)
        echo "ci/fuzz.sh: unknown argument '$1'" >&2
        usage >&2
        exit 2
        ;;
    *) readers+=("$1") ;;
    esac
    shift
done

mapfile -t known < <(sed -n 's/^HARNESS(\(.*\))$/\1/p' tests/fuzz/harnesses.def)
[ "${#known[@]}" -gt 0 ] || { echo "ci/fuzz.sh: tests/fuzz/harnesses.def names no reader" >&2; exit 2; }
[ "${#readers[@]}" -gt 0 ] || readers=("${known[@]}")
for reader in "${readers[@]}"; do
    if ! printf '%s\n' "${known[@]}" | grep -qx -- "$reader"; then
        echo "ci/fuzz.sh: no reader is called '$reader'; there are ${known[*]}" >&2
        exit 2
    fi
done

setup all
generator=()
[ -f build/fuzz/CMakeCache.txt ] || generator=(-G Ninja)
cmake --preset fuzz "${generator[@]}" >/dev/null
cmake --build --preset fuzz -j "$(nproc)"

# Runs one reader; what libFuzzer says goes to build/fuzz/log/READER.txt.
reader_run() {
    local corpus=build/fuzz/corpus/$1 found=build/fuzz/found/$1
    mkdir -p "$corpus" "$found" build/fuzz/log
    # shellcheck disable=SC2086
    build/fuzz/fuzz/"fuzz_$1" $limit -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$found/" "$corpus" "tests/fuzz/inputs/$1" >"build/fuzz/log/$1.txt" 2>&1 ||
        echo "$1 found something: build/fuzz/log/$1.txt" >&2
}
export -f reader_run

# How often the reader's log has the pattern.
found_count() { grep -cE "$2" "build/fuzz/log/$1.txt" || true; }

tried() { sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/log/$1.txt"; }

printf '%s\n' "${readers[@]}" | xargs -P "$(nproc)" -I{} bash -c 'reader_run {}'

faults=0
printf '%-14s %10s %8s %6s %7s %6s\n' reader tried crashed hung leaked wrong
for reader in "${readers[@]}"; do
    hung=$(found_count "$reader" 'ERROR: libFuzzer: timeout')
    leaked=$(found_count "$reader" 'ERROR: LeakSanitizer|ERROR: libFuzzer: out-of-memory')
    wrong=$(found_count "$reader" '^FAULT: ')
    crashed=$(found_count "$reader" 'ERROR: (AddressSanitizer|UndefinedBehaviorSanitizer)|runtime error: |ERROR: libFuzzer: (deadly|fuzz target)')
    # A fault ends by a signal, which is the harness' own.
    [ "$wrong" -eq 0 ] || crashed=0
    printf '%-14s %10s %8s %6s %7s %6s\n' "$reader" "$(tried "$reader")" "$crashed" "$hung" "$leaked" "$wrong"
    faults=$((faults + crashed + hung + leaked + wrong))
    if [ "$(tried "$reader")" -gt 0 ] 2>/dev/null; then
        continue
    fi
    echo "ci/fuzz.sh: $reader: nothing was tried: build/fuzz/log/$reader.txt" >&2
    faults=$((faults + 1))
done
[ "$faults" -eq 0 ]
