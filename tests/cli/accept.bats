# `kgate accept` and `kgate quarantine`: from a regression to a baseline that begins anew.
bats_require_minimum_version 1.5.0
load support

# A baseline of three runs, 10 minutes apart, and results in which one case is slower by half.
baseline_and_slower() {
    kgate run -c suite.yaml -o r.json >/dev/null
    agreeing r.json | jq 'del(.cases[].code_hash)' >r0.json # unchanged code is no regression
    for i in 1 2 3; do
        later r0.json "$((i * 600 - 36000))" >"r$i.json"
        kgate baseline update "r$i.json" --keep-builds 0 -q
    done
    jq '(.cases[] | select(.id | contains("plain")) | .rounds.median_ns) |= map(. * 2)' r0.json >slow.json
    store=$(ls baselines/*.json)
}

slow_case=copy/bytes=16KiB,version=plain/cpu

@test "a regression is accepted as it was measured, and the next baseline begins anew" {
    baseline_and_slower
    run kgate compare "$store" slow.json -o out
    [ "$status" -eq 1 ]
    run kgate accept "$slow_case" -c suite.yaml --because 'sums are exact now' --from out/comparison.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"suite.accepted.yaml is written"* ]]
    grep -q 'metric: "time"' suite.accepted.yaml
    grep -q 'baseline: "20' suite.accepted.yaml
    run kgate compare "$store" slow.json -o out
    [ "$status" -eq 0 ]
    [[ "$output" == *"REGRESSION, accepted"*"sums are exact now"* ]]
    valid out/comparison.json comparison
    run kgate accept --list -c suite.yaml --json
    [ "$(jq -r '.[0].state + .[0].baseline[:2]' <<<"$output")" = holds20 ]
    # after the merge: a run of the new code
    later slow.json 60 >merged.json
    run kgate baseline update merged.json --keep-builds 0
    [ "$status" -eq 0 ]
    [[ "$output" == *"renewed: $slow_case; its entry in "*"suite.accepted.yaml is no longer needed: kgate accept '$slow_case' -c suite.yaml --remove"* ]]
    [[ "$output" != *"not renewed"* ]]
    valid "$store" baseline
    run kgate accept --list -c suite.yaml -q
    [[ "$output" == *"  (done: the baseline of this machine already contains this change; remove the entry)" ]]
    run kgate accept --list -c suite.yaml -q -b elsewhere
    [[ "$output" != *"(done: "* ]]
    run kgate compare "$store" slow.json --json
    [ "$status" -eq 0 ]
    [ "$(jq -r --arg id "$slow_case" '.cases[] | select(.id == $id) | .metrics[0].ratio * 1000 | round' <<<"$output")" = 1000 ]
    [ "$(jq -r --arg id "$slow_case" '.cases[] | select(.id == $id) | .history | length' <<<"$output")" = 1 ]
    # others keep their history
    [ "$(jq -r --arg id "$slow_case" '.cases[] | select(.id != $id) | .history | length' <<<"$output")" = 4 ]
    # and so do later runs, without the entry too
    kgate accept "$slow_case" -c suite.yaml --remove
    later slow.json 120 >more.json
    run kgate baseline update more.json --keep-builds 0
    [[ "$output" != *renewed* ]]
    run kgate compare "$store" slow.json --json
    [ "$(jq -r --arg id "$slow_case" '.cases[] | select(.id == $id) | .history | length' <<<"$output")" = 2 ]
}

@test "what is accepted of a measured change ends where its interval does, and the next gate passes" {
    baseline_and_slower
    run kgate compare "$store" slow.json -o out
    # the metric $1 is better the more it is ($2: higher) or the less; it is $3, from $4 to $5
    measured() {
        jq --arg id "$slow_case" --arg name "$1" --arg better "$2" --argjson at "$3" --argjson low "$4" --argjson high "$5" '
            (.cases[] | select(.id == $id) | .metrics[] | select(.name == "time")) |=
            (.name = $name | .better = $better | .ratio = $at | .interval_low = $low | .interval_high = $high)' out/comparison.json >c.json
        run kgate accept "$slow_case" -c suite.yaml --because x --from c.json
        [ "$status" -eq 0 ]
    }
    measured time lower 1.5 1.3 2.1004
    grep -qx '    change: +110.1%' suite.accepted.yaml
    [[ "$output" == *"time up to +110.1 % is accepted; +50.0 % was measured, and the accepted change is the end of its 95 % interval"* ]]
    # twice as slow is within the interval of what was 1.5 times
    run kgate compare "$store" slow.json
    [ "$status" -eq 0 ]
    measured time lower 1.5 null null
    grep -qx '    change: +50%' suite.accepted.yaml
    [[ "$output" == *"time up to +50.0 % is accepted; +50.0 % was measured"$'\n'* ]]
    sed -i 's/^  - name: copy/&\n    counters: {hits: {better: higher, threshold: 5%}}/' suite.yaml
    measured hits higher 0.8 0.7004 0.9
    grep -qx '    change: -30%' suite.accepted.yaml
}

@test "of a metric that is worse than the baseline and than a pin the larger change is accepted" {
    baseline_and_slower
    run kgate compare "$store" slow.json -o out
    jq --arg id "$slow_case" '(.cases[] | select(.id == $id) | .metrics) |= ([.[] | select(.name == "time")] |
        [(.[0] | .interval_high = 1.9), (.[0] | .against = "pin v1" | .interval_high = 2.5),
         (.[0] | .against = "pin v2" | .interval_high = 1.8)])' out/comparison.json >c.json
    run kgate accept "$slow_case" -c suite.yaml --because x --from c.json
    [ "$status" -eq 0 ]
    [ "$(grep -c change: suite.accepted.yaml)" -eq 1 ]
    grep -qx '    change: +150%' suite.accepted.yaml
}

@test "what was accepted no more renews no baseline" {
    baseline_and_slower
    kgate accept "$slow_case" -c suite.yaml --because x --change +200% -q
    sed -i 's/since: .*/since: 2020-01-01T00:00:00Z\n    until: 2020-01-31/' suite.accepted.yaml
    later slow.json 60 >merged.json
    run kgate baseline update merged.json --keep-builds 0
    [ "$status" -eq 0 ]
    [[ "$output" == *"not renewed: $slow_case was accepted until 2020-01-31, which has passed"* ]]
    run kgate compare "$store" slow.json --json
    [ "$(jq -r --arg id "$slow_case" '.cases[] | select(.id == $id) | .history | length' <<<"$output")" = 4 ]
}

@test "a run that was measured before the change was accepted renews nothing, and says so" {
    baseline_and_slower
    kgate accept "$slow_case" -c suite.yaml --because x --change +200% -q
    later slow.json -3600 >before.json
    run kgate baseline update before.json --keep-builds 0
    [ "$status" -eq 0 ]
    [[ "$output" == *"not renewed: $slow_case was measured at 20"*", before the change was accepted at 20"* ]]
}

@test "baseline record says too whether it renewed" {
    kgate baseline record -c suite.yaml --runs 1 --keep-builds 0 -q
    kgate accept "$slow_case" -c suite.yaml --because x --change +100000% -q
    sed -i 's/since: .*/since: 2020-01-01T00:00:00Z/' suite.accepted.yaml
    run kgate baseline record -c suite.yaml --runs 2 --keep-builds 0
    [ "$status" -eq 0 ]
    [ "$(grep -c "renewed: $slow_case" <<<"$output")" -eq 1 ]
}

@test "an acceptance renews no baseline further than it says" {
    baseline_and_slower
    later slow.json 60 >merged.json
    # twice as slow, where one per cent was accepted, or another metric
    for accepted in "--change +1%" "--change +200% --metric peak_memory"; do
        words='than accepted (time +100.0 %, accepted +1.0 %)'
        [[ $accepted != *memory ]] || words='(time +100.0 %), and no change of time is accepted'
        cp "$store" before.json
        # shellcheck disable=SC2086
        kgate accept "$slow_case" -c suite.yaml --because x $accepted -q
        run kgate baseline update merged.json --keep-builds 0
        [ "$status" -eq 0 ]
        [[ "$output" == *"not renewed: $slow_case is further from the baseline"*"$words"* ]]
        run kgate compare "$store" slow.json --json
        [ "$(jq -r --arg id "$slow_case" '.cases[] | select(.id == $id) | .history | length' <<<"$output")" = 4 ]
        kgate accept "$slow_case" -c suite.yaml --remove -q
        cp before.json "$store"
    done
    kgate accept "$slow_case" -c suite.yaml --because x --change +100% -q
    kgate baseline update merged.json --keep-builds 0 -q
    run kgate compare "$store" slow.json --json
    [ "$(jq -r --arg id "$slow_case" '.cases[] | select(.id == $id) | .history | length' <<<"$output")" = 1 ]
}

@test "what was refused as too far is refused again of the next run, which agrees with it" {
    baseline_and_slower
    kgate accept "$slow_case" -c suite.yaml --because x --change +1% -q
    for i in 1 2; do
        later slow.json "$((i * 60))" >"merged$i.json"
        run kgate baseline update "merged$i.json" --keep-builds 0
        [ "$status" -eq 0 ]
        [[ "$output" == *"not renewed: $slow_case is further from the baseline than accepted (time +100.0 %, accepted +1.0 %)"* ]]
    done
    run kgate compare "$store" slow.json --json
    [ "$(jq -r --arg id "$slow_case" '.cases[] | select(.id == $id) | .history | length' <<<"$output")" = 5 ]
}

@test "what has become the baseline is not accepted twice" {
    baseline_and_slower
    kgate accept "$slow_case" -c suite.yaml --because x --change +100% -q
    later slow.json 60 >merged.json
    kgate baseline update merged.json --keep-builds 0 -q
    jq '(.cases[] | select(.id | contains("plain")) | .rounds.median_ns) |= map(. * 2)' slow.json >slower.json
    run kgate compare "$store" slower.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"the baseline begins with it already"* ]]
}

