# `--trust git:REF`: a change is judged by what the target branch has. Real repositories of git.
load support

commit() { git add -A && git commit -qm "$1"; }

# A repository `up` whose main branch has a suite and a baseline by which everything is ten times slower now,
# and a clone `work` of it, in which the test is.
cloned() {
    git -c init.defaultBranch=main init -q up
    cp suite.yaml up/kgate.yaml
    cd up || return
    kgate gate -c kgate.yaml --update-missing --keep-builds 0 -o ../first -q >/dev/null
    file=$(ls baselines/*.json)
    faster "$file" 10
    rm -f baselines/.lock
    commit first
    cd ..
    git clone -q up work
    cd work || return
    git checkout -q -b change
}

# The times of a baseline divided by $2, of unknown code: unchanged code is no regression.
faster() {
    jq --argjson by "$2" '(.runs[].cases[].series[] | select(.name == "time" or .name == "mean_time") | .values) |= map(. / $by)
        | del(.runs[].cases[].code_hash)' "$1" >faster
    mv faster "$1"
}

trusted() { kgate gate -c kgate.yaml --trust git:origin/main -o ../out "$@"; }

# What cannot be decided on a busy machine is no PASS either.
not_passed() { [ "$status" -eq 1 ] || [ "$status" -eq 4 ]; }

@test "a change that edits threshold, baseline and accepted changes is judged by the target branch's" {
    cloned
    sed -i 's/threshold: 50%/threshold: 900%/; s/^suite: small/suite: small\npolicy: {fail_on: [], undecided: pass}/' kgate.yaml
    faster "$file" 0.1
    kgate accept copy/bytes=16KiB,version={plain,fast}/cpu -c kgate.yaml --because mine --change +5000% -q
    commit 'a change'
    run kgate gate -c kgate.yaml -o ../own
    [ "$status" -eq 0 ]
    run trusted
    not_passed
    [[ "$output" == *"suite and thresholds: origin/main at "* ]]
    [[ "$output" == *"this change edits kgate.yaml: defaults.threshold 50% -> 900% (not used)"* ]]
    [[ "$output" == *"this change edits kgate.yaml: policy: added (not used)"* ]]
    [[ "$output" == *"this change edits $file: edited (not used)"* ]]
    [[ "$output" == *"this change edits kgate.accepted.yaml: added (not used)"* ]]
    grep -q '^- this change edits ' ../out/report.md
    grep -q 'defaults.*threshold.*50.*900' ../out/report.md
    [ "$(jq '.edits | length' ../out/comparison.json)" -eq 4 ]
    [ "$(jq "[.cases[].metrics[] | select(.name == \"time\") | .threshold < 9] | all" ../out/comparison.json)" = true ]
    valid ../out/comparison.json comparison
    # where a branch's owners have to approve the file, its own may count
    run trusted --accept-from head
    [ "$status" -eq 0 ]
    [[ "$output" == *", accepted"*"mine"* ]]
    [[ "$output" == *"this change edits kgate.accepted.yaml: added (used: --accept-from head)"* ]]
    [[ "$output" == *"this change edits $file: edited (not used)"* ]]
    # one outside of the repository is no edit of the change
    mv kgate.accepted.yaml ../elsewhere.yaml
    run trusted --accept-from head --accepted ../elsewhere.yaml
    [ "$status" -eq 0 ]
    [[ "$output" != *"elsewhere.yaml: "* ]]
}

@test "what the target branch has had since is no edit of the change" {
    cloned
    sed -i 's/min: 3/min: 2/' kgate.yaml
    commit fewer
    (cd ../up && sed -i 's/threshold: 50%/threshold: 40%/' kgate.yaml && commit stricter)
    git fetch -q
    run kgate gate -c kgate.yaml --trust git:origin/main -o ../out
    not_passed
    [ "$(jq -c '.edits' ../out/comparison.json)" = '["kgate.yaml: defaults.rounds.min 3 -> 2 (not used)"]' ]
    [ "$(jq '.cases[0].metrics[] | select(.name == "time") | .asked_threshold' ../out/comparison.json)" = 0.4 ]
}

@test "what was accepted on the target branch counts" {
    cloned
    (cd ../up && kgate accept copy/bytes=16KiB,version={plain,fast}/cpu -c kgate.yaml --because theirs --change +5000% -q && commit accepted)
    git fetch -q
    rm -f kgate.accepted.yaml
    run trusted
    [ "$status" -eq 0 ]
    [[ "$output" == *"theirs"* ]]
    # the branch began before it: the change did not remove it
    [[ "$output" != *"this change edits"* ]]
}

@test "a new workload of the change is measured and shown, and fails nothing" {
    cloned
    printf '  - {name: mine, command: [sh, -c, "exit 3"]}\n  - {name: new, kernel: copy, params: {bytes: 16KiB, version: plain}}\n' >>kgate.yaml
    sed -i 's/version: \[plain, fast\]/version: [plain]/' kgate.yaml
    run trusted --set policy.fail_on=REGRESSION,FAILED,NEW --json
    not_passed
    [ "$(jq -r '.cases[] | select(.id == "mine/cpu") | .change + " " + .waived + " " + (.fails | tostring)' ../out/comparison.json)" = "FAILED untrusted false" ]
    [ "$(jq -r '.cases[] | select(.id | startswith("new/")) | .change + " " + .waived' ../out/comparison.json)" = "NEW untrusted" ]
    # and what it takes away is measured all the same
    [ "$(jq '[.cases[] | select(.workload == "copy")] | length' ../out/comparison.json)" -eq 2 ]
    jq -e '.edits | index("kgate.yaml: workloads.mine: added (not used)")' ../out/comparison.json
    jq -e '.edits[] | select(startswith("kgate.yaml: workloads.copy.matrix.version [plain, fast] -> [plain]"))' ../out/comparison.json
}

@test "a change that removes its suite is judged all the same" {
    cloned
    git rm -q kgate.yaml "$file"
    commit gone
    run trusted
    not_passed
    [[ "$output" == *"this change edits kgate.yaml: removed (not used)"* ]]
}

@test "baselines that lie in the clone and not in git are not used, and that is said" {
    cloned
    cp "$file" ../kept.json
    (cd ../up && git rm -q -r baselines && commit none)
    git fetch -q
    run trusted --filter '*plain*'
    [ "$status" -eq 4 ]
    [[ "$output" == *"has no baseline of suite 'small'"*"Commit baselines on that branch, or keep them outside the clone"* ]]
    rm -r baselines
    run trusted --filter '*plain*'
    [[ "$output" == *"has no baseline of suite 'small'"* ]]
    [[ "$output" != *"outside the clone"* ]]
    mkdir ../store
    cp ../kept.json "../store/${file##*/}"
    run trusted --filter '*plain*' -b ../store
    [[ "$output" != *"has no baseline of suite"* ]]
}

