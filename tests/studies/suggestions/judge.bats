#!/usr/bin/env bats
# judge.py counts what it is shown: two measurements of two pairs and a well-made workload.

setup() {
    bench=$BATS_TEST_DIRNAME
    cd "$BATS_TEST_TMPDIR"
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' \
        workload cause also class function threads \
        list_bad linear_search string_scanning compute find_entry 1 \
        list_good none - any - 1 \
        poll_bad waiting - waiting wait_for,poll 1 \
        poll_good none - any - 1 \
        sort none - any - 1 >truth.tsv
    echo 10 >bare.seconds
    echo 20 >1.seconds
    echo 15 >2.seconds
    results 1000 100 >1.json
    cp 1.json 2.json
}

# What was measured: list_bad takes $1, its good version $2.
results() {
    jq -n --argjson bad "$1" --argjson good "$2" '
        {created: "2026-01-01T00:00:00Z", machine: {cpu_model: "a CPU", cpu_count: 2},
         cases: [["list_bad", $bad], ["list_good", $good], ["poll_bad", 500], ["poll_good", 50], ["sort", 10]
                 | {id: "\(.[0])/cpu", workload: .[0], status: "OK", summary: {median_ns: .[1]}}]}'
}

# What is said: rule and priority of list_bad's first suggestion, what it saves, and the rest as JSON.
said() {
    jq -n --arg rule "$1" --arg priority "$2" --argjson saved "$3" --argjson more "$4" '
        {findings: [{operation: "list_bad/cpu", bound: "compute-bound", text: "74 % in find_entry"},
                    {operation: "poll_bad/cpu", bound: "waiting", text: "in nanosleep", function: "poll"}],
         suggestions: ([{operation: "list_bad/cpu", rule: $rule, priority: $priority, saved_ns: $saved},
                        {operation: "poll_bad/cpu", rule: "waiting", priority: "high"}] + $more)}'
}

judge() {
    run python3 "$bench/judge.py" truth.tsv .
    echo "$output"
    [ "$status" = 0 ]
}

@test "what is right is counted as right, the other name of a cause too" {
    said string_scanning critical 880 '[]' >1.suggestions.json
    cp 1.suggestions.json 2.suggestions.json
    judge
    [[ $output = *"| cause named first | 4 of 4 (100 %) |"* ]]
    [[ $output = *"| class right | 4 of 4 (100 %) |"* ]]
    [[ $output = *"bad cases | 0 of 4 (0 %) |"* ]]
    [[ $output = *"| same answer in all runs | 5 of 5 (100 %) |"* ]]
    [[ $output = *"| estimate within 1.5 x, where one is given | 2 of 2 (100 %) |"* ]]
    [[ $output = *"| place named | 4 of 4 (100 %) |"* ]]
    [[ $output = *"| extra time a case | 2.0 s, then 1.0 s |"* ]]
    [[ $output != *$'\n- '* ]]
}

@test "each thing that is wrong is counted and named" {
    said linear_search high 500 '[]' >1.suggestions.json
    said unused_cores high 500 '[{"operation": "sort/cpu", "rule": "division", "priority": "critical"}]' \
        >2.suggestions.json
    judge
    [[ $output = *"| cause named first | 3 of 4 (75 %) |"* ]]
    [[ $output = *"bad cases | 1 of 4 (25 %) |"* ]]
    [[ $output = *"well-made cases | 1 of 6 (17 %) |"* ]]
    [[ $output = *"| same answer in all runs | 3 of 5 (60 %) |"* ]]
    [[ $output = *"| estimate within 1.5 x, where one is given | 0 of 2 (0 %) |"* ]]
    [[ $output = *"- list_bad, linear_search: "*"first is unused_cores (high) (1 of 2)"* ]]
    [[ $output = *"- sort, none: accuses division (1 of 2); answers differ"* ]]
}

@test "a case that could not be measured is not right" {
    said linear_search high 900 '[]' >1.suggestions.json
    cp 1.suggestions.json 2.suggestions.json
    jq '.cases[0] |= (.status = "FAILED" | .reason = "it crashed" | del(.summary))' 1.json >2.json
    judge
    [[ $output = *"| cause named first | 3 of 4 (75 %) |"* ]]
    [[ $output = *"- list_bad, linear_search: it crashed (1 of 2)"* ]]
}

@test "a pair that hardly differs is told of" {
    results 120 100 | tee 1.json >2.json
    said linear_search high 20 '[]' >1.suggestions.json
    cp 1.suggestions.json 2.suggestions.json
    judge
    [[ $output = *"- list_bad: only 1.20 x slower than the good version here"* ]]
}
