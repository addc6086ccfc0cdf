#!/usr/bin/env bats
# Results name the commit and the branch of the checkout that was measured, and nothing in a repository can
# make git start a program for it.
load support

# A repository with a suite in a folder, committed and tagged.
repository_make() {
    git init -q -b main work
    mkdir work/bench
    cat >work/bench/kgate.yaml <<'YAML'
version: 1
suite: small
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 1000%, rounds: {min: 2, max: 4}, min_time: 1ms, threads: 1, timeout: 120s}
workloads:
  - {name: copy, kernel: copy, params: {bytes: 16KiB}}
YAML
    git -C work add .
    git -C work commit -q -m first
    git -C work tag v1.7.19
}

measure() { kgate run -q -c work/bench/kgate.yaml -o "$1"; }
versions() { jq -c '[.commit, .branch]' "$@"; }

@test "results have the commit and the branch of the suite's checkout" {
    repository_make
    measure one.json
    [ "$(versions one.json)" = '["v1.7.19","main"]' ]
    valid one.json results
    git -C work commit -q --allow-empty -m second
    echo '# edited' >>work/bench/kgate.yaml
    git -C work checkout -q --detach
    measure two.json
    [[ "$(versions two.json)" =~ ^\[\"v1.7.19-1-g[0-9a-f]+-dirty\",null\]$ ]]
}

@test "a file that git does not track makes no commit dirty" {
    repository_make
    measure work/bench/results.json
    measure one.json
    [ "$(versions one.json)" = '["v1.7.19","main"]' ]
}

@test "without git, or without a repository, results have no commit" {
    repository_make
    PATH=/nowhere measure one.json
    [ "$(versions one.json)" = '[null,null]' ]
    cp work/bench/kgate.yaml alone.yaml
    kgate run -q -c alone.yaml -o two.json
    [ "$(versions two.json)" = '[null,null]' ]
}

@test "a comparison has the commits of both, and a stored run has its own" {
    repository_make
    kgate gate -q -c work/bench/kgate.yaml -b store -o out --update-missing
    jq -e '.runs[0] | .commit == "v1.7.19" and .branch == "main"' store/*.json
    git -C work checkout -q -b faster
    git -C work commit -q --allow-empty -m second
    git -C work tag v1.7.20
    run kgate gate -q -c work/bench/kgate.yaml -b store -o out
    passes_or_open
    jq -e '.commit == "v1.7.20" and .branch == "faster"
           and .baseline_commit == "v1.7.19" and .baseline_branch == "main"' out/comparison.json
    valid out/comparison.json comparison
}

@test "ab has the commit of each build's own folder" {
    repository_make
    cat >work/bench/kgate.yaml <<'YAML'
version: 1
suite: small
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 1000%, rounds: {min: 2, max: 2}, min_time: 1ms, timeout: 120s}
workloads:
  - {name: program, command: [./program]}
YAML
    ln -s /bin/true work/program
    git -C work add .
    git -C work commit -q -m second
    git -C work tag v1.7.20
    git -C work worktree add -q ../old v1.7.19
    ln -s /bin/true old/program
    run kgate ab -q -c work/bench/kgate.yaml --base old --head work -o out
    passes_or_open
    jq -e '.commit == "v1.7.20" and .branch == "main"
           and .baseline_commit == "v1.7.19" and .baseline_branch == null' out/comparison.json
}

@test "a repository cannot make git start a program" {
    repository_make
    printf '#!/bin/sh\necho "$0 $*" >>"%s/started"\ncat\n' "$PWD" >spy
    chmod +x spy
    for name in post-index-change pre-auto-gc; do cp spy work/.git/hooks/$name; done
    git -C work config core.fsmonitor "$PWD/spy"
    git -C work config filter.spy.clean "$PWD/spy"
    echo '* filter=spy' >work/.git/info/attributes
    rm -f started
    touch work/bench/kgate.yaml
    measure one.json
    [ "$(versions one.json)" = '["v1.7.19","main"]' ]
    [ ! -e started ]
    git -C work status >/dev/null # which does start them: the spy works
    [ -e started ]
}

@test "a folder with the files of a repository is none" {
    repository_make
    git init -q --bare work/bench/inner
    mv work/bench/inner/* work/bench
    git -C work/bench config core.bare false
    measure one.json
    [ "$(versions one.json)" = '["v1.7.19","main"]' ]
}

# bats test_tags=thorough
@test "a git that does not answer costs seconds and no result" {
    repository_make
    mkdir slow
    printf '#!/bin/sh\nexec sleep 300\n' >slow/git
    chmod +x slow/git
    PATH="$PWD/slow:$PATH" timeout 60 "$KGATE" run -q -c work/bench/kgate.yaml -o one.json
    [ "$(versions one.json)" = '[null,null]' ]
}
