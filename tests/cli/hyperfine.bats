load support

# hyperfine as a format of a suite: the program itself, which `ci/setup.sh` installs. What is slower here is so by eight
# times, so that no noise decides.

needs_hyperfine() { command -v hyperfine >/dev/null || skip "no hyperfine"; }

# A suite of one command, the words $1 in YAML, with the further lines $2.
command_is() {
    cat >hf.yaml <<YAML
version: 1
suite: hf
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 50%, rounds: {min: 5, max: 8}, min_time: 20ms, metrics: [time], timeout: 60s}
workloads:
  - name: hf
    command: $1
    format: hyperfine
$2
YAML
}

# ./work sleeps for $1 seconds: so long that starting it, even on a busy machine, is little beside.
work_is() {
    printf '#!/bin/sh\nexec sleep %s\n' "$1" >work
    chmod +x work
}

@test "every benchmark is a case: commands, names and parameters; nothing is run to find them" {
    command_is '[no-such-hyperfine, -n, "a, b", touch made, touch made too]'
    run kgate list -c hf.yaml
    [ "$status" -eq 0 ]
    [ "$output" = "hf/benchmark=a%2C b/cpu
hf/benchmark=touch made too/cpu" ]
    [ ! -e made ]
    command_is '[hyperfine, --parameter-scan, n, "1", "2", "-D", "0.5", -L, m, "a,b", "run {{n}}"]'
    run kgate list -c hf.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"hf.yaml:6:15: in workload 'hf': hyperfine takes '--parameter-list' or '--parameter-scan', not both"* ]]
    command_is '[hyperfine, -P, n, "1", "2", -D, "0.5", "run {{n}}"]'
    run kgate list -c hf.yaml --filter '*1*'
    [ "$output" = "hf/benchmark=run 1/cpu
hf/benchmark=run 1.5/cpu" ]
    run kgate validate -c hf.yaml
    [ "$status" -eq 0 ]
}

@test "its names are those that hyperfine itself gives" {
    needs_hyperfine
    same() {
        local words
        words=$(printf '"%s", ' "$@" | sed 's/{/{{/g; s/}/}}/g; s/\\/\\\\/g')
        command_is "[hyperfine, ${words%, }]"
        hyperfine "$@" -N --runs 1 --export-json now.json >/dev/null 2>&1
        diff <(jq -r '.results[].command' now.json) \
            <(kgate list -c hf.yaml | sed 's/^hf.benchmark=//; s/.cpu$//; s/%2C/,/g; s/%3D/=/g')
    }
    same "true a" "true b"
    same -n first "true a" "true b"
    same -L x 1,2 -L y 'a\,b,c' "true {x} {y} a" "true {x}{y}"
    same -P x 1 2 -D 0.25 -n 'N {x} {z}' "true {x}"
    same -P x -1 2 "true {x} =a" "true {x} b"
    same -L x 1,2 -n a -n b "true {x}"
}

@test "a case is one process a round, whose runs are as many as fit its time" {
    needs_hyperfine
    # each process leaves a line, and each run one
    printf '#!/bin/sh\necho run >>runs\n' >count
    chmod +x count
    command_is '[hyperfine, -N, --setup, "sh -c \"echo {{p}} >>setups\"", -L, p, "a,b", "./count {{p}}", "true {{p}}"]' \
        '    params: {benchmark: ./count b}'
    sed -i 's/min: 5, max: 8/min: 3, max: 3/' hf.yaml
    run kgate run -c hf.yaml -o r.json
    [ "$status" -eq 0 ]
    valid r.json results
    jq -e '.cases | length == 1' r.json
    jq -e '.cases[0] | .status == "OK" and .metrics == ["time"]' r.json
    jq -e '.cases[0].rounds.median_ns | length == 3 and all(. > 0)' r.json
    # the other command and the other value were left alone
    [ "$(sort -u setups)" = b ]
    # in each round some, and all of them in its one process: 20 ms are more than one run of a millisecond or two. How many
    # fit is the machine's to say, but together they are more than one a round
    [ "$(jq '.cases[0].rounds.calls | add' r.json)" -gt 3 ]
    [ "$(wc -l <setups)" -ge 4 ] # a check, and three rounds
    [ "$(wc -l <setups)" -le 5 ]
    # the user's number of runs is the user's
    command_is '[hyperfine, -N, -r, 4, ./count]'
    kgate run -c hf.yaml -o r.json -q
    jq -e '.cases[0].rounds.calls | all(. == 4)' r.json
}

