# A suite over a real Slurm: four nodes on this machine (cluster.bash), with the scripts of ci/slurm and the commands
# of docs/fleet.md. Every wait polls for a state.
load ../cli/support
load cluster
load page

bats_require_minimum_version 1.5.0

setup() {
    needs_slurm
    cd "$BATS_TEST_TMPDIR"
    git_bare
    export LC_ALL=C.UTF-8 XDG_CACHE_HOME=$PWD/cache KGATE
    suite_make
    cluster_start "$PWD/cluster"
}

teardown() {
    [ -z "${SLOWING:-}" ] || kill "$SLOWING" || true
    [ -z "${CLUSTER:-}" ] || cluster_stop
}

# The number of the job that submit.sh printed after a word.
job_printed() { # shards|merge
    sed -n "s/^$1: job \([0-9]*\).*/\1/p" <<<"$output"
}

# Makes the CPU of a node slower. Without a CPU of its own for the node, or if the kernel refuses, SLOWING stays empty.
node_slow() { # NODE
    [ "$(node_cpu "$1")" != "$(node_cpu n1)" ] || return 0
    python3 "$BATS_TEST_DIRNAME/interrupts.py" "$(node_cpu "$1")" >slowing 3>&- &
    SLOWING=$!
    wait_for 30 [ -s slowing ]
    grep -qx ready slowing || SLOWING=
}

hold() { for node in "$@"; do touch "hold.$node"; done; }

# Case and kind of change, one a line, of the cases that were measured.
words_of() { # COMPARISON
    jq -r '.cases[] | select(.change != "MISSING") | "\(.id) \(.change)"' "$1" | sort
}

# Shards with a case that is MISSING, one a line.
missing_shards() { # COMPARISON
    jq -r '.cases[] | select(.change == "MISSING") | .shard' "$1" | sort -nu
}

# The shard of a task of the array, such as 12_3.
shard_of() { # TASK
    echo $((${1#*_} + 1))
}

@test "a lost node, a cancelled, a late and a slowed shard: the rest is judged as on one machine" {
    local node jobs merge lost cancelled late
    node_slow n4
    hold n1 n2 n3
    page_run "submit.sh --shards 16"
    [ "$status" -eq 0 ]
    jobs=$(job_printed shards)
    merge=$(job_printed merge)
    for node in n1 n2 n3; do wait_for 120 [ -e "hold.$node.is" ]; done
    lost=$(job_on n3)
    cancelled=$(job_on n2)
    late=$(job_on n1)
    [ "${lost%_*}" = "$jobs" ]
    node_kill n3
    scancel "$cancelled"
    rm hold.n2
    wait_for 600 job_is "$late" TIMEOUT
    rm hold.n1
    wait_for 900 job_ended "$merge"
    cat out/log/merge.log
    job_is "$cancelled" CANCELLED
    job_is "$lost" NODE_FAIL
    valid out/comparison.json comparison
    # the shards that lack are named, with their nodes
    [ "$(jq .exit_status out/comparison.json)" -eq 4 ]
    [[ "$(scontrol show job "$merge")" == *"ExitCode=4:0"* ]]
    # on a busy machine the slowed node may reach the time limit too
    for task in "$lost" "$cancelled" "$late"; do missing_shards out/comparison.json | grep -qx "$(shard_of "$task")"; done
    jq -e --argjson shard "$(shard_of "$lost")" '[.cases[] | select(.shard == $shard) | .reason] | all(contains("n3"))' out/comparison.json
    grep -q n3 out/log/merge.log
    # the slowed node is named; a machine that does other things too may make the others wait for their CPU
    if [ -n "$SLOWING" ]; then
        jq -e '.nodes[] | select(.name == "n4") | .suspect and (.reason | contains("its core clock is slower"))' out/comparison.json
        grep -q 'node n4 is suspect' out/log/merge.log
        kill "$SLOWING"
        SLOWING=
    fi
    # one machine gives the same words
    taskset -c "$(node_cpu n1)" "$KGATE" ab -c suite.yaml --base base --head head -o one >one.txt
    words_of out/comparison.json >measured
    words_of one/comparison.json | grep -Ff <(cut -d' ' -f1 measured | sed 's/$/ /') >expected
    diff expected measured
    grep -q REGRESSION measured
    # the missing shards, on the nodes that are left
    rm hold.n3
    missing=$(missing_shards out/comparison.json | paste -sd,)
    page_run "--only" "$missing"
    [ "$status" -eq 0 ]
    [ -z "$(missing_shards out/comparison.json)" ]
    diff <(words_of one/comparison.json) <(words_of out/comparison.json)
}

@test "a shard of a lost node starts again on another node" {
    hold n3
    run "$SOURCE/ci/slurm/submit.sh" --shards 8 -o out -- ab -c suite.yaml --base base --head head
    [ "$status" -eq 0 ]
    wait_for 120 [ -e hold.n3.is ]
    lost=$(shard_of "$(job_on n3)")
    node_kill n3
    wait_for 900 job_ended "$(job_printed merge)"
    cat out/log/merge.log
    [ "$(jq .exit_status out/comparison.json)" -eq 0 ]
    [ -z "$(missing_shards out/comparison.json)" ]
    [ "$(jq -r --argjson shard "$lost" '[.cases[] | select(.shard == $shard) | .node] | unique | length' out/comparison.json)" -eq 1 ]
    ls -d out/shards/*.attempt-2
    jq -e '.notes | tostring | contains("attempt 1")' out/comparison.json
}

@test "one allocation measures more shards than it has nodes" {
    run "$SOURCE/ci/slurm/submit.sh" --shards 6 -o out --steps 4 --wait -- ab -c suite.yaml --base base --head head
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(jq -r '[.cases[].node] | unique | length' out/comparison.json)" -eq 4 ]
    [ "$(jq '.cases | length' out/comparison.json)" -eq 48 ]
}

@test "gate: merged results become the baseline of the next run" {
    cp base/bench .
    run "$SOURCE/ci/slurm/submit.sh" --shards 4 -o out --wait -- gate -c suite.yaml -b baselines
    echo "$output"
    [ "$status" -eq 4 ]
    page_run "kgate baseline update"
    [ "$status" -eq 0 ]
    run "$SOURCE/ci/slurm/submit.sh" --shards 4 -o out2 --wait -- gate -c suite.yaml -b baselines
    echo "$output"
    [ "$(jq '[.cases[] | select(.change == "NEW" or .change == "MISSING")] | length' out2/comparison.json)" -eq 0 ]
    [ "$(jq '.cases | length' out2/comparison.json)" -eq 48 ]
}

@test "a partition that shares nodes is named" {
    run --separate-stderr "$SOURCE/ci/slurm/submit.sh" --shards 2 -o out --partition=shared --hold -- ab -c suite.yaml --base base --head head
    [ "$status" -eq 0 ]
    [[ "$stderr" == *"PartitionName=shared has OverSubscribe=FORCE:2"* ]]
    scancel "$(job_printed shards)" "$(job_printed merge)"
}
