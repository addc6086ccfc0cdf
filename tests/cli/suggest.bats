bats_require_minimum_version 1.5.0
load support

# Results of two versions of one kernel, made up so that the second takes three times as long: what is
# suggested then depends on no clock, and on nothing else that happened in the rounds. Without what is
# looked at apart from them.
made_up() {
    kgate run -c suite.yaml -o run.json -q --set trace=no >/dev/null
    jq 'def takes($ns): .rounds |= (del(.disturbance, .wait_ns, .stolen_ns)
                | (.median_ns, .mean_ns, .cpu_ns, .user_ns) |= map($ns) | .calls |= map(100) | .wall_ns |= map(100 * $ns)
                | (.system_ns, .minor_faults, .voluntary_switches, .involuntary_switches) |= map(0))
            | (.summary.median_ns, .summary.mean_ns, .summary.interval_low_ns,
               .summary.interval_high_ns) = $ns;
        del(.cpu_ceilings) | .cases[0] |= takes(2e6) | .cases[1] |= takes(6e6)' run.json
}

@test "suggest says what to try, from results alone" {
    made_up >r.json
    run kgate suggest r.json
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "suite small, 2 operations examined: 1 suggestion (1 of priority high or above)" ]]
    [[ "$output" == *"1. critical  copy/bytes=16KiB,version=fast/cpu: slower_version, algorithm"* ]]
    [[ "$output" == *"3.00x here, 2.00x overall, saves 4.00 ms of 6.00 ms (measured)"* ]]
    [[ "$output" == *"copy/bytes=16KiB,version=plain/cpu"* ]]
    [[ "$output" == *"note: these results have no CPU peaks"* ]]
    [[ "$output" != *$'\x1b'* ]]
}

@test "suggest: JSON follows its schema, a file is written, markdown is for a comment" {
    made_up >r.json
    kgate suggest r.json --json >s.json
    valid s.json suggestions
    jq -e '.suggestions | length == 1 and .[0].rule == "slower_version" and .[0].speedup > 2.99
           and .[0].speedup < 3.01 and .[0].whole_speedup > 1.99' s.json
    kgate suggest r.json --format json -o t.json
    diff <(jq 'del(.created)' s.json) <(jq 'del(.created)' t.json)
    run kgate report s.json
    [ "$status" -eq 0 ]
    [[ "$output" == *slower_version* ]]
    run kgate suggest r.json --format html
    [[ "$output" == *"<html"* || "$output" == *"without the HTML page"* ]]
    run kgate suggest r.json --format markdown
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "**kgate suggest**: suite small, "*" examined: 1 suggestion (1 of priority high or above)" ]]
}

@test "suggest: --only, --type, --top, --filter and --set choose" {
    made_up >r.json
    count() { kgate suggest r.json --json "$@" | jq '.suggestions | length'; }
    [ "$(count --only critical,high)" -eq 1 ]
    [ "$(count --only low)" -eq 0 ]
    [ "$(count --type algorithm)" -eq 1 ]
    [ "$(count --type memory,routing)" -eq 0 ]
    [ "$(count --filter '*plain*')" -eq 0 ]
    [ "$(count --set suggest.min_gain=90%)" -eq 0 ]
    [ "$(count --type 'memory, algorithm')" -eq 1 ]
    run kgate suggest r.json --only low
    [[ "${lines[0]}" == *"examined: 0 of 1 suggestion" ]]
    [[ "$output" == *"1 suggestion, none with the requested priority and type"* ]]
    jq '.cases[2] = (.cases[1] | .id = "copy/bytes=16KiB,version=other/cpu"
        | .params.version = "other")' r.json >more.json
    [ "$(kgate suggest more.json --json | jq '.suggestions | length')" -eq 2 ]
    [ "$(kgate suggest more.json --json --top 1 | jq '.suggestions | length')" -eq 1 ]
    run kgate suggest more.json --top 1
    [[ "$output" == *"… and 1 more; --top 0 shows all"* ]]
}

@test "suggest: what cannot be is bad usage, with the nearest word" {
    made_up >r.json
    says() {
        local words=$1
        shift
        run kgate suggest "$@"
        echo "$output"
        [ "$status" -eq 2 ] && [[ "$output" == *"$words"* ]]
    }
    says "did you mean 'high'?" r.json --only hihg
    says "did you mean 'caching'?" r.json --type cachin
    says "did you mean 'markdown'?" r.json --format markdwn
    says "did you mean 'suggest.min_gain'?" r.json --set suggest.min_gian=5%
    says "--set rounds.min=3: unknown key 'rounds.min'" r.json --set rounds.min=3
    says "--json and --format text exclude each other" r.json --json --format text
    says "--filter 'nothing*' matches none of the 2 operations" r.json --filter 'nothing*'
    says "No such file" none.json
    says "is neither JSON nor a recording" suite.yaml
    says "not a regular file" <(cat r.json)
    says "not a regular file" -
    echo '{"schema": "other.v1"}' >other.json
    says "expected 'kgate.results.v1', found 'other.v1'" other.json
    says "none.json" r.json --base none.json
    says "usage: kgate suggest RESULTS.json"
}

@test "suggest: nonsense in a file gives no suggestion, or is refused" {
    made_up >r.json
    jq '.cpu_ceilings = {one: {threads: 1, memory_bytes_per_s: null}, all: {threads: 2}}' r.json >n.json
    kgate suggest n.json --json | jq -e '.suggestions | length == 1'
    jq '.cpu_ceilings.one.memory_bytes_per_s = -1' r.json >negative.json
    run kgate suggest negative.json
    [ "$status" -eq 2 ]
    jq '(.cases[].rounds.median_ns) |= map(0)' r.json >zero.json
    run kgate suggest zero.json
    [ "$status" -eq 2 ]
    jq '(.cases[].summary.median_ns) = 0' r.json >summary.json
    run kgate suggest summary.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"nothing to suggest: no operation has a time"* ]]
    [[ "$output" == *"note: 2 of 2 cases have no times"* ]]
}