@test "a quarantine ends when enough stored runs are stable" {
    baseline_and_slower
    kgate quarantine "$slow_case" -c suite.yaml --because 'shares a disk' -q
    run kgate compare "$store" slow.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"REGRESSION, in quarantine"*"shares a disk"* ]]
    sed -i 's/since: .*/since: 2020-01-01T00:00:00Z/' suite.accepted.yaml
    jq '.policy.quarantine_runs = 3' slow.json >s.json
    run kgate compare "$store" s.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"stable again in 3 stored runs"*"kgate quarantine $slow_case --remove"* ]]
    run kgate quarantine "$slow_case" -c suite.yaml --remove
    [ "$status" -eq 0 ]
    ! grep -q case: suite.accepted.yaml
}

@test "an unstable case is proposed for quarantine" {
    baseline_and_slower
    scale r0.json 2 | jq '.created = "2026-01-01T00:00:00Z"' >other.json
    for i in 1 2 3; do
        later other.json "$((i * 1200))" >o.json
        later r0.json "$((i * 1200 + 600))" | jq --argjson n "$((i * 1200 + 600))" '.created = ("2026-01-01T00:00:00Z" | fromdate + $n | todate)' >p.json
        kgate baseline update o.json -b unstable --keep-builds 0 -q
        kgate baseline update p.json -b unstable --keep-builds 0 -q
    done
    run kgate compare unstable/*.json r0.json --json
    jq -e '.notes[] | select(contains("quarantine.instability") and contains("kgate quarantine"))' <<<"$output"
    jq -e '.cases[0].instability > 0.5' <<<"$output"
    run kgate compare "$store" r0.json --json
    ! jq -e '.notes[] | select(contains("quarantine.instability"))' <<<"$output"
}

@test "what is accepted must be told: the case, how much, why, and until when" {
    run kgate accept "$slow_case" -c suite.yaml --change +10%
    [ "$status" -eq 2 ]
    [[ "$output" == *"--because"* ]]
    run kgate accept "$slow_case" -c suite.yaml --because x
    [ "$status" -eq 2 ]
    [[ "$output" == *"--change"*"--from"* ]]
    run kgate accept copy/cpu -c suite.yaml --because x --change +10%
    [ "$status" -eq 2 ]
    [[ "$output" == *"the suite has no case 'copy/cpu'"* ]]
    run kgate accept "$slow_case" -c suite.yaml --because x --change 10
    [ "$status" -eq 2 ]
    run kgate accept "$slow_case" -c suite.yaml --because x --change +10% --until 2020-01-01
    [ "$status" -eq 2 ]
    [[ "$output" == *"which has passed"* ]]
    run kgate accept "$slow_case" -c suite.yaml --because x --change +10% --until soon
    [ "$status" -eq 2 ]
    run kgate accept "$slow_case" -c suite.yaml --because $'two\nlines' --change +10%
    [ "$status" -eq 2 ]
    [ ! -e suite.accepted.yaml ]
    run kgate accept "$slow_case" -c suite.yaml --remove
    [ "$status" -eq 2 ]
}

@test "a metric is one that kgate or the suite names, and a change is for the worse" {
    refused() {
        local words=$1
        shift
        run kgate accept "$slow_case" -c suite.yaml --because x "$@"
        [ "$status" -eq 2 ]
        # shellcheck disable=SC2053
        [[ "$output" == *$words* ]]
        [ ! -e suite.accepted.yaml ]
    }
    refused "'tiem' is not a metric of workload 'copy'; did you mean 'time'?" --change +10% --metric tiem
    refused "'nonsense' is not a metric*compared: time, peak_memory" --change +10% --metric nonsense
    refused "for time less is better: an improvement needs no acceptance; did you mean +50%?" --change -50%
    refused "one line of words" --change +10% --because '  '
    sed -i 's/^  - name: copy/&\n    counters: {hits: {better: higher, threshold: 5%}}/' suite.yaml
    refused "did you mean 'hits'?" --change -10% --metric hit
    refused "for hits more is better*did you mean -10%?" --change +10% --metric hits
    run kgate accept "$slow_case" -c suite.yaml --because x --change -10% --metric hits
    [ "$status" -eq 0 ]
    # a reason that somebody took out by hand
    sed -i 's/because: .*/because: " "/' suite.accepted.yaml
    run kgate gate -c suite.yaml --update-missing -o out
    [ "$status" -eq 2 ]
    [[ "$output" == *"suite.accepted.yaml:"*": 'because' is ' ', but must be a reason"* ]]
}

