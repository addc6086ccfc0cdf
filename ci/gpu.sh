#!/usr/bin/env bash
# The job of a machine with an NVIDIA GPU, in parts that stand each for itself. See --help.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

build=${KGATE_GPU_BUILD:-build/portable}
config=${KGATE_GPU_CONFIG:-config}
out=${KGATE_GPU_OUT:-out/gpu}
kgate=$build/kgate
no_device=75 # of a part: no GPU can be measured, or not any more

# name, limit in seconds, whether it needs the GPU, what it does: in the order of use
parts() {
    cat <<'TABLE'
tests 480 gpu the tests that only a GPU can do
check 480 gpu every version of every kernel at sizes with edges: are results right?
suite:memory 540 gpu config/gpu.yaml: what memory can do
suite:compute 540 gpu arithmetic, beside cuBLAS
suite:lattice 540 gpu lattice quantization
suite:attention 540 gpu attention by its levels and parts
suite:latency 300 gpu short calls, and a search whose steps depend on each other
suite:transfer 300 gpu between host and device
suite:pipeline 540 gpu patterns around kernels
suite:training 540 gpu a transformer's layer, and training
scatter 540 gpu what should repeat, twice, without traces: how far do two runs differ?
sanitizer:memcheck 560 gpu every kernel under compute-sanitizer
sanitizer:racecheck 560 gpu those that share memory within a block, likewise
sanitizer:synccheck 560 gpu likewise
profile 180 gpu scopes with times on a stream
fields 60 - is everything in the results that only a device can give?
baseline 1800 gpu the whole suite in one run, without traces, as a baseline of this machine
cpu 1800 - what has a version for the CPU
TABLE
}

