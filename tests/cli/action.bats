bats_require_minimum_version 1.5.0
load support
load action

# The GitHub action and GitLab's note: what is measured, and what is posted of it.

@test "the action: a pass is a green check on the head's commit, a summary, and no comment" {
    service
    workflow
    suite_that passes
    act
    [ "$status" -eq 0 ]
    [[ "$output" == *"output verdict=PASS"*"output exit-code=0"*'output counts={'*'"regression":0'* ]]
    grep -q 'kgate PASS' summary.md
    [ "$(get '.comments | length')" -eq 0 ]
    [ "$(get '.checks | length')" -eq 1 ]
    [ "$(get '.checks[0] | [.name, .head_sha, .status, .conclusion] | join(" ")')" = "kgate $HEAD_SHA completed success" ]
    # begun before it was measured
    grep -n . log | grep -q '^1:POST .*/check-runs '
    # the artifact comes before the status
    [[ "$output" == *"uses actions/upload-artifact"*kgate-out* ]]
}

@test "the action: a failure is told everywhere before the job fails; the comment is kept up to date" {
    service
    workflow
    # somebody else's comment may begin with the same line
    put --arg body "<!-- kgate:kgate --> mine" '.comments = [{id: 1, body: $body, user: {login: "stranger"}}]'
    suite_that misses
    act
    [ "$status" -eq 1 ]
    [[ "$output" == *"::error "*"output verdict=FAIL"*"output exit-code=1"* ]]
    grep -q 'kgate FAIL' summary.md
    [ "$(get '.checks[0].conclusion')" = failure ]
    # the list of checks shows the title alone
    [[ "$(get '.checks[0].output.title')" == "kgate FAIL: 1 case regressed: "*": time is "*", the budget asks <= 1.00 ns" ]]
    [ "$(get '.comments | length')" -eq 2 ]
    [[ "$(get '.comments[1].body')" == "<!-- kgate:kgate -->"*"kgate FAIL"* ]]
    # again, beside a hundred others: the same comment, though it passes now
    put '.comments = [range(120) | {id: (5000 + .), body: "talk", user: {login: "person"}}] + .comments'
    suite_that passes
    act
    [ "$status" -eq 0 ]
    [ "$(get '.comments | length')" -eq 122 ]
    [[ "$(get '.comments[121].body')" == "<!-- kgate:kgate -->"*"kgate PASS"* ]]
    [ "$(get '.comments[120].body')" = "<!-- kgate:kgate --> mine" ]
    # another id is another comment, and another check
    suite_that misses
    act id=nightly
    [ "$(get '.comments | length')" -eq 123 ]
    [ "$(get '.checks[-1].name')" = nightly ]
    # none where none is wanted; one where each is
    act id=quiet comment=never
    [ "$(get '.comments | length')" -eq 123 ]
    suite_that passes
    act id=loud comment=always
    [ "$(get '.comments | length')" -eq 124 ]
}

@test "the action: undecided is neutral, and no failure" {
    service
    workflow
    suite_that undecided
    act
    [ "$status" -eq 0 ]
    [[ "$output" == *"::warning title=kgate::undecided"*"output verdict=UNDECIDED"*"output exit-code=4"* ]]
    [ "$(get '.checks[0].conclusion')" = neutral ]
    [[ "$(get '.checks[0].output.summary')" == *"GitHub lets the change merge, even if it is slower"* ]]
}

# bats test_tags=thorough
@test "the action: advisory fails on no regression, but on what could not be measured" {
    service
    workflow
    suite_that misses
    act posture=advisory
    [ "$status" -eq 0 ]
    [ "$(get '.checks[0].conclusion')" = neutral ]
    suite_that fails
    act posture=advisory
    [ "$status" -eq 3 ]
    [ "$(get '.checks[1].conclusion')" = failure ]
    # no suite at all
    act posture=advisory suite=nowhere.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"output verdict=ERROR"* ]]
    [ "$(get '.checks[2].conclusion')" = failure ]
    grep -q 'could not measure' summary.md
}

