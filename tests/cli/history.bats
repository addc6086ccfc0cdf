# kgate history: runs in a database, and faults in the middle of a write.
bats_require_minimum_version 1.5.0
load support
load postgres

# Results files r1.json to r$1.json of one suite, of last month, an hour apart and each 1 % slower. They are measured once per file of
# tests.
results() {
    local i
    if [ ! -e "$BATS_FILE_TMPDIR/r.json" ]; then
        kgate run -c suite.yaml -o "$BATS_FILE_TMPDIR/r.json" -q
    fi
    for i in $(seq "$1"); do
        jq --argjson i "$i" '.created |= (fromdate - 2592000 + 3600 * $i | todate) | .commit = "v1.\($i)" | .branch = "main"
            | .cases[].rounds.median_ns |= map(. * (1 + $i / 100))' "$BATS_FILE_TMPDIR/r.json" >"r$i.json"
    done
    rm -f suite.yaml # its folder names no history
}

# The same of $1 cases, for a write that takes a while.
large() {
    jq --argjson n "$1" '.cases[0] as $case | .cases = [range($n) as $i | $case | .id = "copy/n=\($i)/cpu"]' r1.json
}

# Number of runs and of points in a history.
counts() { kgate history export --history "${1:-kgate-history.db}" | awk -F, 'NR > 1 {run[$1]; n++} END {print length(run), n + 0}'; }

# SQL on the file of a history.
sql() { /usr/bin/python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()' "$@"; }

@test "add, list, show: a run is added once; text and JSON" {
    results 3
    run -0 kgate history add r1.json r2.json
    [ "$output" = "added 2 runs with 8 points to kgate-history.db" ]
    run -0 kgate history add r2.json r3.json
    [ "$output" = "added 1 run with 4 points to kgate-history.db; 1 was there already" ]
    run -0 kgate history list
    [ "${#lines[@]}" -eq 4 ]
    [[ "${lines[3]}" == *"small"*"commit"*"v1.3"*"main"* ]]
    run -0 kgate history show "copy/bytes=16KiB,version=plain/cpu" --metric time
    [[ "${lines[0]}" == "copy/bytes=16KiB,version=plain/cpu  time  on "*", 3 runs" ]]
    [[ "${lines[4]}" == *"v1.3"*"+1.0 %"* ]]
    run -0 kgate history show plain --metric time --top 1
    [[ "$output" == *"v1.3"*"2 earlier runs: --top 0 or --json"* && "$output" != *"v1.2"* ]]
    kgate history show 'copy/*' --json >show.json
    valid show.json history
    jq -e '(.runs | length) == 3 and (.series | length) == 4 and ([.series[].points | length] | all(. == 3))' show.json
    jq -e '. as $h | .series[] | select(.metric == "time") | [.points[] | $h.runs[.run].commit] == ["v1.1", "v1.2", "v1.3"]' show.json
    kgate history list --json --last 2 >list.json
    valid list.json history
    jq -e '[.runs[].commit] == ["v1.2", "v1.3"]' list.json
    run -0 kgate history changes
    [ "$output" = "no changes" ]
    run -2 kgate history show nothing
    [[ "$output" == *"the history 'kgate-history.db' has no case 'nothing'; there are copy/bytes=16KiB,version=fast/cpu, copy/bytes=16KiB,version=plain/cpu" ]]
    run -2 kgate history show cpoy
    [[ "$output" == *"has no case 'cpoy'; did you mean 'copy'?; there are "* ]]
    jq '.cases[0] as $case | .cases = [range(20) as $i | $case | .id = "many/n=\($i)/cpu"]' r1.json >many.json
    kgate history add many.json -q
    run -2 kgate history show nothing
    [[ "$output" == *"many/n=13/cpu and 14 more" ]]
    # a mistyped name is no empty answer
    host=$(jq -r .machine.host r1.json)
    for words in list changes audit "export -o none" "prune --keep 1"; do
        # shellcheck disable=SC2086
        run -2 kgate history $words --only-suite smal
        [[ "$output" == *"has no suite 'smal'; did you mean 'small'?; there are small" ]]
        [[ "$words" == prune* ]] && continue
        # shellcheck disable=SC2086
        run -2 kgate history $words --machine nosuch
        [[ "$output" == *"has no machine 'nosuch'; there are "*"$host"* ]]
    done
    run -2 kgate history changes --metric tiem
    [[ "$output" == *"has no metric 'tiem'; did you mean 'time'?; there are "* ]]
}

# Results files s1.json to s40.json: hourly runs of one suite, each with a noise of 0.2 %. From s21.json on, the times
# are 5 % longer. $1 is a filter of jq for each of them.
steps() {
    local i
    results 1
    for i in $(seq 40); do
        jq --argjson i "$i" '.created |= (fromdate + 3600 * $i | todate) | .commit = "c\($i)" | .branch = "main"
            | .cases[].rounds.median_ns |= map(. * (1 + 0.003 * ($i * 12.9898 | sin)) * (if $i > 20 then 1.05 else 1 end))
            | '"${1:-.}" r1.json >"s$i.json"
    done
}

# Changes of the time as JSON, without hashes and names.
times() { kgate history changes --metric time --json "$@" | jq -c '[.changes // [] | .[] | {kind, cause, state, commit_before, commit_after, step: (.ratio * 100 | round)}]'; }

@test "changes: a step of 5 % is one change per series, in text, JSON and show; older runs are skipped" {
    # shellcheck disable=SC2016 # $i is jq's
    steps '.cases[].code_hash = (if $i > 20 then "00000000000000ab" else "00000000000000aa" end)'
    for i in $(seq 22); do kgate history add "s$i.json" -q; done
    [ "$(times)" = "[]" ]
    run -0 kgate history add s24.json
    [[ "$output" == "added 1 run with "*" points to kgate-history.db; found "*"change"*": \`kgate history changes\`" ]]
    run -0 kgate history add s23.json
    [[ "$output" == *"; 1 is older than a run in the history: change detection skips it" ]]
    for i in $(seq 25 40); do kgate history add "s$i.json" -q; done
    cases=$(jq '.cases | length' s1.json)
    times | jq -e --argjson cases "$cases" 'length == $cases and all(.[]; . == {kind: "step", cause: "unknown", state: "suspected",
        commit_before: "c20", commit_after: "c21", step: 105})'
    kgate history changes --json >changes.json
    valid changes.json history
    run -0 kgate history changes --metric time
    [[ "${lines[0]}" == "case"*"metric"*"host"*"kind"*"change"*"95 % interval"*"cause"*"state"*"commits"*"found" ]]
    [[ "${lines[1]}" == *"time"*"step"*"+5."*"unknown"*"suspected"*"c20..c21"* ]]
    run -0 kgate history show plain --metric time --top 0
    [ "$(grep -c 'step +[45]\.[0-9] % (suspected, cause unknown)' <<<"$output")" -eq 1 ]
    grep -q 'c21 .*step +' <<<"$output"
    # the last run again adds no change
    kgate history add s40.json -q
    kgate history changes --json | cmp - changes.json
}