@test "a slower program is a regression against the store, and its like is none" {
    needs_hyperfine
    work_is 0.05
    command_is '[hyperfine, --shell=none, -L, n, "1", "./work {{n}}"]'
    run kgate baseline record -c hf.yaml --runs 2 -b store
    [ "$status" -eq 0 ]
    run kgate gate -c hf.yaml -b store -o out
    [ "$status" -eq 0 ]
    work_is 0.4
    run kgate gate -c hf.yaml -b store -o out
    [ "$status" -eq 1 ]
    jq -e '[.cases[] | .id, .change] == ["hf/benchmark=./work 1/cpu", "REGRESSION"]' out/comparison.json
}

# bats test_tags=thorough
@test "two folders are compared turn by turn; a program in hyperfine's own place is refused" {
    needs_hyperfine
    for side in old new; do
        mkdir "$side"
        work_is "$([ "$side" = old ] && echo 0.05 || echo 0.4)"
        mv work "$side"
    done
    command_is '[hyperfine, -N, ./work 1]'
    run kgate ab -c hf.yaml old new -o out
    [ "$status" -eq 1 ]
    jq -e '.cases | length == 1 and .[0].change == "REGRESSION"' out/comparison.json
    run kgate ab -c hf.yaml old/work new/work -o out
    [ "$status" -eq 2 ]
    [[ $output == *"hf.yaml:6:15: in workload 'hf': a program given as a build would be run in the place of hyperfine"* ]]
}

@test "two hyperfine commands as plain commands are told that their time is no measure" {
    needs_hyperfine
    run kgate ab "hyperfine -N -r 2 true" "hyperfine -N -r 3 true" --rounds 3
    [[ "${lines[0]}" == "kgate: note: 'hyperfine -N -r 2 true' measures by hyperfine"*"\`kgate ab 'OLD' 'NEW'\`"* ]]
}

@test "what fails is FAILED with hyperfine's words, and the others are measured" {
    needs_hyperfine
    command_is '[hyperfine, -N, "true", "false", nosuchprogram]'
    run kgate run -c hf.yaml -o r.json
    [ "$status" -eq 3 ]
    jq -e '[.cases[].status] == ["OK", "FAILED", "FAILED"]' r.json
    [[ $output == *"'hyperfine' exited with status 1"*"Command terminated with non-zero exit code"* ]]
    [[ $output == *"Failed to run command 'nosuchprogram'"* ]]
    # told to go on, hyperfine has times; a gate does not take them for good
    command_is '[hyperfine, -N, --ignore-failure, "false"]'
    run kgate run -c hf.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $output == *"by an exit status other than 0, or by a signal"* ]]
    command_is '[no-such-hyperfine, "true"]'
    run kgate run -c hf.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $output == *"cannot run 'no-such-hyperfine'"* ]]
    command_is '[hyperfine, -N, "true"]' '    params: {benchmark: "false"}'
    run kgate run -c hf.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $output == *"the command has no benchmark 'false'"* ]]
}

@test "a time-out ends hyperfine and what it runs" {
    needs_hyperfine
    printf '#!/bin/sh\nexec sleep 321.123\n' >endless
    chmod +x endless
    command_is '[hyperfine, -N, ./endless]' '    timeout: 1s'
    run kgate run -c hf.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $output == *"timed out after 1 s"* ]]
    run pgrep -f 'sleep 321[.]123'
    [ "$status" -eq 1 ]
}

@test "options that clash, or that nobody knows, are refused at their place" {
    refused() {
        command_is "$1"
        run kgate list -c hf.yaml
        [ "$status" -eq 2 ]
        [[ $output == *"hf.yaml:6:15: in workload 'hf': "*"$2"* ]]
    }
    refused '[hyperfine, --export-json, x, "true"]' "'--export-json' is what kgate gives hyperfine, to read its times: leave it out"
    refused '[hyperfine, --frobnicate, "true"]' "kgate does not know hyperfine's option '--frobnicate'"
    refused '[hyperfine, "true", "true"]' "two of hyperfine's benchmarks are called 'true'"
    refused '[hyperfine, -N]' "'hyperfine' is given no command to measure"
    command_is "[hyperfine, '$(printf 'a%.0s' $(seq 201))']"
    run kgate list -c hf.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"has more than 200 bytes; \`--command-name\` gives a short one"* ]]
}
