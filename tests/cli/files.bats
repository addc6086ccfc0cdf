load support

@test "results, comparison and baseline follow their schemas" {
    kgate gate -c suite.yaml -b base -o out --update-missing -q
    kgate gate -c suite.yaml -b base -o out -q || true
    valid out/results.json results
    valid out/comparison.json comparison
    valid base/*.json baseline
    suite_of <<YAML
  - {name: broken, plugin: $PLUGINS/libbroken.so, workload: crash, tags: [a]}
  - {name: copy, kernel: copy, devices: [cuda], budget: {time: "<= 1s"}}
YAML
    kgate gate -c one.yaml -b base -o out -q || true
    valid out/results.json results
    valid out/comparison.json comparison
}

@test "compare: equal files pass, slower ones fail, faster ones pass" {
    kgate run -c suite.yaml -o r.json -q --set rounds.min=6
    agreeing r.json >a.json
    run kgate compare a.json a.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"2 unchanged"* ]]
    scale a.json 2 >slow.json
    run kgate compare a.json slow.json -o reports
    [ "$status" -eq 1 ]
    [ -s reports/report.md ] && [ -s reports/comparison.json ]
    run kgate compare slow.json a.json
    [ "$status" -eq 0 ]
    [[ "$output" == *IMPROVEMENT* ]]
    run kgate report reports/comparison.json --format markdown
    [ "$status" -eq 0 ]
    diff <(echo "$output") reports/report.md
}

@test "compare refuses what it cannot read: exit 2, with file and field" {
    kgate run -c suite.yaml -o a.json -q
    run kgate compare a.json none.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"none.json"*"No such file"* ]]
    jq '.cases[1].rounds.cpu_ns[0] = "x"' a.json >bad.json
    run kgate compare a.json bad.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"bad.json"*"cases[1].rounds.cpu_ns[0]: expected a number, found a string"* ]]
    echo '{"schema": "other.v1"}' >other.json
    run kgate compare other.json a.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"expected 'kgate.results.v1', found 'other.v1'"* ]]
    : >empty.json
    run kgate compare a.json empty.json
    [ "$status" -eq 2 ]
}

@test "a file of a newer version is refused with the version's name" {
    local kind message="this kgate reads up to v1)"
    for kind in results baseline comparison suggestions calibration profile journal; do
        echo "{\"schema\": \"kgate.$kind.v99\"}" >newer.json
        run kgate report newer.json
        [ "$status" -eq 2 ]
        [[ "$output" == *"newer.json"*"written by a newer kgate (kgate.$kind.v99; $message"* ]]
    done
    for kind in results baseline; do
        echo "{\"schema\": \"kgate.$kind.v99\"}" >newer.json
        run kgate compare newer.json "$SOURCE/tests/data/results.json"
        [ "$status" -eq 2 ]
        [[ "$output" == *"newer.json"*"written by a newer kgate (kgate.$kind.v99; $message"* ]]
    done
    mkdir base
    mv newer.json "base/$(jq -r .fingerprint "$SOURCE/tests/data/baseline.json").json"
    run kgate baseline update "$SOURCE/tests/data/results.json" -b base
    [ "$status" -eq 2 ]
    [[ "$output" == *"written by a newer kgate (kgate.baseline.v99; $message"* ]]
}

@test "compare takes a baseline file too" {
    kgate run -c suite.yaml -o r.json -q --set rounds.min=6
    agreeing r.json >a.json
    kgate baseline update a.json -b base -q
    run kgate compare base/*.json a.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"2 unchanged"* ]]
}

@test "baseline: update, pin, list, show, prune" {
    kgate run -c suite.yaml -o a.json -q
    run kgate baseline list -b base
    [ "$status" -eq 0 ]
    [[ "$output" == "no baselines in base" ]]
    kgate baseline update a.json -b base
    kgate baseline update a.json -b base --pin v1.2
    run kgate baseline update a.json -b base --pin v1.2
    [ "$status" -eq 2 ]
    [[ "$output" == *"pinned run 'v1.2'"* ]]
    run kgate baseline list -b base
    [[ "$output" == *"2 runs, 1 pinned"* ]]
    run kgate baseline show -b base
    [ "$(grep -c ' 2 cases, builds kept' <<<"$output")" -eq 2 ]
    [[ "$output" == *"pinned as v1.2"* ]]
    run kgate baseline prune -b base --pin v1.2
    [[ "$output" == "removed 1 run" ]]
    for i in 1 2 3 4 5 6; do
        later a.json $i >b.json
        kgate baseline update b.json -b base -q --keep 3
    done
    run kgate baseline show -b base
    [ "$(grep -c ' 2 cases' <<<"$output")" -eq 3 ]
}

@test "two writers at once lose no run" {
    kgate run -c suite.yaml -o a.json -q
    for i in 1 2 3 4 5 6 7 8; do later a.json $i >a$i.json; done
    for i in 1 2 3 4 5 6 7 8; do kgate baseline update a$i.json -b base -q --keep 20 & done
    wait
    run kgate baseline show -b base
    [ "$(grep -c ' 2 cases' <<<"$output")" -eq 8 ]
}

@test "a full disk keeps the old file, says so, and exits 3" {
    kgate run -c suite.yaml -o a.json -q
    kgate baseline update a.json -b base -q
    before=$(cat base/*.json)
    later a.json 1 >b.json
    run bash -c "trap '' XFSZ; ulimit -f 1; '$KGATE' baseline update b.json -b base"
    [ "$status" -eq 3 ]
    [[ "$output" == *"cannot write"* ]]
    [ "$before" = "$(cat base/*.json)" ]
    [ "$(find base -maxdepth 1 -name '*.json*' | wc -l)" -eq 1 ]
    run bash -c "'$KGATE' report a.json >/dev/full"
    [ "$status" -eq 3 ]
}

@test "a limit on the size of files fails the write, not kgate: exit 3" {
    run bash -c "ulimit -f 4; '$KGATE' run -c suite.yaml -o a.json -q --set rounds.min=60 --set rounds.max=60"
    [ "$status" -eq 3 ]
    [[ "$output" == *"cannot write"*"File too large"* ]]
    [ ! -e a.json ]
}

@test "workers and what they run have that limit's signal as it is by itself" {
    # Bit 24 of a process's ignored signals is SIGXFSZ; the parent of a command is its worker.
    cat >ignores.sh <<'SH'
for process in $$ $PPID; do
    ignored=$(sed -n 's/^SigIgn:[[:space:]]*//p' "/proc/$process/status")
    [ $((0x$ignored >> 24 & 1)) -eq 0 ] || exit 1
done
SH
    suite_of <<<'  - {name: job, command: [sh, ignores.sh]}'
    kgate run -c one.yaml -o a.json -q
    jq -e '.cases[0].status == "OK"' a.json
}