@test "a run of the future is named, and can be removed: change detection goes on" {
    # shellcheck disable=SC2016 # $i is jq's
    steps '.cases[].code_hash = (if $i > 20 then "00000000000000ab" else "00000000000000aa" end)'
    jq '.created = "2999-02-01T00:00:00Z"' s20.json >future.json
    for i in $(seq 20); do kgate history add "s$i.json" -q; done
    run -0 kgate history add future.json
    [[ "$output" == *"; future.json is of 2999-02-01T00:00:00Z, in the future: change detection skips older runs; \`kgate history prune --run 2999-02-01T00:00:00Z\` removes it" ]]
    kgate history add s21.json s22.json -q
    cp kgate-history.db before.db
    # a run that a confirmed change names keeps its row
    sql before.db "INSERT INTO change (series, run_before, run_after, found_run, ratio, cause, state, proof, culprit)
        SELECT 1, id, id, id, 1.5, 'unknown', 'confirmed', '', '' FROM run WHERE started > '2999'"
    for place in kgate-history.db before.db; do
        run -0 kgate history prune --run 2999-02 --history $place
        [ "$output" = "removed 1 run with 4 points from $place" ]
        kgate history list --json --history $place | jq -e '.runs | length == 22 and all(.started < "2999")'
        run -0 kgate history add s23.json --history $place
        [[ "$output" != *"skips"* ]]
        for i in $(seq 24 40); do kgate history add "s$i.json" -q --history $place; done
        times --history $place | jq -e 'any(.[]; .commit_after == "c21")'
    done
    kgate history changes --json --history before.db | jq -e 'any(.changes[]; .state == "confirmed")'
    run -2 kgate history prune --run 2
    [[ "$output" == *"--run 2 fits 40 runs: $(sha256sum s40.json | cut -c 1-12): $(jq -r .created s40.json) of suite small on "*"; give the hash of one, as here or from \`list --json\`" ]]
    run -2 kgate history prune --run 1999
    [[ "$output" == *"no run has the time or hash 1999; the newest runs: "*": $(jq -r .created s40.json) of suite small on "* ]]
    run -2 kgate history prune --run 2999 --keep 3
    [[ "$output" == *"needs --keep N"*"or --run TIME"* ]]
}

@test "prune --run: change detection goes on as if the run had never been added" {
    # shellcheck disable=SC2016 # $i is jq's
    steps '.cases[].code_hash = (if $i > 20 then "00000000000000ab" else "00000000000000aa" end)'
    jq '.commit = "wrong" | .created |= (fromdate + 60 | todate) | .cases[].rounds.median_ns |= map(. * 1.5)' s10.json >wrong.json
    for i in $(seq 30); do kgate history add "s$i.json" -q --history never.db; done
    for i in $(seq 10); do kgate history add "s$i.json" -q; done
    kgate history add wrong.json -q
    for i in $(seq 11 30); do kgate history add "s$i.json" -q; done
    [ "$(times)" = "[]" ]
    run -0 kgate history prune --run "$(jq -r .created wrong.json)"
    cases=$(jq '.cases | length' s1.json)
    [[ "$output" == "removed 1 run with "*" points from kgate-history.db; "*" changes more" ]]
    for i in $(seq 31 40); do
        kgate history add "s$i.json" -q
        kgate history add "s$i.json" -q --history never.db
    done
    times | jq -e --argjson cases "$cases" 'length == $cases'
    [ "$(times)" = "$(times --history never.db)" ]
    kgate history export --format prior -o pruned.json -q
    kgate history export --format prior -o never.json -q --history never.db
    diff <(jq 'del(.created)' pruned.json) <(jq 'del(.created)' never.json)
}

@test "prune --run after prune --keep: other changes and the states stay, and a note says so" {
    # shellcheck disable=SC2016 # $i is jq's
    steps '.cases[].code_hash = (if $i > 20 then "00000000000000ab" else "00000000000000aa" end)'
    kgate history add s?.json s??.json -q
    kgate history prune --keep 13 -q
    kgate history changes --json >before.json
    jq -e '.changes | length > 0' before.json
    rows kgate-history.db | grep 'INTO "level"' >before.rows
    run -0 kgate history prune --run "$(jq -r .created s35.json)"
    [ "$output" = "removed 1 run with 4 points from kgate-history.db; change detection of 4 series still contains its values, because older runs are pruned" ]
    kgate history changes --json | cmp - before.json
    rows kgate-history.db | grep 'INTO "level"' | cmp - before.rows
    # changes that the removed run found go
    run -0 kgate history prune --run "$(jq -r .created s40.json)"
    [[ "$output" != *"fewer"* ]]
    sql kgate-history.db "UPDATE change SET found_run = (SELECT MAX(id) FROM run WHERE points > 0)"
    run -0 kgate history prune --run "$(jq -r .created s39.json)"
    [[ "$output" == *"; $(jq '.changes | length' before.json) changes fewer" ]]
}

# Results files g1.json to g70.json: daily runs of one suite, each with a noise of 0.05 %. From g20.json on, the times grow by
# the share $1 per day.
drifts() {
    local i
    results 1
    for i in $(seq 70); do
        jq --argjson i "$i" --argjson growth "$1" '.created |= (fromdate + 86400 * ($i - 100) | todate) | .commit = "g\($i)" | .branch = "main"
            | .cases[].rounds.median_ns |= map(. * (1 + 0.0007 * ($i * 12.9898 | sin)) * (1 + $growth * ([$i - 20, 0] | max)))' r1.json >"g$i.json"
    done
}

@test "prune --run of a release removes the creeps since it" {
    drifts 0.00025
    jq '.created |= (fromdate + 60 | todate)' g20.json >release.json
    for i in $(seq 70); do echo "g$i.json"; done | xargs "$KGATE" history add -q --history never.db
    for i in $(seq 20); do echo "g$i.json"; done | xargs "$KGATE" history add -q
    kgate history add release.json -q --kind release
    for i in $(seq 21 70); do echo "g$i.json"; done | xargs "$KGATE" history add -q
    times | jq -e 'any(.[]; .kind == "creep")'
    [ "$(times --history never.db)" = "[]" ]
    kgate history prune --run "$(jq -r .created release.json)" -q
    [ "$(times)" = "[]" ]
}

