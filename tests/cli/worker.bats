load support

bats_require_minimum_version 1.5.0

unset OMP_NUM_THREADS OMP_PROC_BIND OMP_WAIT_POLICY GOMP_SPINCOUNT # nproc reads the first, kgate all

# A plugin that says what it finds in the process that measures it.
process_suite() { # VALUES of threads
    suite_of <<YAML
  - name: it
    plugin: $PLUGINS/libprocess.so
    threads: 2
    matrix: {threads: [$1]}
YAML
}

counter() { # RESULTS CASE NAME: the values of all rounds
    jq -c --arg name "$3" ".cases[$2].series[] | select(.name == \$name) | .values | unique" "$1"
}

@test "a sandbox without pidfd_open: cases are measured, a crash, a time-out and an end are told apart" {
    run "$PLUGINS/without_call" pidfd_open /bin/true
    [ "$status" -ne 77 ] || skip "this kernel makes no such sandbox"
    suite_of <<YAML
  - {name: copy, kernel: copy, params: {bytes: 16KiB, version: plain}}
  - {name: job, command: ["true"]}
  - {name: fails, command: ["false"]}
  - {name: hangs, command: ["sleep", "100"], timeout: 2s}
  - {name: crashes, plugin: $PLUGINS/libbroken.so, workload: crash}
YAML
    run -3 "$PLUGINS/without_call" pidfd_open "$KGATE" run -c one.yaml -o r.json
    jq -e '[.cases[].status] == ["OK", "OK", "FAILED", "FAILED", "FAILED"]' r.json
    jq -e '[.cases[] | (.reason // "")] | (.[3] | test("timed out after 2 s")) and (.[4] | test("crashed: signal"))' r.json
    # beside a worker that takes turns with another
    run "$PLUGINS/without_call" pidfd_open "$KGATE" ab -c one.yaml --filter 'copy/*' --base "$KGATE" --head "$KGATE" --measure-unchanged -o out
    passes_or_open
}

@test "a plugin is alone in its process: one thread, and no library of kgate's own" {
    [ -z "$SANITIZED" ] || skip "sanitized programs have a thread and libraries of their own"
    process_suite 1
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    [ "$(counter r.json 0 threads)" = "[1]" ]
    [ "$(counter r.json 0 libraries_of_kgate)" = "[0]" ]
    # what it looked at is not empty
    [ "$(counter r.json 0 libraries_of_system)" != "[0]" ]
}

@test "threads that were put on CPUs of their own may use all again" {
    [ -z "$SANITIZED" ] || skip "sanitized programs have a thread of their own"
    process_suite 2
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    [ "$(counter r.json 0 threads)" = "[2]" ]
    [ "$(counter r.json 0 cpus)" = "[$(nproc)]" ]
    [ "$(counter r.json 0 other_cpus)" = "[$(nproc)]" ]
}

@test "without its kernels kgate says where it looked; plugins and commands go on" {
    mkdir bin
    cp "$KGATE" bin/kgate
    process_suite 1
    run bin/kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    run -3 bin/kgate run -c suite.yaml -o s.json
    [[ "$output" == *"suite.yaml:"*"beside '"*"bin/kgate' there is no 'kgate-kernels/"*".so' or '../lib"*"/kgate/kernels/"*"cmake --install"* ]]
    [ ! -e s.json ]
    cp -r "$(dirname "$KGATE")/kgate-kernels" bin/
    run bin/kgate run -c suite.yaml -o s.json
    [ "$status" -eq 0 ]
}

@test "a worker may use the CPUs that kgate was started on, also where OpenMP binds kgate itself" {
    [ "$(nproc)" -ge 2 ] || skip "one CPU"
    process_suite 1
    OMP_PROC_BIND=true run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    [ "$(counter r.json 0 cpus)" = "[$(nproc)]" ]
    [ "$(jq .machine.cpu_count r.json)" -eq "$(nproc)" ]
    [ "$(jq -r '.cases[0].note' r.json)" = "the environment sets how threads run or wait: OMP_PROC_BIND" ]
}