@test "files without pace, probes, counters and metrics load and compare" {
    kgate run -c suite.yaml -o measured.json -q --set rounds.min=6
    agreeing measured.json >r.json
    jq 'del(.probes, .cases[].series[2:], .cases[].metrics, .cases[].rounds.pulse_ns)' r.json >less.json
    run kgate compare less.json r.json
    [ "$status" -eq 0 ]
    run kgate compare r.json less.json
    [ "$status" -eq 0 ]
    kgate baseline update less.json -b base
    for file in base/*.json; do
        jq 'del(.runs[].cases[].batch) | .runs[].cases[].series |= map(select(.name == "time" or .name == "peak_memory"))' \
            "$file" >less.json
        mv less.json "$file"
    done
    run kgate gate -c suite.yaml -b base -o out
    # this machine may be busier than it was
    [ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 4 ]
    valid out/comparison.json comparison
}

@test "a gate keeps the batch that its baseline had" {
    kgate run -c suite.yaml -o r.json -q
    jq '(.cases[].rounds.batch) |= map(. * 2)' r.json >doubled.json
    kgate baseline update doubled.json -b base
    kgate gate -c suite.yaml -b base -o out -q || true
    [ "$(jq -c '[.cases[].rounds.batch[0]]' out/results.json)" = "$(jq -c '[.cases[].rounds.batch[0]]' doubled.json)" ]
    kgate run -c suite.yaml -o again.json -b base -q
    [ "$(jq -c '[.cases[].rounds.batch[0]]' again.json)" = "$(jq -c '[.cases[].rounds.batch[0]]' doubled.json)" ]
}

@test "no command writes over a file that it reads" {
    kgate run -c suite.yaml -o r.json >/dev/null
    cp r.json kept.json
    cp suite.yaml kept.yaml
    ln -s r.json link.json
    for command in "report r.json --format csv -o r.json" "report r.json --format csv -o ./link.json" \
        "suggest r.json -o r.json" "explain r.json -o r.json" "compare r.json kept.json -o r.json" \
        "run -c suite.yaml -o suite.yaml" "run -o suite.yaml -- cat suite.yaml"; do
        # shellcheck disable=SC2086
        run kgate $command
        [ "$status" -eq 2 ]
        [[ "$output" == *"-o names '"*"', which is also an input and would be overwritten: name another file"* ]]
    done
    run kgate run --export suite.yaml -- cat suite.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"--export names 'suite.yaml'"* ]]
    cmp r.json kept.json
    cmp suite.yaml kept.yaml
    run kgate report r.json --format csv -o other.csv
    [ "$status" -eq 0 ]
}

@test "out of memory: one line, status 3" {
    printf '{"schema": "kgate.results.v1",' >large.json
    truncate -s 250M large.json
    [ -z "$SANITIZED" ] || skip "AddressSanitizer needs terabytes of addresses"
    # OpenBLAS waits for ever for a thread that it cannot start
    run env OPENBLAS_NUM_THREADS=1 bash -c 'ulimit -v 200000; exec "$0" compare large.json large.json' "$KGATE"
    [ "$status" -eq 3 ]
    [[ $output == "kgate: out of memory"* ]]
    [ "${#lines[@]}" -eq 1 ]
}
