#!/usr/bin/env bash
# kgate itself on ordinary programs whose true slowdown is known: how often a gate alarms although
# nothing changed, and which slowdowns it catches, by pairs (`kgate ab`) and against a stored
# baseline, on a quiet machine and beside a bursty neighbour. Every case of every gate is a line of
# out/verdicts/live/gates.csv, to which each call adds, so that a long session may be made of many
# short ones; live.py prints the tables of all of it. Leave the machine alone meanwhile.
#     tests/studies/verdicts/live/live.sh            some ten minutes, to see that it works
#     tests/studies/verdicts/live/live.sh --long     some six hours: the tables of docs/evidence/verdicts.md
# --unchanged N      gates without a change, for each mode and state (1; long: 50)
# --changed N        gates in which every case is slower, for each slowdown, mode and state (1; 10)
# --slower LIST      of these per cent: "5 10 20 100" (10; long: all)
# --state LIST       "quiet neighbour"
# --mode LIST        "ab kept stored": pairs; the store with the builds that it keeps; without them
# --part LIST        "all some": all cases are slower, or only those of json.so, deflate.so and sql,
#                    as after a change of one part of a program (all)
# --stored N         runs in the store before the first gate, and at the most (2; 5); each
#                    repetition adds one, as a main branch does
# --seconds N        begins no gate after that time
# --only LIST        workloads: "heap json"; in a folder of their own
# --set KEY=VALUE    as kgate's own; may be repeated
# --folder DIR       instead of out/verdicts/live
# --kgate PROGRAM    instead of build/test/kgate
# --with COMMAND     in front of each call of kgate, such as "chrt -f 1"
# --fresh            forgets the stores that are there, not the gates
set -euo pipefail
cd "$(dirname "$0")/../../../.."
here=tests/studies/verdicts/live

unchanged=1 changed=1 slower=10 states="quiet neighbour" modes="ab kept stored" stored=2 only="" parts=all
seconds=1000000 folder=out/verdicts/live kgate=build/test/kgate with="" fresh=""
options=()
SOME="json.so deflate.so sql" # --part some
while [ $# -gt 0 ]; do
    case $1 in
    --long)
        unchanged=50 changed=10 slower="5 10 20 100" stored=5
        shift
        continue
        ;;
    --fresh)
        fresh=yes
        shift
        continue
        ;;
    --unchanged) unchanged=$2 ;;
    --changed) changed=$2 ;;
    --slower) slower=$2 ;;
    --state) states=$2 ;;
    --mode) modes=$2 ;;
    --stored) stored=$2 ;;
    --seconds) seconds=$2 ;;
    --only) only=$2 ;;
    --part) parts=$2 ;;
    --set) options+=(--set "$2") ;;
    --folder) folder=$2 ;;
    --kgate) kgate=$2 ;;
    --with) with=$2 ;;
    *)
        echo "no option $1; see the top of $0" >&2
        exit 2
        ;;
    esac
    shift 2
done

mkdir -p "$folder"
cmake --preset test -G Ninja >/dev/null
targets=(ordinary)
[ "$kgate" != build/test/kgate ] || targets+=(kgate)
if ! cmake --build --preset test --target "${targets[@]}" >"$folder/last.out"; then
    grep -v '^\[' "$folder/last.out" >&2
    exit 2
fi
built=$PWD/build/test/tests/live
kgate=$(realpath "$kgate")
folder=$(realpath "$folder")
csv=$folder/gates.csv
[ -z "$fresh" ] || rm -rf "$folder"/store-*
rm -rf "$folder/builds"
cp -r "$built" "$folder/builds"
program=$("$kgate" --version | head -n 1 | tr -d ',')-$(sha256sum "$kgate" | cut -c1-8)
machine="$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1) x$(nproc) $(uname -r)"

# The suite without what could not be built here, and without what was not asked for.
suite=$folder/suite.yaml
while IFS= read -r line; do
    name=$(sed -n 's/.*{name: \([a-z]*\),.*/\1/p' <<<"$line")
    file=$(sed -n 's|.*\./\([a-z.]*\).*|\1|p' <<<"$line")
    if [ -n "$name" ] && [ ! -e "$folder/builds/base/$file" ]; then
        echo "left out, its library is not installed: $name" >&2
    elif [ -z "$name" ] || [ -z "$only" ] || [[ " $only " = *" $name "* ]]; then
        echo "$line"
    fi
done <$here/suite.yaml >"$suite"

# measure STATE FOLDER ARGUMENT...: kgate in that folder; its exit status, and its wall time in
# $folder/seconds.
measure() {
    local state=$1 where=$2 before=()
    shift 2
    [ "$state" = quiet ] || before=("$built/beside" $RANDOM)
    # shellcheck disable=SC2086
    (cd "$where" && $with /usr/bin/time -q -f %e -o "$folder/seconds" "${before[@]}" \
        "$kgate" "$@" "${options[@]}" >"$folder/last.out" 2>"$folder/last.err")
}

