# Files that an older kgate wrote: they are read, and compare as they did.
bats_require_minimum_version 1.5.0
load support

setup() { cd "$BATS_TEST_DIRNAME/../kept/v1" || return; }

# What was decided of each case. The words and figures that say why are of the kgate that compares, and what
# was INCONCLUSIVE to an older one may be decided now.
decisions() {
    jq -S '[.pins, .baseline_runs, (.cases | sort_by(.id) | map([.id, .change]))]' "$1"
}

@test "files of version 1 compare as the kgate that wrote them compared them" {
    local name status_then arguments
    while read -r name status_then arguments; do
        [[ $arguments == compare* ]] || continue
        # shellcheck disable=SC2086  # the arguments are words
        run --separate-stderr kgate $arguments --json
        [ "$status" -eq "$status_then" ]
        jq -n -e --argjson old "$(decisions "expected/$name.json")" \
            --argjson new "$(decisions <(echo "$output"))" '
            $old[:2] == $new[:2] and ($old[2] | map(.[0])) == ($new[2] | map(.[0])) and
            ([$old[2], $new[2]] | transpose | all(.[0] == .[1] or .[0][1] == "INCONCLUSIVE"))' || {
            diff <(decisions "expected/$name.json") <(decisions <(echo "$output"))
            false
        }
    done <expected/commands
}

# But for unused cores in a call too short to share, of which nothing is said any more.
@test "suggestions from files of version 1 are those that were made" {
    run --separate-stderr kgate suggest current.json --base baseline.json --json
    [ "$status" -eq 0 ]
    local what='[.suggestions[] | [.operation, .rule, .priority]], [.findings[] | [.operation, .bound]]'
    diff <(jq -S "$what" expected/suggest.json) <(jq -S "$what" <<<"$output")
}

@test "every file of version 1 has a report" {
    for file in base current moved comparison suggestions calibration; do
        run kgate report "$file.json"
        [ "$status" -eq 0 ]
    done
    run kgate report killed.json.journal
    [ "$status" -eq 0 ]
    for file in profile.json profile.kgprof; do
        run kgate report "$file" --format tree
        [ "$status" -eq 0 ]
        [[ "$output" == *transformer_layer* ]]
    done
}

@test "a store of version 1 is listed, shown, updated and pruned" {
    local fingerprint
    fingerprint=$(jq -r .fingerprint baseline.json)
    mkdir "$BATS_TEST_TMPDIR/base"
    cp baseline.json "$BATS_TEST_TMPDIR/base/$fingerprint.json"
    cp current.json steady.json "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR"
    run kgate baseline list -b base
    [[ "$output" == *"3 runs, 1 pinned"* ]]
    run kgate baseline show -b base --machine "$fingerprint"
    [ "${#lines[@]}" -eq 3 ]
    kgate baseline update current.json -b base -q
    run kgate baseline show -b base --machine "$fingerprint"
    [ "${#lines[@]}" -eq 4 ]
    valid "base/$fingerprint.json" baseline
    kgate baseline prune -b base --machine "$fingerprint" --pin release
    run kgate baseline list -b base
    [[ "$output" == *"3 runs, 0 pinned"* ]]
    run kgate compare "base/$fingerprint.json" steady.json
    [ "$status" -ne 2 ]
}

@test "damaged counters of version 1 are refused by name" {
    local damage message
    while IFS='|' read -r damage message; do
        jq ".cases[1].counters$damage" base.json >"$BATS_TEST_TMPDIR/damaged.json"
        run kgate report "$BATS_TEST_TMPDIR/damaged.json"
        [ "$status" -eq 2 ]
        [[ "$output" == *"damaged.json: cases[1].series$message"* ]]
    done <<'END'
 = 7|: expected a list of objects, found a number
 = {}|: expected a list of objects, found an object
[0] = 7|[2]: expected an object, found a number
[0].values = null|[2].values[0]: expected a number, found null
[0].values = 7|[2].values: expected a list of numbers, found a number
END
    jq '.cases[1].counters = null | .cases[0].counters[0].values = []' base.json \
        >"$BATS_TEST_TMPDIR/unknown.json"
    run kgate report "$BATS_TEST_TMPDIR/unknown.json"
    [ "$status" -eq 0 ]
}

@test "a file of a newer version is refused with the version's name" {
    local file newer
    for file in base baseline; do
        jq '.schema |= (split(".v")[0] + ".v99")' "$file.json" >"$BATS_TEST_TMPDIR/newer.json"
        newer=$(jq -r .schema "$BATS_TEST_TMPDIR/newer.json")
        run kgate compare "$BATS_TEST_TMPDIR/newer.json" current.json
        [ "$status" -eq 2 ]
        [[ "$output" == *"newer.json"*"written by a newer kgate ($newer; this one reads up to v"* ]]
    done
    for file in base comparison suggestions calibration profile; do
        jq '.schema |= (split(".v")[0] + ".v99")' "$file.json" >"$BATS_TEST_TMPDIR/newer.json"
        newer=$(jq -r .schema "$BATS_TEST_TMPDIR/newer.json")
        run kgate report "$BATS_TEST_TMPDIR/newer.json"
        [ "$status" -eq 2 ]
        [[ "$output" == *"written by a newer kgate ($newer; this one reads up to v"* ]]
    done
    sed '1s/journal\.v1/journal.v99/' killed.json.journal >"$BATS_TEST_TMPDIR/newer.journal"
    run kgate report "$BATS_TEST_TMPDIR/newer.journal"
    [ "$status" -eq 2 ]
    [[ "$output" == *"written by a newer kgate (kgate.journal.v99; this one reads up to v"* ]]
    mkdir "$BATS_TEST_TMPDIR/base"
    jq '.schema = "kgate.baseline.v99"' baseline.json \
        >"$BATS_TEST_TMPDIR/base/$(jq -r .fingerprint baseline.json).json"
    run kgate baseline update current.json -b "$BATS_TEST_TMPDIR/base"
    [ "$status" -eq 2 ]
    [[ "$output" == *"written by a newer kgate (kgate.baseline.v99; "* ]]
}
