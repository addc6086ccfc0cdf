bats_require_minimum_version 1.5.0
load support

# A driver without a device, told by FAKE_CUDA_… what to show (tests/drivers/fake_cuda_devices.c).
fake() { env LD_LIBRARY_PATH="$PLUGINS/fake_cuda" "$@"; }

both() { suite_of <<<'  - {name: job, command: ["true"], devices: [cpu, cuda]}'; }

# Whatever is wrong with the GPU: the reason $1 is said, the other cases run, and policy decides.
expect_skipped() {
    both
    run fake "$KGATE" gate -c one.yaml -b base -o out --update-missing
    [ "$status" -eq 0 ]
    [[ "$output" == *"job/cuda"*"SKIPPED"*"$1"* ]]
    [[ "$output" == *"job/cpu"* ]]
    run --separate-stderr fake "$KGATE" gate -c one.yaml -b base -o out --set policy.missing_device=fail
    [ "$status" -eq 3 ]
    [[ "$output" == "FAIL "*"1 case skipped: job/cuda"*"$1"* ]]
    run fake "$KGATE" list -c one.yaml
    [ "$status" -eq 0 ]
    [[ "$output" == *"job/cuda  (skipped: "*"$1"* ]]
    run fake "$KGATE" validate -c one.yaml
    [ "$status" -eq 0 ]
    [[ "$output" == *"1 cannot run on this machine"* ]]
    fake "$KGATE" run -c one.yaml -o results.json --quiet
    valid results.json results
    jq -e '[.cases[] | select(.status == "SKIPPED")] | length == 1' results.json
}

