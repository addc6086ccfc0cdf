# What the command-line tests share. KGATE is the program, SOURCE the repository.
setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    unset CI JENKINS_URL TF_BUILD NO_COLOR XDG_CONFIG_HOME # where these tests run is no part of them
    scheduler_clear
    export LC_ALL=C.UTF-8 # without a word of UTF-8 a terminal is shown ASCII
    export HOME=$BATS_TEST_TMPDIR XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    git_bare
    # What the CPU can do takes a second to measure: the tests of a file share it.
    if ls "$BATS_FILE_TMPDIR"/cpu-ceilings-* >/dev/null 2>&1; then
        mkdir -p cache/kgate
        cp "$BATS_FILE_TMPDIR"/cpu-ceilings-* cache/kgate
    fi
    export ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=${KGATE_LEAKS:-1}
    export UBSAN_OPTIONS=halt_on_error=1
    cat >suite.yaml <<'YAML'
version: 1
suite: small
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 50%, rounds: {min: 3, max: 6}, min_time: 2ms, threads: 1, timeout: 120s}
workloads:
  - name: copy
    kernel: copy
    params: {bytes: 16KiB}
    matrix: {version: [plain, fast]}
YAML
}

# git as where nobody has configured it: what the user's configuration says, or a hook that runs the tests, is
# no part of them.
git_bare() {
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
    export GIT_AUTHOR_NAME=nobody GIT_AUTHOR_EMAIL=nobody@example.invalid
    export GIT_COMMITTER_NAME=nobody GIT_COMMITTER_EMAIL=nobody@example.invalid
    unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_CONFIG_COUNT
}

# No scheduler started this shell.
scheduler_clear() {
    local name
    for name in $(compgen -v SLURM) $(compgen -v BUILDKITE) CI_NODE_INDEX CI_NODE_TOTAL CI_PIPELINE_ID \
        JOB_COMPLETION_INDEX GITHUB_RUN_ID GITHUB_RUN_ATTEMPT; do
        unset "$name"
    done
}

teardown() {
    cp "$XDG_CACHE_HOME"/kgate/cpu-ceilings-* "$BATS_FILE_TMPDIR" 2>/dev/null || true
}

kgate() { "$KGATE" "$@"; }

# A suite of one workload, given as lines of YAML.
suite_of() {
    {
        echo 'version: 1'
        echo 'suite: one'
        echo 'defaults: {sample_time: 0ns, trace: no, disturbance: 100%, rounds: {min: 2, max: 4}, min_time: 2ms, threads: 1, timeout: 120s}'
        echo 'workloads:'
        cat
    } >one.yaml
}

# The same, and its cases are looked at apart from their rounds, at their functions for $1.
looked_suite_of() {
    suite_of
    sed -i "s/sample_time: 0ns, trace: no/sample_time: ${1:-0ns}/" one.yaml
}

# Multiplies all times of a results file by $2. Nothing is known of its code, which would be called unchanged.
scale() { jq "(.cases[].rounds.median_ns) |= map(. * $2) | del(.cases[].code_hash)" "$1"; }

# The results $1 as if they had been measured $2 seconds later: another run of the same times.
later() { jq --argjson seconds "$2" '.created |= (fromdate + $seconds | todate)' "$1"; }

# The process with number $1 has ended. Who adopted it may not have collected its status, as the first process of some
# containers never does.
ended() { ! grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status"; }

# Waits until the file $1 has more than $2 lines, as the journal of a run that goes on: for two minutes
# on a machine that is slow or busy. What follows finds out whether they are there.
lines_wait() {
    for _ in $(seq 1200); do
        [ "$(cat "$1" 2>/dev/null | wc -l)" -gt "$2" ] && break
        sleep 0.1
    done
}

# A workload `sh stop.sh` sends signal $1 to the kgate that measures it, if the shell command $2 succeeds. So the moment
# depends on no clock. `stopped` starts that kgate.
stop_when() { printf '%s || exit 0\nkill -%s "$(cat kgate.pid)"\nsleep 600\n' "$2" "$1" >stop.sh; }

# Runs kgate, with its process number in kgate.pid and its output in `said`. A background shell may ignore Ctrl-C.
stopped() {
    status=0
    sh -c 'echo $$ >kgate.pid; exec env --default-signal=INT "$0" "$@"' "$KGATE" "$@" >said 2>&1 || status=$?
    cat said
}

# After `run` of a gate or an ab of what is the same twice: it passes, or, on a busy machine, is open.
passes_or_open() { [ "$status" -eq 0 ] || [ "$status" -eq 4 ]; }

# Skips the test where nobody can say how long a process waited for a CPU.
needs_waits() { grep -q . /proc/self/schedstat 2>/dev/null || skip "no /proc/PID/schedstat"; }

# Skips the test where nothing counts instructions.
needs_valgrind() { command -v valgrind >/dev/null || skip "no valgrind"; }

# A results file as if every round had met what the first did: what the others scatter, on a machine
# that does other things too, must not decide a test.
agreeing() {
    jq '.cases[].rounds |= (del(.disturbance, .wait_ns, .stolen_ns)
                            | map_values(.[0] as $first | map($first)))' "$1"
}

# Validates a file against its schema under docs/schema.
valid() { /usr/bin/python3 -W ignore -m jsonschema -i "$1" "$SOURCE"/docs/schema/"$2".v*.schema.json; }
