# ci/gpu.sh, the job of a machine with a GPU, on a driver without one (tests/drivers).
load support

bats_require_minimum_version 1.5.0

# A folder as kgate-gpu.tar.gz makes one, with suites of simulated work.
job_make() {
    export LD_LIBRARY_PATH=$PLUGINS/fake_cuda:$PLUGINS/fake_cupti
    # with a driver: without one that is what is said
    "$KGATE" doctor --seconds 0 --quiet | grep -q 'built without CUDA' && skip "built without CUDA"
    mkdir -p ci config build/tests/gpu
    cp "$SOURCE/ci/gpu.sh" ci/
    ln -s "$KGATE" build/kgate
    local head='version: 1
defaults: {disturbance: 100%, devices: [cuda], trace: no, rounds: {min: 2, max: 2}, min_time: 1ms, timeout: 60s, threads: 1}
workloads:'
    local work="plugin: $PLUGINS/libgpu.so, workload: gpu_work"
    cat >config/gpu_check.yaml <<YAML
suite: gpu_check
$head
  - {name: probe, $work, tags: [probe]}
  - {name: check, $work, matrix: {ns: [1000, 2000]}, tags: [shared]}
YAML
    cat >config/gpu.yaml <<YAML
suite: gpu
$head
  - {name: memory, $work, tags: [memory]}
  - {name: compute, $work, params: {ns: 90000}, tags: [compute, scatter]}
YAML
    program good 'echo works'
    export KGATE_GPU_BUILD=build KGATE_GPU_SHARES=2
    export LD_LIBRARY_PATH=$PLUGINS/fake_cuda:$PLUGINS/fake_cupti
}

# A test of the device, named gpu_$1, that does $2.
program() { printf '#!/bin/sh\n%s\n' "$2" >"build/tests/gpu/gpu_$1" && chmod +x "build/tests/gpu/gpu_$1"; }

# In a program: time is up for the part that it is in (timeout(1) takes that signal for its own alarm), however
# long this machine took to come here.
part_times_out='read -r part _ <"$(ls -t out/gpu/*/process | head -n 1)"; kill -ALRM "$part"; sleep 100'

# A compute-sanitizer that runs the program, and then says $1.
sanitizer_make() {
    mkdir -p bin
    printf '#!/bin/sh\necho "$*" >arguments\nwhile [ "${1#*/kgate}" = "$1" ] && [ "$1" != build/kgate ]; do shift; done\n"$@"\nstatus=$?\n%s\nexit $status\n' "$1" >bin/compute-sanitizer
    chmod +x bin/compute-sanitizer
    export PATH=$PWD/bin:$PATH
}

status_of() { cut -d ' ' -f 1 "out/gpu/$1/status"; }

