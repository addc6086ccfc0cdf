load support

setup_results() {
    kgate run -c suite.yaml -o r.json -q --set trace=no
}

@test "explain shows one case in full" {
    setup_results
    run kgate explain copy/bytes=16KiB,version=fast/cpu r.json
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "copy/bytes=16KiB,version=fast/cpu" ]]
    [[ "$output" == *"measured"*"per call (median of rounds), 95 %"*"work per call"*"memory "*"check "* ]]
    [[ "$output" == *"beside it: cases with one difference"*"version"*"version=plain/cpu"* ]]
    [[ "$output" == *"bottleneck"*"what to try"*"to look deeper"* ]]
    [[ "$output" == *"perf stat -d kgate run -c suite.yaml --filter copy/bytes=16KiB,version=fast/cpu "* ]]
    [[ "$output" != *ncu* && "$output" != *nan* && "$output" != *$'\x1b'* ]]
}

@test "explain: a case is its id, a glob or a part of it; what is none or several is bad usage" {
    setup_results
    kgate explain '*plain*' r.json
    kgate explain fast r.json
    run kgate explain copy r.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"'copy' matches 2 cases"*"version=plain/cpu"*"version=fast/cpu"* ]]
    run kgate explain copy/bytes=16KiB,version=fats/cpu r.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"did you mean 'copy/bytes=16KiB,version=fast/cpu'?"* ]]
    run kgate explain fast none.json
    [ "$status" -eq 2 ]
    run kgate explain fast
    [ "$status" -eq 2 ]
    [[ "$output" == *"there is no file 'fast'; usage: kgate explain CASE RESULTS.json"* ]]
    # without a case: those of the file, and where there is one, that one
    run kgate explain r.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"matches 2 cases; name one of them"*"version=plain/cpu"*"version=fast/cpu"* ]]
    jq 'del(.cases[0])' r.json >one.json
    run kgate explain one.json
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "copy/bytes=16KiB,version=fast/cpu" ]]
    jq '.cases = []' r.json >none.json
    run kgate explain none.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"the results have no case" ]]
    kgate run -c suite.yaml -o p.json --profile --filter '*fast*' -q >/dev/null
    for operands in p.kgprof "fast p.kgprof"; do
        # shellcheck disable=SC2086
        run kgate explain $operands
        [ "$status" -eq 2 ]
        [[ "$output" == *"'p.kgprof' is a recording without cases: \`kgate report p.kgprof\` shows it"* ]]
    done
}

@test "explain: JSON follows its schema, and says what the page says" {
    setup_results
    kgate explain fast r.json --json >e.json
    valid e.json explanation
    jq -e --slurpfile r r.json '.traits.time_ns == $r[0].cases[1].summary.median_ns
        and .case.id == $r[0].cases[1].id and (.relatives | length == 1)
        and (.advice.findings | length == 1)' e.json
    kgate explain fast r.json -o e.txt
    [[ "$(cat e.txt)" == "copy/bytes=16KiB,version=fast/cpu"* ]]
}

@test "explain: its commands do what they say" {
    setup_results
    kgate explain fast r.json --json | jq -r '.commands[0].command' >command.sh
    mkdir bin && ln -s "$KGATE" bin/kgate
    PATH=$PWD/bin:$PATH run bash command.sh
    [ "$status" -eq 0 ]
    [[ "$output" == *"copy/bytes=16KiB,version=fast/cpu"* ]]
    [ "$(jq '.cases | length' deeper.json)" -eq 1 ]
}

@test "explain says what changed against a base" {
    setup_results
    jq '(.cases[].look.instructions) = 1e6' r.json >base.json
    jq '.cases[] |= (.summary |= map_values(. * 2) | .rounds.median_ns |= map(. * 2)
        | .look.instructions = 2e6)' r.json >now.json
    run kgate explain fast now.json --base base.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"changes against the baseline"*"instructions"* ]]
    run kgate explain fast now.json
    [[ "$output" != *"what changed"* ]]
}
