load support

# Programs of NVBench in a suite, without one: tests/import/nvbench_stand_in.py takes their options and writes their files,
# as their source has them. Its times are made up, so nothing here depends on a machine, and nothing here was measured on a GPU.

stand_in() { echo "$SOURCE/tests/import/nvbench_stand_in.py"; }

# A suite of ./bench with the words $1 behind it, which is the stand-in with all its times multiplied by $2, and further lines $3.
program_is() {
    sed "s/^SCALE = .*/SCALE = ${2:-1.0}/" "$(stand_in)" >bench
    chmod +x bench
    cat >nv.yaml <<YAML
version: 1
suite: nv
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, rounds: {min: 3, max: 5}, min_time: 2ms, metrics: [time]}
workloads:
  - name: nvbench
    command: [./bench$1]
    format: nvbench
$3
YAML
}

copy=nvbench/benchmark=copy,Op{ct}=sum,T=I32,Elements=1048576/cuda

@test "every state is a case, called as an imported file calls it" {
    program_is ""
    run kgate list -c nv.yaml
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "$copy" ]
    [ "${#lines[@]}" -eq 15 ]
    ./bench --jsonbin now.json >/dev/null
    kgate import now.json --format nvbench -o now.kgate.json || [ $? -eq 3 ] # one state is skipped
    diff <(kgate list -c nv.yaml) <(jq -r '.cases[].id' now.kgate.json | sort) ||
        diff <(kgate list -c nv.yaml | sort) <(jq -r '.cases[].id' now.kgate.json | sort)
    run kgate list -c nv.yaml --filter '*Quality=0.5*'
    [ "${#lines[@]}" -eq 2 ]
}

# bats test_tags=thorough
@test "a case is what its state says, also where --axis cannot choose it; no GPU of kgate's is needed" {
    program_is ""
    run kgate run -c nv.yaml -o r.json --filter '*=[cf][oi]*'
    [ "$status" -eq 0 ]
    valid r.json results
    jq -e '.cases | length == 12 and all(.status == "OK" and .device == "cuda")' r.json
    time_of() { jq --arg id "$1" '.cases[] | select(.id == $id) | .rounds.median_ns | length == 3 and all(. > '"$2"' * 0.999 and . < '"$2"' * 1.001)' r.json; }
    [ "$(time_of "$copy" 1e5)" = true ]
    [ "$(time_of 'nvbench/benchmark=copy,Op{ct}=max,T=F64,Elements=16777216/cuda' 3.2e6)" = true ]
    [ "$(time_of 'nvbench/benchmark=fill,Quality=1,Mode=uniform/cuda' 7e6)" = true ]
    [ "$(time_of 'nvbench/benchmark=fill,Quality=0.5,Mode=a%2Cb/cuda' 1.5e6)" = true ]
    # its samples lay in a folder, which is gone
    mkdir tmp
    TMPDIR=$PWD/tmp kgate run -c nv.yaml -o r.json -q --filter '*plain*'
    [ -z "$(ls tmp)" ]
}

@test "a slower program is a regression, against the store and an imported file" {
    program_is ""
    for i in 1 2 3; do
        ./bench --devices 0 --benchmark plain --jsonbin "now-$i.json" >/dev/null
        sed -i "1s/.*/{ \"kgate_test\": $i,/" "now-$i.json" # the same file twice would be refused
    done
    kgate import now-*.json --format nvbench -o imported.json
    program_is "" 1.0 '    params: {benchmark: plain}'
    kgate baseline record -c nv.yaml -q --runs 2 -b store
    run kgate gate -c nv.yaml -b store -o out
    [ "$status" -eq 0 ]
    program_is "" 1.25
    run kgate gate -c nv.yaml -b store -o out --filter '*plain*' # asked for its benchmarks, it has the same case
    [ "$status" -eq 1 ]
    jq -e '[.cases[].change] == ["REGRESSION"]' out/comparison.json
    # the same id, so that a baseline of files meets it
    jq -e '.cases[0].id == "nvbench/benchmark=plain/cuda"' imported.json
    jq -e '.cases[0].id == "nvbench/benchmark=plain/cuda"' out/comparison.json
}