@test "a target branch without a suite gives no verdict" {
    cloned
    cp kgate.yaml other.yaml
    commit other
    run kgate gate -c other.yaml --trust git:origin/main -o ../out
    [ "$status" -eq 4 ]
    [[ "$output" == *"origin/main at "*" has no 'other.yaml', so kgate cannot judge this change by it"* ]]
    grep -q 'cannot judge this change' ../out/report.md
    run kgate run -c other.yaml --trust git:origin/main -o ../r.json
    [ "$status" -eq 4 ]
}

# bats test_tags=thorough
@test "links, submodules and paths with .. lead nowhere else" {
    cloned
    mkdir weak
    sed 's/threshold: 50%/threshold: 900%/' kgate.yaml >weak/kgate.yaml
    commit weak
    git -C ../up pull -q ../work change
    git fetch -q
    # a link in the place of the suite, and of the store
    ln -sf weak/kgate.yaml kgate.yaml
    rm -rf baselines
    ln -s /nowhere baselines
    commit links
    run trusted
    not_passed
    [[ "$output" == *"defaults.threshold 50% -> 900% (not used)"* ]]
    run kgate gate -c weak/.././kgate.yaml --trust git:origin/main -o ../out
    not_passed
    [[ "$output" == *"defaults.threshold 50% -> 900% (not used)"* ]]
    # a link in the place of a folder
    git rm -q -r weak
    mkdir -p evil && sed 's/50%/901%/' <(git show origin/main:kgate.yaml) >evil/kgate.yaml
    ln -s evil weak
    commit folder
    run kgate list -c weak/kgate.yaml
    [ "$status" -eq 0 ]
    cd weak
    run kgate run -c kgate.yaml --trust git:origin/main -o ../../r.json
    [ "$status" -eq 0 ] # that of weak/ in origin/main, by the name that the folder has there
    cd ..
    [ "$(jq '.suite_path' ../r.json)" = '"kgate.yaml"' ]
    run kgate gate -c ../elsewhere.yaml --trust git:origin/main -o ../out
    [ "$status" -eq 2 ]
    [[ "$output" == *"is not in the repository"* ]]
    # a link on the target branch is no file
    git push -q origin change:links
    git fetch -q
    run kgate gate -c kgate.yaml --trust git:origin/links -o ../out
    [ "$status" -eq 2 ]
    [[ "$output" == *"a symbolic link"* ]]
    # a submodule is what the change makes it
    git -c protocol.file.allow=always submodule -q add ../up inner
    cd inner
    run kgate gate -c kgate.yaml --trust git:origin/main -o ../../out
    [ "$status" -eq 2 ]
    [[ "$output" == *"is a submodule of"* ]]
}