@test "suggest takes a recording, and one that is gone is noted" {
    suite_of <<YAML
  - {name: stages, plugin: $PLUGINS/scopes.so}
YAML
    kgate run -c one.yaml -o r.json --profile -q --set trace=no
    run kgate suggest r.kgprof
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "profile r.kgprof, "* ]]
    kgate suggest r.kgprof --json >s.json
    valid s.json suggestions
    kgate report r.kgprof --format json -o p.json
    kgate suggest p.json --json | jq -e '.findings | length > 0'
    run kgate suggest r.kgprof --base r.json
    [ "$status" -eq 2 ]
    kgate suggest r.json --json >s.json
    valid s.json suggestions
    rm r.kgprof
    run kgate suggest r.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"the profile 'r.kgprof' of these results is missing"* ]]
    echo damaged >r.kgprof
    run kgate suggest r.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"the profile 'r.kgprof' of these results cannot be read"* ]]
}

# The same twice as slow, for more instructions than before.
slower() {
    jq 'def more($n): (.rounds | .median_ns, .mean_ns, .cpu_ns, .user_ns, .wall_ns) |= map(. * $n)
            | .summary |= map_values(. * $n) | .look.instructions = 1e6 * $n;
        .cases[] |= more('"$1"') | del(.cases[].code_hash)' r.json
}

@test "on a regression what changed in its evidence comes first; the exit status is the verdict's" {
    made_up >r.json
    slower 1 | jq '.cases[].rounds |= map_values(. + . + .)' >base.json
    slower 2 | jq '.cases[].rounds |= map_values(. + . + .)' >now.json
    run kgate suggest now.json --base base.json
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == "changes against the baseline" ]]
    [[ "$output" == *"copy/bytes=16KiB,version=fast/cpu"*"instructions"*"slower_version"* ]]
    run kgate compare base.json now.json -o out
    [ "$status" -eq 1 ]
    [[ "$output" == *"REGRESSION"*"instructions"*"slower_version: "* ]]
    [[ "$output" == *"1 suggestion (1 of priority high or above): kgate suggest now.json --base base.json"* ]]
    valid out/suggestions.json suggestions
    [[ "$(cat out/report.md)" == *instructions*"<details><summary>1 suggestion ("* ]]
    diff <(kgate report out/comparison.json --format markdown) out/report.md
    # those of another moment are none of this comparison's
    jq '.created = "2026-01-31T12:00:00Z"' out/suggestions.json >s.json && mv s.json out/suggestions.json
    [[ "$(kgate report out/comparison.json --format markdown)" != *"slower_version"* ]]
}

@test "gate and ab write suggestions beside their reports, and pass or fail without regard to them" {
    run kgate gate -c suite.yaml -b base -o out --set trace=no --update-missing
    [ "$status" -eq 0 ]
    [[ "$output" == *"suggestions.json"* ]]
    valid out/suggestions.json suggestions
    jq -e '.source == "out/results.json" and .base == null and (.findings | length == 2)' out/suggestions.json
    run kgate gate -c suite.yaml -b base -o out --set trace=no
    valid out/suggestions.json suggestions
    kgate suggest out/results.json --base "$(jq -r .base out/suggestions.json)"
    run kgate ab -c suite.yaml --base "$KGATE" --head "$KGATE" --measure-unchanged -o ab --set trace=no
    valid ab/suggestions.json suggestions
    jq -e '.source == "ab/head.json"' ab/suggestions.json
}

@test "suggest --rules prints conditions: all, a glob, JSON; an unknown rule is bad usage" {
    run -0 kgate suggest --rules branch_misses
    [ "${lines[0]}" = "branch_misses: algorithm, up to critical priority, estimate: at most" ]
    [[ "${lines[1]}" == "  if       the hottest loop is stalled; "* ]]
    [[ "${lines[-1]}" == "  assumes  "* ]]
    kgate suggest --rules >all
    kgate suggest --rules --json >all.json
    [ "$(grep -c '^[a-z_]*: ' all)" -eq "$(jq length all.json)" ]
    [ "$(jq '[.[] | select(.when == "" or .assumes == "")] | length' all.json)" -eq 0 ]
    [ "$(kgate suggest --rules '*_transfers' | grep -c '^[a-z_]*: ')" -eq 2 ]
    run -2 kgate suggest --rules branch_mises
    [[ "$output" == *"there is no rule 'branch_mises'"*"branch_misses"* ]]
    run -2 kgate suggest
}

@test "help says what an option means to this subcommand" {
    run kgate suggest --help
    [[ "$output" == *"--filter GLOB"*"scopes with a matching path"* ]]
    [[ "$output" == *"-o, --output PATH"*"file to write to"* ]]
    [[ "$output" == *"suggest.min_gain=5%"* ]]
    [[ "$output" != *rounds.min* && "$output" != *checkout* && "$output" != *processes* ]]
    run kgate explain --help
    [[ "$output" != *rounds.min* && "$output" != *checkout* && "$output" != *verdict* ]]
    run kgate ab --help
    [[ "$output" == *"baseline build: a checkout"* ]]
    run kgate run --help
    [[ "$output" == *rounds.min=3* ]]
}
