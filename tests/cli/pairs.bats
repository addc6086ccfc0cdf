# What tests/studies/suggestions holds suggestions against: its suite, and its table from made-up
# results.
load support

PAIRS=$SOURCE/tests/studies/suggestions

@test "every pair has a bad version with a cause that is a rule, and a mended one" {
    kgate list -c "$PAIRS/suite.yaml" --quiet >cases # its plugins are built for the benchmark
    grep -o 'tags: \[.*\]' "$PAIRS/suite.yaml" | tr -d '[],:' >tags
    [ "$(grep -c ' bad .*cause\.' tags)" -ge 14 ]
    for role in bad mended; do
        grep " $role" tags | cut -d' ' -f2 | sort >"$role"
        [ -z "$(uniq -d "$role")" ]
    done
    diff bad mended
    grep -o 'cause\.[a-z_]*' tags | cut -d. -f2 | sort -u | while read -r rule; do
        kgate suggest --rules "$rule"
    done
}

# The results of one workload with rounds $2 and items $3.
result() {
    local name=${1%%.*} role=${1##*.}
    jq -nc --arg name "$1" --arg pair "$name" --arg role "$role" --argjson rounds "$2" \
        --argjson items "$3" '{id: "\($name)/cpu", workload: $name, status: "OK", tags: [$pair, $role, "cause.right"],
        rounds: {median_ns: $rounds}, summary: {median_ns: $rounds[0]}, memory: {peak_bytes: 1}, work: {items: $items}}'
}

@test "the table of suggestions says what was named first, how far the estimate was off, and what the mended one still gets" {
    result one.bad '[400, 800]' 1 >one.bad
    result one.mended '[200, 400]' 2 >one.mended
    result two.bad '[100, 100]' 1 >two.bad
    result two.mended '[50, 50]' 1 >two.mended
    result none.bad '[1, 1]' 1 | jq -c '.status = "SKIPPED" | .reason = "no GPU"' >none.bad
    result none.mended '[1, 1]' 1 | jq -c '.status = "SKIPPED" | .reason = "no GPU"' >none.mended
    jq -s '{machine: {cpu_model: "A CPU", cpu_count: 2, kernel: "Linux", compiler: "C"},
            created: "2000-01-02T00:00:00Z", cases: .}' ./*.bad ./*.mended >turns.json

    # named first, by a scope, half as much as there is to gain; and something else before it
    {
        jq -c '{cases: [.], suggestions: [
            {operation: "one.bad/cpu;inner", whole: "one.bad/cpu", rule: "right", priority: "high",
             basis: "modelled", saved_ns: 200}]}' one.bad
        jq -c '{cases: [.], suggestions: [
            {operation: "one.mended/cpu", whole: "one.mended/cpu", rule: "low", priority: "medium"},
            {operation: "one.mended/cpu", whole: "one.mended/cpu", rule: "wrong", priority: "high"}]}' one.mended
        jq -c '{cases: [.], suggestions: [
            {operation: "elsewhere/cpu", whole: "elsewhere/cpu", rule: "right", priority: "high"},
            {operation: "two.bad/cpu", whole: "two.bad/cpu", rule: "wrong", priority: "low",
             basis: "at most", saved_ns: 45}]}' two.bad
        jq -c '{cases: [.], suggestions: []}' two.mended
    } >alone
    jq -rn --slurpfile turns turns.json -f "$PAIRS/table.jq" alone >table
    cat table
    grep -qx '| one | right | 2x | 4x | 0.5 ! | high: wrong ! |' table
    grep -qx '| two | wrong ! (right) | 1.82x | 2x | 0.91 | none |' table
    grep -q '^cause named first: 1 of 2 ' table
    grep -q '^estimate within a factor of 1.5: 1 of 2 ' table
    grep -q '^nothing of priority high or above on the mended version: 1 of 2 ' table
    grep -qx 'not measured: none: no GPU' table
}

@test "asked several times, a suggestion is right where it mostly is" {
    result one.bad '[400, 400]' 1 >one.bad
    result one.mended '[100, 100]' 1 >one.mended
    jq -s '{machine: {cpu_model: "A CPU", cpu_count: 2, kernel: "Linux", compiler: "C"},
            created: "2000-01-02T00:00:00Z", cases: .}' one.* >turns.json
    for rule in right wrong right; do
        jq -c --arg rule $rule '{cases: [.], suggestions: [
            {operation: "one.bad/cpu", whole: "one.bad/cpu", rule: $rule, priority: "high",
             basis: "modelled", saved_ns: 300}]}' one.bad
    done >alone
    jq -rn --slurpfile turns turns.json -f "$PAIRS/table.jq" alone >table
    grep -q '^| one | right (2 of 3 right) | 4x | 4x | 1 | none |$' table
    grep -q '^cause named first: 1 of 1 ' table
}

# --- Builds that cannot run side by side ----------------------------------------------------------

# A program that holds a lock file while it runs, and fails if another holds it.
locker_build() { # FILE
    cat >"$1" <<SH
#!/bin/sh
exec 9>>$PWD/lock
flock -n 9 || { echo "the lock is taken" >&2; exit 1; }
seq 1 50000 >/dev/null
SH
    chmod +x "$1"
}

@test "builds that share a lock are measured one after the other, and a note says so" {
    locker_build old
    locker_build new
    run "$KGATE" ab ./old ./new --set disturbance=100% --rounds 5 -o out
    [[ "$output" != *FAILED* ]]
    [[ "$output" == *"both builds fail if they run side by side"*"ran one after the other"* ]]
    jq -e '.cases[0] | .status == "OK" and (.rounds.base_ratio | length) >= 5' out/head.json
}

@test "a build that fails alone is FAILED" {
    locker_build old
    locker_build new
    echo 'test $(wc -l <count) -lt 4 || exit 1; echo >>count' >>new
    : >count
    run "$KGATE" ab ./old ./new --set disturbance=100% --rounds 5
    [ "$status" -eq 3 ]
    [[ "$output" == *"new fails: "* ]]
}
