bats_require_minimum_version 1.5.0
load support
load action

# The GitHub action on pull requests: by what they are judged, and with what they are compared. Real clones of a
# real repository, made as actions/checkout makes them.

SUITE=kgate.yaml

commit() { git add -A && git commit -q --allow-empty -m "$1" && git rev-parse HEAD; }

# A suite whose program must end within $1.
suite_within() {
    cat <<YAML
version: 1
suite: one
defaults: {sample_time: 0ns, disturbance: 100%, threshold: 1000%, rounds: {min: 2, max: 2}, min_time: 2ms, threads: 1}
workloads:
  - {name: program, command: [./program], budget: {time: "<= $1"}}
YAML
}

# A repository `origin` whose main branch has a program and a suite by which it fails; of it a branch `change`
# that edits the suite so that it passes. Afterwards main gains a file and a stricter suite. PARTED is where.
project() {
    git -c init.defaultBranch=main init -q origin
    cd origin || return
    printf '#!/bin/sh\nexit 0\n' >program
    chmod +x program
    commit program >/dev/null
    suite_within 2ns >kgate.yaml
    ${1:-true}
    PARTED=$(commit suite)
    git checkout -q -b change
    suite_within 100s >kgate.yaml
    CHANGE=$(commit "a weaker suite")
    git checkout -q main
    echo more >gained
    [ ! -e kgate.yaml ] || suite_within 1ns >kgate.yaml
    TARGET=$(commit gained)
    git checkout -q --detach change
    git checkout -q main -- gained
    git update-ref refs/pull/7/merge "$(git commit-tree -p main -p change -m merge "$(git write-tree)")"
    git update-ref refs/pull/7/head "$CHANGE"
    git checkout -q -f main
    cd ..
    pull_request_of "$PARTED"
}

# The event, with the target's commit that it tells.
pull_request_of() {
    workflow '{"pull_request": {"number": 7, "head": {"sha": "'"$CHANGE"'"}, "base": {"sha": "'"$1"'"}}}'
}

# What actions/checkout leaves: one commit of REF and no branch; fetch-depth: $2.
checkout_of() {
    rm -rf work
    git init -q work
    cp state.json work
    cd work || return
    git remote add origin "${URL:-file://$PWD/../origin}"
    git fetch -q --no-tags ${2---depth=1} "file://$PWD/../origin" "+$1:refs/remotes/pull"
    git checkout -q --detach refs/remotes/pull
}

edits() { jq -c '.edits' kgate-out/comparison.json; }

@test "the action: a pull request that edits its own budget is judged by the target branch's suite" {
    service
    project
    checkout_of refs/pull/7/merge
    act_default
    [ "$status" -eq 1 ]
    [[ "$output" == *"output verdict=FAIL"* ]]
    grep -q '^- this change edits ' ../summary.md
    # by the commit that it was merged into, and not by the older one of the event
    [[ "$(jq -r .trust kgate-out/comparison.json)" == "commit ${TARGET:0:12}"* ]]
    [ "$(edits)" = '["kgate.yaml: workloads.program.budget.time <= 1ns -> <= 100s (not used)"]' ]
    # who wants it otherwise says so
    act_default trust=none
    [ "$status" -eq 0 ]
    [ "$(edits)" = null ]
    act_default trust=
    [ "$status" -eq 0 ]
    act_default "trust=git:$TARGET"
    [ "$status" -eq 1 ]
}

@test "the action: of a checkout of the head alone the target branch judges, and the code is compared with where it began" {
    service
    project
    pull_request_of "$TARGET"
    checkout_of "$CHANGE"
    act_default mode=ab "build=ls >built"
    [ "$status" -eq 1 ]
    [[ "$(jq -r .trust kgate-out/comparison.json)" == "commit ${TARGET:0:12}"* ]]
    [ "$(edits)" = '["kgate.yaml: workloads.program.budget.time <= 2ns -> <= 100s (not used)"]' ]
    [ "$(git -C ../temporary/kgate-base.* rev-parse HEAD)" = "$PARTED" ]
    run ! grep gained ../temporary/kgate-base.*/built
    # a clone that has everything is asked at once, and keeps it
    cd ..
    rm -r temporary/kgate-base.*
    checkout_of "$CHANGE" ""
    git remote set-url origin file:///nowhere
    git fetch -q "file://$PWD/../origin" main
    act_default mode=ab
    [ "$status" -eq 1 ]
    [ "$(git -C ../temporary/kgate-base.* rev-parse HEAD)" = "$PARTED" ]
    [ ! -e .git/shallow ]
}