@test "without --metric it is time or the only metric that is compared, and never one that is not" {
    accept() {
        run kgate accept "$slow_case" -c suite.yaml --because x "$@"
    }
    sed -i 's/^defaults: {/&metrics: [instructions], /' suite.yaml
    accept --change -5%
    [ "$status" -eq 2 ]
    [[ "$output" == *"for instructions less is better"* ]]
    accept --change +5% --metric time
    [ "$status" -eq 2 ]
    [[ "$output" == *"workload 'copy' does not compare 'time'; compared: instructions" ]]
    [ ! -e suite.accepted.yaml ]
    accept --change +20%
    [ "$status" -eq 0 ]
    [ "$(grep metric: suite.accepted.yaml)" = '    metric: "instructions"' ]
    rm suite.accepted.yaml
    sed -i 's/metrics: \[instructions\]/metrics: [instructions, cpu_time]/' suite.yaml
    accept --change +20%
    [ "$status" -eq 2 ]
    [[ "$output" == *"compares several metrics, but not time: name one with --metric; compared: instructions, cpu_time" ]]
    [ ! -e suite.accepted.yaml ]
    accept --change +20% --metric cpu_time
    [ "$status" -eq 0 ]
    [ "$(grep metric: suite.accepted.yaml)" = '    metric: "cpu_time"' ]
}

