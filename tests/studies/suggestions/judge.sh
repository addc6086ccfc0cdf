#!/usr/bin/env bash
# What run.sh judge does: see there. Leaves results and suggestions in out/suggestions/HALF.
set -euo pipefail
cd "$(dirname "$0")/../../.."
bench=tests/studies/suggestions
half=${1:-}
times=1
load=no
if [ ! -e "$bench/$half/truth.tsv" ]; then
    echo "judge what? developed, judged or libraries; see the top of $bench/run.sh" >&2
    exit 2
fi
shift
while [[ ${1:-} = --* ]]; do
    case $1 in
    --times)
        times=${2:?how often}
        shift
        ;;
    --beside-load) load=yes ;;
    *)
        echo "no option $1; see the top of $bench/run.sh" >&2
        exit 2
        ;;
    esac
    shift
done
build=${1:-build/test}
if [ ! -e "$build/CMakeCache.txt" ]; then
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
fi
if [ -x "$bench/$half/fetch.sh" ]; then
    "$bench/$half/fetch.sh" "$build/debian" || exit 0
fi
cmake --build "$build" --target kgate "suggestions_$half" >&2
unset KGATE_AVX512 "${!OPENBLAS_@}"

folder=out/suggestions/$half
mkdir -p "$folder"
rm -f "$folder"/*.json "$folder"/*.seconds
# What was found in the code at an earlier time would answer in place of this one.
rm -rf "$folder/cache"
export XDG_CACHE_HOME=$PWD/$folder/cache
plugin=$(find "$PWD/$build/tests" -maxdepth 1 -name "*suggestions_$half.so")
sed -E "s|plugin: *[^,} ]+|plugin: $plugin|" "$bench/$half/suite.yaml" >"$folder/suite.yaml"

busy=()
stop_load() {
    [ "${#busy[@]}" = 0 ] || kill "${busy[@]}"
}
trap stop_load EXIT
if [ $load = yes ]; then
    for ((i = 0; i < ($(nproc) + 1) / 2; i++)); do
        while :; do :; done &
        busy+=($!)
    done
fi

# kgate run into NAME.json, and how many seconds it took. A case that failed is told of later.
measure() {
    local name=$1 begin=$EPOCHREALTIME status=0
    shift
    "$build/kgate" run -c "$folder/suite.yaml" -o "$folder/$name.json" -q "$@" >&2 || status=$?
    [ "$status" = 0 ] || [ "$status" = 3 ] || exit "$status"
    awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN {print end - begin}' >"$folder/$name.seconds"
}

measure bare --set trace=no
for ((turn = 1; turn <= times; turn++)); do
    echo "$half, $turn of $times" >&2
    measure "$turn"
    "$build/kgate" suggest "$folder/$turn.json" --json --top 0 >"$folder/$turn.suggestions.json"
done
[ $load = no ] || echo "Beside load on half of the CPUs."
python3 $bench/judge.py "$bench/$half/truth.tsv" "$folder"
