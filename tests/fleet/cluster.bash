# A Slurm cluster of four nodes on this machine: munged, slurmctld and a slurmd per node, on free ports and in one
# folder. It needs root, but neither systemd nor a cgroup. Every node is a namespace of processes with a machine id of
# its own. One signal ends it whole, as a power cut does.

CLUSTER_NODES="n1 n2 n3 n4"

# Skips the test where there can be no cluster.
needs_slurm() {
    local program
    for program in munged slurmctld slurmd sbatch; do
        PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || skip "no $program: ci/setup.sh installs slurm-wlm and munge for ci/test.sh --all"
    done
    [ "$(id -u)" -eq 0 ] || skip "slurmd needs root"
    unshare --mount --pid --fork --mount-proc true 2>/dev/null || skip "no namespaces of processes here"
}

# Polls a command until it succeeds; fails after $1 seconds and says so.
wait_for() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        if [ "$SECONDS" -ge "$end" ]; then
            echo "gave up after $SECONDS s: $*" >&2
            return 1
        fi
        sleep 0.1
    done
}

free_ports() { # COUNT
    python3 -c 'import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))' "$1"
}

# Nodes leave the affinity of their slurmd alone (task/none), so that each runs on the CPUs that node_cpu names.
cluster_configure() {
    local ports node i=1 host
    read -ra ports <<<"$(free_ports 5)"
    host=$(hostname -s)
    # slurmd 22.05 wants a kind of cgroup, even if nothing uses one.
    echo 'CgroupPlugin=cgroup/v1' >"$CLUSTER/cgroup.conf"
    cat >"$CLUSTER/slurm.conf" <<CONF
ClusterName=kgate
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# A lost node's job may start again after so many seconds; the default is 120.
AuthInfo=socket=$CLUSTER/munge/socket,cred_expire=20
CredType=cred/munge
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=$CLUSTER/spool/%n
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmdPidFile=$CLUSTER/slurmd.%n.pid
SlurmctldLogFile=$CLUSTER/log/slurmctld
SlurmdLogFile=$CLUSTER/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=8
KillWait=2
MinJobAge=3600
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
SlurmdParameters=config_overrides
CONF
    for node in $CLUSTER_NODES; do
        mkdir -p "$CLUSTER/spool/$node"
        echo "NodeName=$node NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[i]} CPUs=1 RealMemory=1000 State=UNKNOWN"
        i=$((i + 1))
    done >>"$CLUSTER/slurm.conf"
    cat >>"$CLUSTER/slurm.conf" <<CONF
PartitionName=bench Nodes=ALL Default=YES OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP
PartitionName=shared Nodes=ALL OverSubscribe=FORCE:2 MaxTime=INFINITE State=UP
CONF
}

# Every node has one CPU, so that all are one class of machine. The last CPU is the one of n4 alone, if there are two:
# work on that CPU slows only n4.
node_cpu() { # NODE
    python3 -c 'import os, sys
cpus = sorted(os.sched_getaffinity(0))
number = int(sys.argv[1][1:])
print(cpus[-1] if number == 4 else cpus[min(number - 1, max(0, len(cpus) - 2))])' "$1"
}

node_start() { # NODE
    head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$CLUSTER/$1.machine-id"
    # shellcheck disable=SC2016
    taskset -c "$(node_cpu "$1")" unshare --mount --pid --fork --kill-child --mount-proc sh -c '
        [ ! -e /etc/machine-id ] || mount --bind "$1" /etc/machine-id
        exec slurmd -D -N "$2"' sh "$CLUSTER/$1.machine-id" "$1" >"$CLUSTER/log/$1.out" 2>&1 3>&- &
    NODE_PIDS[$1]=$!
}

# The whole node ends at once: slurmd, its steps, kgate and the measured programs.
node_kill() { # NODE
    local first
    # The child of `unshare` is the first process of the namespace: the others end with it.
    read -r first <"/proc/${NODE_PIDS[$1]}/task/${NODE_PIDS[$1]}/children" || true
    kill -KILL "${first:-${NODE_PIDS[$1]}}"
    wait "${NODE_PIDS[$1]}" 2>/dev/null || true
    unset "NODE_PIDS[$1]"
}

nodes_idle() { # COUNT
    [ "$(sinfo --noheader --Node --partition=bench --states=idle | wc -l)" -ge "$1" ]
}

cluster_start() { # FOLDER
    local node
    CLUSTER=$1
    export PATH=$PATH:/usr/sbin SLURM_CONF=$CLUSTER/slurm.conf
    declare -gA NODE_PIDS=()
    DAEMON_PIDS=()
    mkdir -p "$CLUSTER"/{munge,state,log}
    head -c 1024 /dev/urandom >"$CLUSTER/munge/key"
    chmod 600 "$CLUSTER/munge/key"
    cluster_configure
    munged --foreground --force --key-file="$CLUSTER/munge/key" --socket="$CLUSTER/munge/socket" --pid-file="$CLUSTER/munge/pid" \
        --log-file="$CLUSTER/munge/log" --seed-file="$CLUSTER/munge/seed" --num-threads=2 >"$CLUSTER/log/munged" 2>&1 3>&- &
    DAEMON_PIDS+=($!)
    wait_for 60 [ -S "$CLUSTER/munge/socket" ]
    slurmctld -D -c >"$CLUSTER/log/slurmctld.out" 2>&1 3>&- &
    DAEMON_PIDS+=($!)
    for node in $CLUSTER_NODES; do node_start "$node"; done
    wait_for 120 nodes_idle 4
}

# Ends every process of the cluster by its id.
cluster_stop() {
    local pid node
    for node in "${!NODE_PIDS[@]}"; do node_kill "$node"; done
    for pid in "${DAEMON_PIDS[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
    for pid in "${DAEMON_PIDS[@]}"; do wait "$pid" 2>/dev/null || true; done
    DAEMON_PIDS=()
}

# State of a job or of a task of an array (12, 12_3), such as RUNNING, CANCELLED, TIMEOUT.
job_state() { # JOB
    scontrol --oneliner show job "$1" 2>/dev/null | sed -n '1s/.* JobState=\([^ ]*\).*/\1/p'
}

# Whether a job has ended, in any way.
job_ended() { # JOB
    case $(job_state "$1") in PENDING | RUNNING | COMPLETING | REQUEUED | CONFIGURING | '') return 1 ;; esac
}

job_is() { # JOB STATE
    [ "$(job_state "$1")" = "$2" ]
}

# The job, or task of an array, that runs on a node.
job_on() { # NODE
    squeue --noheader --nodelist="$1" --states=RUNNING --format=%i | head -n 1
}
