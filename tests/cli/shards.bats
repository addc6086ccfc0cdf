# --shard: what one machine of a fleet measures, and the names of its files.
bats_require_minimum_version 1.5.0
load support

# The environment of task $1 of $2 of a Slurm array, on node n$1.
array_task() {
    export SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=$2
    export SLURM_ARRAY_JOB_ID=4711 SLURMD_NODENAME=n$1
}

@test "gate --shard auto: a folder by shard, job and attempt, and the stored runs of its cases" {
    kgate baseline record -c suite.yaml -b base --runs 2 -q
    array_task 1 2
    run --separate-stderr kgate gate -c suite.yaml -b base -o out --shard auto
    passes_or_open
    label=shard-2-of-2.job-4711.attempt-1
    [[ "$output" == *"reports: out/$label/report.md"*"results.json, baseline.json"* ]]
    [ "$(ls out)" = "$label" ]
    valid "out/$label/results.json" results
    valid "out/$label/baseline.json" baseline
    jq -e '.shard == {count: 2, index: 2, cases: 2, attempt: 1, job: "4711", node: "n1", definition: .shard.definition, baselines: "base"} and (.shard.definition | length) == 16 and .tests == 2' \
        "out/$label/results.json"
    jq -e '.filter == "--shard 2/2" and (.machine | .host and .boot and .epoch)' "out/$label/results.json"
    jq -e '[.runs[].cases[].id] == ["copy/bytes=16KiB,version=fast/cpu", "copy/bytes=16KiB,version=fast/cpu"]' \
        "out/$label/baseline.json"
    SLURM_RESTART_COUNT=1 kgate gate -c suite.yaml -b base -o out --shard auto -q || passes_or_open
    [ "$(ls out | wc -l)" -eq 2 ]
    jq -e '.shard.attempt == 2' out/shard-2-of-2.job-4711.attempt-2/results.json
}

@test "run and ab --shard auto name their files; I/N keeps the name" {
    array_task 0 2
    kgate run -c suite.yaml -o r.json --export r.csv --shard auto -q
    kgate run -c suite.yaml -o plain.json --shard 2/2 -q
    kgate ab -c suite.yaml --base "$KGATE" --head "$KGATE" --rounds 3 --measure-unchanged --shard auto/2 -q || true
    [ "$(ls | grep '^r[.]\|^plain' | paste -sd ' ')" = \
        "plain.json r.shard-1-of-2.job-4711.attempt-1.csv r.shard-1-of-2.job-4711.attempt-1.json" ]
    jq -e '.shard.index == 2 and .shard.job == "4711" and (.cases | length) == 1' plain.json
    jq -e '.shard.index == 1 and .tests == 2' out/shard-1-of-2.job-4711.attempt-1/head.json
    jq -e '.shard.index == 1' out/shard-1-of-2.job-4711.attempt-1/base.json
}

@test "a killed shard leaves its rounds in the folder of its attempt" {
    array_task 0 2
    sed -i 's/rounds: {min: 3, max: 6}/rounds: {min: 10000, max: 10000}/' suite.yaml
    "$KGATE" gate -c suite.yaml -b base -o out --shard auto -q 3>&- &
    pid=$!
    folder=out/shard-1-of-2.job-4711.attempt-1
    lines_wait $folder/results.json.journal 3
    kill -KILL "$pid"
    wait "$pid" || true
    [ -s $folder/results.json.journal ] && [ ! -e $folder/comparison.json ]
    head -n 1 $folder/results.json.journal | jq -e '.shard.index == 1 and .tests == 0'
}

@test "an interrupted shard names its folder" {
    array_task 0 2
    sed -i 's/rounds: {min: 3, max: 6}/rounds: {min: 10000, max: 10000}/' suite.yaml
    "$KGATE" gate -c suite.yaml -b base -o out --shard auto -q 2>errors 3>&- &
    pid=$!
    folder=out/shard-1-of-2.job-4711.attempt-1
    lines_wait $folder/results.json.journal 3
    kill -TERM "$pid"
    wait "$pid" || [ $? -eq 143 ]
    grep -q "the measured rounds are in $folder/results.json" errors
    jq -e '.complete == false and .shard.index == 1' $folder/results.json
}