@test "fewer CPUs than threads, by whoever started kgate: respected and said" {
    [ "$(nproc)" -ge 2 ] || skip "one CPU"
    process_suite 2
    cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    run taskset -c "$cpu" "$KGATE" run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    [ "$(counter r.json 0 cpus)" = "[1]" ]
    [[ "$(jq -r '.cases[0].note' r.json)" == "2 threads share 1 CPU: kgate may use only these of "* ]]
}

@test "the environment's number of threads holds where the suite has none, and is said" {
    cat >one.yaml <<YAML
version: 1
suite: one
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, rounds: {min: 2, max: 2}, min_time: 2ms}
workloads:
  - name: all
    command: [sh, -c, 'test "\$OMP_NUM_THREADS,\$OPENBLAS_NUM_THREADS,\$OMP_DYNAMIC" = 3,3,true']
  - name: one
    command: [sh, -c, 'test "\$OMP_NUM_THREADS,\$OPENBLAS_NUM_THREADS,\$OMP_DYNAMIC" = 1,1,true']
    threads: 1
YAML
    OMP_NUM_THREADS=3,2 OMP_DYNAMIC=true run kgate run -c one.yaml -o r.json
    echo "$output"
    # as the user wrote it: a list
    [ "$status" -eq 3 ]
    OMP_NUM_THREADS=3 OMP_DYNAMIC=true run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    [ "$(jq -c '[.cases[].threads]' r.json)" = "[3,1]" ]
    [[ "$(jq -r '.cases[0].note' r.json)" == "OMP_NUM_THREADS in the environment sets 3 threads"* ]]
    [ "$(jq -r '.cases[1].note' r.json)" = null ]
}

@test "commands of several threads spin briefly, unless the user says how they wait" {
    cat >one.yaml <<YAML
version: 1
suite: one
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, rounds: {min: 2, max: 2}, min_time: 2ms, threads: 2}
workloads:
  - {name: it, command: [sh, -c, 'test "\$OMP_NUM_THREADS:\$GOMP_SPINCOUNT" = "\$EXPECTED"']}
YAML
    EXPECTED=2:3000 run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    EXPECTED=2:77 GOMP_SPINCOUNT=77 run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    # beside what is said of two threads on one CPU
    [[ "$(jq -r '.cases[0].note' r.json)" == *"the environment sets how threads run or wait: GOMP_SPINCOUNT" ]]
    EXPECTED=2: OMP_WAIT_POLICY=active run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    EXPECTED=1: run kgate run -c one.yaml -o r.json --set threads=1
    [ "$status" -eq 0 ]
}

# A plugin over a library of its own beside it, which the loader finds by $ORIGIN.
pages_suite() {
    mkdir -p plug
    cp "$PLUGINS/libpages.so" plug/libinner.so
    : | cc -shared -fPIC -o plug/libouter.so -x c - -Wl,--no-as-needed -Lplug -linner -Wl,-rpath,'$ORIGIN'
    suite_of <<YAML
  - {name: alone, plugin: $PLUGINS/libpages.so}
  - {name: both, plugin: plug/libouter.so, workload: pages}
YAML
}

@test "a plugin and the libraries that it brings have pages of their own in each process" {
    pages_suite
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    for case in 0 1; do
        [ "$(counter r.json $case own_kib)" = "$(counter r.json $case resident_kib)" ]
        [ "$(counter r.json $case own_kib | jq '.[0] > 64')" = true ]
    done
    # it is still known by its name
    jq -e '.cases[1] | .target == "plug/libouter.so:pages" and any(.libraries[]; startswith("libinner.so "))' r.json
}

@test "where code may not be written a plugin keeps the pages of its file, and a note says so" {
    pages_suite
    # PR_SET_MDWE: what was written to is not executed
    run /usr/bin/python3 -c 'import ctypes, os, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0): sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])' "$KGATE" run -c one.yaml -o r.json
    [ "$status" -ne 77 ] || skip "this kernel forbids no such thing"
    [ "$status" -eq 0 ]
    jq -e '.cases[0] | .status == "OK" and (.note | contains("cannot be copied to pages of its own (Permission denied)"))' r.json
}