@test "a creep knows its older commit also after prune --keep; a pruned run can be added again" {
    drifts 0.0004
    for i in $(seq 42); do echo "g$i.json"; done | xargs "$KGATE" history add -q
    [ "$(times)" = "[]" ]
    jq '.cases[].id |= "old" + . | .created |= (fromdate + 60 | todate)' g1.json >old.json
    kgate history add old.json -q
    kgate history prune --keep 5 -q
    kgate history list --json | jq -e '.runs | length == 5'
    for i in $(seq 43 70); do echo "g$i.json"; done | xargs "$KGATE" history add -q
    times | jq -e 'length > 0 and all(.[]; .kind == "creep" and (.commit_before | startswith("g")))'
    rows kgate-history.db | grep 'INTO "level"' >before.rows
    run -0 kgate history add g1.json old.json
    [[ "$output" == "added 2 runs "*"; 2 are older than a run in the history: change detection skips them" ]]
    rows kgate-history.db | grep 'INTO "level"' | cmp - before.rows
    run -0 kgate history add g1.json
    [[ "$output" == "added 0 runs "*"1 was there already" ]]
}

@test "prune --run of a hash removes one of two runs of one second" {
    results 1
    jq '.commit = "other"' r1.json >r2.json
    kgate history add r1.json r2.json -q
    time=$(jq -r .created r1.json)
    run -2 kgate history prune --run "$time"
    [[ "$output" == *"fits 2 runs: "*"$(sha256sum r2.json | cut -c 1-12)"*"; give the hash of one,"* ]]
    kgate history prune --run "$(sha256sum r2.json | cut -c 1-12)" -q
    kgate history list --json | jq -e '[.runs[].commit] == ["v1.1"]'
}

# Rows of a SQLite file as statements, sorted.
rows() { /usr/bin/python3 -c 'import sqlite3, sys
print("\n".join(sorted(sqlite3.connect(sys.argv[1]).iterdump())))' "$1"; }

# A history whose first change is refuted, with a build, and with pruned runs.
decided() {
    # shellcheck disable=SC2016 # $i is jq's
    steps '.cases[].code_hash = (if $i > 20 then "00000000000000ab" else "00000000000000aa" end)'
    kgate history add s?.json s[123]?.json -q
    sql kgate-history.db "UPDATE change SET state = 'refuted', cause = 'machine', proof = '+0.1 %', seconds = 1.5 WHERE id = 1;
        UPDATE run SET distance = 0.01, excess = 0.02, deviation = 0.001 WHERE id = 3;
        INSERT INTO build (suite, code, commit_, hash, scope, libraries) VALUES ('small', -7, 1, 'abc', 'file', 'a.so 1')"
    kgate history prune --keep 15 -q
}

@test "import of a database copies all rows into a new history" {
    decided
    run -0 kgate history import kgate-history.db --history copy.db
    [ "$output" = "added 15 runs with 60 points to copy.db" ]
    cmp <(rows kgate-history.db) <(rows copy.db)
    kgate history changes --all --json --history copy.db | jq -e 'any(.changes[]; .state == "refuted" and .proof == "+0.1 %" and .seconds == 1.5)'
    for place in kgate-history.db copy.db; do kgate history add s40.json -q --history $place; done
    cmp <(rows kgate-history.db) <(rows copy.db)
    run -2 kgate history import kgate-history.db --history copy.db
    [[ "$output" == *"the history 'copy.db' is not new, and kgate copies a database only into a new one. To add runs, \`kgate history export -o all.csv --history kgate-history.db\`, then import all.csv"* ]]
    run -2 kgate history import sqlite:missing.db --history third.db
    [[ "$output" == *"there is no history 'missing.db'"* ]]
    run -2 kgate history import kgate-history.db copy.db --history third.db
    [[ "$output" == *"\`import\` takes one database, and no other file"* ]]
    run -2 kgate history import kgate-history.db --kind nightly --history third.db
    [[ "$output" == *"\`import\` of a database takes no --kind: its runs keep their kinds"* ]]
    [ ! -e third.db ]
    # a history without runs is not new
    kgate history add s1.json -q --history empty.db
    kgate history prune --run 2 -q --history empty.db
    run -2 kgate history import kgate-history.db --history empty.db
    [[ "$output" == *"the history 'empty.db' is not new"* ]]
}

@test "changes: an unchanged code is the machine, a new epoch the environment; any order of one command" {
    steps '.cases[].code_hash = "00000000000000aa"'
    kgate history add s?.json s??.json -q
    times | jq -e 'length > 0 and all(.[]; .cause == "machine")'
    for i in $(seq 21 40); do jq '.machine.epoch = "0123456789abcdef"' "s$i.json" >"e$i.json"; done
    kgate history add e*.json s?.json s1?.json s20.json -q --history e.db
    times --history e.db | jq -e 'length > 0 and all(.[]; .cause == "environment")'
    # only the machine moves a kept build
    kgate history add s*.json -q --kind control --history control.db
    times --history control.db | jq -e 'length > 0 and all(.[]; .cause == "control")'
    # export and import find the same; prune keeps the changes
    kgate history export -o all.csv
    kgate history import all.csv -q --history copy.db
    [ "$(times --history copy.db)" = "$(times)" ]
    before=$(times)
    kgate history prune --keep 2 -q
    [ "$(times)" = "$before" ]
    kgate history import all.csv -q
    [ "$(times)" = "$before" ]
}

@test "changes as markdown and CSV; a trend as JSON, text and picture; report reads the JSON again" {
    # shellcheck disable=SC2016 # $i is jq's
    steps '.cases[].code_hash = (if $i > 20 then "00000000000000ab" else "00000000000000aa" end)'
    kgate history add s?.json s??.json -q
    cases=$(jq '.cases | length' s1.json)
    kgate history changes --metric time --format markdown >changes.md
    [ "$(head -n 1 changes.md)" = "**kgate history**: $cases changes, the newest first" ]
    grep -q '^| case | metric | host | kind | change | 95 % interval | cause | state | commits | found |$' changes.md
    [ "$(grep -c '^| copy/.* | time | .* | step | +[45]\.[0-9] % | .* | unknown | suspected | c20..c21 | ' changes.md)" -eq "$cases" ]
    kgate history changes --metric time --format csv >changes.csv
    [ "$(wc -l <changes.csv)" -eq $((cases + 1)) ]
    [[ "$(head -n 1 changes.csv)" == suite,case,metric,*,commit_before,commit_after,culprit,found ]]
    kgate history show plain --metric time --format csv | tail -n 1 | grep -q ',c40,main,.*,time,ns,'
    kgate history list --format csv | tail -n 1 | grep -q ',c40,main,'
    kgate history show plain --metric time --json -o trend.json
    valid trend.json history
    jq -e '.content == "series" and (.series | length) == 1' trend.json
    jq -e '.series[0] | [.levels[].first] == [0, 20] and (.marks | length) == 1 and .marks[0].at == 20
        and (.levels[1].value / .levels[0].value - 1.05 | fabs) < 0.005' trend.json
    kgate history show plain --metric time >show.txt
    kgate report trend.json | cmp - show.txt
    jq '.series[0].marks[0].change = 9' trend.json >index.json
    run -2 kgate report index.json
    [[ "$output" == *"index.json: series[0] is empty, or names a run, a change or a point that the file lacks" ]]
    run -2 kgate history show plain --format junit
    [[ "$output" == *"history files can be printed as text, markdown, json, csv, html, png or svg"* ]]
    command -v gnuplot >/dev/null || skip "no gnuplot"
    kgate history show plain --metric time --format svg >trend.svg
    grep -q '>newest run: c40<' trend.svg
    grep -q '>1: step +[45].* %), cause unknown, suspected, c20..c21<' trend.svg
    run -2 kgate history changes --format png
    [[ "$output" == *"there is nothing to draw: no series has two runs"* ]]
}

@test "a trend marks the commit of the checkout" {
    steps
    git init -q -b main .
    git commit -q --allow-empty -m x
    git rev-parse HEAD >hash
    for i in $(seq 40); do
        if [ "$i" -eq 30 ]; then jq --arg c "$(cat hash)" '.commit = $c' s30.json >here.json; else echo "s$i.json"; fi
    done | xargs "$KGATE" history add -q here.json
    kgate history show plain --metric time --json >trend.json
    jq -e --arg c "$(cat hash)" '.here == $c' trend.json
    kgate history show plain --metric time --top 0 | grep -q "^  2.* $(cut -c 1-12 hash) .*this checkout"
    command -v gnuplot >/dev/null || skip "no gnuplot"
    kgate history show plain --metric time --format svg | grep -q ">you are here: $(cut -c 1-12 hash)<"
}

@test "audit: false alarms at unchanged code, steps by direction, the smallest change" {
    steps '.cases[].code_hash = "00000000000000aa"'
    kgate history add s?.json s??.json -q
    kgate history audit --metric time --json >audit.json
    valid audit.json history
    cases=$(jq '.cases | length' s1.json)
    jq -e --argjson n "$cases" '.content == "audits" and has("series") == false and (.audits | length) == 1 and (.audits[0] |
        .series == $n and .alarms == $n and .blamed == 0 and .regressions == 0 and .alpha == 0.01 and .low > 0
        and (.cases | length) == $n and all(.cases[]; .visible > 0))' audit.json
    run -0 kgate history audit --metric time
    [[ "${lines[0]}" == "small on "*", host "* ]]
    [[ "${lines[1]}" == "  false alarms  $cases in "*" tests at unchanged code: "*", 95 % interval "*", nominal at most 0.1 %; 0 blamed on code" ]]
    [[ "$output" == *"code steps"*"0 regressions, 0 improvements"*"smallest change"* ]]
    kgate report audit.json | cmp - <(kgate history audit --metric time)
    sql kgate-history.db "UPDATE change SET state = 'confirmed', seconds = 0.25"
    kgate history audit --metric time | grep -q ' in 500 ms: 250 ms per confirmed change$'
    # the suite's alpha
    printf 'version: 1\nsuite: small\ndefaults: {alpha: 5%%}\nworkloads: [{name: copy, kernel: copy}]\n' >kgate.yaml
    kgate history audit --history kgate-history.db --metric time --json | jq -e --slurpfile strict audit.json \
        '.audits[0].alpha == 0.05 and .audits[0].cases[0].visible < $strict[0].audits[0].cases[0].visible'
    rm kgate.yaml
    # control runs are replayed
    kgate history add s?.json s??.json -q --kind control --history control.db
    kgate history audit --metric time --json --history control.db |
        jq -e --argjson n "$cases" '.audits[0] | .alarms == $n and .same > 20 and (.cases | length) == 0'
}