# bats test_tags=thorough
@test "the action: without permission it warns, and the gate's status stays" {
    service
    workflow
    echo '^(POST|PATCH) ' >deny
    suite_that misses
    act
    [ "$status" -eq 1 ]
    [[ "$output" == *"::warning title=kgate::no check on the commit"*"::warning title=kgate::no comment"* ]]
    grep -q 'kgate FAIL' summary.md
    suite_that passes
    act
    [ "$status" -eq 0 ]
    # a service that is not there at all
    GITHUB_API_URL=http://127.0.0.1:1 act
    [ "$status" -eq 0 ]
}

@test "the action: what is measured never sees the token" {
    service
    workflow
    cat >spy <<'SH'
#!/bin/sh
env >>spied
tr '\0' '\n' </proc/$PPID/environ >>spied
SH
    chmod +x spy
    suite_of <<YAML
  - name: spy
    command: [$PWD/spy]
    budget: {time: "<= 100s"}
YAML
    act
    [ "$status" -eq 0 ]
    grep -q . spied
    run ! grep -q "$TOKEN" spied
    grep -q " $TOKEN$" log
}

@test "the action: a change of documents alone succeeds without measuring" {
    service
    workflow
    suite_that misses
    put '.files = [{filename: "docs/a/b.md"}, {filename: "README.md"}]'
    act "ignore-paths=$(printf 'docs/*\n*.md\n')"
    [ "$status" -eq 0 ]
    [[ "$output" == *"output verdict=NOTHING"* ]]
    [ ! -e kgate-out/comparison.json ]
    [ "$(get '.checks[0].conclusion')" = success ]
    # one other path, also one that a document was moved from, and all is measured
    put '.files = [{filename: "docs/main.c.md", previous_filename: "src/main.c"}]'
    act "ignore-paths=docs/*"
    [ "$status" -eq 1 ]
    # so it is where the list cannot be had
    put '.files = [{filename: "docs/a.md"}]'
    echo '/files' >deny
    act "ignore-paths=docs/*"
    [ "$status" -eq 1 ]
}

# bats test_tags=thorough
@test "the action: a change whose list of files may be cut is measured" {
    service
    workflow
    suite_that misses
    put '.files = [range(3000) | {filename: "docs/\(.).md"}] + [{filename: "main.c"}]'
    act "ignore-paths=docs/*"
    [ "$status" -eq 1 ]
}

@test "the action: a build is told of no token and of no file of the runner" {
    service
    workflow
    suite_that passes
    export GITHUB_TOKEN=$TOKEN GH_TOKEN=$TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN=$TOKEN INPUT_TOKEN=$TOKEN MINE=stays
    act 'build=env >>spied; echo "NAME=value" >>"$GITHUB_ENV"'
    [ "$status" -eq 2 ]
    [[ "$output" == *"GITHUB_ENV: unbound variable"*"the head does not build"* ]]
    act 'build=env >>spied'
    [ "$status" -eq 0 ]
    grep -q '^MINE=stays$' spied
    grep -q '^GITHUB_SHA=' spied
    run ! grep -e "$TOKEN" -e '^GITHUB_\(ENV\|PATH\|OUTPUT\|STATE\|STEP_SUMMARY\)=' spied
}

@test "the action: what a build leaves for the steps after it gets no token, and has no say" {
    service
    workflow
    suite_that misses
    export HOME=$PWD/home
    mkdir home bin
    printf 'env >>%s/spied\n' "$PWD" | tee steal bin/jq bin/curl bin/sha256sum >/dev/null
    chmod +x bin/*
    cat >evil <<'SH'
for file in "$RUNNER_TEMP"/_runner_file_commands*/*; do
    case $file in
    */env) echo "BASH_ENV=$PWD/steal" ;;
    */path) echo "$PWD/bin" ;;
    */output) printf 'verdict=PASS\nexit-code=0\n' ;;
    */step_summary) echo evil ;;
    esac >>"$file"
