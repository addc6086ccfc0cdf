#!/usr/bin/env bash
# Compares plugins with copies of their bytes, with a rebuild and with a build that has one more unused function.
# It does so with pages of the plugin's file, and with pages of each process's own (docs/timing.md), in turn.
# Prints a markdown table. Needs the packages libyajl-dev liblz4-dev libxxhash-dev libdeflate-dev libexpat1-dev
# libyaml-dev libzstd-dev, and a kernel of 6.3 or later. Takes about a second per comparison.
#     tests/studies/placement/run.sh [COPIES [PATH_OF_KGATE]]
set -euo pipefail
cd "$(dirname "$0")/../../.."
copies=${1:-8}
kgate=$(realpath "${2:-build/release/kgate}")
source=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# LIBRARY FILE, with further arguments of the compiler.
build() {
    local archive=$1
    [ "$1" != yajl ] || archive=yajl_s
    cc -std=c17 -D_GNU_SOURCE -O2 -fPIC -shared -I"$source/include" -DLIBRARY_"$1" "${@:3}" \
        "$source/tests/studies/placement/plugin.c" -o "$2" -Wl,-Bsymbolic "/usr/lib/$(gcc -print-multiarch)/lib$archive.a"
}

# A process that PR_SET_MDWE forbids to execute what was written: a plugin keeps the pages of its file.
pages_of_file() {
    /usr/bin/python3 -c 'import ctypes, os, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0): sys.exit("this kernel has no PR_SET_MDWE")
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}

# PAGES LIBRARY KIND COPY: a line of the ratio and its interval.
compare() {
    local how=()
    [ "$1" = own ] || how=(pages_of_file)
    "${how[@]}" "$kgate" ab "$2.so" "$4" --measure-unchanged --set disturbance=100% --set metrics=time \
        --rounds 5..12 --export out.json -q >out.txt 2>&1 || true
    jq -r --arg row "$1 $2 $3 $4" '.cases[0].metrics[] | select(.name == "time")
        | "\($row) \(.ratio) \(.interval_low) \(.interval_high)"' out.json
}

for library in yajl lz4 xxhash deflate expat yaml zstd; do
    build $library $library.so
    mkdir -p again
    (cd again && build $library ../$library-rebuilt.so -g -frecord-gcc-switches)
    build $library $library-unused.so -DUNUSED_FUNCTION
    for ((i = 0; i < copies; i++)); do
        cp $library.so $library-identical-$i.so
        cp $library-rebuilt.so $library-rebuilt-$i.so
        cp $library-unused.so $library-unused-$i.so
        for kind in identical rebuilt unused; do
            compare file $library $kind $library-$kind-$i.so
            compare own $library $kind $library-$kind-$i.so
        done
    done
done >lines.txt

echo "| plugins | pages | comparisons | beyond 5 % | 95 % intervals without 0 | largest change | spread of the copies |"
echo "| :-- | :-- | --: | --: | --: | --: | --: |"
for kind in identical rebuilt unused; do
    for pages in file own; do
        # of a library, copies differ by their own place alone: the spread around its mean
        grep "^$pages [a-z0-9]* $kind " lines.txt | awk -v kind=$kind -v pages=$pages '
            function absolute(x) { return x < 0 ? -x : x }
            { change = log($5); n++; count[$2]++; sum[$2] += change; squares[$2] += change ^ 2
              without += $6 > 1 || $7 < 1; beyond += $6 > 1 && $7 >= 1.05 || $7 < 1 && $6 <= 1 / 1.05
              if (absolute(change) > most) most = absolute(change) }
            END { for (one in count) { within += squares[one] - sum[one] ^ 2 / count[one]; free += count[one] - 1 }
                  printf "| %s | %s | %d | %d | %d (%.1f %%) | %.1f %% | %.2f %% |\n", kind, pages, n, beyond, without,
                      100 * without / n, 100 * (exp(most) - 1), 100 * sqrt(within / (free ? free : 1)) }'
    done
done
