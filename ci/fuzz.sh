#!/usr/bin/env bash
# Feeds random bytes to kgate's readers. See --help.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/setup.sh

usage() {
    cat <<'TEXT'
usage: ci/fuzz.sh [--seconds N] [READER...]

Runs libFuzzer on each reader of kgate (tests/fuzz), with AddressSanitizer and UndefinedBehaviorSanitizer.
Prints a table: inputs tried, crashes, hangs, leaks, and accepted inputs that kgate cannot write and read again.
Exit status: 0 if every reader was tried and none failed.

  --seconds N   time per reader (default: 60)
  --runs N      N inputs per reader, equal in every run, instead of a time; ci/test.sh --all uses it
  --help        print this help

Inputs that fail are in build/fuzz/found/READER. Inputs that reach new code stay in build/fuzz/corpus for the
next run. After a fix, move the failing input to tests/fuzz/inputs/READER: ci/test.sh then tries it each time.
TEXT
}

export limit=-max_total_time=60
readers=()
while [ $# -gt 0 ]; do
    case $1 in
    --seconds)
        limit=-max_total_time=${2:?needs a number}
        shift
        ;;
    --runs)
        limit="-seed=1 -runs=${2:?needs a number}"
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
        echo "ci/fuzz.sh: unknown reader '$reader'; readers are ${known[*]}" >&2
        exit 2
    fi
done

setup all
generator=()
[ -f build/fuzz/CMakeCache.txt ] || generator=(-G Ninja)
cmake --preset fuzz "${generator[@]}" >/dev/null
cmake --build --preset fuzz -j "$(nproc)"

# Runs one reader. The output of libFuzzer goes to build/fuzz/log/READER.txt.
reader_run() {
    local corpus=build/fuzz/corpus/$1 found=build/fuzz/found/$1
    mkdir -p "$corpus" "$found" build/fuzz/log
    # shellcheck disable=SC2086
    build/fuzz/fuzz/"fuzz_$1" $limit -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$found/" "$corpus" "tests/fuzz/inputs/$1" >"build/fuzz/log/$1.txt" 2>&1 ||
        echo "$1 failed: build/fuzz/log/$1.txt" >&2
}
export -f reader_run

# Counts the lines of the reader's log that match the pattern.
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
    # The harness ends a fault by a signal, which is no crash of the reader.
    [ "$wrong" -eq 0 ] || crashed=0
    printf '%-14s %10s %8s %6s %7s %6s\n' "$reader" "$(tried "$reader")" "$crashed" "$hung" "$leaked" "$wrong"
    faults=$((faults + crashed + hung + leaked + wrong))
    if [ "$(tried "$reader")" -gt 0 ] 2>/dev/null; then
        continue
    fi
    echo "ci/fuzz.sh: $reader tried no input: build/fuzz/log/$reader.txt" >&2
    faults=$((faults + 1))
done
[ "$faults" -eq 0 ]