done
printf 'trace-ascii = "%s"\n' "$PWD/spied" >"$HOME/.curlrc"
echo 'def startswith($x): error($ENV.KGATE_TOKEN);' >"$HOME/.jq"
SH
    act 'build=sh evil'
    [ "$status" -eq 1 ]
    [[ "$output" == *"wrote to the file of GITHUB_ENV. The text is dropped"*"output verdict=FAIL"* ]]
    [ "$(get '.comments | length')" -eq 1 ]
    [[ "$output" != *"$TOKEN"* ]]
    run ! grep -rq "$TOKEN" spied
    run ! grep -q evil summary.md
}

@test "the action: a kgate that a build has replaced does not run with the token" {
    service
    workflow
    suite_that passes
    printf '#!/bin/sh\nexec %s "$@"\n' "$KGATE" >own
    chmod +x own
    act kgate="$PWD/own"
    [ "$status" -eq 0 ]
    printf 'mv other own\n' >evil
    printf '#!/bin/sh\nenv >>%s/spied\nexec %s "$@"\n' "$PWD" "$KGATE" >other
    chmod +x other
    act kgate="$PWD/own" 'build=sh evil'
    [ "$status" -eq 2 ]
    [[ "$output" == *"changed during the build or the measurement"* ]]
    grep -q . spied
    run ! grep -q "$TOKEN" spied
    [ "$(get '.checks[-1].status')" = in_progress ]
}

@test "the action: build is run in the head's folder where a base is given, and in mode gate" {
    service
    workflow
    suite_that passes
    act build='touch here; printf %s "$PKG_CONFIG_PATH" >path'
    [ "$status" -eq 0 ]
    [ -e here ]
    # kgate's headers are found by pkg-config
    [[ "$(cat path)" == "$(dirname "$(dirname "$(readlink -f "$KGATE")")")/lib/pkgconfig:"* ]]
    mkdir base head
    printf '#!/bin/sh\n' | tee base/program >head/program
    chmod +x base/program
    suite_of <<'YAML'
  - {name: program, command: [./program], budget: {time: "<= 100s"}}
YAML
    act mode=ab base=base head=head 'build=chmod +x program; touch built'
    [[ "$output" == *"output exit-code="[04]* ]]
    [ -e head/built ]
    [ ! -e base/built ]
    act mode=ab base=base head=head/program build=true
    [ "$status" -eq 2 ]
    [[ "$output" == *"build needs a folder, but 'head/program' is not a folder"* ]]
}

@test "the action: an entry of the merge queue has its own commit, and no comment" {
    service
    workflow '{"merge_group": {"head_sha": "2222222222222222222222222222222222222222", "base_sha": "3333333333333333333333333333333333333333"}}'
    suite_that misses
    act
    [ "$status" -eq 1 ]
    [ "$(get '.checks[0].head_sha')" = 2222222222222222222222222222222222222222 ]
    [ "$(get '.comments | length')" -eq 0 ]
}

@test "the action: ab builds base and head by the same command" {
    service
    git init -q repository
    cd repository
    printf '#!/bin/sh\nexit 0\n' >source.sh
    git add source.sh
    git commit -qm first
    first=$(git rev-parse HEAD)
    cat >one.yaml <<'YAML'
version: 1
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 1000%, rounds: {min: 2, max: 2}, min_time: 2ms, threads: 1}
workloads:
  - {name: program, command: [./program]}
