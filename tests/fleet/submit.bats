# ci/slurm/submit.sh without a cluster: programs of Slurm and kgate that write down how they were called.
load ../cli/support

bats_require_minimum_version 1.5.0

setup_file() { export SUBMIT=$SOURCE/ci/slurm/submit.sh; }

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir bin
    cat >bin/sbatch <<'SH'
#!/bin/sh
echo "sbatch $*" >>calls
echo "$(wc -l <calls);cluster"
case "$*" in *--wait*) echo "PASS" >out/log/merge.log; exit 4 ;; esac
SH
    cat >bin/scontrol <<'SH'
#!/bin/sh
echo "PartitionName=quiet AllowGroups=ALL Default=YES Nodes=n[1-4] OverSubscribe=${SHARED:-EXCLUSIVE} State=UP"
[ "$#" -gt 3 ] || echo "PartitionName=other AllowGroups=ALL Default=NO Nodes=n[1-4] OverSubscribe=FORCE:4 State=UP"
SH
    printf '#!/bin/sh\necho "kgate $*" >>calls\n' >bin/kgate
    chmod +x bin/*
    export PATH=$PWD/bin:$PATH
    unset KGATE
}

submit() { run --separate-stderr "$SUBMIT" "$@"; }

@test "an array of shards, and a merge that waits for them however they end" {
    submit --shards 16 -o out --partition=quiet --time=30 --gpu-freq=high -- gate -c 'a suite.yaml' -b store --set rounds.max=9 --budget 5m
    [ "$status" -eq 0 ]
    [ "$output" = "shards: job 2
merge: job 3, report: $PWD/out/report.md" ]
    [ -z "$stderr" ]
    [ "$(sed -n 1p calls)" = "kgate plan -c a suite.yaml -b store --set rounds.max=9 --shards 16 -o $PWD/out/plan.json --quiet" ]
    [ "$(sed -n 2p calls)" = "sbatch --parsable --partition=quiet --time=30 --gpu-freq=high --array=0-15 --output=$PWD/out/log/shard-%A_%a.log ${SUBMIT%submit.sh}shard.sbatch 16 $PWD/out gate -c a suite.yaml -b store --set rounds.max=9 --budget 5m" ]
    [ "$(sed -n 3p calls)" = "sbatch --parsable --partition=quiet --dependency=afterany:2 --output=$PWD/out/log/merge.log ${SUBMIT%submit.sh}merge.sbatch $PWD/out -b store" ]
}

@test "one allocation with steps" {
    submit --shards 16 -o out --steps 4 --account=lab -- ab -c suite.yaml --base old --head new
    [ "$status" -eq 0 ]
    [ "$(sed -n 2p calls)" = "sbatch --parsable --account=lab --nodes=4 --output=$PWD/out/log/steps-%j.log ${SUBMIT%submit.sh}steps.sbatch all 16 $PWD/out ab -c suite.yaml --base old --head new" ]
}

@test "--only runs shards again; a folder with shards takes no other run" {
    mkdir -p out/shards/one
    submit --shards 16 -o out -- gate -c suite.yaml
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"has shards; give a new folder, or --only"* ]]
    submit --shards 16 -o out --only 3,16 -- gate -c suite.yaml
    [ "$status" -eq 0 ]
    [[ "$(sed -n 1p calls)" == "sbatch --parsable --array=2,15 "* ]]
    submit --shards 16 -o out --only 17 -- gate -c suite.yaml
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"--only has '17', but shards are 1 to 16"* ]]
}

@test "--wait ends with the exit status of the merge" {
    submit --shards 2 -o out --wait -- gate -c suite.yaml
    [ "$status" -eq 4 ]
    [[ "$output" == *"merge: job 3, "*PASS ]]
}

@test "a partition that shares nodes is a warning" {
    SHARED=YES:4 submit --shards 2 -o out -- gate -c suite.yaml
    [ "$status" -eq 0 ]
    [ "$stderr" = "ci/slurm/submit.sh: warning: jobs may share a node: PartitionName=quiet has OverSubscribe=YES:4. Use a partition with OverSubscribe=EXCLUSIVE." ]
}

@test "mistakes exit 2 and submit nothing" {
    for words in "" "-o out -- gate" "--shards 0 -o out -- gate" "--shards 4 -- gate" "--shards 4 -o out -- run" \
        "--shards 4 -o out gate" "--shards" "--shards 4 -o out -p quiet -- gate"; do
        # shellcheck disable=SC2086
        submit $words
        [ "$status" -eq 2 ]
        [ -n "$stderr" ]
    done
    [ ! -e calls ]
}
