# The schemas of files: made from the tables that reading and writing follow.
bats_require_minimum_version 1.5.0
load support

@test "the schemas under docs/schema are those of the tables: else run ci/schemas.sh" {
    kgate schema >kinds
    [ "$(wc -l <kinds)" -ge 10 ]
    while read -r name schema _; do
        diff <(kgate schema "$name") "$SOURCE/docs/schema/${schema#kgate.}.schema.json"
    done <kinds
    diff <(awk '{sub("kgate.", "", $2); print $2 ".schema.json"}' kinds | sort) \
        <(ls "$SOURCE/docs/schema" | sort)
}

@test "docs/files.md and the reference of fields have every kind of file" {
    kgate schema --format markdown >fields.md
    while read -r name schema _; do
        grep -qF "\`$schema\`" "$SOURCE/docs/files.md"
        grep -qx "## $name" fields.md
    done < <(kgate schema)
}

@test "every field of every file is described" {
    for name in $(kgate schema | awk '{print $1}'); do
        kgate schema "$name" | jq -e '
            [.. | objects | select(has("properties")) | .properties | to_entries[]
             | select(.key != "schema" and (.value.description // "") == "") | .key] == []'
    done
}

@test "a schema is found by its name or by what a file says, an unknown one names the nearest" {
    diff <(kgate schema results) <(kgate schema "$(kgate schema | awk '$1 == "results" {print $2}')")
    run kgate schema result
    [ "$status" -eq 2 ]
    [[ "$output" == *"there is no file named 'result'; did you mean 'results'?"* ]]
    run kgate schema results --format yaml
    [ "$status" -eq 2 ]
}

@test "what a schema refuses of results, reading refuses, and names" {
    local edit field
    cp "$SOURCE/tests/data/results.json" good.json
    valid good.json results
    while IFS=$'\t' read -r edit field; do
        jq "$edit" good.json >bad.json
        run valid bad.json results
        [ "$status" -ne 0 ]
        run kgate report bad.json
        [ "$status" -eq 2 ]
        [[ "$output" == *"$field: expected "* ]]
    done <<'EDITS'
del(.suite)	suite
.policy.alpha = 1	policy.alpha
.machine.fingerprint = ""	machine.fingerprint
.cases[1].device = "tpu"	cases[1].device
.cases[1].status = "FINE"	cases[1].status
.cases[0].rounds.median_ns[2] = 0	cases[0].rounds.median_ns[2]
.cases[0].rounds.wall_ns[0] = null	cases[0].rounds.wall_ns[0]
.cases[0].rounds.calls[1] = 1.5	cases[0].rounds.calls[1]
.cpu_ceilings.one.threads = 0	cpu_ceilings.one.threads
.cases[2].budgets[0].relation = "<"	cases[2].budgets[0].relation
EDITS
}