@test "of a case one metric's acceptance can be removed, and --remove goes with nothing that adds" {
    for metric in time peak_memory; do
        kgate accept "$slow_case" -c suite.yaml --because x --change +10% --metric "$metric" -q
    done
    run kgate accept "$slow_case" -c suite.yaml --remove --metric cpu_time
    [ "$status" -eq 2 ]
    [[ "$output" == *"has no accepted entry for cpu_time of $slow_case"* ]]
    kgate accept "$slow_case" -c suite.yaml --remove --metric peak_memory
    [ "$(grep -c metric: suite.accepted.yaml)" -eq 1 ]
    grep -q 'metric: "time"' suite.accepted.yaml
    run kgate accept "$slow_case" -c suite.yaml --remove --change +5% --because y
    [ "$status" -eq 2 ]
    [[ "$output" == *"--remove takes no --because"* ]]
    grep -q 'metric: "time"' suite.accepted.yaml
}

@test "a file of accepted changes that is named must be there" {
    kgate run -c suite.yaml -o r.json >/dev/null
    for command in "compare r.json r.json" "gate -c suite.yaml --update-missing -o out" \
        "ab -c suite.yaml --base $KGATE --head $KGATE -o out" "baseline update r.json"; do
        # shellcheck disable=SC2086
        run kgate $command --accepted no-such.yaml
        [ "$status" -eq 2 ]
        [[ "$output" == *"the file 'no-such.yaml' of --accepted does not exist"* ]]
    done
    [ ! -e baselines ]
}