@test "the action: the first pull request with a suite is judged by its own, and that is said" {
    service
    project 'rm kgate.yaml'
    checkout_of refs/pull/7/merge
    act_default
    [ "$status" -eq 0 ]
    [[ "$output" == *"::warning title=kgate::the target branch has no 'kgate.yaml' yet"*"output verdict=PASS"* ]]
    grep -q 'Judged by its own suite' ../summary.md
    [ "$(jq -r '.checks[0].conclusion' ../state.json)" = success ]
    [[ "$(jq -r '.checks[0].output.summary' ../state.json)" == *"Judged by its own suite"* ]]
}

@test "the action: a program that the change renames fails by the target branch's suite, and the way out is said" {
    service
    project
    git -C origin checkout -q -B renamed refs/pull/7/merge
    git -C origin mv program other
    sed -i 's:./program:./other:; s/name: program/name: other/' origin/kgate.yaml
    git -C origin commit -qam renamed
    git -C origin update-ref refs/pull/7/merge "$(git -C origin commit-tree -p main -p change -m merge "renamed^{tree}")"
    checkout_of refs/pull/7/merge
    act_default
    [ "$status" -eq 3 ]
    grep -q 'Did you rename or remove a program of a FAILED case on purpose?' ../summary.md
    act_default trust=none
    [ "$status" -eq 0 ]
    run ! grep -q 'Did you rename' ../summary.md
    # one that no branch can have
    cp kgate.yaml ../outside.yaml
    act_default suite="$BATS_TEST_TMPDIR/outside.yaml"
    [ "$status" -eq 2 ]
    [[ "$output" == *"is outside repository"*"No change can edit a suite outside the repository: give trust: none"* ]]
}

@test "the action: what cannot be asked is no verdict by the change's own suite" {
    service
    project
    checkout_of refs/pull/7/merge
    git remote set-url origin file:///nowhere
    act_default
    [ "$status" -eq 2 ]
    [[ "$output" == *"::error title=kgate::git cannot fetch the target branch's commit, '$TARGET'"* ]]
    # pull_request_target checks out the target branch
    cd ..
    pull_request_of "$TARGET"
    checkout_of main
    act_default
    [ "$status" -eq 2 ]
    [[ "$output" == *"the checkout is the target branch, not the change"* ]]
    # no repository at all
    rm -rf .git
    GIT_CEILING_DIRECTORIES=$BATS_TEST_TMPDIR act_default
    [ "$status" -eq 2 ]
    [[ "$output" == *"git cannot read the working directory"* ]]
}

# bats test_tags=thorough
@test "the action: an entry of the merge queue is judged by the target branch's suite, a push by its own" {
    service
    project
    workflow '{"merge_group": {"head_sha": "'"$CHANGE"'", "base_sha": "'"$PARTED"'"}}'
    checkout_of "$CHANGE"
    act_default
    [ "$status" -eq 1 ]
    [[ "$(jq -r .trust kgate-out/comparison.json)" == "commit ${PARTED:0:12}"* ]]
    cd ..
    for before in "$PARTED" 0000000000000000000000000000000000000000; do
        workflow '{"before": "'"$before"'"}'
        checkout_of "$CHANGE"
        act_default args=--accept-from=head
        [ "$status" -eq 0 ]
        [ "$(jq -r .trust kgate-out/comparison.json)" = null ]
        cd ..
    done
    # a branch that is new has nothing to be compared with
    cd work
    act_default mode=ab
    [ "$status" -eq 2 ]
    [[ "$output" == *"names no base commit"* ]]
}