@test "every part leaves its log, its exit status and its results; the table has them all" {
    job_make
    sanitizer_make 'echo "========= ERROR SUMMARY: 0 errors"'
    run -0 ci/gpu.sh tests check suite:memory suite:compute sanitizer:memcheck baseline
    for part in tests check suite-memory suite-compute sanitizer-memcheck baseline; do
        [ "$(status_of $part)" -eq 0 ]
        [ -s out/gpu/$part/log.txt ]
    done
    jq -e '[.cases[].workload] == ["memory"]' out/gpu/suite-memory/results.json
    jq -e '.filter | test("tag:compute")' out/gpu/suite-compute/results.json
    grep -q works out/gpu/tests/log.txt
    ls out/gpu/baselines/*.json
    grep -qE '^check +good, [0-9]+ s +3 OK$' out/gpu/summary.txt
    grep -qE '^sanitizer:memcheck +good, [0-9]+ s +2 of 2 shares clean \(3 OK\)$' out/gpu/summary.txt
    grep -qE '^sanitizer:racecheck +not run' out/gpu/summary.txt
    diff <(tail -n "$(wc -l <out/gpu/summary.txt)" <<<"$output") out/gpu/summary.txt
    # the table of docs/evidence/kernels.md is made of what is there
    run -0 "$SOURCE/tests/studies/gpu/table.sh" out/gpu
    [[ "${lines[0]}" == "Simulated GPU, driver 580"* ]]
    grep -qE '^\| memory .*\| [0-9.]+ us \|' <<<"$output"
}

# bats test_tags=thorough
@test "a part that fails, or runs out of time, hides no other; it can be run again alone" {
    job_make
    program bad 'exit 4'
    program idle 'echo "skipped: no GPU"'
    program hangs 'kill -ALRM "$PPID"; sleep 100' # its time is up
    sed -i 's/name: memory, /name: memory, timeout: 5s, params: {fail: wrong}, /' config/gpu.yaml
    run -1 ci/gpu.sh tests suite:memory suite:compute
    [ "$(status_of tests)" -eq 1 ]
    [ "$(cat out/gpu/tests/note)" = "4 programs, 2 failed: gpu_bad gpu_hangs; skipped something: gpu_idle" ]
    [ "$(status_of suite-memory)" -eq 3 ]
    [ "$(status_of suite-compute)" -eq 0 ]
    [[ "$output" == *"== exit status 4"* && "$output" == *"FAILED (3)"* ]]
    program hangs "$part_times_out"
    KGATE_GPU_LIMIT=500 run -1 ci/gpu.sh tests
    [ "$(status_of tests)" -eq 124 ]
    [[ "$output" == *"== tests, at most 500 s"*"TIMED OUT after "* && "$output" == *$'\nsuite:memory '*"FAILED (3)"* ]]
    rm build/tests/gpu/gpu_bad build/tests/gpu/gpu_hangs
    run -0 ci/gpu.sh tests
    [ "$(status_of tests)" -eq 0 ]
    [ "$(status_of suite-memory)" -eq 3 ]
}

# bats test_tags=thorough
@test "killed in the middle: what was done is kept, what was at work is run again, alone on the device" {
    job_make
    cat >>config/gpu.yaml <<YAML
  - {name: long, plugin: $PLUGINS/libgpu.so, workload: gpu_work, tags: [pipeline], min_time: 5s, rounds: {min: 20, max: 20}}
YAML
    setsid ci/gpu.sh check suite:pipeline suite:memory >first.txt 2>&1 &
    killed=$!
    lines_wait out/gpu/suite-pipeline/results.json.journal 1
    kill -KILL "$killed"
    wait "$killed" || true
    [ "$(status_of check)" -eq 0 ]
    [ ! -e out/gpu/suite-pipeline/status ] && [ ! -e out/gpu/suite-memory ]
    read -r orphan _ <out/gpu/suite-pipeline/process
    kill -0 "$orphan"
    run -0 ci/gpu.sh --list
    grep -qE '^suite:pipeline +KILLED' <<<"$output"
    # what was measured can be read
    run -0 kgate report out/gpu/suite-pipeline/results.json.journal
    stamp=$(stat -c %y out/gpu/check/status)
    sed -i 's/min_time: 5s, rounds: {min: 20, max: 20}/min_time: 1ms/' config/gpu.yaml
    # the parts that are not of this test are said to be done
    for part in machine first source energy ab slower nvbench tests suite-compute suite-lattice suite-attention suite-latency suite-transfer \
        suite-training scatter sanitizer-memcheck sanitizer-racecheck sanitizer-synccheck profile fields baseline; do
        mkdir -p "out/gpu/$part" && echo "0 1" >"out/gpu/$part/status"
    done
    run -0 ci/gpu.sh
    [[ "$output" == *"== check ended before: good"* && "$output" == *"ending process $orphan"* ]]
    ended "$orphan"
    [ "$(stat -c %y out/gpu/check/status)" = "$stamp" ]
    [ "$(status_of suite-pipeline)" -eq 0 ]
    [ "$(status_of suite-memory)" -eq 0 ]
}

# bats test_tags=thorough
@test "ended by SIGTERM: what there is goes into the archive at once, while the part still ends" {
    job_make
    program stays 'trap "" TERM; echo "$PPID" >group; echo begun; sleep 60'
    setsid ci/gpu.sh --carry away.tgz tests >call.txt 2>&1 &
    call=$!
    lines_wait out/gpu/tests/gpu_stays.txt 0
    [ ! -e away.tgz ]
    kill -TERM "$call"
    for _ in $(seq 100); do [ ! -e away.tgz ] || break; sleep 0.1; done
    kill -0 "$call"
    tar -xzOf away.tgz out/gpu/tests/log.txt | grep -q begun
    kill -KILL -- -"$call"
    read -r part _ <out/gpu/tests/process
    kill -KILL -- -"$part" -"$(cat group)"
}

@test "no device: the machine is shown, two parts say why, only the tests of the device follow, exit 3" {
    job_make
    FAKE_CUDA_DEVICES=0 run -3 ci/gpu.sh machine check suite:memory suite:compute tests
    [ "$(status_of tests)" -eq 0 ]
    [ "$(status_of machine)" -eq 0 ]
    grep -q "^$(uname -s) " out/gpu/machine/log.txt
    grep -q 'the NVIDIA driver reports none' out/gpu/machine/log.txt
    grep -q 'LD_LIBRARY_PATH: .*fake_cuda' out/gpu/machine/log.txt
    [ ! -e out/gpu/check/status ] && [ ! -e out/gpu/suite-memory/status ] && [ ! -e out/gpu/suite-compute ]
    [[ "$output" == *"two parts found no device: others that need one were left out"* ]]
    grep -qE '^check +NO DEVICE +no GPU of this machine can be measured: .*no CUDA device' out/gpu/summary.txt
}

@test "the driver is found in its own folder, CUDA's libraries in Python's" {
    job_make
    unset LD_LIBRARY_PATH KGATE_CUDA_LIBS
    ldconfig -p | grep -q 'libcuda\.so\.1' && skip "the loader has a driver"
    mkdir -p driver python/nvidia/cu13/lib
    ln -s "$PLUGINS"/fake_cuda/* driver/
    run -3 ci/gpu.sh check
    export KGATE_GPU_DRIVER=$PWD/driver PYTHONPATH=$PWD/python
    run -0 ci/gpu.sh machine check
    grep -q "^LD_LIBRARY_PATH: $PWD/driver$" out/gpu/machine/log.txt
    grep -q "^KGATE_CUDA_LIBS: .*$PWD/python/nvidia/cu13/lib" out/gpu/machine/log.txt
}

@test "the tests of the device run without a probe; where all skip, nothing was tested" {
    job_make
    sed -i '/name: probe/d' config/gpu_check.yaml # a probe fails
    run -0 ci/gpu.sh tests
    program good 'echo "skipped: no GPU"'
    run -3 ci/gpu.sh tests
    grep -qE '^tests +NO DEVICE' out/gpu/summary.txt
}

# bats test_tags=thorough
@test "the first figures, a kernel in three forms, energy, the build against itself, NVBench's adapter" {
    job_make
    sed -i 's/name: compute, \(.*\)tags: .compute, scatter./name: compute, \1tags: [compute, scatter, first, next]/' config/gpu.yaml
    for name in gemm_bf16 short_calls copy_large; do
        echo "  - {name: $name, plugin: $PLUGINS/libgpu.so, workload: gpu_work, params: {ns: 50000}, timing: [hot]}" >>config/gpu.yaml
    done
    mkdir -p build/tests/gpu/source tests/import
    cp "$SOURCE/tests/import/nvbench_stand_in.py" tests/import/
    sed 's/n: 33554432/n: 1000/' "$SOURCE/tests/gpu/source/kgate.yaml" >build/tests/gpu/source/kgate.yaml
    cp "$SOURCE/docs/examples/cuda_source/saxpy.cu" build/tests/gpu/source/
    # the driver of tests reads neither
    printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) { ret; }\n' \
        >build/tests/gpu/source/saxpy.ptx
    sed -i '/saxpy.cubin/d' build/tests/gpu/source/kgate.yaml
    sed 's/n: 33554432/n: 1000/' "$SOURCE/tests/gpu/source/slower.yaml" >build/tests/gpu/source/slower.yaml
    sed '$s/$/ \/\/ slower/' build/tests/gpu/source/saxpy.ptx >build/tests/gpu/source/slower.ptx
    run -0 ci/gpu.sh first source energy ab slower nvbench
    # the caller sees the first figures, not their log alone
    [[ "$output" == *"   |   compute/"*" us "*OK* && "$output" == *"   | GPU peaks"* ]]
    jq -e '[.cases[].workload] == ["compute"] and .ceilings != null and (.cases[0].rounds.median_ns | length == 2)' out/gpu/first/first.json
    jq -e '[.cases[] | select(.workload == "ptx") | .status] == ["OK", "OK"]' out/gpu/source/results.json
    jq -e '.cases[0].series[] | select(.name == "energy") | .source == "nvml"' out/gpu/energy/results.json
    for what in short_calls copy_large; do
        jq -e '.counts.regression == 0' "out/gpu/ab/$what/comparison.json"
    done
    jq -e '.cases[0].status == "OK"' out/gpu/nvbench/results.json
    jq -e '.counts.regression == 1' out/gpu/slower/after/comparison.json
    # code that is as fast is none: then the part fails
    cp build/tests/gpu/source/saxpy.ptx build/tests/gpu/source/slower.ptx
    run -1 ci/gpu.sh slower
    grep -qE '^slower +FAILED' out/gpu/summary.txt
}

# bats test_tags=thorough
@test "a device that is lost: its part and those after it have no status, and run again" {
    job_make
    export FAKE_CUDA_LOST=$PWD/lost
    program good 'touch lost; exit 1'
    run -3 ci/gpu.sh tests check
    grep -qE '^tests +NO DEVICE +the GPU was lost: ' out/gpu/summary.txt
    grep -qE '^check +NO DEVICE +no GPU of this machine' out/gpu/summary.txt
    [ ! -e out/gpu/tests/status ] && [ ! -e out/gpu/check/status ]
    program good 'exit 0'
    rm lost
    run -0 ci/gpu.sh tests check
    grep -qE '^tests +good' out/gpu/summary.txt
}

# bats test_tags=thorough
@test "the sanitizer's word counts, not its exit status alone" {
    job_make
    sanitizer_make 'echo "========= Invalid __global__ read of size 4 bytes"; echo "========= ERROR SUMMARY: 1 error"'
    KGATE_GPU_SHARES=1 run -1 ci/gpu.sh sanitizer:memcheck
    [[ "$(cat out/gpu/sanitizer-memcheck/note)" == "2 findings, 0 of 1 shares clean: ========= Invalid"* ]]
    sanitizer_make 'echo "========= COMPUTE-SANITIZER"'
    KGATE_GPU_SHARES=1 run -1 ci/gpu.sh sanitizer:memcheck
    [[ "$(cat out/gpu/sanitizer-memcheck/note)" == "memcheck said no last word on some: 0 of 1 shares clean (3 OK)" ]]
    # calls of the driver that are made to fail are no findings
    grep -q -e '--report-api-errors no' arguments
    # racecheck looks at what shares memory within a block
    sanitizer_make 'echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"'
    run -0 ci/gpu.sh sanitizer:racecheck
    jq -es '[.[].cases[].workload] == ["check", "check"]' out/gpu/sanitizer-racecheck/results-*.json
    # where time runs out in the second share, the first is proved
    sanitizer_make "[ -e once ] && { $part_times_out; }; "'touch once; echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"'
    run -1 ci/gpu.sh sanitizer:racecheck
    grep -qE '^sanitizer:racecheck +TIMED OUT after [0-9]+ s +1 of 1 shares clean so far, of 2 \(1 OK\)$' out/gpu/summary.txt
    # and the next call goes on after it
    sanitizer_make 'echo run >>shares; echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"'
    run -0 ci/gpu.sh sanitizer:racecheck
    [ "$(wc -l <shares)" -eq 1 ]
    [[ "$(cat out/gpu/sanitizer-racecheck/note)" == "2 of 2 shares clean (2 OK)" ]]
    # one that ended well begins anew
    run -0 ci/gpu.sh sanitizer:racecheck
    [ "$(wc -l <shares)" -eq 3 ]
    # a device that the tool refuses costs one share
    sanitizer_make 'echo run >>refused; echo "========= Error: Device not supported"; exit 1'
    run -1 ci/gpu.sh sanitizer:racecheck
    [ "$(wc -l <refused)" -eq 1 ]
    # where every case was skipped nothing was checked
    sanitizer_make 'echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"'
    sed -i 's/name: check, /name: check, params: {fail: unavailable}, /; s/, matrix: {ns: .1000, 2000.}//' config/gpu_check.yaml
    KGATE_GPU_SHARES=1 run -1 ci/gpu.sh sanitizer:racecheck
    [ "$(status_of sanitizer-racecheck)" -eq 4 ]
}

# bats test_tags=thorough
@test "a call of so many seconds: what it cuts runs again, unless it had all of it; all of it in one file" {
    job_make
    program slow 'sleep 100'
    export KGATE_GPU_RESERVE=0 KGATE_GPU_LEAST=2
    # the second part is cut, or the look at the device before it; the third never begins
    run -1 ci/gpu.sh --within 20 --carry away.tgz fields tests suite:memory
    [ "$(status_of fields)" -eq 1 ]
    [ ! -e out/gpu/tests/status ] && [ ! -e out/gpu/suite-memory ]
    grep -qE '^tests +CUT after [0-9]+ s' out/gpu/summary.txt
    [[ "$output" == *"== suite:memory: no time is left"* ]]
    # what comes home is all there was, and another machine goes on from it
    rm -rf out
    tar -xzf away.tgz
    [ "$(status_of fields)" -eq 1 ] && [ -s out/gpu/fields/note ] && [ -e out/gpu/tests/log.txt ]
    # alone it has the whole call: more there will never be
    run -1 ci/gpu.sh --within 2 tests
    [ "$(status_of tests)" -eq 124 ]
    run -2 ci/gpu.sh --within soon
    [[ "$output" == *"takes seconds"* ]]
}

# bats test_tags=thorough
@test "a process number that was brought from another machine is none of this one's" {
    job_make
    mkdir -p out/gpu/check
    bash -c 'exec -a ci/gpu.sh sleep 30' &
    other=$!
    echo "$other 00000000-0000-0000-0000-000000000000" >out/gpu/check/process
    run -0 ci/gpu.sh check
    kill -0 "$other"
    kill "$other"
}

# bats test_tags=thorough
@test "an archive that cannot be written leaves the one before it, and says so" {
    job_make
    mkdir away
    run -1 ci/gpu.sh --carry away/gpu.tgz fields
    cp away/gpu.tgz before.tgz
    mkdir away/gpu.tgz.new
    run -1 ci/gpu.sh --carry away/gpu.tgz fields
    [[ "$output" == *"cannot write away/gpu.tgz"* ]]
    cmp before.tgz away/gpu.tgz
}

@test "parts that are not, and options that are not, are said" {
    cp -r "$SOURCE/ci" .
    run -2 ci/gpu.sh nonsense
    [[ "$output" == *"no part is called 'nonsense'"* ]]
    run -2 ci/gpu.sh --nonsense
    run -0 ci/gpu.sh --help
    [[ "$output" == *"suite:compute"* ]]
}

@test "the plan fits a quarter of an hour by the expected seconds, and has what matters" {
    plan=$("$SOURCE/ci/gpu.sh" --plan)
    [ "$(wc -l <<<"$plan")" -eq 2 ]
    whole=0 fit=
    while read -r _ _ within _ _ parts; do
        sum=0
        whole=$((whole + within + 90)) # a start
        [ "$within" -le 560 ]
        for part in $parts; do
            seconds=$("$SOURCE/ci/gpu.sh" --expected "$part")
            [ "$seconds" -gt 0 ]
            sum=$((sum + seconds))
            [ "$sum" -gt $((within - 20)) ] || fit="$fit $part "
        done
    done <<<"$plan"
    [ "$whole" -le 900 ]
    for part in machine first check source ab slower suite:compute energy fields; do [[ "$fit" == *" $part "* ]]; done
}

@test "a call of so many seconds does not build kgate" {
    cp -r "$SOURCE/ci" .
    run -2 ci/gpu.sh --within 300 machine
    [[ "$output" == *"unpack build/kgate-gpu.tar.gz"* ]]
}

@test "what the parts select is in the suites" {
    for tag in memory compute lattice attention latency transfer pipeline training scatter first next; do
        kgate list -c "$SOURCE/config/gpu.yaml" --filter "tag:$tag" --set devices=cuda | grep -q /cuda
    done
    for tag in probe shared; do
        kgate list -c "$SOURCE/config/gpu_check.yaml" --filter "tag:$tag" | grep -q /cuda
    done
    # every case of config/gpu.yaml is in a part
    kgate list -c "$SOURCE/config/gpu.yaml" --set devices=cuda | grep -o '^[^ ]*/cuda' | sort -u >all
    for tag in memory compute lattice attention latency transfer pipeline training; do
        kgate list -c "$SOURCE/config/gpu.yaml" --filter "tag:$tag" --set devices=cuda | grep -o '^[^ ]*/cuda'
    done | sort -u >parts
    diff all parts
}