@test "a gate takes what was accepted" {
    kgate gate -c suite.yaml --update-missing --keep-builds 0 -o out >/dev/null
    store=$(ls baselines/*.json)
    jq '(.runs[].cases[].series[] | select(.name == "time" or .name == "mean_time") | .values) |= map(. / 10) | del(.runs[].cases[].code_hash)' "$store" >s && mv s "$store"
    run kgate gate -c suite.yaml -o out
    [ "$status" -ne 0 ] # where the machine is busy it is a SUSPECT
    kgate accept copy/bytes=16KiB,version={plain,fast}/cpu -c suite.yaml --because x --change +100000% -q
    run kgate gate -c suite.yaml -o out
    [ "$status" -eq 0 ]
    [[ "$output" == *"2 cases cannot fail the gate"* ]]
    grep -qE '☑️ [A-Z]+, accepted' out/report.md
}

@test "what is accepted is listed: how much of which metric, why, by whom, since and until when" {
    git init -q .
    git config user.name 'Ann Lee'
    run kgate accept --list -c suite.yaml
    [ "$status" -eq 0 ]
    [ "$output" = "nothing is accepted" ]
    kgate accept "$slow_case" -c suite.yaml --because 'sums are exact now' --change +12% --until 2099-12-31 -q
    kgate accept "${slow_case/plain/fast}" -c suite.yaml --because 'a smaller table' --change +5% --metric peak_memory -q
    grep -qx '    by: "Ann Lee"' suite.accepted.yaml
    sed -i 's/since: .*/since: 2026-01-02T03:04:05Z/' suite.accepted.yaml
    run kgate accept --list -c suite.yaml
    [ "$status" -eq 0 ]
    [ "$output" = "${slow_case/plain/fast}: peak_memory up to +5.0 % is accepted
    a smaller table
    by Ann Lee, since 2026-01-02T03:04:05Z
$slow_case: time up to +12.0 % is accepted until 2099-12-31
    sums are exact now
    by Ann Lee, since 2026-01-02T03:04:05Z" ]
    run kgate accept --list -c suite.yaml -q
    [ "${#lines[@]}" -eq 2 ]
    run kgate accept --list -c suite.yaml --json
    [ "$status" -eq 0 ]
    jq -e --arg id "$slow_case" 'length == 2 and (.[1] == {case: $id, kind: "accepted", state: "holds", metric: "time",
        because: "sums are exact now", by: "Ann Lee", since: "2026-01-02T03:04:05Z", until: "2099-12-31", change: 0.12, line: 12})' <<<"$output"
    # a quarantine is in a list of its own
    kgate quarantine "$slow_case" -c suite.yaml --because 'shares a disk' -q
    run kgate quarantine --list -c suite.yaml
    [[ "$output" == "$slow_case: in quarantine"*"shares a disk"*"by Ann Lee, since 20"* && "$output" != *"sums are"* ]]
    run kgate accept --list -c suite.yaml -q
    [ "${#lines[@]}" -eq 2 ]
}

@test "in the list an entry that matches nothing any more, or is over, is marked" {
    sed -i 's/^defaults: {/&metrics: [time, peak_memory, cpu_time], /' suite.yaml
    for metric in time peak_memory cpu_time; do
        kgate accept "$slow_case" -c suite.yaml --because x --change +10% --metric "$metric" -q
    done
    sed -i -e 's/metric: "peak_memory"/metric: "evictions"/' -e '/metric: "cpu_time"/,/since:/ s/since: .*/&\n    until: 2020-01-31/' suite.accepted.yaml
    kgate accept "${slow_case/plain/fast}" -c suite.yaml --because x --change +10% -q
    sed -i 's/version=fast/version=gone/' suite.accepted.yaml
    run kgate accept --list -c suite.yaml
    [ "$status" -eq 0 ]
    [[ "$output" == *"version=gone/cpu: time up to +10.0 % is accepted"$'\n'"    no match: the suite has no such case"* ]]
    [[ "$output" == *": evictions up to +10.0 % is accepted"$'\n'"    no match: the workload has no such metric"* ]]
    run kgate accept --list -c suite.yaml --json
    [ "$(jq -c '[.[] | .state] | sort' <<<"$output")" = '["holds","no_case","no_metric","over"]' ]
    jq -e 'all(has("baseline") | not)' <<<"$output"
    run kgate accept --list -c suite.yaml -q
    [[ "$output" == *"until 2020-01-31  (expired: its last day has passed)"* ]]
}