YAML
    git add one.yaml
    git commit -qm base
    base=$(git rev-parse HEAD)
    echo '# changed' >>source.sh
    git commit -qam head
    mv ../state.json .
    cd ..
    cp repository/state.json .
    workflow '{"pull_request": {"number": 7, "head": {"sha": "'$HEAD_SHA'"}, "base": {"sha": "'$base'"}}}'
    cd repository
    act mode=ab "build=cp source.sh program; chmod +x program"
    [ "$status" -eq 0 ]
    [[ "$output" == *"output exit-code="[04]* ]]
    [ "$(wc -l <../temporary/kgate-base.*/program)" -eq 2 ]
    [ "$(wc -l <program)" -eq 3 ]
    jq -e '.cases | length == 1' kgate-out/comparison.json
    # one that does not build is no verdict; the same job may use the action again
    act mode=ab build=false id=again
    [ "$status" -eq 2 ]
    [[ "$output" == *"::error title=kgate::the head does not build"* ]]
    # a change that adds a benchmark with a rule of its own: the base builds what it has
    printf '  - {name: more, command: [./more], metrics: [time]}\n' >>one.yaml
    act mode=ab 'build=cp source.sh program && chmod +x program && grep -q more one.yaml && cp program more' id=more
    [ "$status" -eq 0 ]
    [[ "$output" == *"::warning title=kgate::the base does not build. kgate does not compare the cases that need its build"* ]]
    [[ "$output" == *"output exit-code="[04]* ]]
    [ "$(jq -r '.cases[] | select(.id == "more/cpu").change' kgate-out/comparison.json)" = NEW ]
    [ "$(jq -r '.cases[] | select(.id != "more/cpu").change' kgate-out/comparison.json)" != NEW ]
    grep -q 'the base does not build' ../summary.md
    git checkout -q one.yaml
    # the base of the change that brings the suite has no rule for it: all cases are new, and the check is neutral
    cd ..
    workflow '{"pull_request": {"number": 7, "head": {"sha": "'$HEAD_SHA'"}, "base": {"sha": "'$first'"}}}'
    cd repository
    act mode=ab 'build=test -e one.yaml && cp source.sh program && chmod +x program' id=first
    [ "$status" -eq 0 ]
    [[ "$output" == *"the base has no 'one.yaml'"*"output exit-code=4"* ]]
    [ "$(jq -r '.cases[0].change' kgate-out/comparison.json)" = NEW ]
}

@test "the action: the base is what the checkout was merged into, not an older commit that the event tells" {
    service
    git init -q repository
    cp state.json repository
    cd repository
    git commit -q --allow-empty -m base
    old=$(git rev-parse HEAD)
    git checkout -q -b change
    git commit -q --allow-empty -m head
    head=$(git rev-parse HEAD)
    git checkout -q --detach "$old"
    git commit -q --allow-empty -m "another's"
    new=$(git rev-parse HEAD)
    git merge -q --no-ff -m merge change
    base_of() {
        workflow '{"pull_request": {"number": 7, "head": {"sha": "'"$1"'"}, "base": {"sha": "'"$old"'"}}}'
        GITHUB_OUTPUT=$PWD/outputs KGATE_MODE=ab KGATE_ID=kgate KGATE_CHECK=false KGATE_IGNORE_PATHS= \
            KGATE_BASE= KGATE_SUITE=one.yaml KGATE_TRUST=none KGATE_FROM= KGATE_TOKEN= "$SOURCE/ci/pipeline/begin.sh"
        sed -n 's/^base-sha=//p' outputs
        rm outputs
    }
    [ "$(base_of "$head")" = "$new" ]
    # a checkout of something else says nothing
    [ "$(base_of "$HEAD_SHA")" = "$old" ]
    git checkout -q change
    [ "$(base_of "$head")" = "$old" ]
}

@test "the action: an exit status of 0 without a comparison is no pass" {
    service
    workflow
    suite_that passes
    act args=--help
    [ "$status" -eq 2 ]
    [[ "$output" == *"nothing was compared"*"output verdict=ERROR"* ]]
    [ "$(get '.checks[0].conclusion')" = failure ]
}