# bats test_tags=thorough
@test "the action: of a private repository the target branch is fetched with the job's token" {
    service
    project
    export GITHUB_SERVER_URL=$GITHUB_API_URL
    URL=$GITHUB_SERVER_URL/git/origin/.git
    checkout_of refs/pull/7/merge
    act_default
    [ "$status" -eq 1 ]
    [[ "$(jq -r .trust kgate-out/comparison.json)" == "commit ${TARGET:0:12}"* ]]
    # and it stays nowhere
    run ! grep -rq -e "$TOKEN" -e "$(printf 'x-access-token:%s' "$TOKEN" | base64)" .git
    # another token is refused
    cd ..
    checkout_of refs/pull/7/merge
    act_default token=another
    [ "$status" -eq 2 ]
}

# The script of a pipeline's file, with $2 done to it by sed, run by the shell $3.
script_of() {
    sed "$2" "$SOURCE/$1" | python3 -c 'import sys, yaml
text = list(yaml.safe_load_all(sys.stdin))[-1]
job = text["kgate"] if "kgate" in text else text["steps"][0]
print("\n".join(job["script"]) if "script" in job else job["command"])' >script
    run env PATH="$PWD/bin:$PATH" $3 script
    echo "$output"
}

@test "files of pipelines are YAML as they lie here, and build what they measure" {
    for file in "$SOURCE"/templates/kgate.yml "$SOURCE"/docs/pipelines/*.yml; do
        python3 -c 'import sys, yaml; list(yaml.safe_load_all(open(sys.argv[1])))' "$file"
    done
    for file in gitlab.yml buildkite.yml Jenkinsfile pull_request.yml fork_measure.yml; do
        grep -q 'cmake --build build' "$SOURCE/docs/pipelines/$file"
    done
    # a file that is installed by its path is fetched before
    run ! grep -q '\./kgate.deb' -r "$SOURCE/docs/pipelines" "$SOURCE/templates"
}

# bats test_tags=thorough
@test "GitLab's component judges a merge request by its target branch's suite" {
    service
    project
    for depth in --depth=1 ""; do
        checkout_of "$CHANGE" "$depth"
        mkdir bin
        ln -s "$KGATE" bin/kgate
        component() {
            script_of templates/kgate.yml "s/\$\[\[ inputs.trust ]]/$1/; s/\$\[\[ inputs.mode ]]/gate/; s/\$\[\[ inputs.suite ]]/kgate.yaml/
                s/\$\[\[ inputs.output ]]/kgate-out/; s/\$\[\[ inputs.args ]]/-b baselines/; s/\$\[\[.*]]/x/" "sh -e"
        }
        export CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main
        component base
        [ "$status" -eq 1 ]
        [[ "$(jq -r .trust kgate-out/comparison.json)" == "commit ${TARGET:0:12}"* ]]
        jq -e '.edits | length > 0' kgate-out/comparison.json
        [[ "$output" == *"lacks the merge base"* ]] && told=yes || told=no
        [ "$told" = "$([ -z "$depth" ] && echo no || echo yes)" ]
        component none
        [ "$status" -eq 0 ]
        # no merge request
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME= component base
        [ "$status" -eq 0 ]
        # what cannot be fetched
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME=gone component base
        [ "$status" -eq 2 ]
        cd ..
    done
}

@test "Buildkite's step judges a pull request by its target branch's suite" {
    service
    project
    checkout_of "$CHANGE" ""
    mkdir bin
    ln -s "$KGATE" bin/kgate
    printf '#!/bin/sh\ncat >/dev/null\n' >bin/buildkite-agent
    chmod +x bin/buildkite-agent
    step() { script_of docs/pipelines/buildkite.yml 's/cmake .*/touch built/; s/\$\$/$/g; s:/srv/kgate/baselines:baselines:' "bash -e"; }
    export BUILDKITE_PULL_REQUEST_BASE_BRANCH=main
    step
    [ "$status" -eq 1 ]
    [ -e built ]
    [[ "$(jq -r .trust kgate-out/comparison.json)" == "commit ${TARGET:0:12}"* ]]
    BUILDKITE_PULL_REQUEST_BASE_BRANCH= step
    [ "$status" -eq 0 ]
}
