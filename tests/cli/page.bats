load support

# What `report --format html` writes. How it looks and works is asked in a browser: tests/html.
setup_file() {
    "$KGATE" report "$SOURCE/tests/data/results.json" --format html >"$BATS_FILE_TMPDIR/page.html" ||
        rm "$BATS_FILE_TMPDIR/page.html"
}

needs_page() { [ -f "$BATS_FILE_TMPDIR/page.html" ] || skip "kgate was built without the page"; }

# In every build: tests/unit/show/test_pageless.c.
@test "a kgate that was built without the page says how to get it" {
    [ ! -f "$BATS_FILE_TMPDIR/page.html" ] || skip "kgate was built with the page"
    run kgate report "$SOURCE/tests/data/results.json" --format html -o page.html
    [ "$status" -eq 2 ]
    [[ "$output" == *"built without the HTML page: with Node.js there, run \`npm ci --ignore-scripts\`"* ]]
    [ ! -e page.html ]
}

# The JSON of the files in the page $1.
files_of() { sed -n 's/^<script type="application\/json" class="file" data-name="[^"]*">\(.*\)<\/script>$/\1/p' "$1"; }

@test "the page holds the file's JSON without samples" {
    needs_page
    files_of "$BATS_FILE_TMPDIR/page.html" >file.json
    [ "$(jq -r .schema file.json)" = kgate.results.v1 ]
    [ "$(jq '.cases | length' file.json)" = "$(jq '.cases | length' "$SOURCE/tests/data/results.json")" ]
    [ "$(jq '[.cases[].rounds.samples_ns[][]] | length' file.json)" = 0 ]
    [ "$(jq '[.cases[].rounds.median_ns[]] | length > 0' file.json)" = true ]
}

@test "several files, of different kinds, are one page" {
    needs_page
    kgate report "$SOURCE"/tests/data/{results,comparison,baseline,suggestions}.json \
        "$SOURCE/tests/data/profile.kgprof" --format html -o page.html
    files_of page.html | jq -r .schema >schemas
    printf 'kgate.%s\n' results.v1 comparison.v1 suggestions.v1 baseline.v1 suggestions.v1 profile.v1 |
        sort >expected
    sort schemas | uniq | diff - <(uniq expected)
}

@test "nothing in a name ends the script that holds it" {
    needs_page
    jq '.suite = "</script><img src=x onerror=alert(1)><!--\u2028"' "$SOURCE/tests/data/results.json" >'a"<b>.json'
    kgate report 'a"<b>.json' --format html >page.html
    run grep -c '<img' page.html
    [ "$output" = 0 ]
    grep -q 'data-name="a&quot;&lt;b&gt;.json"' page.html
    files_of <(sed 's/a&quot;&lt;b&gt;/a/' page.html) >file.json
    [ "$(jq -r .suite file.json)" = "$(jq -r .suite 'a"<b>.json')" ]
    grep -q 'u2028' file.json
}

# The part of the page $1 that needs no script, without the places where a name may wrap.
plain_of() { sed -n '/^<main/,/^<\/main>/p' "$1" | sed 's/<wbr>//g'; }

@test "without a script the page has the verdict and the cases, escaped" {
    needs_page
    jq '.verdict_reasons[0] = "<b>x</b> `kgate run`" | .cases[0].id = "a<b>&/n=1,m=2/cpu" | .commit = "v1.7-3-gabc"' \
        "$SOURCE/tests/data/comparison.json" >comparison.json
    kgate report comparison.json --format html >page.html
    plain_of page.html >plain.html
    grep -q "kgate $(jq -r .verdict comparison.json)</strong>" plain.html
    grep -q '&lt;b&gt;x&lt;/b&gt; <code>kgate run</code>' plain.html
    grep -q 'commit v1.7-3-gabc' plain.html
    grep -q '<th scope="row">a&lt;b&gt;&amp;/n=1,m=2/cpu</th>' plain.html
    [ "$(grep -c '<th scope="row">' plain.html)" -eq "$(jq '.cases | length' comparison.json)" ]
    ! grep -Eq '<script|<b>' plain.html
}

@test "without a script the page has the first of many cases, and counts the rest" {
    needs_page
    jq '.cases = [range(3000) as $i | .cases[0] | .id = "w/n=\($i)/cpu"]' "$SOURCE/tests/data/comparison.json" >many.json
    kgate report many.json --format html >page.html
    plain_of page.html >plain.html
    [ "$(grep -c '<th scope="row">' plain.html)" -eq 200 ]
    grep -q '… and 2800 more: ' plain.html
}

@test "a long recording leaves some entries of each process" {
    needs_page
    cat >suite.yaml <<'YAML'
version: 1
suite: scopes
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, rounds: {min: 2, max: 2}, min_time: 2ms, threads: 1, timeout: 120s}
workloads:
  - name: encode
    kernel: lattice_encode
    params: {lattice: D4, q: 4, M: 2}
    matrix: {batch: [1, 10]}
YAML
    kgate run -c suite.yaml -o results.json --profile -q
    kgate report results.json --format html -o page.html
    files_of page.html | jq -c 'select(.schema == "kgate.profile.v1")' >profile.json
    [ "$(jq '.entries | length <= 20000 and length > 0' profile.json)" = true ]
    [ "$(jq '.entry_count >= (.entries | length)' profile.json)" = true ]
    [ "$(jq '[.entries[].process] | unique | length == 2' profile.json)" = true ]
    # named beside its results it is in the page once
    kgate report results.json ./results.kgprof --format html -o both.html
    [ "$(files_of both.html | jq -c 'select(.schema == "kgate.profile.v1") | 1' | wc -l)" -eq 1 ]
}

