#!/usr/bin/env bash
# The job of a machine with an NVIDIA GPU, in parts that stand each for itself. See --help.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

build=${KGATE_GPU_BUILD:-build/portable}
config=${KGATE_GPU_CONFIG:-config}
out=${KGATE_GPU_OUT:-out/gpu}
kgate=$build/kgate
carry=${KGATE_GPU_CARRY:-}
within=${KGATE_GPU_WITHIN:-}
sources=$build/tests/gpu/source
no_device=75 # of a part: no GPU can be measured, or not any more
cut_short=76 # of a part: the call's time was over before its own

# name, limit in seconds, use of the GPU, expected seconds, what it does: in the order of value. A part with "gpu" is not
# begun if the GPU cannot be measured. After a failure of one with "gpu" or "after" the GPU is looked at. The expected
# seconds are the upper end of a model: no device has confirmed them.
parts() {
    cat <<'TABLE'
machine 60 - 15 driver, devices, libraries, gVisor or not, doctor
first 150 gpu 100 figures of the first minutes: peaks, matrix products, attention, a copy, quantization
check 480 gpu 120 every version of every kernel at sizes with edges: are results right?
suite:compute 540 gpu 60 arithmetic, beside cuBLAS
suite:attention 540 gpu 220 attention by its levels and parts
suite:lattice 540 gpu 190 lattice quantization
source 120 gpu 30 a kernel from its source by NVRTC, from PTX, from machine code
energy 120 gpu 60 joules per call of bf16 products, in rounds of a second
tests 480 after 230 the tests that only a GPU can do
suite:memory 540 gpu 370 config/gpu.yaml: what memory can do
ab 300 gpu 120 kgate against itself: is there an alarm?
slower 150 gpu 40 a gate of a kernel whose code became slower by 5 %: is it a regression?
nvbench 60 - 20 the adapter of NVBench, on a stand-in
scatter 480 gpu 240 what should repeat, twice, without traces: how far do two runs differ?
sanitizer:racecheck 560 gpu 560 what shares memory within a block, under compute-sanitizer
suite:latency 300 gpu 60 short calls, and a search whose steps depend on each other
suite:transfer 300 gpu 40 between host and device
suite:pipeline 540 gpu 60 patterns around kernels
suite:training 540 gpu 60 a transformer's layer, and training
sanitizer:memcheck 560 gpu 560 every kernel under compute-sanitizer
sanitizer:synccheck 560 gpu 560 what racecheck looks at
profile 180 gpu 60 scopes with times on a stream
fields 60 - 5 is everything in the results that only a device can give?
baseline 1800 gpu 480 the whole suite in one run, without traces, as a baseline of this machine
cpu 1800 - 1800 what has a version for the CPU; only when named
TABLE
}

# Two calls for a machine of a quarter of an hour, of which each start costs a minute or more. The first gives figures and
# correctness; a defect that it shows can be fixed before the second. The last parts of a call begin only if the others took
# less than expected.
plan() {
    cat <<'PLAN'
ci/gpu.sh --within 300 --carry out/gpu.tar.gz machine first check source tests
ci/gpu.sh --within 350 --carry out/gpu.tar.gz ab slower suite:compute energy fields profile suite:attention suite:lattice suite:memory
PLAN
}