# The two example queries of docs/history.md, for a database with or without the schema kgate.
queries() { sed -n '/^```sql$/,/^```$/{/^```/d; p}' "$SOURCE/docs/history.md" | sed "s/ kgate\./ $1/"; }

# Answers of SQL queries on the file of a history.
sql_rows() { /usr/bin/python3 -c 'import sqlite3, sys
for query in sys.stdin.read().split(";")[:-1]:
    for row in sqlite3.connect("kgate-history.db").execute(query):
        print("|".join(str(value) for value in row))'; }

@test "the views of SQLite have names and times" {
    steps
    kgate history add s?.json s??.json -q
    queries "" | sql_rows >rows
    started=$(jq -r .created s40.json)
    value=$(kgate history show 'copy/bytes=16KiB,version=plain/cpu' --metric time --json | jq '.series[0].points[-1].value')
    grep -q "^$started|${value%%.*}.*|" rows
    [ "$(grep -c '|copy/.*|1\.0[0-9]*|machine|suspected|c21$' rows)" -eq "$(jq '.cases | length' s1.json)" ]
    [ "$(wc -l <rows)" -eq $((40 + $(jq '.cases | length' s1.json))) ]
}

# s1.json to s40.json with a machine that moves by 1 % from night to night, and k1.json to k40.json of its kept build.
# Both have the step of 5 %.
controlled() {
    # shellcheck disable=SC2016 # $i is jq's
    steps '.cases[].rounds.median_ns |= map(. * (1 + 0.01 * ($i * 4.1 | sin)))'
    for i in $(seq 40); do jq '.created |= (fromdate + 600 | todate)' "s$i.json" >"k$i.json"; done
}

@test "changes: the control's step is of the machine, and no step of its series; the control comes first" {
    controlled
    for i in $(seq 40); do
        kgate history add "k$i.json" -q --kind control
        kgate history add "s$i.json" -q
    done
    cases=$(jq '.cases | length' s1.json)
    times | jq -e --argjson cases "$cases" 'length == $cases and all(.[]; .cause == "control" and .commit_after == "c21")'
    kgate history show plain --metric time --json >show.json
    jq -e '[.series[].control] == [false, true]' show.json
    run -0 kgate history show plain --metric time
    [[ "$output" == *", host "*", 40 runs"*", control, 40 runs"* ]]
    # import knows the pairs in any order
    kgate history export -o all.csv
    kgate history import all.csv -q --history copy.db
    [ "$(times --history copy.db)" = "$(times)" ]
}

@test "prune --run: a replay takes no control that was added later than the run" {
    controlled
    jq '.commit = "wrong" | .created |= (fromdate + 60 | todate) | .cases[].rounds.median_ns |= map(. * 1.5)' s30.json >wrong.json
    for place in never.db kgate-history.db; do
        for i in $(seq 40); do
            kgate history add "s$i.json" -q --history $place
            [ "$i $place" != "30 kgate-history.db" ] || kgate history add wrong.json -q
            kgate history add "k$i.json" -q --kind control --history $place
        done
    done
    kgate history prune --run "$(jq -r .created wrong.json)" -q
    kgate history export --format prior -o pruned.json -q
    kgate history export --format prior -o never.json -q --history never.db
    diff <(jq 'del(.created)' pruned.json) <(jq 'del(.created)' never.json)
}

# Runs of three machines of one class, f1a.json to f20c.json. In the last night machine c is 4 % slower.
fleet() {
    local i host
    results 1
    for i in $(seq 20); do
        for host in a b c; do
            jq --argjson i "$i" --arg host "$host" '.created |= (fromdate + 86400 * $i | todate) | .commit = "c\($i)"
                | .machine.host = $host | ($host | explode[0]) as $seed
                | .cases[].rounds.median_ns |= map(. * (1 + 0.003 * ($i * 12.9898 + $seed * 3.7 | sin))
                    * (if $i == 20 and $host == "c" then 1.04 else 1 end))' r1.json >"f$i$host.json"
        done
    done
}

@test "changes: a machine that differs from its class in one night is a suspect node" {
    fleet
    for i in $(seq 19); do kgate history add "f$i"?.json -q; done
    run -0 kgate history changes
    [ "$output" = "no changes" ]
    run -0 kgate history add f20c.json
    [[ "$output" != *"suspect"* ]]
    run -0 kgate history add f20a.json f20b.json
    [[ "$output" == *"; 1 suspect node: \`kgate history changes\`" ]]
    run -0 kgate history changes
    [[ "${lines[0]}" == "no changes" && "${lines[1]}" == "suspect node"*"change"*"beyond others"*"deviation"*"started" ]]
    [[ "${lines[2]}" == "c "*"+"[345].*" %"*"+"[345].*" %"* && "${#lines[@]}" -eq 3 ]]
    kgate history changes --json >changes.json
    valid changes.json history
    jq -e '.nodes | length == 1 and .[0].host == "c" and .[0].commit == "c20"' changes.json
    # the run stays, as runs of changes do
    kgate history add f1a.json -q
    jq '.created |= (fromdate + 86400 | todate)' f20c.json >later.json
    kgate history add later.json -q
    kgate history prune --keep 1 -q
    kgate history changes --json | jq -e '.nodes[0].host == "c"'
}

@test "changes: writers that are killed change no answer" {
    steps
    kgate history add s*.json -q --history whole.db
    for i in $(seq 40); do
        timeout -s KILL "0.0$(printf %02d $((i * 7 % 25 + 3)))" "$KGATE" history add "s$i.json" -q || true
        kgate history add "s$i.json" -q
    done
    [ "$(times)" = "$(times --history whole.db)" ]
    [ "$(times)" != "[]" ]
}

@test "a wrong file adds nothing, and makes no database" {
    results 2
    echo '{"schema": "kgate.comparison.v1"}' >comparison.json
    echo '{"schema": "kgate.results.v1", "created": 3}' >broken.json
    echo nothing >text
    for file in comparison.json text missing.json .; do
        run -2 kgate history add "$file"
        [ ! -e kgate-history.db ]
    done
    run -2 kgate history add r1.json broken.json
    run -0 kgate history list
    [ "$output" = "no runs" ]
    jq '.cases = []' r1.json >empty.json
    run -2 kgate history add r1.json empty.json
    [[ "$output" == *"'empty.json' has no measured case"* ]]
    run -0 kgate history list
    [ "$output" = "no runs" ]
}

@test "a wrong CSV names its line and column, and adds nothing" {
    results 2
    kgate history add r1.json r2.json
    kgate history export -o all.csv
    sed '3s/^[0-9a-f]*,/x,/' all.csv >run.csv
    run -2 kgate history import run.csv --history other.db
    [[ "$output" == *"run.csv:3"*"column 'run': expected 64 hexadecimal digits, found 'x'"* ]]
    awk -F, -v OFS=, 'NR == 4 {$(NF - 1) = 99} 1' all.csv >flags.csv
    run -2 kgate history import flags.csv --history other.db
    [[ "$output" == *"flags.csv:4"*"column 'flags'"* ]]
    sed '5s/,[^,]*$//' all.csv >short.csv
    run -2 kgate history import short.csv --history other.db
    [[ "$output" == *"short.csv:5: 26 fields instead of 27"* ]]
    (cat all.csv && sed -n 2p all.csv) >apart.csv
    run -2 kgate history import apart.csv --history other.db
    [[ "$output" == *"do not follow each other"* ]]
    printf 'series,value\n1,2\n' >foreign.csv
    run -2 kgate history import foreign.csv --history foreign.db
    [[ "$output" == *"'foreign.csv' does not begin like a CSV file of "* ]]
    run -2 kgate history import nosuch.csv --history foreign.db
    [[ "$output" == *"'nosuch.csv': No such file"* ]]
    run -2 kgate history add all.csv --history foreign.db
    [[ "$output" == *"'all.csv' has no results; "*"kgate history import"* ]]
    [ ! -e foreign.db ]
    [ "$(counts other.db)" = "0 0" ]
}

@test "export and import: the same rows; results again add nothing; prune removes the oldest" {
    results 5
    jq '.cases[0].id = "=1+1, \"x\"/cpu"' r1.json >quoted.json
    kgate history add r2.json r3.json r4.json r5.json quoted.json -q --kind nightly
    kgate history export -o all.csv
    run -0 kgate history import all.csv --history copy.db
    [ "$output" = "added 5 runs with 20 points to copy.db; a CSV file has only points, so changes are suspected again; \`kgate history import\` of the database itself copies all" ]
    kgate history export --history copy.db | cmp - all.csv
    grep -q ',nightly,.*,"'"'"'=1+1, ""x""/cpu",' all.csv
    run -0 kgate history import r2.json --history copy.db
    [[ "$output" == "added 0 runs"*"1 was there already" ]]
    run -0 kgate history prune --keep 2
    [ "$output" = "removed 3 runs with 12 points from kgate-history.db" ]
    [ "$(kgate history list --json | jq -c '[.runs[].commit]')" = '["v1.4","v1.5"]' ]
    kgate history import all.csv -q
    kgate history export | cmp - all.csv
    kgate history export --json -o all.json
    valid all.json history
    run -2 kgate history prune
    [[ "$output" == *"needs --keep N"* ]]
}

@test "commits are in the order of their ancestry; an option in a commit's name reaches no git" {
    results 4
    git init -q -b main .
    for i in 1 2 3; do git commit -q --allow-empty -m "$i" && git rev-parse --short HEAD; done >hashes
    # the newest run measured the oldest commit
    for i in 1 2 3; do jq --arg c "$(sed -n "$((4 - i))p" hashes)-dirty" '.commit = $c' "r$i.json" >"c$i.json"; done
    kgate history add c1.json c2.json c3.json -q
    kgate history show plain --metric time --json >show.json
    jq -e '. as $h | [.series[].points[] | $h.runs[.run].depth] == [1, 2, 3]' show.json
    jq -e --arg full "$(git rev-parse HEAD)" '.runs[0] | .commit == $full and .dirty and (.parent | length) == 40' show.json
    jq '.commit = "--output=stolen"' r4.json >option.json
    kgate history add option.json -q
    [ ! -e stolen ]
    [ "$(kgate history list --json | jq -r '.runs[-1].commit')" = "--output=stolen" ]
}

@test "the history of a suite, beside the suite; --history overrides it" {
    results 1
    mkdir -p sub/below
    printf 'version: 1\nhistory: runs/all.db\nworkloads: [{name: copy, kernel: copy}]\n' >sub/kgate.yaml
    mkdir sub/runs
    kgate history add -c sub/kgate.yaml r1.json -q
    [ -s sub/runs/all.db ]
    (cd sub/below && kgate history list | grep -q v1.1)
    kgate history add -c sub/kgate.yaml r1.json -q --history sqlite:own.db
    [ -s own.db ]
    sed -i 's/^history:.*/history: [1]/' sub/kgate.yaml
    run -2 kgate history list -c sub/kgate.yaml
    [[ "$output" == *"kgate.yaml:2"*"history"* ]]
}

@test "files that are no history of this kgate" {
    results 1
    run -2 kgate history list
    [[ "$output" == *"there is no history 'kgate-history.db'; \`kgate history add RESULTS.json\` makes one"* ]]
    run -2 kgate history prune --keep 1
    [[ "$output" == *"there is no history 'kgate-history.db'"* ]]
    [ ! -e kgate-history.db ]
    sql other.db 'CREATE TABLE t (x)'
    run -2 kgate history add r1.json --history other.db
    [[ "$output" == *"is a SQLite database of another program"* ]]
    run -2 kgate history add r1.json --history r1.json
    [[ "$output" == *"it is no SQLite file"* ]]
    run -2 kgate history add r1.json --history .
    [[ "$output" == *"not a regular file"* ]]
    kgate history add r1.json -q
    sql kgate-history.db "UPDATE fact SET value = 1 WHERE name = 'version'"
    run -2 kgate history list
    [[ "$output" == *"has tables of version 1, and this kgate knows version 2: \`kgate history export -o all.csv\` by the kgate that wrote it, then \`kgate history import all.csv\` into a new history" ]]
    run -2 kgate history list --kind nightly
    [[ "$output" == *"\`kgate history list\` takes no --kind"* ]]
    run -2 kgate history shwo
    [[ "$output" == *"did you mean 'show'?"* ]]
}

@test "export -o - prints; a prior takes no --last" {
    results 3
    kgate history add r1.json r2.json r3.json -q
    kgate history export -o - | cmp - <(kgate history export)
    kgate history export --json -o - | cmp - <(kgate history export --json)
    kgate history list -o - | cmp - <(kgate history list)
    kgate history export --format prior -o - | jq -e '.series | length > 0'
    [ ! -e ./- ]
    run -2 kgate history export --format prior --last 5
    [[ "$output" == *"\`--format prior\` takes no --last: a prior is of all runs" ]]
    run -2 kgate history export --format prior --machine other-linux
    [[ "$output" == *"has no machine 'other-linux'; there are "* ]]
}

@test "a damaged file says so, and what to do" {
    results 2
    kgate history add r1.json r2.json -q
    /usr/bin/python3 - <<'PY'
import sqlite3
page = sqlite3.connect("kgate-history.db").execute("SELECT rootpage FROM sqlite_master WHERE name = 'point'").fetchone()[0]
data = bytearray(open("kgate-history.db", "rb").read())
data[4096 * (page - 1):4096 * page] = b"\xff" * 4096
open("kgate-history.db", "wb").write(data)
PY
    run -3 kgate history export
    [[ "$output" == *"the history 'kgate-history.db' is damaged: "*". Put a backup in its place, or \`kgate history add\` the results files to a new history"* ]]
}

@test "a damaged file, and a file from elsewhere without texts, are errors or rows" {
    results 3
    kgate history add r1.json r2.json -q
    cp kgate-history.db good.db
    for seed in $(seq 60); do
        /usr/bin/python3 - "$seed" <<'PY'
import random, sys
draw, data = random.Random(sys.argv[1]), bytearray(open("good.db", "rb").read())
for _ in range(40):
    data[draw.randrange(100, len(data))] = draw.randrange(256)
open("bad.db", "wb").write(data)
PY
        for words in "show copy --json" "export" "add r3.json -q" "prune --keep 1"; do
            # shellcheck disable=SC2086
            run kgate history $words --history bad.db
            [ "$status" -le 3 ]
        done
    done
    sql good.db 'DROP VIEW trend; DROP VIEW changes; CREATE TABLE loose (id, hash, suite, machine, epoch, commit_, dirty, complete, kind, started, boot,
        version, file, points); INSERT INTO loose SELECT id, NULL, suite, machine, epoch, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, points FROM run; DROP TABLE run; ALTER TABLE loose RENAME TO run;'
    for words in list "list --json" "show copy" export; do
        # shellcheck disable=SC2086
        run kgate history $words --history good.db
        [ "$status" -le 3 ]
    done
}