@test "--update-missing records the cases of one shard after the other, and each passes" {
    for index in 1 2; do
        run -0 kgate gate -c suite.yaml -b base -o "out/$index" --shard $index/2 --update-missing
        [[ "${lines[0]}" == "BASELINE RECORDED: 1 case, nothing compared yet." ]]
        [[ "$output" == *"recorded 1 new case in base/"* ]]
    done
    # without --update-missing new cases alone decide nothing
    cat >>suite.yaml <<'YAML'
  - {name: reduce, kernel: reduce, params: {bytes: 16KiB}}
YAML
    run -4 kgate gate -c suite.yaml -b base -o out --filter 'reduce/*'
    # stored cases that are defined otherwise are no first run
    suite_of <<<'  - {name: rest, command: [sleep, "0.001"]}'
    run -0 kgate gate -c one.yaml -b other -o out --update-missing
    suite_of <<<'  - {name: rest, command: [sleep, "0.002"]}'
    run -4 kgate gate -c one.yaml -b other -o out --update-missing
    [[ "$output" == *"the workload's definition changed"* ]]
}

@test "auto without a scheduler names the variables; more shards than cases are no failure" {
    run kgate gate -c suite.yaml -o out --shard auto
    [ "$status" -eq 2 ]
    [[ "$output" == *"SLURM_ARRAY_TASK_ID (a Slurm array)"*"Give --shard I/N"* ]]
    JOB_COMPLETION_INDEX=4 run kgate gate -c suite.yaml -o out --shard auto/4
    [ "$status" -eq 2 ]
    [[ "$output" == *"JOB_COMPLETION_INDEX is 4, but the ids of 4 shards are 0 to 3"* ]]
    run kgate gate -c suite.yaml -o out --shard 3/4
    [ "$status" -eq 0 ]
    [ "$output" = "kgate: shard 3 of 4 measures nothing: the other shards have all 2 cases" ]
}

@test "plan: every case once, groups as planned, and a plan for something else is refused at its place" {
    run kgate plan -c suite.yaml -b base --shards 2 -o plan.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"small: 2 cases on 2 shards"*"next, on each machine: kgate gate -c suite.yaml -b base --shard auto --plan plan.json"* ]]
    valid plan.json plan
    jq -e '[.cases[].known] == [false, false]' plan.json
    for shard in 1 2; do
        kgate list -c suite.yaml --shard $shard/2 --plan plan.json -q 2>/dev/null |
            diff - <(jq -r ".cases[] | select(.shard == $shard) | .id" plan.json)
    done
    shard=$(jq '.cases[0].shard' plan.json)
    kgate run -c suite.yaml -o r.json --shard "$shard/2" --plan plan.json -q
    jq -e '.shard.plan | test("^[0-9a-f]{16}$")' r.json
    run kgate run -c suite.yaml -o r.json --shard 1/4 --plan plan.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"plan.json:6:13: shards: expected one of 4, found '2'"* ]]
    run kgate run -c suite.yaml -o r.json --plan plan.json
    [[ "$output" == *"--plan needs --shard"* ]]
    sed -i 's/version: \[plain, fast\]/version: [plain]/' suite.yaml
    run kgate list -c suite.yaml --shard "$shard/2" --plan plan.json
    [[ "$output" == *"the suite lacks 1 case of plan.json, the first is copy/bytes=16KiB,version=fast/cpu"* ]]
    jq 'del(.cases[0])' <(kgate plan -c suite.yaml --shards 2 --json) >none.json
    run kgate list -c suite.yaml --shard "$shard/2" --plan none.json
    [[ "$output" == *"none.json lacks 1 case of the suite, the first is copy/bytes=16KiB,version=plain/cpu"* ]]
}