@test "several files of several kinds are only for the page, and a missing one is told" {
    run kgate report "$SOURCE"/tests/data/{results,comparison}.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"kgate prints one file at a time, or results of several machines; --format html"* ]]
    run kgate report "$SOURCE/tests/data/results.json" none.json --format html -o page.html
    [ "$status" -eq 2 ]
    [ ! -e page.html ]
}

@test "a suite's reports may name it: then a comparison leaves one of all that it knows" {
    needs_page
    jq '.policy.reports = ["html"]' "$SOURCE/tests/data/results.json" >base.json
    run kgate compare base.json base.json -o out
    diff <(printf 'kgate.%s\n' baseline.v1 comparison.v1 results.v1 suggestions.v1) \
        <(files_of out/report.html | jq -r .schema | sort)
    [ ! -e out/report.md ]
}

# What tests/html asks at length, in two seconds: by the browser alone, without npm's packages.
@test "the page opens in a browser: charts are drawn, nothing is asked for, and the console stays empty" {
    needs_page
    command -v chromium >/dev/null || skip "there is no chromium"
    cp "$SOURCE"/tests/data/{results,comparison,baseline,suggestions}.json .
    kgate report results.json comparison.json baseline.json suggestions.json --format html -o page.html
    # What the page asks for is an error on its console: its policy allows nothing. The browser's own time runs
    # out on a busy machine before it has drawn: then it gets more.
    for budget in 5000 20000 60000; do
        timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --user-data-dir="$PWD/chromium.$budget" --host-resolver-rules='MAP * ~NOTFOUND' \
            --virtual-time-budget="$budget" --enable-logging=stderr --dump-dom "file://$PWD/page.html" >dom.html 2>log
        ! grep -q 'class="chart"[^>]*data-drawn="yes"' dom.html || break
    done
    for section in verdict changes statistics history machines guide; do
        grep -q "<section id=\"$section\"" dom.html
    done
    grep -q 'class="chart"[^>]*data-drawn="yes"' dom.html
    grep -q '<path' dom.html
    run grep CONSOLE log
    [ -z "$output" ]
}

@test "a gate's page has the stored runs of its suite, and no other's" {
    needs_page
    cat >suite.yaml <<'YAML'
version: 1
suite: stored
reports: [html]
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, rounds: {min: 2, max: 2}, min_time: 2ms, threads: 1, timeout: 120s}
workloads:
  - {name: encode, kernel: lattice_encode, params: {lattice: D4, q: 4, M: 2, batch: 10}}
YAML
    sed 's/suite: stored/suite: other/' suite.yaml >other.yaml
    for suite in suite other suite; do
        kgate baseline record -c $suite.yaml --runs 1 -b store
    done
    run kgate gate -c suite.yaml -b store -o out
    [ -e out/report.html ]
    files_of out/report.html | jq -c 'select(.schema == "kgate.baseline.v1")' >baseline.json
    [ "$(jq -c '[.runs[].suite]' baseline.json)" = '["stored","stored"]' ]
    [ "$(jq '.runs | length' store/*.json)" = 3 ]
}

@test "an ab's page has the rounds of both sides" {
    needs_page
    cat >suite.yaml <<'YAML'
version: 1
suite: sides
reports: [html]
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, rounds: {min: 2, max: 2}, min_time: 2ms, threads: 1, timeout: 120s}
workloads:
  - {name: encode, kernel: lattice_encode, params: {lattice: D4, q: 4, M: 2, batch: 10}}
YAML
    run kgate ab -c suite.yaml --base "$KGATE" --head "$KGATE" --measure-unchanged -o out
    files_of out/report.html | jq -c 'select(.schema == "kgate.results.v1" and .pair) | .cases[0].rounds.base_ratio == null' >sides
    printf '%s\n' false true | diff - <(sort sides)
}

@test "the page holds how each case stands to its budgets" {
    needs_page
    jq '.cases[0].status = "OK" | .cases[0].budgets = [{metric: "time", relation: "<=", limit: 1}] | .cases[1:][].budgets = []' \
        "$SOURCE/tests/data/results.json" >budgets.json
    kgate report budgets.json --format html >page.html
    files_of page.html >file.json
    [ "$(jq -c '.cases[0].held | {count, missed, unknown}' file.json)" = '{"count":1,"missed":1,"unknown":0}' ]
    [ "$(jq '[.cases[1:][] | select(has("held"))] | length' file.json)" = 0 ]
}

@test "init --demo writes an example profile, its page, and nothing over another file" {
    needs_page
    kgate init --demo
    grep -q '<script type="application/json" class="file" data-name="kgate-demo.json">' kgate-demo.html
    kgate report kgate-demo.json --format tree | grep -q '^frames (example data): 1 process, '
    run kgate init --demo
    [ "$status" -eq 2 ]
    [[ "$output" == *"'kgate-demo.json' exists already; --force overwrites it"* ]]
}
