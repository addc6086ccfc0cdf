# kgate history export --format prior: what a history knows of the noise, in a gate.
bats_require_minimum_version 1.5.0
load support

# A suite of two copies, a store with one run, and results h1.json to h$1.json, an hour apart. Their times differ by
# $2 per cent between runs, and by a tenth of that between rounds.
past() {
    local i
    if [ ! -e "$BATS_FILE_TMPDIR/r.json" ]; then
        kgate run -c suite.yaml -o "$BATS_FILE_TMPDIR/r.json" -q
    fi
    for i in $(seq 0 "$1"); do
        jq --argjson i "$i" --argjson s "$2" '
            def wave(n): (n * 12.9898 | sin) * 43758.5453 | . - floor - 0.5;
            .created |= (fromdate + 3600 * $i | todate) | .commit = "c\($i)" | .branch = "main"
            | .cases[] |= (.order = 0 | .code_hash = null
                | .rounds.median_ns |= [range(length) as $r
                    | 1000 * (1 + $s / 100 * wave($i + 1) * 2 + $s / 1000 * wave(17 * $i + $r + 3) * 2)]
                | .rounds.mean_ns = .rounds.median_ns | .rounds.disturbance |= map(0) | del(.rounds.pulse_ns))' "$BATS_FILE_TMPDIR/r.json" >"h$i.json"
    done
    kgate baseline update h0.json -q
    machine=$(jq -r .machine.fingerprint h0.json)
    prior=baselines/$machine.prior.json
}

added() { for i in $(seq "$1"); do kgate history add "h$i.json" -q --history "${2:-kgate-history.db}"; done; }

# Slows the times of results by $1 per cent.
slowed() { jq --argjson p "$1" '.created = "2030-01-01T00:00:00Z" | .cases[].rounds.median_ns |= map(. * (1 + $p / 100))' h0.json >slow.json; }

@test "an exported prior is beside the baseline, valid, and a gate says that it uses it" {
    past 12 1
    added 12
    run -0 kgate history export --format prior
    [ "$output" = "wrote the noise of 4 series, from up to 12 runs, to $prior" ]
    valid "$prior" prior
    jq -e '[.series[] | select(.metric == "time")] | length == 2 and all(.runs == 12
        and .between_freedom > 9 and .between_freedom < 12 and .within_freedom > 0
        and (.between | sqrt) > 0.003 and (.between | sqrt) < 0.01 and .within < .between)' "$prior"
    kgate compare "baselines/$machine.json" h1.json -o out >/dev/null || true
    jq -e '.prior_cases == 2 and .prior_runs == 12 and any(.notes[]; startswith("prior of 12 runs: the noise of 2 cases"))
        and all(.notes[]; contains("noise between runs is unknown") | not)' out/comparison.json
    kgate gate -c suite.yaml -o gated -q || true
    jq -e 'any(.notes[]; startswith("prior of 12 runs"))' gated/comparison.json
    run -0 kgate baseline list
    [[ "$output" == *"$machine"* && "$output" != *prior* ]]
    # to another place
    kgate history export --format prior -o elsewhere.json -q
    diff <(jq 'del(.created)' elsewhere.json) <(jq 'del(.created)' "$prior")
    run -2 kgate history export --format prior --machine none-1cpu-1gib-0
    [[ "$output" == *"has no machine 'none-1cpu-1gib-0'"* ]]
}

@test "the prior tells one stored run how runs differ: a usual difference is no REGRESSION" {
    past 12 20
    slowed 20
    jq '.sequential = false | .cases[].series |= map(if .name == "time" then .threshold = 0.05 else . end)' slow.json >narrow.json
    run -1 kgate compare "baselines/$machine.json" narrow.json
    added 12
    kgate history export --format prior -q
    run kgate compare "baselines/$machine.json" narrow.json
    [ "$status" -ne 1 ]
    [[ "$output" != *REGRESSION* ]]
}

@test "a damaged, newer or foreign prior is an error with its path, before kgate measures" {
    past 5 1
    added 5
    kgate history export --format prior -q
    cp "$prior" good.json
    for change in '.schema = "kgate.prior.v2"' '.fingerprint = "other-1cpu-1gib-0"' '.series[0].between_freedom = 1e9' \
        '.series += [.series[0]]' 'del(.series[0].metric)'; do
        jq "$change" good.json >"$prior"
        run -2 kgate compare "baselines/$machine.json" h1.json
        [[ "$output" == *"$prior"* ]]
        run -2 kgate gate -c suite.yaml -o out
        [[ "$output" == *"$prior"* ]]
        [ ! -e out/results.json ]
    done
    head -c 100 good.json >"$prior"
    run -2 kgate gate -c suite.yaml -o out
    [[ "$output" == *"$prior"* ]]
}

@test "a prior of other definitions moves nothing, and a note says so" {
    past 5 1
    added 5
    kgate history export --format prior -q
    jq '.series[].definition_hash = "0000000000000000"' "$prior" >other.json
    rm "$prior"
    kgate compare "baselines/$machine.json" h1.json -o plain >/dev/null || true
    mv other.json "$prior"
    kgate compare "baselines/$machine.json" h1.json -o other >/dev/null || true
    jq -e 'any(.notes[]; startswith("the prior beside the baseline fits no case"))' other/comparison.json
    diff <(jq '.cases' plain/comparison.json) <(jq '.cases' other/comparison.json)
}

@test "with --trust the prior is the branch's, too" {
    past 12 20
    cp h0.json r.json
    git init -q -b main .
    git add suite.yaml baselines
    git commit -qm baseline
    added 12
    kgate history export --format prior -q
    run kgate gate -c suite.yaml -o out --trust git:main
    jq -e 'all(.notes[]; startswith("prior") | not)' out/comparison.json
    git add baselines
    git commit -qm prior
    rm "$prior"
    run kgate gate -c suite.yaml -o out --trust git:main
    jq -e 'any(.notes[]; startswith("prior of 12 runs"))' out/comparison.json
}

@test "shards use the prior, and so does their merge" {
    past 12 1
    added 12
    kgate history export --format prior -q
    for index in 1 2; do
        run kgate gate -c suite.yaml --shard $index/2 -o "fleet/$index" -q
        jq -e 'any(.notes[]; startswith("prior of 12 runs: the noise of 1 case "))' "fleet/$index/comparison.json"
        valid "fleet/$index/baseline.prior.json" prior
        jq -e '[.series[].case] | unique | length == 1' "fleet/$index/baseline.prior.json"
    done
    run kgate merge fleet -o out
    jq -e '.prior_cases == 2 and any(.notes[]; startswith("prior of 12 runs: the noise of 2 cases"))' out/comparison.json
    # shards of `run` take the baseline of the store
    mkdir runs
    for index in 1 2; do kgate run -c suite.yaml --shard $index/2 -o "runs/$index.json" -q; done
    run kgate merge runs -b baselines -o joined
    jq -e '.prior_cases == 2' joined/comparison.json
    # without a prior, one of an earlier gate in the folder goes
    rm baselines/*.prior.json
    run kgate gate -c suite.yaml --shard 1/2 -o fleet/1 -q
    [ ! -e fleet/1/baseline.prior.json ]
    mkdir -p blocked/baseline.prior.json/full
    run -3 kgate gate -c suite.yaml --shard 1/2 -o blocked -q
    [[ $output == *"cannot remove 'blocked/baseline.prior.json'"* ]]
}
