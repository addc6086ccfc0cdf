load support

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

@test "without kgate-worker plugins and commands are an error that says what to do; kernels go on" {
    mkdir bin
    cp "$KGATE" bin/kgate
    process_suite 1
    run bin/kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ "$output" == *"cannot find kgate-worker, which measures plugins and commands, beside '"*"bin/kgate'"* ]]
    [[ "$output" == *"cmake --install"* ]]
    [ ! -e r.json ]
    run bin/kgate run -c suite.yaml -o r.json
    [ "$status" -eq 0 ]
    mkdir -p libexec/kgate
    cp "$(dirname "$KGATE")/kgate-worker" libexec/kgate
    run bin/kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
}

@test "kgate-worker says its protocol, and what it is for" {
    worker=$(dirname "$KGATE")/kgate-worker
    [ "$("$worker" --protocol)" = "$("$KGATE" worker --protocol)" ]
    run "$worker" --help
    [ "$status" -eq 2 ]
    [[ "$output" == "kgate-worker: kgate starts this program by itself"* ]]
}
