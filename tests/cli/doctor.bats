load support

@test "doctor says what it found, and in one sentence what that means" {
    run --separate-stderr kgate doctor --seconds 1
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == *level*topic*found* ]]
    [[ "$output" == *"pinning"* && "$output" == *"compute noise"* && "$output" == *"memory noise"* ]]
    [[ "${lines[-1]}" == "compute repeats within "*"memory within "*"stored baselines with a 5 % threshold"* ]]
    [[ "$output" != *$'\x1b'* ]]
}

@test "doctor --json is the same for machines" {
    kgate doctor --seconds 1 --json >doctor.json
    jq -e '.schema == "kgate.doctor.v1" and .threshold == 0.05' doctor.json
    jq -e '.warnings == ([.findings[] | select(.level == "warning")] | length)' doctor.json
    jq -e 'all(.findings[]; (.level | IN("good", "note", "warning")) and (.topic | length > 0)
                            and (.found | length > 0))' doctor.json
    jq -e '.noise | .seconds == 1 and .compute.samples > 0 and .memory.samples > 0
                    and (.cpus | length) <= .cpus_most' doctor.json
}

@test "doctor --seconds 0 measures nothing" {
    kgate doctor --seconds 0 --json >doctor.json
    jq -e '.noise.compute.samples == 0 and .noise.cpus == [] and .noise.pause_ns == null' doctor.json
    jq -e '.summary == "noise was not measured"' doctor.json
}

@test "doctor --quiet prints warnings only" {
    run kgate doctor --seconds 0 --quiet
    [ "$status" -eq 0 ]
    [[ "$output" != *$'\n  good '* && "$output" != *$'\n  note '* ]]
    [[ "$output" != *"was not measured"* ]]
}

@test "doctor sees that it may use one CPU only" {
    first=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
    run taskset -c "$first" "$KGATE" doctor --seconds 0 --quiet
    [ "$status" -eq 0 ]
    [[ "$output" == *"only CPU $first is allowed"* ]]
}

@test "wrong options of doctor exit 2, output that cannot be written 3" {
    run kgate doctor --secnods 1
    [ "$status" -eq 2 ]
    [[ "$output" == *"did you mean '--seconds'?"* ]]
    run kgate doctor --seconds soon
    [ "$status" -eq 2 ]
    run kgate doctor --seconds 601
    [ "$status" -eq 2 ]
    run kgate doctor extra
    [ "$status" -eq 2 ]
    run bash -c "'$KGATE' doctor --seconds 0 >/dev/full"
    [ "$status" -eq 3 ]
}