@test "names of branches: a tag in their place, what is not there, what is none" {
    cloned
    git commit -q --allow-empty -m mine
    git tag origin/main
    run trusted
    [ "$status" -eq 2 ]
    [[ "$output" == *"is both refs/remotes/origin/main and refs/tags/origin/main"* ]]
    git tag -d origin/main >/dev/null
    for name in origin/gone main..change --all origin/main:kgate.yaml '' 'a b'; do
        run kgate gate -c kgate.yaml --trust "git:$name" -o ../out
        [ "$status" -eq 2 ]
    done
    run kgate gate -c kgate.yaml --trust origin/main -o ../out
    [ "$status" -eq 2 ]
    [[ "$output" == *"must be git:"* ]]
    for name in refs/remotes/origin/main "$(git rev-parse origin/main)" HEAD~1 main; do
        run kgate run -c kgate.yaml --trust "git:$name" -o ../r.json --filter '*plain*' -q
        [ "$status" -eq 0 ]
    done
    run trusted --update-missing
    [ "$status" -eq 2 ]
    [[ "$output" == *"--update-missing"* ]]
}

@test "a shallow clone says what to fetch, and works when that is there" {
    cloned
    cd ..
    git clone -q --depth=1 --branch main "file://$PWD/up" shallow
    cd shallow
    git checkout -q --detach
    git update-ref -d refs/remotes/origin/main
    git symbolic-ref -d refs/remotes/origin/HEAD 2>/dev/null || true
    run trusted
    [ "$status" -eq 2 ]
    [[ "$output" == *"git fetch --depth=1 origin +main:refs/remotes/origin/main"* ]]
    git fetch -q --depth=1 origin +main:refs/remotes/origin/main
    run kgate run -c kgate.yaml --trust git:origin/main -o ../r.json -q
    [ "$status" -eq 0 ]
}

@test "a shallow clone tells edits of the merge, and says where it cannot know whose they are" {
    cloned
    sed -i 's/min: 3/min: 2/' kgate.yaml
    commit fewer
    (cd ../up && sed -i 's/threshold: 50%/threshold: 40%/' kgate.yaml && commit stricter)
    git fetch -q
    git -c user.name=a -c user.email=a@example.org merge -q -s ours -m merge origin/main
    main=$(git rev-parse origin/main)
    # main merged into the change is not the merge of the change into main
    shallow() {
        cd ..
        rm -rf shallow
        git clone -q --depth=1 "file://$PWD/work" shallow
        cd shallow
        git fetch -q --depth=1 "file://$PWD/../up" main
        run kgate gate -c kgate.yaml --trust "git:$main" -o ../out
        not_passed
        [[ "$(jq -r .trust ../out/comparison.json)" == "commit ${main:0:12}"* ]]
    }
    shallow
    [[ "$output" == *"lacks the merge base"*"git fetch --unshallow"* ]]
    cd ../work
    merge=$(git commit-tree -p origin/main -p change~1 -m merge "$(git show origin/main:kgate.yaml | sed 's/min: 3/min: 2/' >kgate.yaml && git add kgate.yaml && git write-tree)")
    git reset -q --hard "$merge"
    shallow
    [[ "$output" != *"lacks the merge base"* ]]
    [ "$(jq -c '.edits' ../out/comparison.json)" = '["kgate.yaml: defaults.rounds.min 3 -> 2 (not used)"]' ]
}