# One more run of the base build in the store of a state, and the same without kept builds.
store_add() {
    local state=$1 store=$folder/store-$1
    rm -f "$folder/run.json"
    if ! measure "$state" "$folder/builds/base" run -c "$suite" -o "$folder/run.json" -b "$store" -q; then
        echo "run: $(tail -n 1 "$folder/last.err")" >&2
    fi
    (cd "$folder/builds/base" && "$kgate" baseline update "$folder/run.json" -b "$store" \
        --keep "$stored" -q >"$folder/last.out") || exit 3
    rm -rf "$store-bare"
    mkdir "$store-bare"
    cp "$store"/*.json "$store-bare"
}

# The cases of the last gate as lines of the table; where there are none, one that says why.
lines_add() {
    local state=$1 mode=$2 slow=$3 status=$4 changed="" comparison=$folder/gate/comparison.json error=""
    [ -e "$comparison" ] || error=$(grep . "$folder/last.err" | tail -n 1)
    [ -e "$comparison" ] || echo '{"cases": [{}]}' >"$comparison"
    [[ $mode != *some ]] || changed=$SOME
    jq -r --arg changed "$changed" --arg state "$state" --arg mode "$mode" --arg slow "$slow" --arg status "$status" \
        --arg seconds "$(tail -n 1 "$folder/seconds")" --arg gate "$(date +%s%3N)" \
        --arg program "$program" --arg machine "$machine" --arg error "$error" \
        --arg time "$(date -u +%FT%TZ)" -f $here/lines.jq "$comparison" >>"$csv"
    printf '%s %-9s %-11s +%s %%: exit %s, %s s: %s\n' "$(date -u +%T)" "$state" "$mode" "$slow" \
        "$status" "$(tail -n 1 "$folder/seconds")" \
        "$(jq -r '[.cases[].change] | group_by(.) | map("\(length) \(.[0])") | join(", ")' "$comparison")" >&2
}

# gate STATE MODE PER_CENT PART: one gate of the base against a build that is slower by that.
gate() {
    local state=$1 mode=$2 slow=$3 part=$4 status=0 head file
    [ $(($(date +%s) - begun)) -lt "$seconds" ] || return 0
    head=$folder/builds/$(printf 's%03d' "$slow")
    [ "$slow" != 0 ] || head=$folder/builds/same
    # New files, as after a build: in other pages of memory each time.
    rm -rf "$folder/gate" "$head"
    cp -r "$built/$(basename "$head")" "$head"
    if [ "$part" = some ]; then
        for file in "$built"/same/*; do
            [[ " $SOME " = *" $(basename "$file") "* ]] || cp "$file" "$head"
        done
    fi
    case $mode in
    ab) measure "$state" "$folder" ab -c "$suite" --base builds/base --head "${head#"$folder/"}" --measure-unchanged \
        -o "$folder/gate" || status=$? ;;
    kept) measure "$state" "$head" gate -c "$suite" -b "$folder/store-$state" -o "$folder/gate" ||
        status=$? ;;
    stored) measure "$state" "$head" gate -c "$suite" -b "$folder/store-$state-bare" \
        -o "$folder/gate" || status=$? ;;
    esac
    [ "$status" -lt 128 ] || exit "$status"
    [ "$part" = all ] || mode="$mode some"
    lines_add "$state" "$mode" "$slow" "$status"
}

if [ ! -e "$csv" ]; then
    echo "time,program,machine,gate,state,mode,slower,exit,verdict,seconds,cases,case,change,metric,ratio,low,high,p,rounds,confirming,suspected,reason" >"$csv"
fi
begun=$(date +%s)
for ((i = 1; i <= unchanged || i <= changed; i++)); do
    for state in $states; do
        if [ "$modes" != ab ] && [ $(($(date +%s) - begun)) -lt "$seconds" ]; then
            store_add "$state"
            for ((k = $(jq '.runs | length' "$folder/store-$state"/*.json); k < stored; k++)); do
                store_add "$state"
            done
        fi
        for mode in $modes; do
            if [ "$mode" = kept ] && [ -z "$(find "$folder/store-$state" -mindepth 1 -type d)" ]; then
                [ "$i" -gt 1 ] || echo "kept: left out, the store of this kgate keeps no builds" >&2
                continue
            fi
            [ "$i" -gt "$unchanged" ] || gate "$state" "$mode" 0 all
            [ "$i" -gt "$changed" ] || for slow in $slower; do
                for part in $parts; do gate "$state" "$mode" "$slow" "$part"; done
            done
        done
    done
done
python3 $here/live.py "$csv"
