# The suite of the tests of a fleet, and the commands of docs/fleet.md.

# 48 cases (or $1) of a few milliseconds. In the candidate every eighth takes twelve times as long. The suite only reports that:
# the exit status is then the one of missing cases. It judges CPU time, as other programs disturb that little.
# A node with a file hold.NODE measures its first shard. In a second one a call writes hold.NODE.is and stays until
# hold.NODE goes: a test then knows that the shard is under way.
suite_make() { # [CASES]
    local side
    for side in base head; do
        mkdir "$side"
        cat >"$side/bench" <<SH
#!/bin/sh
node=$PWD/hold.\${SLURMD_NODENAME:-none}
if [ -e "\$node" ]; then
    [ -e "\$node.first" ] || echo "\$SLURM_ARRAY_TASK_ID" >"\$node.first"
    read -r first <"\$node.first"
    if [ "\$first" != "\$SLURM_ARRAY_TASK_ID" ]; then
        : >"\$node.is"
        while [ -e "\$node" ]; do sleep 0.05; done
    fi
fi
turns=1000
[ $side = base ] || [ \$((\$1 % 8)) -ne 0 ] || turns=12000
while [ \$turns -gt 0 ]; do turns=\$((turns - 1)); done
SH
        chmod +x "$side/bench"
    done
    cat >suite.yaml <<YAML
version: 1
suite: fleet
policy: {fail_on: [FAILED]}
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, cpu_time_threshold: 100%, rounds: {min: 6, max: 20}, min_time: 10ms, metrics: [cpu_time], timeout: 600s}
workloads:
  - name: pack
    command: [./bench, "{n}"]
    matrix: {n: [$(seq -s ', ' "${1:-48}")]}
YAML
}

# Runs the first block of docs/fleet.md that has $1, with the page's folder /shared here, the shortest time limit of
# Slurm, and without a second attempt for a shard of a lost node. $2: shards for `--only`.
page_run() { # PIECE [LIST]
    local block
    block=$(python3 -c 'import re, sys
blocks = re.findall(r"^```sh\n(.*?)^```", open(sys.argv[1]).read(), re.M | re.S)
print(next(block for block in blocks if sys.argv[2] in block))' "$SOURCE/docs/fleet.md" "$1")
    block=${block//\/shared/$PWD}
    block=${block/--time=30/--time=1 --no-requeue}
    block=${block/--only 6,7,8/--only ${2-}}
    run --separate-stderr bash -euc "kgate() { \"\$KGATE\" \"\$@\"; }; ${block//ci\/slurm/$SOURCE/ci/slurm}"
    echo "$output"
    echo "$stderr"
}