@test "variables of git lead it to no other repository" {
    cloned
    git init -q ../other
    GIT_DIR=$PWD/../other/.git GIT_WORK_TREE=$PWD/../other run kgate run -c kgate.yaml --trust git:origin/main -o ../r.json -q
    [ "$status" -eq 0 ]
}

# Commits in the folder `sub` of the clone what a bare repository holds: its branches are this change.
embedded() {
    sed -i 's/threshold: 50%/threshold: 900%/' kgate.yaml
    mkdir sub
    cp kgate.yaml sub
    commit 'a change'
    git clone -q --bare . ../bare
    cp -r ../bare/{HEAD,objects,refs} sub
    printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = %s\n' "$1" >sub/config
    mkdir -p sub/refs/heads sub/refs/remotes/origin
    git rev-parse HEAD | tee sub/refs/heads/main >sub/refs/remotes/origin/main
    touch sub/refs/heads/.keep
    commit 'and a repository in it'
}

@test "a repository that the change brings in a folder of its own is not the target branch's" {
    cloned
    embedded .
    cd sub
    run kgate gate -c ../kgate.yaml --trust git:origin/main -o ../../out
    not_passed
    [[ "$output" == *"this change edits kgate.yaml: defaults.threshold 50% -> 900% (not used)"* ]]
    run kgate gate -c kgate.yaml --trust git:origin/main -o ../../out # not on the target branch
    [ "$status" -eq 4 ]
    printf '[core]\n\tbare = false\n\tworktree = ..\n' >config
    run kgate gate -c ../kgate.yaml --trust git:origin/main -o ../../out
    not_passed
    # nor does git take it where there is no other repository
    mv ../.git ../../gone
    run kgate gate -c kgate.yaml --trust git:main -o ../../out
    [ "$status" -eq 2 ]
}

@test "what is checked out judges itself, and that is said" {
    cloned
    run trusted
    not_passed
    [[ "$output" == *"the commit that is checked out: it judges itself"* ]]
    sed -i 's/threshold: 50%/threshold: 900%/' kgate.yaml # not committed
    run trusted
    not_passed
    [[ "$output" == *"defaults.threshold 50% -> 900% (not used)"* ]]
}

@test "outside of a repository there is nothing to trust" {
    export GIT_CEILING_DIRECTORIES=/
    cd /
    run kgate gate -c "$BATS_TEST_TMPDIR/suite.yaml" --trust git:origin/main -o "$BATS_TEST_TMPDIR/out"
    [ "$status" -eq 2 ]
    [[ "$output" == *"needs a working directory in the repository"* ]]
}

@test "ab takes the target branch's suite too" {
    cloned
    sed -i 's/threshold: 50%/threshold: 900%/' kgate.yaml
    run kgate ab -c kgate.yaml --trust git:origin/main --base "$KGATE" --head "$KGATE" --measure-unchanged -o ../out
    passes_or_open
    [[ "$output" == *"suite and thresholds: origin/main at"* ]]
    [ "$(jq '.cases[0].metrics[] | select(.name == "time") | .asked_threshold' ../out/comparison.json)" = 0.5 ]
    run kgate ab true true --measure-unchanged --trust git:origin/main
    [ "$status" -eq 2 ]
}