usage() {
    cat <<TEXT
usage: ci/gpu.sh [PART...]
       ci/gpu.sh --build | --list | --help

Runs parts of the job of a machine with a GPU. Without arguments: all of them, in this order, but those
that ended before: a run that was killed goes on where it was. Named parts run again. 'suite' and
'sanitizer' stand for all that begin so.

  --build   makes build/portable and build/kgate-gpu.tar.gz, which has all that this needs: on a machine
            with glibc and the driver unpack it anywhere, and run ci/gpu.sh there
  --list    the parts with their time limits, and how they ended

Everything is left in $out (KGATE_GPU_OUT): for each part a folder with log.txt, results, and, when it has
ended, \`status\` (exit status and seconds); and summary.txt. A part that fails, hangs or runs out of time
hides no other. A part whose GPU was lost has no status: it runs again.
KGATE_GPU_LIMIT is a time limit in seconds for every part instead of its own, KGATE_GPU_BUILD the build
(build/portable), KGATE_GPU_CONFIG the folder of gpu.yaml and gpu_check.yaml (config).

Exit status: 0 all parts good · 1 one was not · 2 bad usage · 3 no GPU could be measured, or it was lost

$(parts | awk '{ printf "  %-20s %4d s ", $1, $2; for (i = 4; i <= NF; i++) printf " %s", $i; print "" }')
TEXT
}

folder_of() { echo "$out/${1//:/-}"; }

# --- What parts do: run in the part's folder $dir, with all output in its log ---------------------------

# A run of a suite of the GPU's. Where every case was skipped it is no success.
suite_run() { # SUITE RESULTS [ARGUMENT...]
    local suite=$1 results=$2
    shift 2
    "$kgate" run -c "$config/$suite" --set policy.missing_device=undecided -o "$dir/$results" "$@"
}

cases_count() { grep -o '"status": *"[A-Z]*"' "$1" | sed 's/.*"\([A-Z]*\)"/\1/' | sort | uniq -c | awk '{ printf "%s%d %s", n++ ? ", " : "", $1, $2 }'; }

# The last line of a part in the summary.
note() { echo "$*" | tee "$dir/note"; }

# Each program has a time limit of its own.
tests_do() {
    local test ran=0 failed=()
    nvidia-smi -q 2>/dev/null || echo "nvidia-smi: not here"
    "$kgate" doctor
    for test in "$build"/tests/gpu/*; do
        [ -f "$test" ] && [ -x "$test" ] || continue
        echo "== $test"
        ran=$((ran + 1))
        timeout -k 5 "${KGATE_GPU_TEST_LIMIT:-120}" "$test" ||
            { echo "== exit status $?"; failed+=("$(basename "$test")"); }
    done
    note "$ran programs, ${#failed[@]} failed${failed:+: ${failed[*]}}"
    [ "$ran" -gt 0 ] && [ ${#failed[@]} -eq 0 ]
}

check_do() {
    local status=0
    suite_run gpu_check.yaml results.json || status=$?
    note "$(cases_count "$dir/results.json")"
    return "$status"
}

suite_do() { # TAG
    local status=0
    suite_run gpu.yaml results.json --filter "tag:$1" || status=$?
    note "$(cases_count "$dir/results.json")"
    return "$status"
}

scatter_do() {
    suite_run gpu.yaml first.json --filter tag:scatter --set trace=no || return
    suite_run gpu.yaml second.json --filter tag:scatter --set trace=no || return
    local status=0
    "$kgate" compare "$dir/first.json" "$dir/second.json" -o "$dir/compared" | tee "$dir/compared.txt" ||
        status=$?
    note "$(head -n 1 "$dir/compared.txt")"
    return "$status"
}

sanitizer_find() {
    local place
    for place in "$(command -v compute-sanitizer)" "${CUDA_PATH:-}/bin/compute-sanitizer" \
        "${CUDA_PATH:-}/compute-sanitizer/compute-sanitizer" /usr/local/cuda*/bin/compute-sanitizer; do
        [ -x "$place" ] && echo "$place" && return
    done
    return 1
}

# Its shadow memory slows a case a hundredfold, so nothing of this is timed. Not only its exit status
# tells: a tool that was killed has said nothing against anybody.
sanitizer_do() { # TOOL
    local sanitizer filter=() status=0
    sanitizer=$(sanitizer_find) || { note "no compute-sanitizer here: nothing was checked"; return 1; }
    [ "$1" = memcheck ] || filter=(--filter tag:shared)
    "$sanitizer" --tool "$1" --error-exitcode 9 --target-processes all \
        "$kgate" run -c "$config/gpu_check.yaml" --set policy.missing_device=undecided -o "$dir/results.json" \
        "${filter[@]}" || status=$?
    if grep -E '=========.*(Invalid|hazard|Race reported|Barrier error|[1-9][0-9]* (error|hazard))' "$dir/log.txt" |
        grep -vE 'SUMMARY: 0 ' >"$dir/findings.txt"; then
        note "$(wc -l <"$dir/findings.txt") findings: $(head -n 1 "$dir/findings.txt")"
        return 1
    fi
    grep -qE 'SUMMARY: 0 (errors|hazards)' "$dir/log.txt" ||
        { note "$1 said no last word: nothing is proved"; return 1; }
    note "clean: $(cases_count "$dir/results.json")"
    return "$status"
}

profile_do() {
    suite_run gpu.yaml profiled.json --filter 'gemm_bf16/*' --profile &&
        "$kgate" report "$dir/profiled.kgprof" --format tree | tee "$dir/profile.txt"
}

all_results() { ls "$out"/suite-*/results.json 2>/dev/null; }

# What only a device can give has to be there: else a part of kgate does not work here.
fields_do() {
    local field what missing=() results
    mapfile -t results < <(all_results)
    [ ${#results[@]} -gt 0 ] || { note "no part of the suite has results"; return 1; }
    while read -r field what; do
        grep -q "\"$field\"" "${results[@]}" || { missing+=("$field"); echo "no $what ($field)"; }
    done <<'FIELDS'
sm_clock_hz clock read on the device
timer_overhead_ns overhead of the timer
copy_bytes_per_s ceiling of copies
tensor_flops_per_s ceiling of tensor cores
occupancy occupancy of a kernel
kernel_ns time of a kernel by CUPTI
dram_read_bytes hardware counters by CUPTI
temperature_c telemetry by NVML
FIELDS
    note "${#missing[@]} missing${missing:+: ${missing[*]}}"
    [ ${#missing[@]} -eq 0 ]
}

# Of the whole suite: with cases left out the others would look REMOVED.
baseline_do() {
    suite_run gpu.yaml results.json --set trace=no || return
    "$kgate" baseline update "$dir/results.json" -b "$out/baselines" || return
    note "$(cases_count "$dir/results.json"), in $out/baselines"
}

# Its plain versions may take too long for the GPU's sizes: they fail, and that is no failure here.
cpu_do() {
    "$kgate" run -c "$config/gpu.yaml" --set devices=cpu --set timeout=30s -o "$dir/results.json"
    note "$(cases_count "$dir/results.json")"
    [ -s "$dir/results.json" ]
}

part_do() { # NAME
    case $1 in
    suite:*) suite_do "${1#*:}" ;;
    sanitizer:*) sanitizer_do "${1#*:}" ;;
    *) "${1}_do" ;;
    esac
}

# The smallest case there is: where it cannot be measured, nothing can, and kgate says why.
probe_do() {
    suite_run gpu_check.yaml probe.json --filter tag:probe || return
    rm -f "$dir/probe.json"
}

# --- Running them -------------------------------------------------------------------------------------

known() { parts | awk -v name="$1" '$1 == name || index($1, name ":") == 1 { print $1 }'; }
field_of() { parts | awk -v name="$1" -v field="$2" '$1 == name { print $field }'; }

# How a part ended, in words; nothing where it has not.
ended() {
    local status seconds
    read -r status seconds 2>/dev/null <"$(folder_of "$1")/status" || return
    case $status in
    0) echo "good, $seconds s" ;;
    124 | 137) echo "TIMED OUT after $seconds s" ;;
    *) echo "FAILED ($status), $seconds s" ;;
    esac
}

summary() {
    local name words dir why
    for name in $(parts | awk '{ print $1 }'); do
        dir=$(folder_of "$name")
        words=$(ended "$name")
        if [ -z "$words" ]; then
            words="not run"
            [ -e "$dir/lost" ] && words="NO DEVICE"
            [ ! -e "$dir/lost" ] && [ -e "$dir/process" ] && words="KILLED"
        fi
        why=$dir/note
        [ -e "$dir/lost" ] && why=$dir/lost
        printf '%-20s %-22s %s\n' "$name" "$words" "$(head -n 1 "$why" 2>/dev/null)"
    done
}

child=
stop() {
    [ -n "$child" ] && kill -TERM "$child" 2>/dev/null && wait "$child"
    summary | tee "$out/summary.txt"
    exit 130
}

# As a process of its own, so that nothing that it does can end this one.
limited() { # SECONDS WHAT NAME
    timeout -k 15 "$1" bash "$0" "--$2" "$3" >>"$dir/log.txt" 2>&1 &
    child=$!
    echo "$child" >"$dir/process"
    wait "$child"
    local status=$?
    child=
    return "$status"
}

# What a run that was killed outright left at work: it would disturb this one.
leftover_end() {
    local process i
    process=$(cat "$dir/process" 2>/dev/null) || return 0
    tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null | grep -q 'gpu\.sh' || return 0
    echo "   ending process $process, left by a run that was killed"
    kill -TERM "$process"
    for ((i = 0; i < 200; i++)); do
        kill -0 "$process" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -KILL -- "-$process"
}

# Whether the GPU can be measured; says in the part's folder that it cannot.
there() { # NAME WORDS
    limited "${KGATE_GPU_PROBE_LIMIT:-90}" probe "$1" && return
    echo "$2: $(grep -m 1 -E 'CUDA|GPU|driver' "$dir/log.txt" | sed 's/^ *//' | cut -c 1-120)" >"$dir/lost"
    cat "$dir/lost"
    return 1
}

part_start() { # NAME
    local name=$1 limit status=0 start=$SECONDS device
    limit=${KGATE_GPU_LIMIT:-$(field_of "$name" 2)}
    device=$(field_of "$name" 3)
    dir=$(folder_of "$name")
    echo "== $name, at most $limit s"
    leftover_end
    rm -rf "$dir"
    mkdir -p "$dir"
    if [ "$device" = gpu ]; then
        there "$name" "no GPU of this machine can be measured" || return "$no_device"
    fi
    limited "$limit" part "$name" || status=$?
    if [ "$status" -ne 0 ]; then
        tail -n "${KGATE_GPU_TAIL:-15}" "$dir/log.txt" | sed 's/^/   | /'
        if [ "$device" = gpu ]; then
            there "$name" "the GPU was lost" || return "$no_device"
        fi
    fi
    rm -f "$dir/process"
    echo "$status $((SECONDS - start))" >"$dir/status.new" && mv "$dir/status.new" "$dir/status"
    echo "   $(ended "$name")"
    return "$status"
}

build_make() {
    command -v ninja >/dev/null && set -- -G Ninja || set --
    cmake --preset portable "$@" >/dev/null &&
        cmake --build --preset portable -j "$(nproc)" --target kgate kgate_worker gpu_tests &&
        tar -czf build/kgate-gpu.tar.gz ci/gpu.sh config/gpu.yaml config/gpu_check.yaml \
            build/portable/kgate build/portable/kgate-worker build/portable/tests/gpu/gpu_*
}

main() {
    local name chosen=() all worst=0 status named=$#
    for name in "$@"; do
        all=$(known "$name")
        [ -n "$all" ] || { echo "ci/gpu.sh: no part is called '$name'; --list shows them" >&2; return 2; }
        mapfile -t -O ${#chosen[@]} chosen <<<"$all"
    done
    [ "$named" -gt 0 ] || mapfile -t chosen < <(parts | awk '{ print $1 }')
    [ -x "$kgate" ] || build_make || { echo "ci/gpu.sh: $kgate is not there, and cannot be built" >&2; return 2; }
    mkdir -p "$out"
    trap stop INT TERM
    for name in "${chosen[@]}"; do
        if [ "$named" -eq 0 ] && [ -e "$(folder_of "$name")/status" ]; then
            echo "== $name ended before: $(ended "$name")"
            status=$(awk '{ print $1 }' "$(folder_of "$name")/status")
        else
            status=0
            part_start "$name" || status=$?
        fi
        [ "$status" -eq "$no_device" ] && worst=3
        [ "$status" -ne 0 ] && [ "$worst" -eq 0 ] && worst=1
    done
    echo
    summary | tee "$out/summary.txt"
    return "$worst"
}

case ${1-} in
--help | -h) usage ;;
--build) build_make ;;
--list) summary ;;
--part) dir=$(folder_of "$2") && part_do "$2" ;;
--probe) dir=$(folder_of "$2") && probe_do ;;
--*)
    usage >&2
    exit 2
    ;;
*) main "$@" ;;
esac
