#!/usr/bin/env bats
# Metrics besides time and memory, on the machine as it is.
bats_require_minimum_version 1.5.0
load support

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cat >suite.yaml <<'YAML'
version: 1
suite: metrics
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, metrics: [time, peak_memory, cpu_time, energy], rounds: {min: 3, max: 3}, min_time: 5ms}
workloads:
  - {name: copy, kernel: copy, params: {bytes: 64KiB}}
  - {name: triad, kernel: triad, params: {bytes: 64KiB}}
YAML
}

@test "CPU time and energy are measured, or one sentence says why there is no energy" {
    kgate run -c suite.yaml -o r.json -q
    valid r.json results
    jq -e 'all(.cases[]; [.series[].name] | contains(["time", "peak_memory", "cpu_time", "energy"]))' r.json
    if jq -e '.cases[0].series[] | select(.name == "energy") | .source == "powercap"' r.json; then
        jq -e 'all(.cases[]; .series[] | select(.name == "energy") | (.values | length) == 3)' r.json
    else
        jq -e '[.cases[].note // empty | select(startswith("energy is not known: "))] | length == 1' r.json
        run kgate report r.json
        [ "$(grep -c "energy is not known" <<<"$output")" -eq 1 ]
    fi
}

@test "what a suite does not ask for is not judged" {
    sed -i 's/metrics: \[[^]]*\], //' suite.yaml
    kgate run -c suite.yaml -o r.json -q
    jq -e 'all(.cases[]; [.series[] | select(.name == "energy")] == [] and .note == null)' r.json
    jq '.cases[].rounds.cpu_ns |= map(. * 3)' r.json >more.json
    run kgate compare r.json more.json --json
    jq -e 'all(.cases[].metrics[]; .name != "cpu_time")' <<<"$output"
}

@test "cpu_time goes into the baseline and out of it" {
    kgate run -c suite.yaml -o r.json -q
    kgate baseline update r.json -b store
    jq -e '.runs[0].cases[0].series | any(.name == "cpu_time" and (.values | length) == 3)' store/*.json
    valid store/*.json baseline
}

@test "thresholds of metrics are keys of the suite" {
    run kgate validate -c suite.yaml --set cpu_time_threshold=20% --set energy_threshold=30%
    [ "$status" -eq 0 ]
    run kgate validate -c suite.yaml --set metrics=time,power
    [ "$status" -eq 2 ]
    [[ "$output" == *energy* ]]
}

@test "a workload may call its figures as kgate calls its own series" {
    cat >pulse.sh <<'SH'
echo "pulse 0" >>"$KGATE_COUNTERS"
echo "mean_time 0" >>"$KGATE_COUNTERS"
SH
    cat >pulse.yaml <<'YAML'
version: 1
suite: pulse
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, rounds: {min: 2, max: 2}, min_time: 5ms}
workloads:
  - {name: job, command: [sh, pulse.sh], counters: {pulse: {better: lower, threshold: 1%}}}
YAML
    kgate gate -c pulse.yaml -b store -o out --update-missing -q
    run kgate baseline show -b store
    [ "$status" -eq 0 ]
}

@test "malloc: memory in use after the first calls, and memory that it keeps for later ones" {
    kgate run --kernel copy --param bytes=8MiB --set trace=no --rounds 1 --set disturbance=100% -o r.json -q
    valid r.json results
    # the two arrays stay until the process ends
    jq -e '.cases[0].memory | .malloc_used_bytes >= 16777216 and .malloc_used_bytes < 20e6
           and .malloc_cached_bytes >= 0 and .malloc_cached_bytes < 16e6' r.json
    run kgate explain copy/bytes=8MiB/cpu r.json
    [[ "$output" == *"memory"*"; malloc after the first calls of another process: in use 16."*" MiB, cached "* ]]
    # a command's memory belongs to other processes
    kgate run --rounds 1 --set trace=no --set disturbance=100% -o r.json -q -- true
    jq -e '.cases[0].memory | has("malloc_used_bytes") | not' r.json
}