@test "SQLite refuses more than 100 million points, with advice" {
    results 2
    kgate history add r1.json -q
    sql kgate-history.db "UPDATE fact SET value = 99999999 WHERE name = 'points'"
    run -2 kgate history add r2.json
    [[ "$output" == *"at most 100000000 in SQLite"*"prune --keep N"*"postgresql://"* ]]
    [ "$(counts)" = "1 4" ]
}

@test "a killed writer loses no run that was added, and leaves no half run" {
    results 12
    large 400 >large.json
    kgate history add large.json -q
    : >added
    for i in $(seq 12); do
        jq --argjson i "$i" '.commit = "k\($i)"' large.json >"k$i.json"
        timeout -s KILL "0.$(printf %03d $((i * 7 % 60 + 5)))" "$KGATE" history add "k$i.json" -q && echo "$i" >>added
        # whole runs only, and all that reported success
        kgate history list --json >list.json
        [ "$(jq '[.runs[].points] | unique | length' list.json)" -eq 1 ]
        while read -r n; do jq -e --arg c "k$n" 'any(.runs[]; .commit == $c)' list.json; done <added
    done
    kgate history add k*.json -q
    [ "$(kgate history list --json | jq '.runs | length')" -eq 13 ]
}

# bats test_tags=thorough
@test "killed, or the disk full, at each write: the added runs stay, and no half run" {
    command -v strace >/dev/null || skip "no strace"
    export ASAN_OPTIONS=detect_leaks=0 # a traced process cannot look for leaks
    results 2
    large 300 >large.json
    kgate history add r1.json -q
    cp kgate-history.db one.db
    for fault in signal=KILL error=ENOSPC error=EIO; do
        for call in pwrite64 fdatasync unlink; do
            for n in $(seq 1 1 6) $(seq 7 5 200); do
                cp one.db kgate-history.db && rm -f kgate-history.db-journal
                run strace -f -o trace -e trace="$call" -e inject="$call:$fault:when=$n" "$KGATE" history add large.json -q
                grep -q INJECTED trace || grep -q KILL trace || break # there are fewer calls
                after=$(counts)
                case $status in
                0) [ "$after" = "2 604" ] ;;
                # the last fdatasync is the folder's, when the run is added already
                3) [ "$after" = "1 4" ] || [ "$call $after" = "fdatasync 2 604" ] ;;
                137) [[ "$after" = "1 4" || "$after" = "2 604" ]] ;;
                *) return 1 ;;
                esac
                kgate history add large.json r2.json -q
                [ "$(counts)" = "3 608" ]
            done
        done
    done
}