@test "on a terminal list says once why cases are skipped" {
    suite_of <<<'  - {name: job, command: [echo, "{n}"], devices: [cpu, cuda], matrix: {n: [1, 2, 3]}}'
    export FAKE_CUDA_DEVICES=0
    run fake script -qec "stty cols 60; '$KGATE' list -c one.yaml" /dev/null
    [ "$status" -eq 0 ]
    output=${output//$'\r'/}
    [[ "$output" == *$'job/n=1/cuda  (skipped)\n'*$'job/n=3/cuda  (skipped)\n3 skipped: no CUDA device: '* ]]
    [[ "$(wc -L <<<"$output")" -le 60 ]]
}

@test "a driver that shows no device" {
    export FAKE_CUDA_DEVICES=0
    expect_skipped "no CUDA device: the NVIDIA driver reports none"
}

@test "a GPU split into instances of which there is none" {
    export FAKE_CUDA_DEVICES=0 FAKE_NVML_MIG=1
    expect_skipped "MIG is enabled, but the GPU has no instance"
}

@test "a driver whose library and kernel module do not match" {
    export FAKE_CUDA_FAIL=init:803
    expect_skipped "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
}

@test "a driver that crashes" {
    export FAKE_CUDA_FAIL=crash
    expect_skipped "the NVIDIA driver crashed: signal 11"
}

@test "a driver that ends the process" {
    export FAKE_CUDA_FAIL=exit
    expect_skipped "ended the process that queried it"
}

@test "a GPU that another process has for itself" {
    export FAKE_CUDA_FAIL=busy
    expect_skipped "cuda:0 (Simulated GPU): busy"
}

@test "a GPU that prohibits computing" {
    export FAKE_CUDA_FAIL=prohibited
    expect_skipped "its compute mode prohibits computing"
}

@test "a GPU without free memory" {
    export FAKE_CUDA_FAIL=memory
    expect_skipped "its memory is full"
}

@test "a GPU on which the driver crashes only when it is used" {
    export FAKE_CUDA_FAIL=crash-context
    expect_skipped "cuda:0 (Simulated GPU): the NVIDIA driver crashed"
}

@test "a GPU that kgate has no code for is for commands only" {
    suite_of <<<'  - {name: softmax, kernel: softmax, devices: [cuda]}
  - {name: job, command: ["true"], devices: [cuda]}'
    run env FAKE_CUDA_CAPABILITY=1.0 LD_LIBRARY_PATH="$PLUGINS/fake_cuda" "$KGATE" list -c one.yaml
    [ "$status" -eq 0 ]
    [[ "$output" == *"softmax"*"/cuda  (skipped: this kgate "* ]]
    [[ "${lines[-1]}" == "job/cuda" ]]
}

@test "a driver older than the CUDA of kgate's kernels: they are skipped, doctor says what helps" {
    suite_of <<<'  - {name: copy, kernel: copy, devices: [cuda]}
  - {name: job, command: ["true"], devices: [cuda]}'
    export FAKE_CUDA_VERSION=10020
    run fake "$KGATE" gate -c one.yaml -b base -o out --update-missing
    [ "$status" -eq 0 ]
    [[ "$output" == *"copy/"*"SKIPPED"* ]]
    if [ "$(jq '.machine.cuda_toolkit' out/results.json)" = null ]; then
        skip "kgate was built without CUDA"
    fi
    jq -e '[.cases[].status] == ["SKIPPED", "OK"]' out/results.json
    jq -e '.cases[0].reason | test("the driver is for CUDA 10.2: an NVIDIA driver .* is needed")' out/results.json
    run fake "$KGATE" doctor --seconds 0
    [[ "$output" == *"the driver is for CUDA 10.2"*"fix: install an NVIDIA driver "* ]]
    # Of the same major version any will do.
    toolkit=$(jq -r '.machine.cuda_toolkit | split(".")[0]' out/results.json)
    export FAKE_CUDA_VERSION=${toolkit}000
    run fake "$KGATE" list -c one.yaml
    [[ "$output" != *"the driver is for CUDA"* ]]
}

@test "a device is chosen by number and by UUID, and is in the results" {
    suite_of <<<'  - {name: job, command: ["true"], devices: [cpu]}'
    export FAKE_CUDA_DEVICES=3
    fake "$KGATE" run -c one.yaml -o results.json --quiet --device cuda:1
    valid results.json results
    jq -e '.machine | .gpu_chosen == 1 and (.gpus | length) == 3 and .nvidia_driver == "580.65.06"
                      and .gpus[1].uuid == "GPU-20212223-2425-2627-2829-2a2b2c2d2e2f"' results.json
    fake "$KGATE" run -c one.yaml -o results.json --quiet --device cuda:GPU-30
    jq -e '.machine.gpu_chosen == 2' results.json
}

@test "with GPUs of several models the chosen one makes another machine; of one model it does not" {
    suite_of <<<'  - {name: job, command: ["true"], devices: [cpu]}'
    export FAKE_CUDA_DEVICES=2
    for names in "One;Two" "One"; do
        for number in 0 1; do
            FAKE_CUDA_NAMES=$names fake "$KGATE" run -c one.yaml -o "$number.json" --quiet --device "cuda:$number"
            jq -r .machine.fingerprint "$number.json" >>"$names"
        done
    done
    [ "$(sort -u "One;Two" | wc -l)" -eq 2 ]
    [ "$(sort -u One | wc -l)" -eq 1 ]
}

@test "a device that is not there exits 2 and lists those that are" {
    both
    export FAKE_CUDA_DEVICES=2
    for device in cuda:2 cuda:GPU-ff cuda:GPU- cpu cuda:x ""; do
        for subcommand in gate run list validate; do
            options=()
            [ "$subcommand" = run ] && options=(-o results.json)
            run fake "$KGATE" "$subcommand" -c one.yaml "${options[@]}" --device "$device"
            [ "$status" -eq 2 ]
            [[ "$output" == *"--device is '$device'"* ]]
        done
        run fake "$KGATE" doctor --seconds 0 --device "$device"
        [ "$status" -eq 2 ]
    done
    run fake "$KGATE" list -c one.yaml --device cuda:2
    [[ "$output" == *"cuda:1 is Simulated GPU (GPU-20212223-"* ]]
}

@test "without a driver any device may be chosen: its cases are skipped" {
    both
    run kgate list -c one.yaml --device cuda:7
    [ "$status" -eq 0 ]
    [[ "$output" == *"job/cuda"* ]]
    run kgate list -c one.yaml --device cuda:GPU-1234
    [ "$status" -eq 0 ]
}

@test "another driver, MIG and ECC than the baseline's are said" {
    suite_of <<<'  - {name: job, command: ["true"], devices: [cpu]}'
    FAKE_NVML_DRIVER=570.1.1 fake "$KGATE" run -c one.yaml -o old.json --quiet
    jq '.machine.gpus[0].ecc = "off" | .machine.gpus[0].sm_clock_hz = 1755e6' old.json >older.json
    fake "$KGATE" run -c one.yaml -o new.json --quiet
    run kgate compare older.json new.json
    [[ "$output" == *"NVIDIA driver: the baseline had 570.1.1, this run has 580.65.06"* ]]
    [[ "$output" == *"ECC: the baseline had off, this run has on"* ]]
    [[ "$output" == *"highest SM clock: the baseline had 1755 MHz, this run has 1980 MHz"* ]]
    [[ "$output" != *"MIG: "* ]]
}

@test "doctor lists the CUDA devices, which is chosen, and whether it can be used" {
    export FAKE_CUDA_DEVICES=2
    run fake "$KGATE" doctor --seconds 0 --device cuda:1
    [ "$status" -eq 0 ]
    [[ "$output" == *"driver 580.65.06 for CUDA 13.0"* ]]
    [[ "$output" == *"cuda:0"*"Simulated GPU, compute capability 9.0, 80.0 GiB, 132 multiprocessors, ECC on, GPU-1011"* ]]
    [[ "$output" == *"cuda:1"*"GPU-20212223-2425-2627-2829-2a2b2c2d2e2f; chosen"* ]]
    fake "$KGATE" doctor --seconds 0 --device cuda:1 --json >doctor.json
    valid doctor.json doctor
    jq -e '.gpu_chosen == 1 and (.gpus | length) == 2 and .gpus[1].problem == null' doctor.json
    run env FAKE_CUDA_FAIL=busy LD_LIBRARY_PATH="$PLUGINS/fake_cuda" "$KGATE" doctor --seconds 0 --quiet
    [ "$status" -eq 0 ]
    [[ "$output" == *"cuda:0"*"cannot be used: busy"*"fix: "*"choose another device with --device"* ]]
}

@test "doctor without a driver says so" {
    run kgate doctor --seconds 0
    [ "$status" -eq 0 ]
    [[ "$output" == *"CUDA"*"no device: "* ]]
    kgate doctor --seconds 0 --json >doctor.json
    valid doctor.json doctor
    jq -e '.gpus | length >= 0' doctor.json
}