@test "a list goes with nothing that changes the file, and a file that is named must be there" {
    for more in "$slow_case" "--because x" "--remove" "--change +5%" "--metric time"; do
        # shellcheck disable=SC2086
        run kgate accept --list -c suite.yaml $more
        [ "$status" -eq 2 ]
        [[ "$output" == *"--list shows all entries"* ]]
    done
    run kgate accept --list -c suite.yaml --accepted no-such.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"does not exist"* ]]
    run kgate accept -c suite.yaml --because x --change +5%
    [ "$status" -eq 2 ]
    [[ "$output" == *"usage: kgate accept CASE..., --from out/comparison.json, or --list"* ]]
    run kgate accept "$slow_case" -c suite.yaml --because x --change +5% --json
    [ "$status" -eq 2 ]
    [ ! -e suite.accepted.yaml ]
}

# Both cases slower than the store, by as much as is written.
both_slower() {
    baseline_and_slower
    jq '.cases[] |= (.rounds.median_ns |= map(. * 2))' slow.json >both.json
    run kgate compare "$store" both.json -o out
    [ "$status" -eq 1 ]
}

@test "all cases that became worse are accepted by --from alone, and are listed" {
    both_slower
    run kgate accept -c suite.yaml --because 'sums are exact now' --from out/comparison.json
    [ "$status" -eq 0 ]
    [ "$(grep -c ' is accepted' <<<"$output")" -eq 2 ]
    run kgate compare "$store" both.json -o out
    [ "$status" -eq 0 ]
    # they are accepted: there is nothing left
    run -2 kgate accept -c suite.yaml --because 'once more' --from out/comparison.json
    [[ "$output" == *"'out/comparison.json' has no case that became worse: there is nothing to accept"* ]]
}

@test "cases are accepted, removed and put in quarantine by a glob" {
    both_slower
    run kgate accept '*version=plain*' -c suite.yaml --because x --from out/comparison.json
    [ "$(grep -c ' is accepted' <<<"$output")" -eq 1 ]
    run kgate accept 'copy/*' -c suite.yaml --because x --change +10%
    [ "$(grep -c ': time up to +10.0 % is accepted' <<<"$output")" -eq 2 ]
    run kgate accept 'copy/*' '*plain/cpu' -c suite.yaml --remove
    [ "$(grep -c ': removed' <<<"$output")" -eq 2 ]
    run kgate quarantine '*' -c suite.yaml --because x
    [ "$(grep -c ': in quarantine' <<<"$output")" -eq 2 ]
    run -2 kgate accept 'gone/*' -c suite.yaml --because x --change +10%
    [[ "$output" == *"no case of 'suite.yaml' matches 'gone/*'"* ]]
    run -2 kgate accept 'gone/*' -c suite.yaml --because x --from out/comparison.json
    [[ "$output" == *"'out/comparison.json' has no case that became worse and matches 'gone/*'"* ]]
}

@test "the level that was accepted proposes no quarantine" {
    baseline_and_slower
    kgate baseline prune --keep 1 -q # one run at the old level, then two at the new
    kgate accept "$slow_case" -c suite.yaml --because x --change +200% -q
    later slow.json 60 >merged.json
    kgate baseline update merged.json --keep-builds 0 -q
    later slow.json 120 >more.json
    kgate baseline update more.json --keep-builds 0 -q
    kgate accept "$slow_case" -c suite.yaml --remove -q
    later slow.json 180 >now.json
    run kgate compare "$store" now.json --json
    [ "$(jq '[.notes[] | select(contains("quarantine"))] | length' <<<"$output")" -eq 0 ]
}