@test "Ctrl-C in prune --run: exit 130 at once, and all runs stay or one is gone" {
    command -v strace >/dev/null || skip "no strace"
    export ASAN_OPTIONS=detect_leaks=0
    results 3
    large 300 >large.json
    kgate history add r2.json large.json r3.json -q
    cp kgate-history.db whole.db
    stayed=0
    for n in $(seq 1 5 200); do
        cp whole.db kgate-history.db && rm -f kgate-history.db-journal
        run strace -o trace -e trace=pwrite64 -e inject="pwrite64:signal=INT:when=$n" "$KGATE" history prune --run "$(jq -r .created large.json)"
        grep -q SIGINT trace || break # there are fewer writes
        [ "$status" -eq 130 ]
        after=$(counts)
        [[ "$after" = "3 608" || "$after" = "2 8" ]]
        if [ "$after" = "3 608" ]; then
            stayed=$((stayed + 1))
            kgate history prune --run "$(jq -r .created large.json)" -q
            [ "$(counts)" = "2 8" ]
        fi
    done
    [ "$stayed" -ge 2 ]
}

@test "a file that may not grow: an error, and the runs from before stay" {
    results 2
    large 2000 >large.json
    kgate history add r1.json -q
    cp kgate-history.db before.db
    (
        ulimit -f 100 # KiB
        run -3 kgate history add large.json
        [[ "$output" == *"history 'kgate-history.db': "* ]]
    )
    [ "$(counts)" = "1 4" ]
    kgate history add large.json r2.json -q
    [ "$(counts)" = "3 4008" ]
}

