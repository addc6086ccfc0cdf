#!/usr/bin/env bash
# Compares kgate's median of a call with an independent loop in a plain program (plain.c), call by call
# the same functions: with one and two threads, calls from 100 ns to 50 ms, short and long rounds, on the
# machine as it is and with a load of nice 19 beside. Commands are compared with hyperfine.
#
#   tests/studies/truth/run.sh [--build DIR] [--rounds '5 30 200'] [--loads 'quiet niced'] [--repeat N]
#                            [--only REGEX] [--kgate KGATE] [--figures FILE]
#
# Prints a table in Markdown: for each case what the plain program says (the median of five processes), and
# kgate's median of five rounds over that, the median of N (3) repetitions, in which the two take turns. Within 3 % with one thread and 10 % with
# two is good; a miss is in bold, and counted below the table. Exit status 0: it is a measurement.
# With --figures what is measured is added to FILE, and the table is of all that it holds: the whole takes
# some six minutes, and may be measured in parts.
# In the plain program two threads are kept on a CPU each, and the first 50 ms are left out.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../../.."

build=build/test rounds='5 30 200' loads='quiet niced' repeat=3 only=. kgate= figures=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2 ;;
    --rounds) rounds=$2 ;;
    --loads) loads=$2 ;;
    --repeat) repeat=$2 ;;
    --only) only=$2 ;;
    --kgate) kgate=$2 ;;
    --figures) figures=$2 ;;
    *) sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'; exit 2 ;;
    esac
    shift 2
done
kgate=${kgate:-$build/kgate}
for needed in "$kgate" "$build/tests/truth_plain" "$build/tests/libtruth_plugin.so"; do
    [ -e "$needed" ] || { echo "run.sh: no $needed: cmake --build $build --target kgate truth" >&2; exit 2; }
done
kgate=$(realpath "$kgate") plain=$(realpath "$build/tests/truth_plain")
plugin=$(realpath "$build/tests/libtruth_plugin.so")
folder=$(mktemp -d)
load=
trap '[ -z "$load" ] || kill "$load"; rm -rf "$folder"' EXIT

# name, threads, what is called, its size
cases() {
    cat <<'CASES'
chain, 100 ns|1|chain|140
chain, 1 us|1|chain|1400
chain, 10 us|1|chain|14000
chain, 100 us|1|chain|140000
chain, 1 ms|1|chain|1400000
chain, 10 ms|1|chain|14000000
chain, 50 ms|1|chain|70000000
malloc and free|1|blocks|20000
OpenMP region, 1 us|2|region|1000
OpenMP region, 100 us|2|region|100000
OpenMP region, 5 ms|2|region|5000000
50 OpenMP regions of 2 us|2|regions|2000
50 OpenMP regions of 100 us|2|regions|100000
50 regions of one and two threads|2|regions_of_both|10000
pool that sleeps, 100 us|2|pooled|100000
pool that spins, 10 us|2|spinning|10000
command, 5 ms|1|command chain|5000000
command, 20 OpenMP regions|2|command regions|20000
CASES
}

suite_write() { # WORK SIZE
    local command=${1#command }
    {
        printf 'version: 1\nsuite: truth\ndefaults: {disturbance: 100%%, rounds: {min: 5, max: 5}, metrics: [time], trace: no}\n'
        if [ "$command" != "$1" ]; then
            printf 'workloads:\n  - {name: it, command: [%s, %s, "%s"]}\n' "$plain" "$command" "$2"
        else
            printf 'workloads:\n  - {name: it, plugin: %s, workload: truth, params: {work: %s, size: %s}}\n' \
                "$plugin" "$1" "$2"
        fi
    } >"$folder/suite.yaml"
}

plain_ns() { # WORK SIZE
    case $1 in
    command*)
        command -v hyperfine >/dev/null || { echo none; return; }
        # in the environment that kgate gives a command
        OMP_NUM_THREADS=2 OMP_DYNAMIC=false GOMP_SPINCOUNT=3000 hyperfine --shell=none --warmup 3 --min-runs 30 --export-json "$folder/hyperfine.json" \
            "$plain ${1#command } $2" >/dev/null 2>&1
        jq '.results[0].median * 1e9' "$folder/hyperfine.json"
        ;;
    # as many processes as kgate's rounds: some calls differ from one to the next
    *) for _ in 1 2 3 4 5; do "$plain" "$1" "$2" 0.05; done | sort -g | sed -n 3p ;;
    esac
}

