#!/usr/bin/env bash
# What the profiler costs, measured in one run: a scope of every sort beside two floors, a program
# with scopes of 10 us, an entry in memory and in the file, reports of large recordings, and other
# profilers where they are installed (Debian: liblttng-ust-dev lttng-tools, uftrace). Builds what it
# needs in build/bench and prints markdown tables. Some five minutes; leave the machine alone meanwhile.
#     tests/studies/profiler/run.sh [-o FILE] [-n ROUNDS] [-p PARTS]
# PARTS are some of `scopes others programs reports`; all of them by itself.
# A round runs every program once, one after the other; a figure is the median over rounds of a
# round's median. `least` is the least of all repetitions: what a busy machine moves last. Ratios are
# of neighbours: each batch of scopes has a batch of the floor right before and after it, each block
# of a program one without scopes. In brackets: the lowest and the highest of the rounds.
set -euo pipefail
cd "$(dirname "$0")/../../.."
output=
rounds=7
parts='scopes others programs reports'
while getopts o:n:p: option; do
    case $option in
    o) output=$OPTARG ;;
    n) rounds=$OPTARG ;;
    p) parts=$OPTARG ;;
    *) exit 2 ;;
    esac
done
programs=build/bench/tests
folder=$(mktemp -d)
daemon=
finish() {
    if [ -n "$daemon" ]; then
        kill "$daemon" 2>/dev/null || true
        wait "$daemon" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM

cmake -S . -B build/bench -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build build/bench --parallel 2 --target profiler_bench >&2
load_before=$(cut -d' ' -f1 /proc/loadavg)

# Lines of a name, a tab and a value, under the round's number and a prefix.
keep() { # ROUND [PREFIX]
    sed "s/^/$1\t${2:-}/" >>"$folder/figures"
}

# --- Other profilers --------------------------------------------------------------------------------

lttng_session() { # start | stop; begins a trace, and says how many events it lost
    if [ "$1" = start ]; then
        lttng --no-sessiond create bench --output="$folder/lttng-trace"
        lttng --no-sessiond enable-channel -u --subbuf-size=4M --num-subbuf=8 channel
        lttng --no-sessiond enable-event -u 'kgate_bench:*' -c channel
        lttng --no-sessiond start
    else
        lttng --no-sessiond stop | sed -n 's/.* \([0-9][0-9]*\) events were discarded.*/\1/p' >>"$folder/lttng-lost"
        lttng --no-sessiond destroy
        rm -rf "$folder/lttng-trace"
    fi >/dev/null 2>>"$folder/lttng.log"
}

# A session daemon of the benchmark's own, unless there is one, which is left alone.
lttng_begin() {
    if ! [ -x $programs/profiler_tracepoints ] || ! command -v lttng-sessiond lttng >/dev/null; then
        return
    fi
    mkdir "$folder/lttng-home"
    export LTTNG_HOME=$folder/lttng-home LTTNG_UST_REGISTER_TIMEOUT=3000
    if lttng --no-sessiond list >/dev/null 2>&1; then
        echo "LTTng: its session daemon runs already" >&2
        return
    fi
    lttng-sessiond --no-kernel >>"$folder/lttng.log" 2>&1 &
    daemon=$!
    for _ in $(seq 50); do
        sleep 0.1
        lttng --no-sessiond list >/dev/null 2>&1 && return
    done
    echo "LTTng: its session daemon does not answer: $(tail -n 1 "$folder/lttng.log")" >&2
    kill "$daemon" 2>/dev/null || true
    daemon=
}

others() { # ROUND
    $programs/profiler_instrumented call | keep "$1"
    if command -v uftrace >/dev/null; then
        uftrace record --no-libcall --no-event -d "$folder/uftrace" $programs/profiler_instrumented uftrace | keep "$1"
        rm -rf "$folder/uftrace"
    fi
    if [ -n "$daemon" ]; then
        $programs/profiler_tracepoints lttng_disabled | keep "$1"
        lttng_session start
        $programs/profiler_tracepoints lttng | keep "$1"
        lttng_session stop
    fi
}

# --- The program with scopes of 10 us -----------------------------------------------------------------

seconds_of() { # COMMAND...
    local start=$EPOCHREALTIME
    "$@"
    awk "BEGIN {print $EPOCHREALTIME - $start}"
}

# 100,000 scopes of 10 us in a process: without recording, twice with, without.
processes() { # ROUND
    local count=100000 seconds='' path
    for path in '' "$folder/p.kgprof" "$folder/p.kgprof" ''; do
        seconds+=" $(KGATE_PROFILE=$path seconds_of $programs/profiler_program turns "$length" $count)"
    done
    echo "$seconds $(stat -c %s "$folder/p.kgprof")" |
        awk -v count=$count '{printf "process.recorded\t%f\nprocess.entry_bytes\t%f\n", ($2 + $3) / ($1 + $4), $5 / count}' |
        keep "$1"
    {
        printf 'process.start\t%s\n' "$(KGATE_PROFILE=$folder/p.kgprof seconds_of $programs/profiler_program turns 1 1)"
        printf 'process.none\t%s\n' "$(KGATE_PROFILE='' seconds_of $programs/profiler_program turns 1 1)"
    } | keep "$1"
}

# --- Recordings of many entries -----------------------------------------------------------------------

recordings() { # ROUND
    local entries format
    for entries in 10000 1000000 10000000; do
        $programs/profiler_recording $entries "$folder/$entries.kgprof" | keep "$1" "recording.$entries."
    done
    for format in table tree folded json trace csv; do
        for entries in 1000000 10000000; do
            $programs/profiler_convert "$folder/$entries.kgprof" $format /dev/null |
                keep "$1" "convert.$format.$entries."
        done
        if [ "$1" = 1 ]; then
            $programs/profiler_convert "$folder/1000000.kgprof" $format "$folder/report" >/dev/null
            printf 'bytes\t%s\n' "$(stat -c %s "$folder/report")" | keep 1 "convert.$format."
        fi
    done
}

# --- Running ------------------------------------------------------------------------------------------

# Two objects' code, byte for byte.
code_of() {
    objcopy -O binary --only-section=.text \
        "build/bench/tests/CMakeFiles/profiler_loops_$1.dir/studies/profiler/loops.c.o" "$folder/$1.text"
}
code_of out
code_of plain
code_of on
code='differs'
if cmp -s "$folder/out.text" "$folder/plain.text"; then
    code="identical, $(stat -c %s "$folder/out.text") bytes (with scopes $(stat -c %s "$folder/on.text"))"
fi

has() { [[ " $parts " == *" $1 "* ]]; }
if has others; then
    lttng_begin
fi
read -r length length_1us length_memory < <($programs/profiler_program calibrate)
for round in $(seq "$rounds"); do
    echo "round $round of $rounds" >&2
    if has scopes; then
        $programs/profiler_scopes "$folder" | keep "$round"
        for prefix in enabled disabled; do
            $programs/profiler_scopes_shared "$folder" $prefix | keep "$round" shared.
        done
        LD_PRELOAD=build/bench/libkgate_memory.so $programs/profiler_scopes "$folder" malloc | keep "$round" preload.
    fi
    if has others; then
        others "$round"
    fi
    if has programs; then
        $programs/profiler_program blocks "$folder" "$length" "$length_1us" "$length_memory" | keep "$round"
        processes "$round"
    fi
    if has reports; then
        recordings "$round"
    fi
done

# --- Tables -------------------------------------------------------------------------------------------

# name, median over rounds of a round's median, least of all, least and largest of the rounds'
# medians; from round, name, value.
summary() {
    sort -t$'\t' -k2,2 -k1,1n -k3,3g "$folder/figures" |
        awk -F'\t' -v OFS='\t' '
            function flush() { if (n) print name, v[int((n + 1) / 2)], v[1] }
            $2 != name || $1 != round { flush(); n = 0; name = $2; round = $1 }
            { v[++n] = $3 }
            END { flush() }' |
        sort -t$'\t' -k1,1 -k2,2g |
        awk -F'\t' -v OFS='\t' '
            function flush() { if (n) print name, v[int((n + 1) / 2)], least, v[1], v[n] }
            $1 != name { flush(); n = 0; name = $1; least = $3 }
            { v[++n] = $2; if ($3 < least) least = $3 }
            END { flush() }'
}
declare -A median least lowest highest
while IFS=$'\t' read -r name value few low high; do
    median[$name]=$value
    least[$name]=$few
    lowest[$name]=$low
    highest[$name]=$high
done < <(summary)

calculate() { awk "BEGIN {printf \"${2:-%.2f}\", $1}"; }
shown() { # VALUE [FORMAT]; nothing where there is none
    [ -z "${1:-}" ] || calculate "$1" "${2:-%.1f}"
}
ratio() { # NAME.WHERE: beside the floor, with the range of the rounds
    [ -z "${median[$1.ratio]:-}" ] ||
        printf '%.2f [%.2f, %.2f]' "${median[$1.ratio]}" "${lowest[$1.ratio]}" "${highest[$1.ratio]}"
}

cost() { # LABEL NAME
    if [ -z "${median[$2.buffer.one]:-}" ]; then
        echo "| $1 | not measured | | | | | | |"
        return
    fi
    local format=%.1f
    awk "BEGIN {exit !(${median[$2.buffer.one]} < 2)}" && format=%.2f
    echo "| $1 | $(shown "${median[$2.buffer.one]}" $format) | $(shown "${least[$2.buffer.one]}" $format) |" \
        "$(shown "${median[$2.buffer.all]}" $format) | $(shown "${median[$2.file.one]:-}" $format) |" \
        "$(shown "${median[$2.file.all]:-}" $format) | $(ratio "$2.buffer.one") | $(ratio "$2.file.one") |"
}

costs() {
    echo "| ns a scope | one thread | least | all threads | one, with writing | all, with writing | x two time stamps | with writing, x two time stamps |"
    echo "| :-- | --: | --: | --: | --: | --: | --: | --: |"
    cost "floor: two readings of the time stamp counter" floor_stamp
    cost "floor: two of \`clock_gettime(CLOCK_MONOTONIC)\`" floor_clock
    cost "floor: the loop around nothing" plain
    cost "scope, compiled out (\`KGATE_NO_PROFILER\`)" out
    cost "scope, disabled" disabled
    cost "scope, disabled, 8 deep" disabled_depth8
    cost "\`kgate_scope_begin\` and end, disabled" disabled_explicit
    cost "\`kgate_scope_begin_named\` and end, disabled" disabled_named
    cost "**scope**" enabled
    cost "scope, 2 deep" enabled_depth2
    cost "scope, 8 deep" enabled_depth8
    cost "\`kgate_scope_begin\` and end of an instance" instance
    cost "\`kgate_scope_begin\` and end" explicit
    cost "the same, 100 sites in turn" sites_100
    cost "the same, 1,000 sites in turn" sites_1000
    cost "\`kgate_scope_begin_named\` and end" named
    cost "span" span
    cost "scope with \`cpu_time\`" cpu_time
    cost "scope on a thread that told of memory before" memory_watched
    cost "scope that tells of 64 bytes and of their release" memory_told
    cost "scope with \`nvtx\`, no tool there" enabled_nvtx
    cost "scope, 1 % of requests sampled" sampled_requests
    cost "scope, 8 deep, 1 % of requests sampled" sampled_requests_depth8
    cost "scope, 1 % of scopes sampled" sampled_scopes
    cost "libkgate_profiler.so: scope, disabled" shared.disabled
    cost "libkgate_profiler.so: scope" shared.enabled
    cost "libkgate_profiler.so: scope, 8 deep" shared.enabled_depth8
    cost "\`malloc\` and \`free\` of 64 bytes, no scope" malloc
    cost "the same in a scope" malloc_scope
    cost "libkgate_memory.so: \`malloc\` and \`free\`, no scope" preload.malloc
    cost "libkgate_memory.so: the same in a scope" preload.malloc_scope
    cost "LTTng-UST: two events, disabled" lttng_disabled
    cost "LTTng-UST: two events, recorded" lttng
    cost "uftrace: an instrumented call, not recorded" call
    cost "uftrace: an instrumented call, recorded" uftrace
    cost "NVTX: a range, no tool there" nvtx
}

program_row() { # LABEL NAME
    local name=program.$2
    echo "| $1 | $(calculate "${median[$name.scope_ns]} / 1000" %.2f) us |" \
        "$(calculate "(${median[$name.out.median]} - 1) * 100" %+.2f) % |" \
        "$(calculate "(${median[$name.disabled.median]} - 1) * 100" %+.2f) % |" \
        "$(calculate "(${median[$name.recorded.median]} - 1) * 100" %+.2f) % |" \
        "$(calculate "(${median[$name.recorded.total]} - 1) * 100" %+.2f) % |"
}

process_rounds() {
    awk -F'\t' '$2 == "process.recorded" {printf "%+.2f\n", ($3 - 1) * 100}' "$folder/figures" |
        sort -g | paste -sd ' ' | sed 's/ /, /g'
}

programs_table() {
    echo "| time of a program over that without scopes | a scope | compiled out | disabled | recorded | recorded, by totals |"
    echo "| :-- | --: | --: | --: | --: | --: |"
    program_row "scopes of 10 us, arithmetic" 10us
    program_row "scopes of 1 us, arithmetic" 1us
    program_row "scopes of 10 us, reading 8 MiB in turn" memory
    echo "| whole processes of 100,000 scopes of 10 us, with \`KGATE_PROFILE\`; by round $(process_rounds) | | | |" \
        "$(calculate "(${median[process.recorded]} - 1) * 100" %+.2f) % | |"
    echo
    echo "Starting and ending a recording by \`KGATE_PROFILE\`:" \
        "$(calculate "(${median[process.start]} - ${median[process.none]}) * 1000" %.1f) ms a process."
}

entry_row() { # LABEL NAME DIVISOR FORMAT
    [ -z "${median[$2]:-}" ] || echo "| $1 | $(calculate "${median[$2]} / $3" "$4") |"
}

entries_table() {
    echo "| an entry | |"
    echo "| :-- | --: |"
    entry_row "bytes in the buffer" recording.10000.slot_bytes 1 %d
    entry_row "bytes in the file, scopes around nothing, 10^7 entries" recording.10000000.file_bytes 1e7 %.2f
    entry_row "bytes in the file, scopes of 10 us" process.entry_bytes 1 %.2f
    entry_row "most resident memory of a program that recorded 10^4 entries" recording.10000.memory_kib 1 '%d KiB'
    entry_row "the same, 10^7 entries" recording.10000000.memory_kib 1 '%d KiB'
}

convert_row() { # FORMAT
    local name=convert.$1
    echo "| $1 | $(calculate "1 / ${median[$name.1000000.seconds]}" %.1f) |" \
        "$(calculate "10 / ${median[$name.10000000.seconds]}" %.1f) |" \
        "$(calculate "${median[$name.1000000.memory_kib]}" %d) KiB |" \
        "$(calculate "${median[$name.10000000.memory_kib]}" %d) KiB |" \
        "$(calculate "${median[$name.bytes]} / 1e6" %.1f) |"
}

convert_table() {
    echo "| report | million entries a second, of 10^6 | of 10^7 | most memory, of 10^6 | of 10^7 | MB, of 10^6 |"
    echo "| :-- | --: | --: | --: | --: | --: |"
    for format in table tree folded json trace csv; do
        convert_row $format
    done
}

# Met where the whole range of the rounds meets it.
goal() { # LABEL MOST NAME: at most MOST, by the range of the rounds of NAME
    [ -n "${median[$3]:-}" ] || return 0
    printf '| %s | %.2f [%.2f, %.2f] | %s |\n' "$1" "${median[$3]}" "${lowest[$3]}" "${highest[$3]}" \
        "$(awk "BEGIN {print (${highest[$3]} <= $2 ? \"met\" : ${lowest[$3]} > $2 ? \"missed\" : \"not decided\")}")"
}

# The same of a figure of medians, where all of them are there.
goal_of() { # LABEL MOST NAME OPERATOR NAME
    [ -n "${median[$3]:-}" ] && [ -n "${median[$5]:-}" ] || return 0
    printf '| %s | %s | %s |\n' "$1" "$(calculate "${median[$3]} $4 ${median[$5]}" %.3f)" \
        "$(awk "BEGIN {print (${median[$3]} $4 ${median[$5]} <= $2 ? \"met\" : \"missed\")}")"
}

goals() {
    echo "| goal | measured | |"
    echo "| :-- | --: | --: |"
    goal "a scope at most 1.5 times two time stamps" 1.5 enabled.buffer.one.ratio
    goal "a scope at most 50 ns, with the writing" 50 enabled.file.one
    goal "the same, 1,000 sites in turn" 50 sites_1000.file.one
    goal "disabled, at most 1 ns" 1 disabled.buffer.one
    goal_of "compiled out, within 0.05 ns of nothing" 0.05 out.buffer.one - plain.buffer.one
    goal_of "all threads within 10 % of one" 1.1 enabled.buffer.all.ratio / enabled.buffer.one.ratio
    goal_of "the same with the writing" 1.1 enabled.file.all.ratio / enabled.file.one.ratio
    goal_of "the same, names made at run time" 1.1 named.buffer.all.ratio / named.buffer.one.ratio
    goal "a program with scopes of 10 us within 1 %: its time over that without" 1.01 program.10us.recorded.median
    goal "the same reading memory" 1.01 program.memory.recorded.median
    goal "the same as whole processes" 1.01 process.recorded
    goal_of "memory at 10^7 entries over that at 10^4" 1.1 recording.10000000.memory_kib / recording.10000.memory_kib
    goal_of "memory of a CSV of 10^7 entries over that of 10^6" 1.1 convert.csv.10000000.memory_kib / convert.csv.1000000.memory_kib
}

# Marketing names may be short: the model number tells which processor it is.
processor() {
    awk -F': *' '/^model name/ {name = $2} /^cpu family/ {family = $2} /^model\t/ {model = $2}
        END {print name " (family " family ", model " model ")"}' /proc/cpuinfo
}

lost=$(awk '{n += $1} END {print n + 0}' "$folder/lttng-lost" 2>/dev/null || echo 0)
{
    echo "machine: $(processor), $(nproc) CPUs," \
        "$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' build/bench/CMakeCache.txt | xargs basename)" \
        "$($(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' build/bench/CMakeCache.txt) -dumpfullversion)," \
        "$(date -u +%F); $rounds rounds; load before $load_before"
    echo
    if has scopes; then
        costs
        echo
        echo "Code compiled out beside code without scopes: $code."
    fi
    [ -z "$daemon" ] || echo "Events that LTTng lost: $lost."
    if has programs; then
        echo
        programs_table
    fi
    if has programs || has reports; then
        echo
        entries_table
    fi
    if has reports; then
        echo
        convert_table
    fi
    echo
    goals
} >"$folder/report"
if [ -n "$output" ]; then
    cp "$folder/report" "$output"
else
    cat "$folder/report"
fi