@test "the clocks of its samples: a time that moved with the clock is no regression, one in cycles is" {
    program_is "" 1.0 '    params: {benchmark: plain}'
    import() { # FILE: of three processes
        for i in 1 2 3; do
            ./bench --benchmark plain --jsonbin "$1-$i.json" >/dev/null
            sed -i "1s/.*/{ \"kgate_test\": \"$1 $i\",/" "$1-$i.json"
        done
        kgate import "$1"-[123].json --format nvbench -o "$1.json"
    }
    import base
    valid base.json results
    jq -e '.cases[0].rounds | all(.sm_clock_hz[]; . > 1.799e9 and . < 1.801e9) and
        all(.median_cycles[]; . > 89900 and . < 90100) and all(.pulse_ns[]; . > 0)' base.json
    program_is "" 1.1111
    CLOCK=0.9 import clock
    run kgate compare base.json clock.json --json
    jq -e '.cases[0] | .change == "INCONCLUSIVE" and (.reason | test("the GPU clock changed like the time"))' <<<"$output"
    import code
    run kgate compare base.json code.json
    [[ "$status" -eq 1 && "$output" == *REGRESSION* ]]
    # an NVBench that does not tell its clocks: the time alone
    CLOCK=none import none
    jq -e '.cases[0].rounds | has("sm_clock_hz") | not' none.json
    run kgate compare base.json none.json
    [ "$status" -eq 1 ]
    # in a suite, by the program's clocks as well
    program_is "" 1.0 '    params: {benchmark: plain}'
    kgate baseline record -c nv.yaml -q --runs 2 -b store
    program_is "" 1.1111 '    params: {benchmark: plain}'
    CLOCK=0.9 run kgate gate -c nv.yaml -b store -o out
    jq -e '.cases[0] | .change == "INCONCLUSIVE" and .metrics[0].cycles_ratio < 1.01' out/comparison.json
}

# bats test_tags=thorough
@test "two builds are measured turn by turn" {
    program_is "" 1.0
    cp bench base
    program_is "" 1.25
    run kgate ab -c nv.yaml --base ./base --head ./bench --filter '*plain*' -o out
    [ "$status" -eq 1 ]
    jq -e '[.cases[] | .id, .change] == ["nvbench/benchmark=plain/cuda", "REGRESSION"]' out/comparison.json
}

@test "a state that skips itself is FAILED with its reason" {
    program_is ""
    run kgate run -c nv.yaml -o r.json --filter '*skips*'
    [ "$status" -eq 3 ]
    jq -e '[.cases[].status] == ["OK", "FAILED"]' r.json
    [[ $output == *"the benchmark 'skips' failed: too large for this device"* ]]
}

@test "without a GPU the workload is SKIPPED with the program's words, but a program that is not there is a mistake" {
    kgate doctor --json 2>/dev/null | jq -e '.machine.gpus // [] | length == 0' >/dev/null || skip "there is a GPU"
    program_is ""
    export STAND_IN_GPUS=0
    run kgate run -c nv.yaml -o r.json
    [ "$status" -eq 0 ]
    jq -e '.cases | length == 1 and .[0].status == "SKIPPED" and (.[0].reason | contains("cudaErrorNoDevice"))' r.json
    rm bench
    run kgate list -c nv.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"nv.yaml:6:15: in workload 'nvbench': cannot run './bench'"* ]]
}

# bats test_tags=thorough
@test "several devices are measured by one that is chosen" {
    export STAND_IN_GPUS=2
    program_is ""
    run kgate run -c nv.yaml -o r.json --filter '*plain*'
    [ "$status" -eq 0 ]
    program_is ", --devices, 1"
    run kgate run -c nv.yaml -o r.json --filter '*plain*'
    [ "$status" -eq 0 ]
    program_is ", --devices, all"
    run kgate run -c nv.yaml -o r.json --filter '*plain*'
    [ "$status" -eq 3 ]
    [[ $output == *"ran 2 times in one process"*"add \`--devices 0\`"* ]]
}

@test "a benchmark and its axes can be chosen in the suite, with values that the program does not list" {
    program_is "" 1.0 '    matrix: {benchmark: [fill], Quality: [0.25, 0.5], Mode: [uniform]}'
    run kgate run -c nv.yaml -o r.json
    [ "$status" -eq 0 ]
    jq -e '[.cases[].rounds.median_ns[0] / 1e5 | round] == [18, 35]' r.json
    program_is "" 1.0 '    matrix: {benchmark: [fill], Quality: [0.25, 0.5]}'
    run kgate run -c nv.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $output == *"give each axis beside \`benchmark\`"* ]]
}

@test "what cannot be is refused at its place" {
    refused() {
        run kgate list -c nv.yaml
        [ "$status" -eq 2 ]
        [[ $output == *"nv.yaml:$1"* ]]
    }
    program_is ", --axis, T=I32"
    refused "6:15: in workload 'nvbench': the command has '--axis' of NVBench"
    program_is ", --jsonbin, x.json"
    refused "6:15: in workload 'nvbench': the command has '--jsonbin' of NVBench"
    program_is "" 1.0 '    devices: [cpu]'
    refused "8:14: a program of \`format: nvbench\` measures only on cuda"
    program_is "" 1.0 '    metrics: [time, cpu_time]'
    refused "7:13: a workload with \`format: nvbench\` supports only time and peak_memory, because"
    program_is ""
    printf '#!/bin/sh\necho BM_one\n' >bench
    refused "6:15: in workload 'nvbench': the program's output for --jsonlist-benches is not JSON"
}