@test "list shows the cases of the target branch's suite, and which are the change's own" {
    cloned
    sed -i 's/threshold: 50%/threshold: 900%/; s/version: \[plain, fast\]/version: [plain]/' kgate.yaml
    printf '  - name: more\n    kernel: copy\n    params: {bytes: 16KiB, version: plain}\n' >>kgate.yaml
    run kgate list -c kgate.yaml --trust git:origin/main
    [ "$status" -eq 0 ]
    [[ "$output" == *"suite and thresholds: origin/main at "* ]]
    [[ "$output" == *"this change edits kgate.yaml: defaults.threshold 50% -> 900% (not used)"* ]]
    [[ "$output" == *"copy/bytes=16KiB,version=fast/cpu"* ]]
    [[ "$output" == *"more/bytes=16KiB,version=plain/cpu  (not in the trusted suite: shown, not judged)"* ]]
    run kgate list -c kgate.yaml --trust git:origin/main --json -q
    [ "$(jq -r '[.[] | select(.waived == "untrusted") | .workload] | join(" ")' <<<"$output")" = more ]
    run kgate list -c kgate.yaml --trust git:origin/main -q
    [ "${#lines[@]}" -eq 3 ]
}

@test "a named file of accepted changes must be there, or be added by the change" {
    cloned
    run trusted --accepted no-such.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"the file 'no-such.yaml' of --accepted does not exist"* ]]
    kgate accept copy/bytes=16KiB,version=plain/cpu -c kgate.yaml --because mine --change +5000% --accepted own.yaml -q
    run trusted --accepted own.yaml
    not_passed
    [[ "$output" == *"this change edits own.yaml: added (not used)"* ]]
}

@test "a repository of another user is refused in one sentence, with what to do" {
    [ "$(id -u)" -eq 0 ] || skip "only root can give a folder to somebody else"
    git init -q "other's"
    cd "other's"
    cp ../suite.yaml kgate.yaml
    chown -R 12345 .
    run kgate list -c kgate.yaml --trust git:main
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" != *'\x'* ]]
    [[ "$output" == *"belongs to another user; where you trust it: git config --global --add safe.directory "*"other"* ]]
}

# The repository `up` has a suite whose command takes as long as its data.txt says, and a baseline of it;
# the test is in the clone `work`, whose program is half as slow again.
data_cloned() {
    git -c init.defaultBranch=main init -q up
    cd up || return
    suite_of <<'YAML'
  - name: waits
    command: [./waits]
    stdin: data.txt
YAML
    sed -i 's/min_time: 2ms/min_time: 1ms, threshold: 20%/' one.yaml
    mv one.yaml kgate.yaml
    printf '#!/bin/sh\nread -r seconds\nexec sleep "$seconds"\n' >waits
    chmod +x waits
    echo 0.2 >data.txt
    kgate gate -c kgate.yaml --update-missing --keep-builds 0 -o ../first -q >/dev/null
    rm -f baselines/.lock
    commit first
    cd ..
    git clone -q up work
    cd work || return
    git checkout -q -b change
    sed -i 's/"$seconds"/"$seconds" 0.2/' waits
}

change_of_waits() { jq -r '.cases[] | select(.workload == "waits") | .change' ../out/comparison.json; }

# bats test_tags=thorough
@test "a change that edits a data file of the suite is measured with the target branch's" {
    data_cloned
    hash=$(kgate list -c kgate.yaml --json -q | jq -r '.[0].definition_hash')
    echo 0.20 >data.txt
    [ "$(kgate list -c kgate.yaml --json -q | jq -r '.[0].definition_hash')" != "$hash" ]
    # without --trust the case is another one
    run kgate gate -c kgate.yaml -o ../out
    [ "$(change_of_waits)" = NEW ]
    run trusted
    not_passed
    [ "$(change_of_waits)" != NEW ]
    [[ "$output" == *"this change edits data.txt: edited (not used)"* ]]
    [ "$(jq -c .edits ../out/comparison.json)" = '["data.txt: edited (not used)"]' ]
    # likewise where it is committed, a link, a pipe that nobody writes to, or gone
    for made in "git add data.txt" "ln -sf /dev/null data.txt" "mkfifo data.txt" "true"; do
        [ "$made" = "git add data.txt" ] || rm data.txt
        $made
        run kgate list -c kgate.yaml --trust git:origin/main --json
        [ "$status" -eq 0 ]
        [[ "$output" == *"this change edits data.txt: "*" (not used)"* ]]
        [[ "$output" == *"\"definition_hash\": \"$hash\""* ]]
    done
    run trusted
    not_passed
    [[ "$output" == *"this change edits data.txt: removed (not used)"* ]]
    [ "$(change_of_waits)" != NEW ]
}

