# Calls of a function with the arguments of an earlier call, counted at hardware breakpoints.
load support

bats_require_minimum_version 1.5.0

repeats_run() {
    needs_valgrind
    looked_suite_of 100ms <<YAML
$(for name in "$@"; do
        echo "  - {name: $name, plugin: $PLUGINS/librepeats.so, workload: $name}"
    done)
YAML
    kgate run -c one.yaml -o r.json -q
    valid r.json results
    ! jq -e '[.cases[].hot | .sampled, .system_calls, .repeats | .reason // ""] | any(test("ptrace|breakpoints|stop"))' r.json >/dev/null ||
        skip "$(jq -r '[.cases[].hot | .sampled, .system_calls, .repeats | .reason // empty][0]' r.json)"
}

@test "equal arguments are counted, and the advice has the figures" {
    repeats_run same
    jq -e '.cases[0].hot.repeats | .source == "ptrace" and .reason == null and .functions == [
        .functions[0] + {calls: 60, repeated: 59}] and .functions[0].place.function == "fill_table"' r.json
    run -0 kgate suggest r.json
    [[ "$output" == *"repeated_work"*"59 of 60 calls had the arguments of an earlier call"*"Ignore this if its result also"* ]]
    # the kept profile has the counts too
    kgate run -c one.yaml -o again.json -q
    [ "$(jq -c .cases[0].hot r.json)" = "$(jq -c .cases[0].hot again.json)" ]
}

@test "a function with other arguments each time repeats nothing" {
    repeats_run others
    jq -e '.cases[0].hot.repeats.functions[0] | .calls == 60 and .repeated == 0' r.json
    run kgate suggest r.json
    [[ "$output" != *repeated_work* ]]
}

@test "a command's program is watched from its start" {
    needs_valgrind
    looked_suite_of 100ms <<YAML
  - {name: program, command: [$PLUGINS/repeats_program]}
YAML
    kgate run -c one.yaml -o r.json -q
    jq -e '.cases[0].hot.repeats.reason == null' r.json || skip "$(jq -r .cases[0].hot.repeats.reason r.json)"
    jq -e '.cases[0].hot.repeats.functions[0] | .calls >= 8 and .repeated == .calls - 2' r.json
}