# bats test_tags=thorough
@test "the action: what a fork measured is posted by a run of its own, on the commit that it was measured for" {
    service
    workflow
    suite_that misses
    act comment=never check=false
    [ "$status" -eq 1 ]
    [ ! -s log ]
    [ "$(<kgate-out/pull-request)" = 7 ]
    mv kgate-out measured
    # what else is in the artifact is not posted
    echo 'visit evil.example' >measured/report.md
    workflow '{"workflow_run": {"id": 1, "head_sha": "'$HEAD_SHA'"}}'
    put --arg sha "$HEAD_SHA" '.pulls = {"7": {head: {sha: $sha}}, "8": {head: {sha: "4444"}}}'
    act mode=publish from=measured
    [ "$status" -eq 1 ]
    [ "$(get '.comments | length')" -eq 1 ]
    [[ "$(get '.comments[0].body')" == "<!-- kgate:kgate -->"*"kgate FAIL"* ]]
    [[ "$(get '.comments[0].body')" != *evil* ]]
    [ "$(get '.checks[0] | .head_sha + " " + .conclusion')" = "$HEAD_SHA failure" ]
    # another pull request's number, and what is none
    for number in 8 '7/../../x' '$(id)'; do
        printf '%s\n' "$number" >measured/pull-request
        act mode=publish from=measured
        [ "$status" -eq 2 ]
    done
    [ "$(get '.comments | length')" -eq 1 ]
    [ "$(get '.checks | length')" -eq 1 ]
    # a file that is no comparison
    echo 7 >measured/pull-request
    echo '{}' >measured/comparison.json
    act mode=publish from=measured
    [ "$status" -eq 2 ]
    [ "$(get '.checks[-1].conclusion')" = failure ]
}

# bats test_tags=thorough
@test "the action: what a fork did not measure is posted, too" {
    service
    publish() {
        rm -rf measured
        [ ! -e kgate-out ] || mv kgate-out measured
        workflow '{"workflow_run": {"id": 1, "head_sha": "'$HEAD_SHA'"}}'
        act mode=publish from=measured
        rm -r kgate-out
        workflow
    }
    put --arg sha "$HEAD_SHA" '.pulls = {"7": {head: {sha: $sha}}} | .files = [{filename: "docs/a.md"}]'
    suite_that misses
    # documents alone
    workflow
    act comment=never check=false "ignore-paths=docs/*"
    [ "$status" -eq 0 ]
    publish
    [ "$status" -eq 0 ]
    [ "$(get '.checks[-1] | .head_sha + " " + .conclusion')" = "$HEAD_SHA success" ]
    [ "$(get '.comments | length')" -eq 0 ]
    # a build that fails
    act comment=never check=false build=false
    [ "$status" -eq 2 ]
    echo 'visit evil.example' >>kgate-out/notes
    publish
    [ "$status" -eq 3 ]
    [ "$(get '.checks[-1] | .head_sha + " " + .conclusion')" = "$HEAD_SHA failure" ]
    [[ "$(get '.comments[0].body')" == *"the head does not build"* ]]
    [[ "$(get '.comments[0].body')" != *evil* ]]
    # a run that was cancelled, and left no artifact
    publish
    [ "$status" -eq 3 ]
    [ "$(get '.checks[-1] | .head_sha + " " + .conclusion')" = "$HEAD_SHA failure" ]
    [[ "$(get '.checks[-1].output.summary')" == *"left no report"* ]]
    [ "$(get '.comments | length')" -eq 1 ]
    [ "$(get '.checks | length')" -eq 3 ]
}

@test "gitlab_note.sh: one note, kept up to date" {
    service
    note() {
        run env CI_API_V4_URL="$GITHUB_API_URL" CI_PROJECT_ID=5 CI_MERGE_REQUEST_IID="$1" KGATE_TOKEN=$TOKEN \
            "$SOURCE/ci/pipeline/gitlab_note.sh" out
        echo "$output"
    }
    put '.user = "kgate-bot" | .me = "kgate-bot"'
    mkdir out
    echo 'first' >out/report.md
    note ""
    [ "$status" -eq 0 ]
    [ "$(get '.comments | length')" -eq 0 ]
    note 3
    [ "$status" -eq 0 ]
    echo 'second' >out/report.md
    note 3
    [ "$status" -eq 0 ]
    [ "$(get '.comments | length')" -eq 1 ]
    [[ "$(get '.comments[0].body')" == "<!-- kgate:kgate -->"*second* ]]
    rm out/report.md
    note 3
    [ "$status" -eq 2 ]
    echo third >out/report.md
    echo 'PUT' >deny
    note 3
    [ "$status" -ne 0 ]
    [[ "$output" == *"403"*"not accessible"* ]]
}