# bats test_tags=thorough
@test "both sides of ab read the target branch's data file" {
    data_cloned
    git -C .. clone -q up base
    echo 0.01 >data.txt
    sed -i 's/"$seconds" 0.2/"$seconds"/' waits
    run kgate ab -c kgate.yaml --base ../base --head . -o ../out
    [ "$(jq '.cases[0].rounds.median_ns | max < 2e8' ../out/base.json)" = true ]
    run kgate ab -c kgate.yaml --base ../base --head . --trust git:origin/main -o ../out
    [ "$(change_of_waits)" != IMPROVEMENT ]
    [[ "$output" == *"this change edits data.txt: edited (not used)"* ]]
    [ "$(jq '.cases[0].rounds.median_ns | min > 2e8' ../out/head.json)" = true ]
    # and where the head has that file, and the base another
    git checkout -q data.txt
    echo 0.01 >../base/data.txt
    run kgate ab -c kgate.yaml --base ../base --head . --trust git:origin/main -o ../out
    [ "$(jq '.cases[0].rounds.median_ns | min > 2e8' ../out/base.json)" = true ]
    [[ "$output" != *"this change edits"* ]]
}

# bats test_tags=thorough
@test "a data file that the target branch does not have is read where it lies, and that is said" {
    data_cloned
    (cd ../up && git rm -q --cached data.txt && echo data.txt >.gitignore && commit generated)
    git fetch -q
    run trusted
    [[ "$output" == *"--trust does not cover data files that origin/main at "*" does not have; they are the"*"data.txt"* ]]
    [[ "$output" != *"this change edits data.txt"* ]]
    jq -e '.notes[] | select(startswith("--trust does not cover") and endswith(": data.txt"))' ../out/comparison.json
    grep -q 'does not cover' ../out/report.md
    run kgate list -c kgate.yaml --trust git:origin/main
    [[ "$output" == *"--trust does not cover data files"*": data.txt"* ]]
    # one outside of the repository no change can edit
    cp data.txt ..
    sed -i 's/stdin: .*/stdin: ..\/data.txt/' ../up/kgate.yaml
    (cd ../up && commit outside)
    git fetch -q
    run kgate list -c kgate.yaml --trust git:origin/main
    [ "$status" -eq 0 ]
    [[ "$output" != *"does not cover"* ]]
}

@test "a data file of Git LFS is the target branch's by its hash, or there is no verdict" {
    data_cloned
    hash=$(sha256sum <data.txt)
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 4\n' "${hash%% *}" >../up/data.txt
    (cd ../up && commit pointer)
    git fetch -q
    run kgate list -c kgate.yaml --trust git:origin/main
    [ "$status" -eq 0 ]
    [[ "$output" != *"this change edits"* ]]
    echo 0.20 >data.txt
    run kgate gate -c kgate.yaml --trust git:origin/main -o ../out
    [ "$status" -eq 4 ]
    [[ "$output" == *"'data.txt' is kept by Git LFS, and this checkout lacks the version of origin/main at "* ]]
}

@test "a merge takes accepted changes as its shards took the suite: from the target branch" {
    cloned
    kgate accept 'copy/*' -c kgate.yaml --because mine --change +5000% -q
    commit 'a change'
    for index in 1 2; do
        kgate gate -c kgate.yaml --trust git:origin/main --shard "$index/2" -o "../fleet/$index" -q || [ $? -le 4 ]
    done
    run kgate merge ../fleet -o ../merged
    [ "$status" -eq 2 ]
    [[ "$output" == *"the shards were measured with --trust (origin/main at "*"give merge the same --trust"* ]]
    run kgate merge ../fleet --trust git:origin/main -o ../merged
    not_passed
    [[ "$output" == *"suite and thresholds: origin/main at "* ]]
    [[ "$output" == *"this change edits kgate.accepted.yaml: added (not used)"* ]]
    [[ "$output" != *", accepted"* ]]
    run kgate merge ../fleet --trust git:origin/main --accept-from head -o ../merged
    [[ "$output" == *", accepted"*"mine"* ]]
}