kgate_ns() { # MILLISECONDS
    "$kgate" run -c "$folder/suite.yaml" --set "min_time=${1}ms" -o "$folder/results.json" --quiet \
        >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
    jq '.cases[0].summary.median_ns' "$folder/results.json"
}

measure() { # prints: name|threads|load|round|plain|kgate
    local name threads work size round i reference
    while IFS='|' read -r name threads work size; do
        [[ "$name" =~ $only ]] || continue
        suite_write "$work" "$size"
        for round in $rounds; do
            for ((i = 0; i < repeat; i++)); do
                reference=$(plain_ns "$work" "$size")
                [ "$reference" != none ] || continue
                echo "$name|$threads|$1|$round|$reference|$(kgate_ns "$round")"
            done
        done
    done < <(cases)
}

table() {
    awk -F'|' -v rounds="$rounds" -v loads="$loads" '
    function median(list, count,   values, i, j, swap) {
        split(list, values, " ")
        for (i = 2; i <= count; i++)
            for (j = i; j > 1 && values[j - 1] + 0 > values[j] + 0; j--) {
                swap = values[j]; values[j] = values[j - 1]; values[j - 1] = swap
            }
        return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
    }
    function time(ns) {
        return ns < 1e3 ? sprintf("%.0f ns", ns) : ns < 1e6 ? sprintf("%.3g us", ns / 1e3) : sprintf("%.3g ms", ns / 1e6)
    }
    {
        key = $1 SUBSEP $3 SUBSEP $4
        if (!($1 in threads)) names[++cases] = $1
        threads[$1] = $2
        plain[$1] = plain[$1] " " $5; plains[$1]++
        ratio[key] = ratio[key] " " $6 / $5; count[key]++
    }
    END {
        columns = split(loads, load, " "); lengths = split(rounds, round, " ")
        line = "| call | threads | plain program |"; rule = "| --- | --- | --- |"
        for (i = 1; i <= columns; i++) for (j = 1; j <= lengths; j++) {
            line = line " " load[i] ", " round[j] " ms |"; rule = rule " --- |"
        }
        print line; print rule
        for (n = 1; n <= cases; n++) {
            name = names[n]
            line = "| " name " | " threads[name] " | " time(median(plain[name], plains[name])) " |"
            for (i = 1; i <= columns; i++) for (j = 1; j <= lengths; j++) {
                key = name SUBSEP load[i] SUBSEP round[j]
                if (!(key in count)) { line = line " |"; continue }
                value = median(ratio[key], count[key])
                limit = threads[name] == 1 ? 0.03 : 0.10
                bad = value > 1 + limit || value < 1 / (1 + limit)
                if (bad) missed++
                all++
                line = line sprintf(bad ? " **%.3f** |" : " %.3f |", value)
            }
            print line
        }
        printf "\n%d of %d within 3 %% (one thread) and 10 %% (two).\n", all - missed, all
    }'
}

for with in $loads; do
    if [ "$with" = niced ]; then
        nice -n 19 sh -c 'while :; do :; done' &
        load=$!
    fi
    measure "$with"
    [ -z "$load" ] || { kill "$load"; wait "$load" 2>/dev/null || true; load=; }
done >>"${figures:=$folder/figures}"
loads=$(cut -d'|' -f3 "$figures" | sort -ru | xargs) rounds=$(cut -d'|' -f4 "$figures" | sort -nu | xargs)
date=$(date +%F) model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
printf 'kgate over a plain program: %s, %s, %s CPUs, Linux %s, median of %s.\n\n' \
    "$date" "${model:-$(uname -m)}" "$(nproc)" "$(uname -r)" "$repeat"
table <"$figures"
command -v hyperfine >/dev/null || echo 'Commands were left out: there is no hyperfine here (Debian: hyperfine).'