usage() {
    cat <<TEXT
usage: ci/gpu.sh [--within SECONDS] [--carry FILE] [PART...]
       ci/gpu.sh --build | --list | --plan | --expected PART | --help

Runs parts of the job of a machine with a GPU. Without arguments: all of them but 'cpu', in this order, but
those that ended before: a run that was killed goes on where it was. After two parts without a device those
that need one are left out. Named parts run again. 'suite' and
'sanitizer' stand for all that begin so.

  --within SECONDS
            the call ends in that time. A part that it cuts has no status, and runs again in the next call,
            unless it had the whole call (KGATE_GPU_WITHIN)
  --carry FILE
            after every part all of $out is in this one file, a .tar.gz: to be brought home from a machine
            that gives back few files, and unpacked here for the next call, on another machine
            (KGATE_GPU_CARRY). The builds of a baseline stay out of it
  --build   makes build/portable and build/kgate-gpu.tar.gz, which has all that this needs: on a machine
            with glibc and the driver unpack it anywhere, and run ci/gpu.sh there
  --list    the parts with their time limits, and how they ended
  --plan    two calls for a machine of a quarter of an hour, by value
  --expected PART
            the upper end of its expected seconds, by a model

Everything is left in $out (KGATE_GPU_OUT): for each part a folder with log.txt, results, and, when it has
ended, \`status\` (exit status and seconds); and summary.txt. A part that fails, hangs or runs out of time
hides no other. A part whose GPU was lost has no status: it runs again.
KGATE_GPU_LIMIT is a time limit in seconds for every part instead of its own, KGATE_GPU_BUILD the build
(build/portable), KGATE_GPU_CONFIG the folder of gpu.yaml and gpu_check.yaml (config).

Exit status: 0 all parts good · 1 one was not · 2 bad usage · 3 no GPU could be measured, or it was lost

$(parts | awk '{ printf "  %-20s %4d s ", $1, $2; for (i = 5; i <= NF; i++) printf " %s", $i; print "" }')
TEXT
}

folder_of() { echo "$out/${1//:/-}"; }

# --- What parts do: run in the part's folder $dir, with all output in its log ---------------------------

# Runs a suite of the GPU. If every case is skipped, the run fails.
suite_run() { # SUITE RESULTS [ARGUMENT...]
    local suite=$1 results=$2
    shift 2
    "$kgate" run -c "$config/$suite" --set policy.missing_device=undecided -o "$dir/$results" "$@"
}

cases_count() { cat "$@" 2>/dev/null | grep -o '"status": *"[A-Z]*"' | sed 's/.*"\([A-Z]*\)"/\1/' | sort | uniq -c | awk '{ printf "%s%d %s", n++ ? ", " : "", $1, $2 }'; }

# The last line of a part in the summary.
note() { echo "$*" | tee "$dir/note"; }

# Prints facts of the machine. It needs no device, so it also explains a machine without a device.
machine_show() {
    "$kgate" --version --json
    uname -a
    cat /proc/version
    dmesg 2>/dev/null | grep -m 1 -i gvisor
    grep -h . /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name 2>/dev/null
    ldd --version | head -n 1
    nproc
    df -h . | tail -n 1
    timeout 20 nvidia-smi -q 2>/dev/null || echo "nvidia-smi: not here, or no answer"
    ls -l /dev/nvidia* /usr/local/nvidia/lib64 2>&1
    echo "LD_LIBRARY_PATH: ${LD_LIBRARY_PATH:-}"
    echo "KGATE_CUDA_LIBS: ${KGATE_CUDA_LIBS:-}"
    ldconfig -p 2>/dev/null | grep -E 'libcu(da|blas|pti)|nvrtc|nvidia-ml'
    ls -d /usr/local/cuda* 2>/dev/null
    python3 -c 'import nvidia; print("python:", *nvidia.__path__)' 2>/dev/null
    echo "compute-sanitizer: $(sanitizer_find || echo none)"
}

machine_do() {
    machine_show
    "$kgate" doctor
    note "$(timeout 10 nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 || true)" \
        "$([ -z "$(dmesg 2>/dev/null | grep -i gvisor)" ] || echo '(gVisor)')"
}

# Before all else: figures, with nothing that may hang beside them. In two runs: those of the first are there even if the
# time ends in the second.
first_do() {
    local tag status=0
    for tag in first next; do
        suite_run gpu.yaml "$tag.json" --filter "tag:$tag" --set trace=peaks --set timeout=30s \
            --set rounds.min=2 --set rounds.max=2 || status=$?
        note "$(cases_count "$dir"/*.json)"
    done
    return "$status"
}

# Short ones first: the last three may take a minute or two each.
tests_list() {
    local test last='/gpu_(starts_and_kills|repeats|races)$'
    for test in "$build"/tests/gpu/*; do
        [ -f "$test" ] && [ -x "$test" ] && echo "$test"
    done | awk -v last="$last" '$0 ~ last { later = later $0 "\n"; next } { print } END { printf "%s", later }'
}

# Each program has a time limit of its own. There is a GPU: one that says it skipped something is named.
tests_do() {
    local test name status ran=0 failed=() skipped=()
    for test in $(tests_list); do
        echo "== $test"
        name=$(basename "$test")
        ran=$((ran + 1))
        timeout -k 5 "${KGATE_GPU_TEST_LIMIT:-120}" "$test" 2>&1 | tee "$dir/$name.txt"
        status=${PIPESTATUS[0]}
        [ "$status" -eq 0 ] || { echo "== exit status $status"; failed+=("$name"); }
        ! grep -q skipped "$dir/$name.txt" || skipped+=("$name")
        note "$ran programs, ${#failed[@]} failed${failed:+: ${failed[*]}}${skipped:+; skipped something: ${skipped[*]}}"
    done
    # where all skip there is no device, and nothing was tested
    [ ${#skipped[@]} -lt "$ran" ] && [ ${#failed[@]} -eq 0 ]
}

# One that hangs costs half a minute here, not the part; under the sanitizer it may take its ten minutes.
check_do() {
    local status=0
    suite_run gpu_check.yaml results.json --set timeout=30s || status=$?
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

# Where NVRTC is missing only the source is SKIPPED.
source_do() {
    local status=0
    "$kgate" run -c "$sources/kgate.yaml" --set policy.missing_device=undecided -o "$dir/results.json" || status=$?
    note "$(cases_count "$dir/results.json")"
    return "$status"
}

energy_do() {
    suite_run gpu.yaml results.json --filter 'gemm_bf16/*' --set metrics=time,energy --set min_time=1s --set trace=no \
        --set rounds.min=2 --set rounds.max=2 || return
    grep -q '"source": *"nvml"' "$dir/results.json" || { note "no energy was read"; return 1; }
    note "$(cases_count "$dir/results.json")"
}

# The same build twice: an alarm is a false one. Undecided is none.
ab_do() {
    local what status worst=0 lines=()
    for what in short_calls copy_large; do
        status=0
        "$kgate" ab -c "$config/gpu.yaml" --base "$kgate" --head "$kgate" --filter "$what/*" --measure-unchanged \
            --set policy.missing_device=undecided --set timeout=30s --set rounds.max=10 -o "$dir/$what" | tee "$dir/$what.txt" || status=$?
        lines+=("$what: $(head -n 1 "$dir/$what.txt");")
        [ "$status" -eq 0 ] || [ "$status" -eq 4 ] && [ -s "$dir/$what/comparison.json" ] || worst=$((status > 0 ? status : 1))
    done
    note "${lines[*]}"
    return "$worst"
}

# The gate has to find what the build of the slower code does. Driver alone: PTX.
slower_do() {
    local status=0 code=$dir/code
    mkdir -p "$code" && cp "$sources/slower.yaml" "$sources/saxpy.ptx" "$code/" || return
    "$kgate" gate -c "$code/slower.yaml" -b "$dir/base" -o "$dir/before" --update-missing || return
    cp "$sources/slower.ptx" "$code/saxpy.ptx" || return
    "$kgate" gate -c "$code/slower.yaml" -b "$dir/base" -o "$dir/after" | tee "$dir/after.txt" || status=$?
    note "$(head -n 1 "$dir/after.txt")"
    [ "$status" -eq 1 ]
}

# Needs no device: it is the adapter on the Python that is here.
nvbench_do() {
    local stand_in
    stand_in=$(pwd)/tests/import/nvbench_stand_in.py
    command -v python3 >/dev/null || { note "no python3 here"; return 1; }
    cat >"$dir/nvbench.yaml" <<YAML
version: 1
suite: nvbench
defaults: {trace: no, rounds: {min: 2, max: 2}, min_time: 2ms, metrics: [time]}
workloads:
  - {name: nvbench, command: [python3, "$stand_in"], format: nvbench, params: {benchmark: plain}}
YAML
    "$kgate" run -c "$dir/nvbench.yaml" -o "$dir/results.json" || return
    grep -q sm_clock_hz "$dir/results.json" || { note "no clock was read"; return 1; }
    note "$(cases_count "$dir/results.json")"
}

sanitizer_find() {
    local place
    for place in "$(command -v compute-sanitizer)" "${CUDA_PATH:-}/bin/compute-sanitizer" \
        "${CUDA_PATH:-}/compute-sanitizer/compute-sanitizer" /usr/local/cuda*/bin/compute-sanitizer; do
        [ -x "$place" ] && echo "$place" && return
    done
    return 1
}

# Whether the sanitizer's word on one share of the cases, in this log, is that there was nothing.
sanitizer_clean() { # LOG
    grep -E '=========.*(Invalid|hazard|Race reported|Barrier error|[1-9][0-9]* (error|hazard))' "$1" |
        grep -vE 'SUMMARY: 0 ' >>"$dir/findings.txt" && return 1
    grep -qE 'SUMMARY: 0 (errors|hazards)' "$1"
}

# Its shadow memory slows a case a hundredfold, so nothing of this is timed. Not only its exit status
# tells: a tool that was killed has said nothing against anybody. The cases come in shares, each with the
# tool's last word: where time runs out, those before are proved, and a later call goes on after them. A tool
# without a last word, as on a device that it refuses, would say none on the next share either. Calls of the
# driver that fail are not counted: kgate makes some in order to see them fail, as recording a call that waits,
# and looks at the others itself.
sanitizer_do() { # TOOL
    local sanitizer filter=() status worst=0 share shares=${KGATE_GPU_SHARES:-8} clean=0 log
    sanitizer=$(sanitizer_find) || { note "no compute-sanitizer here: nothing was checked"; return 1; }
    [ "$1" = memcheck ] || filter=(--filter tag:shared)
    for ((share = 1; share <= shares; share++)); do
        status=0
        log=$dir/share-$share.txt
        [ -e "$dir/clean-$share-of-$shares" ] && { clean=$((clean + 1)); continue; }
        "$sanitizer" --tool "$1" --error-exitcode 9 --target-processes all --print-limit 100 \
            --report-api-errors no --launch-timeout 0 \
            "$kgate" run -c "$config/gpu_check.yaml" --set policy.missing_device=undecided --set timeout=60s \
            --shard "$share/$shares" -o "$dir/results-$share.json" "${filter[@]}" >"$log" 2>&1 || status=$?
        sanitizer_clean "$log" && clean=$((clean + 1)) || status=$((status > 0 ? status : 1))
        [ "$status" -eq 0 ] && touch "$dir/clean-$share-of-$shares"
        [ "$status" -eq 0 ] || { worst=$status; tail -n 15 "$log"; }
        sanitizer_note "$1" "$clean" "$share" "$shares"
        grep -q 'SUMMARY:' "$log" || break
    done
    [ "$clean" -lt "$shares" ] || sanitizer_note "$1" "$clean" "$shares" "$shares"
    return "$worst"
}

sanitizer_note() { # TOOL CLEAN DONE SHARES
    local said="$2 of $3 shares clean" cases
    cases=$(cases_count "$dir"/results-*.json)
    [ "$3" -eq "$4" ] || said="$said so far, of $4"
    if [ -s "$dir/findings.txt" ]; then
        note "$(wc -l <"$dir/findings.txt") findings, $said: $(head -n 1 "$dir/findings.txt")"
    elif [ "$2" -lt "$3" ]; then
        note "$1 said no last word on some: $said ($cases)"
    else
        note "$said ($cases)"
    fi
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
    "$kgate" baseline update "$dir/results.json" -b "$out/baselines" --keep-builds 0B || return
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
            [ -e "$dir/process" ] && words="KILLED"
            [ -e "$dir/cut" ] && words="CUT after $(cat "$dir/cut") s"
            [ -e "$dir/lost" ] && words="NO DEVICE"
        fi
        why=$dir/note
        [ -e "$dir/lost" ] && why=$dir/lost
        printf '%-20s %-22s %s\n' "$name" "$words" "$(head -n 1 "$why" 2>/dev/null)"
    done
}

child=
# Kept at once, too: who ends this may not wait until the part has ended.
stop() {
    [ -z "$child" ] || kill -TERM "$child" 2>/dev/null
    keep
    [ -z "$child" ] || wait "$child"
    keep
    summary
    exit 130
}

# Keeps all output so far, in case the next part kills the call. If the script cannot write the archive, the old one stays.
keep() {
    summary >"$out/summary.txt" 2>/dev/null
    [ -n "$carry" ] || return 0
    if tar --exclude=baselines/builds -czf "$carry.new" "$out" 2>/dev/null && mv "$carry.new" "$carry"; then
        [ "$(stat -c %s "$carry")" -le "${KGATE_GPU_CARRY_MOST:-12582912}" ] ||
            echo "ci/gpu.sh: $carry has more than ${KGATE_GPU_CARRY_MOST:-12582912} bytes" >&2
        return 0
    fi
    rm -f "$carry.new"
    echo "ci/gpu.sh: cannot write $carry" >&2
}

# Seconds until the call has to end; many where it does not have to. Some are for ending a part and keeping.
left() {
    if [ -n "$within" ]; then echo $((within - SECONDS - ${KGATE_GPU_RESERVE:-20})); else echo 1000000; fi
}

# The lesser of two times, at least a second: to timeout(1) 0 is none.
least() { echo $(($1 > $2 ? ($2 > 1 ? $2 : 1) : $1)); }

# Processes of another machine, whose folder was brought here, have these numbers too.
boot() { cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo unknown; }

# Runs a part as a separate process, so that the part cannot end this script.
limited() { # SECONDS WHAT NAME
    timeout -k 15 "$1" bash "$0" "--$2" "$3" >>"$dir/log.txt" 2>&1 &
    child=$!
    echo "$child $(boot)" >"$dir/process"
    wait "$child"
    local status=$?
    child=
    return "$status"
}

# What a run that was killed outright left at work: it would disturb this one.
leftover_end() {
    local process when i
    read -r process when 2>/dev/null <"$dir/process" || return 0
    [ "$when" = "$(boot)" ] && [ "$process" != $$ ] || return 0
    grep -qa 'gpu\.sh' "/proc/$process/cmdline" 2>/dev/null || return 0
    echo "   ending process $process, left by a run that was killed"
    kill -TERM "$process"
    for ((i = 0; i < 200; i++)); do
        kill -0 "$process" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -KILL -- "-$process"
}

# Whether the GPU can be measured: 0, or says in the part's folder that it cannot; $cut_short where the call
# ends before that is known.
there() { # NAME WORDS
    local most=${KGATE_GPU_PROBE_LIMIT:-90} limit status=0
    limit=$(least "$most" "$(left)")
    limited "$limit" probe "$1" || status=$?
    [ "$status" -ne 0 ] || return 0
    ! timed_out "$status" || [ "$limit" -eq "$most" ] || return "$cut_short"
    echo "$2: $(grep -m 1 -E 'CUDA|GPU|driver' "$dir/log.txt" | sed 's/^ *//' | cut -c 1-120)" 2>/dev/null >"$dir/lost"
    if [ ! -s "$dir/lost" ]; then
        rm -f "$dir/lost"
        echo "   nothing can be written in $dir: is the disk full?"
        return 1
    fi
    cat "$dir/lost"
    return "$no_device"
}

# What the caller sees of a part's log: the first figures in any case, else how a part failed.
log_show() { # NAME STATUS
    local log=$dir/log.txt
    if [ "$1" = first ]; then
        tail -n 60 "$log"
    elif [ "$2" -ne 0 ]; then
        grep -A 1 ' FAILED$' "$log" | head -n 24
        tail -n "${KGATE_GPU_TAIL:-15}" "$log"
    fi | cut -c 1-180 | sed 's/^/   | /'
}

timed_out() { [ "$1" -eq 124 ] || [ "$1" -eq 137 ]; }

proved= # the device: the part before ended well
first=1 # part of this call

# The part, between looks at the device where it needs one: its exit status, $no_device or $cut_short.
part_limited() { # NAME LIMIT DEVICE
    local limit status=0
    if [ "$3" = gpu ] && [ -z "$proved" ]; then
        there "$1" "no GPU of this machine can be measured" || return
    fi
    proved=
    limit=$(least "$2" "$(left)")
    limited "$limit" part "$1" || status=$?
    ! timed_out "$status" || [ "$limit" -eq "$2" ] || return "$cut_short"
    log_show "$1" "$status"
    if [ "$3" != - ] && [ "$status" -ne 0 ]; then
        there "$1" "the GPU was lost" || return
    fi
    [ "$3" != gpu ] || [ "$status" -ne 0 ] || proved=1
    return "$status"
}

# What an earlier try left. The clean shares of a sanitizer that was cut stay.
part_clear() { # NAME
    local status=
    read -r status _ 2>/dev/null <"$dir/status"
    case $1:${status:-cut} in
    sanitizer:*:cut | sanitizer:*:124 | sanitizer:*:137)
        [ -d "$dir" ] && find "$dir" -mindepth 1 ! -name 'clean-*' ! -name 'share-*' ! -name 'results-*' -delete
        ;;
    *) rm -rf "$dir" ;;
    esac
}

part_start() { # NAME
    local name=$1 limit status=0 start=$SECONDS whole=$first
    limit=${KGATE_GPU_LIMIT:-$(field_of "$name" 2)}
    dir=$(folder_of "$name")
    if [ -z "$whole" ] && [ "$(least "$limit" "$(left)")" -lt "$(least "$limit" "${KGATE_GPU_LEAST:-15}")" ]; then
        echo "== $name: no time is left"
        return "$cut_short"
    fi
    echo "== $name, at most $(least "$limit" "$(left)") s"
    first=
    leftover_end
    part_clear "$name"
    mkdir -p "$dir"
    part_limited "$name" "$limit" "$(field_of "$name" 3)" || status=$?
    [ "$status" -ne "$no_device" ] || return "$status"
    if [ "$status" -eq "$cut_short" ]; then
        echo $((SECONDS - start)) >"$dir/cut"
        echo "   cut after $((SECONDS - start)) s: the call ends"
        [ -n "$whole" ] || return "$status"
        status=124
    fi
    rm -f "$dir/process"
    echo "$status $((SECONDS - start))" >"$dir/status.new" && mv "$dir/status.new" "$dir/status"
    echo "   $(ended "$name")"
    return "$status"
}

# The folder of the driver's libraries, where the loader does not look there; the folders of CUDA's, where Python has them.
libraries_find() {
    local driver=${KGATE_GPU_DRIVER:-/usr/local/nvidia/lib64} folders
    # not grep -q: ldconfig would end by SIGPIPE, which pipefail makes a failure
    if [ -e "$driver/libcuda.so.1" ] && [ -z "$(ldconfig -p 2>/dev/null | grep 'libcuda\.so\.1')" ]; then
        case :${LD_LIBRARY_PATH:-}: in
        *:$driver:*) ;;
        *) export LD_LIBRARY_PATH=$driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ;;
        esac
    fi
    [ -z "${KGATE_CUDA_LIBS:-}" ] || return 0
    folders=$(python3 -c 'import glob, nvidia
print(":".join(f for p in nvidia.__path__ for f in sorted(glob.glob(p + "/*/lib"))))' 2>/dev/null) || return 0
    [ -z "$folders" ] || export KGATE_CUDA_LIBS=$folders
}

# PTX and machine code of the kernel that the part `source` takes.
source_build() {
    local nvcc
    nvcc=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' build/portable/CMakeCache.txt)
    mkdir -p "$sources" && cp tests/gpu/source/*.yaml docs/examples/cuda_source/saxpy.cu "$sources" &&
        "$nvcc" -ptx -arch=compute_80 -o "$sources/slower.ptx" tests/gpu/source/slower.cu &&
        "$nvcc" -DKGATE_n=1 -ptx -arch=compute_80 -o "$sources/saxpy.ptx" "$sources/saxpy.cu" &&
        "$nvcc" -DKGATE_n=1 -cubin -arch=sm_90 -o "$sources/saxpy.cubin" "$sources/saxpy.cu"
}

# Copies without symbols, so that the archive travels in little time.
archive_make() {
    local most=${KGATE_GPU_ARCHIVE_MOST:-36700160} folder=build/gpu-archive
    rm -rf "$folder"
    mkdir -p "$folder" &&
        cp -r --parents ci/gpu.sh config/gpu.yaml config/gpu_check.yaml tests/import/nvbench_stand_in.py "$sources" \
            build/portable/kgate build/portable/kgate-kernels build/portable/tests/gpu/gpu_* "$folder" || return
    find "$folder/build/portable" -type f ! -path "*/source/*" -exec strip --strip-unneeded {} + || return
    tar -C "$folder" -czf build/kgate-gpu.tar.gz ci config tests build || return
    rm -rf "$folder"
    [ "$(stat -c %s build/kgate-gpu.tar.gz)" -le "$most" ] ||
        { echo "ci/gpu.sh: build/kgate-gpu.tar.gz has more than $most bytes" >&2; return 1; }
}

build_make() {
    command -v ninja >/dev/null && set -- -G Ninja || set --
    # the architectures of CMakeLists.txt, whatever an earlier configuration of this folder chose
    cmake --preset portable -U CMAKE_CUDA_ARCHITECTURES -D KGATE_COMMIT="$(git rev-parse HEAD 2>/dev/null)" "$@" >/dev/null &&
        cmake --build --preset portable -j "$(nproc)" --target kgate gpu_tests &&
        tests/structure/portable.sh build/portable/kgate build/portable/kgate-kernels/*.so* \
            build/portable/tests/gpu/gpu_* &&
        source_build && archive_make
}

main() {
    local name chosen=() all worst=0 status named without=0
    while [ $# -gt 0 ]; do
        case $1 in
        --within) within=${2-} ;;
        --carry) carry=${2-} ;;
        *) break ;;
        esac
        shift $(($# > 1 ? 2 : 1))
    done
    case $within in *[!0-9]*) echo "ci/gpu.sh: --within takes seconds, not '$within'" >&2; return 2 ;; esac
    named=$#
    for name in "$@"; do
        all=$(known "$name")
        [ -n "$all" ] || { echo "ci/gpu.sh: no part is called '$name'; --list shows them" >&2; return 2; }
        mapfile -t -O ${#chosen[@]} chosen <<<"$all"
    done
    [ "$named" -gt 0 ] || mapfile -t chosen < <(parts | awk '$1 != "cpu" { print $1 }')
    # a call of so many seconds has none for a build
    [ -x "$kgate" ] || { [ -z "$within" ] && build_make; } || { echo "ci/gpu.sh: $kgate is not there, and cannot be built here: unpack build/kgate-gpu.tar.gz (--build makes it)" >&2; return 2; }
    mkdir -p "$out"
    # Ceilings of this device: for the next call on it, and to be brought home.
    export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$(cd "$out" && pwd)/cache}
    # Without persistence mode the driver starts the device again for every process, which takes seconds. An open file
    # keeps the device running.
    { exec 9<"$(compgen -G '/dev/nvidia[0-9]*' | head -n 1)"; } 2>/dev/null
    libraries_find
    trap stop INT TERM
    for name in "${chosen[@]}"; do
        # the tests of the device still run: they may say why
        [ "$without" -lt 2 ] || [ "$(field_of "$name" 3)" != gpu ] || continue
        if [ "$named" -eq 0 ] && [ -e "$(folder_of "$name")/status" ]; then
            echo "== $name ended before: $(ended "$name")"
            status=$(awk '{ print $1 }' "$(folder_of "$name")/status")
        else
            status=0
            part_start "$name" || status=$?
            keep
        fi
        [ "$status" -eq "$no_device" ] && worst=3 && without=$((without + 1))
        [ "$status" -ne 0 ] && [ "$worst" -eq 0 ] && worst=1
    done
    [ "$without" -lt 2 ] || echo "two parts found no device: others that need one were left out"
    echo
    keep
    summary
    return "$worst"
}

case ${1-} in
--help | -h) usage ;;
--build) build_make ;;
--list) summary ;;
--plan) plan ;;
--expected) field_of "${2-}" 4 ;;
--part) dir=$(folder_of "$2") && part_do "$2" ;;
--probe) dir=$(folder_of "$2") && probe_do ;;
--within | --carry) main "$@" ;;
--*)
    usage >&2
    exit 2
    ;;
*) main "$@" ;;
esac
