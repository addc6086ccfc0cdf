# The loop around the hottest instruction, where there are samples.
load support

@test "the hottest loop is found, disassembled and shown" {
    looked_suite_of 200ms <<<"  - {name: computing, plugin: $PLUGINS/libcalls.so, workload: computing}"
    kgate run -c one.yaml -o r.json -q
    valid r.json results
    jq -e '.cases[0].hot.sampled.source == "ptrace"' r.json >/dev/null ||
        skip "$(jq -r '.cases[0].hot.sampled.reason' r.json)"
    # a counter that goes through memory: a load, a store, an addition, a jump
    jq -e '.cases[0].hot.loops[0] | .place.function == "computing" and .share > 0.5 and .loads >= 1
           and .stores >= 1 and .calls == 0 and (.whole_function // false) == false
           and .chain_cycles >= 4 and (.code | length > 2) and .code_hottest < (.code | length)' r.json
    run kgate explain computing r.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"the hottest loop"*"of the samples, in computing"*"  > "*"an iteration "*"instructions"* ]]
}