@test "a full disk: an error, and the runs from before stay" {
    results 2
    large 2000 >large.json
    mkdir disk
    unshare --map-root-user --mount true 2>/dev/null || skip "no mount namespace"
    cat >full.sh <<'SH'
mount -t tmpfs -o size=200k none disk || exit 77
"$KGATE" history add r1.json -q --history disk/h.db || exit 1
"$KGATE" history add large.json --history disk/h.db
[ $? -eq 3 ] || exit 2
"$KGATE" history add r2.json -q --history disk/h.db || exit 3
"$KGATE" history export --history disk/h.db >rows.csv
SH
    KGATE=$KGATE run unshare --map-root-user --mount bash full.sh
    [ "$status" -ne 77 ] || skip "no tmpfs"
    [ "$status" -eq 0 ]
    [[ "$output" == *"full"* || "$output" == *"No space"* ]]
    [ "$(wc -l <rows.csv)" -eq 9 ]
}

@test "a read-only history is read, and refuses a write" {
    results 2
    as=()
    if [ "$(id -u)" -eq 0 ]; then
        command -v setpriv >/dev/null || skip "root may write everywhere"
        as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    fi
    folder=$(mktemp -d)
    cp r1.json r2.json "$folder"
    cd "$folder"
    kgate history add r1.json -q
    chmod 444 ./* && chmod 555 .
    HOME=$folder run -0 "${as[@]}" "$KGATE" history show plain --metric time
    run -3 "${as[@]}" "$KGATE" history add r2.json
    [[ "$output" == *"cannot write the history 'kgate-history.db'"* ]]
    run "${as[@]}" "$KGATE" history add r2.json --history new.db
    [ "$status" -eq 3 ]
    cd "$BATS_TEST_TMPDIR"
    chmod -R u+rwX "$folder" && rm -r "$folder"
}

@test "two writers at once: each run is there once" {
    results 10
    for i in $(seq 10); do "$KGATE" history add "r$i.json" -q 3>&- || echo "$i" >>failed; done &
    for i in $(seq 10 -1 1); do "$KGATE" history add "r$i.json" -q 3>&- || echo "$i" >>failed; done &
    wait
    [ ! -e failed ]
    [ "$(counts)" = "10 40" ]
}

@test "a busy history is an error after KGATE_LOCK_SECONDS" {
    results 1
    kgate history add r1.json -q
    /usr/bin/python3 -c 'import sqlite3, sys, time
c = sqlite3.connect("kgate-history.db", isolation_level=None)
c.execute("BEGIN EXCLUSIVE")
open("locked", "w")
time.sleep(60)' 3>&- &
    holder=$!
    for _ in $(seq 100); do [ ! -e locked ] || break; sleep 0.1; done
    KGATE_LOCK_SECONDS=0.2 run -3 kgate history list
    kill "$holder"
    [[ "$output" == *"another process writes the history"* ]]
}

@test "a URL without a server; the password is in no message" {
    results 1
    run kgate history add r1.json --history "postgresql://me:secret@/none?host=$PWD"
    [ "$status" -eq 2 ] || [ "$status" -eq 3 ]
    [[ "$output" == *"postgresql://me@/none"* || "$output" == *libpq* ]] # not everywhere
    [[ "$output" != *secret* ]]
}

# --- PostgreSQL ---------------------------------------------------------------------------------------------------------

# bats test_tags=thorough
@test "PostgreSQL and SQLite give the same answers, row by row" {
    results 6
    pg_up
    jq '.cases[0].id = "Zoo/cpu" | .cases[1].id = "äpfel/cpu" | .commit = null | .machine.host = null' r6.json >odd.json
    large 300 >large.json
    for place in kgate-history.db "$URL"; do
        kgate history add r1.json r3.json r2.json odd.json large.json -q --history "$place"
        kgate history add r4.json r5.json -q --kind nightly --history "$place"
        kgate history add r5.json -q --history "$place"
    done
    both list
    both list --json --last 2
    both show plain
    both show '*' --json
    both export
    both export --json
    both changes --json
    for place in kgate-history.db "$URL"; do
        kgate history prune --keep 3 -q --history "$place"
        kgate history prune --run "$(jq -r .created r5.json)" -q --history "$place"
    done
    [ "$(counts "$URL")" = "$(counts)" ]
    both export
    # from one to the other
    kgate history export -o all.csv
    kgate history import all.csv --history copy.db -q
    kgate history export --history copy.db | cmp - all.csv
    kgate history add r6.json -q --history "$URL"
    kgate history export --history "$URL" -o more.csv
    kgate history import more.csv -q
    both export
}

# bats test_tags=thorough
@test "PostgreSQL: a copy of a SQLite file, and a copy back" {
    decided
    pg_up
    kgate history import kgate-history.db --history "$URL" -q
    both list
    both changes --all --json
    both show '*' --json
    both audit --json
    both export
    kgate history import "$URL" --history back.db -q
    cmp <(rows kgate-history.db) <(rows back.db)
    # the next rows get new ids
    for place in kgate-history.db "$URL" back.db; do kgate history add s40.json -q --history "$place"; done
    both changes --all --json
    both list
    cmp <(rows kgate-history.db) <(rows back.db)
    for place in kgate-history.db "$URL"; do
        kgate history prune --run "$(jq -r .created s35.json)" -q --history "$place"
    done
    both changes --all --json
}

# bats test_tags=thorough
@test "PostgreSQL and SQLite find the same changes" {
    steps
    pg_up
    for i in $(seq 40); do
        jq '.machine.host = "b"' "s$i.json" >"b$i.json"
        for place in kgate-history.db "$URL"; do
            kgate history add "s$i.json" "b$i.json" -q --history "$place"
        done
    done
    both changes --json
    both changes
    both show plain
    [ "$(times)" != "[]" ]
    kgate history export --format prior -o sqlite.json -q
    kgate history export --format prior -o postgres.json -q --history "$URL"
    jq -e '.series | length > 1 and all(.runs == 80)' sqlite.json
    diff <(jq 'del(.created)' sqlite.json) <(jq 'del(.created)' postgres.json)
}

# bats test_tags=thorough
@test "PostgreSQL: writers that start at once on an empty database all succeed" {
    results 6
    pg_up
    for _ in 1 2 3 4 5 6; do
        for i in 1 2 3 4 5 6; do "$KGATE" history add "r$i.json" -q --history "$URL" 3>&- || echo "$i" >>failed & done
        wait
        [ ! -e failed ]
        [ "$(counts "$URL")" = "6 24" ]
        "$pg_programs/psql" -q -h "$PG" -U kgate -c 'SET client_min_messages TO error; DROP SCHEMA kgate CASCADE' postgres
    done
}

# bats test_tags=thorough
@test "PostgreSQL: the views, the audit, and the formats of a trend answer as SQLite's" {
    steps
    pg_up
    for place in kgate-history.db "$URL"; do kgate history add s?.json s??.json -q --history "$place"; done
    queries "" | sql_rows >sqlite.rows
    queries kgate. | PGTZ=UTC "$pg_programs/psql" "$URL" -At -v ON_ERROR_STOP=1 |
        sed 's/^\(....-..-..\) \(..:..:..\)+00/\1T\2Z/' >postgres.rows
    [ -s postgres.rows ]
    cmp sqlite.rows postgres.rows
    both audit
    both audit --json
    both changes --format markdown
    both changes --format csv
    both show plain --format csv
    both show plain --format markdown
}

# bats test_tags=thorough
@test "PostgreSQL and SQLite subtract the same controls, and suspect the same nodes" {
    controlled
    for i in $(seq 40); do mv "s$i.json" "n$i.json"; done
    jq '.branch = "release"' n20.json >release.json
    fleet
    pg_up
    for place in kgate-history.db "$URL"; do
        for i in $(seq 40); do
            kgate history add "k$i.json" -q --kind control --history "$place"
            kgate history add "n$i.json" -q --kind nightly --history "$place"
        done
        kgate history add release.json -q --kind release --history "$place"
        for i in $(seq 20); do kgate history add "f$i"?.json -q --history "$place"; done
    done
    both changes --json
    both changes
    both show '*' --json
    kgate history changes --json | jq -e '(.changes | length > 0) and (.nodes | length == 1)'
}

# bats test_tags=thorough
@test "PostgreSQL: two writers at once, a killed writer, a reader without a schema" {
    results 8
    pg_up
    run -2 kgate history list --history "$URL"
    [[ "$output" == *"there is no history in"* ]]
    run -2 kgate history prune --keep 1 --history "$URL"
    [[ "$output" == *"there is no history in"* ]]
    for i in $(seq 8); do "$KGATE" history add "r$i.json" -q --history "$URL" 3>&- || echo "$i" >>failed; done &
    for i in $(seq 8 -1 1); do "$KGATE" history add "r$i.json" -q --history "$URL" 3>&- || echo "$i" >>failed; done &
    wait
    [ ! -e failed ]
    [ "$(counts "$URL")" = "8 32" ]
    large 2000 >large.json
    for delay in 0.03 0.06 0.1 0.2; do
        timeout -s KILL "$delay" "$KGATE" history add large.json -q --history "$URL" || true
        [[ "$(counts "$URL")" = "8 32" || "$(counts "$URL")" = "9 4032" ]]
    done
    kgate history add large.json -q --history "$URL"
    [ "$(counts "$URL")" = "9 4032" ]
}
