# kgate bisect: small repositories whose program sleeps, so that effects are large on a busy machine, too.
bats_require_minimum_version 1.5.0
load support

# A repository in repo/ of $1 commits after v0. The program of commit i sleeps for as long as `delay I` prints, in
# seconds. If the function `broken I` succeeds, commit i does not build. Every build adds its commit to built.log.
repository() {
    local i
    mkdir repo
    cd repo || exit 1
    git init -q -b main
    cat >kgate.yaml <<'YAML'
version: 1
suite: waits
defaults: {disturbance: 100%, threshold: 20%, rounds: {min: 3, max: 8}, min_time: 2ms, trace: no, timeout: 60s,
           metrics: [time]}
workloads:
  - {name: wait, command: [./app]}
YAML
    cat >build.sh <<'SH'
#!/bin/sh
[ ! -e broken ] || { git rev-parse HEAD >>"$BUILT"; exit 7; }
{ echo '#!/bin/sh'; echo "exec sleep $(cat delay)"; } >app
chmod +x app
git rev-parse HEAD >>"$BUILT"
SH
    printf 'out/\napp\n' >.gitignore
    for i in $(seq 0 "$1"); do
        delay "$i" >delay
        echo "$i" >number
        rm -f broken
        if broken "$i"; then touch broken; fi
        git add -A
        git commit -q -m "Change $i"
        git tag "v$i"
    done
    export BUILT=$BATS_TEST_TMPDIR/built.log
}
broken() { false; }

# Nothing of the checkout changed, and no worktree is registered.
untouched() {
    [ -z "$(git status --porcelain)" ]
    [ "$(git worktree list | wc -l)" -eq 1 ]
    [ "$(git rev-parse HEAD)" = "$(git rev-parse main)" ]
}

built_once() { [ -z "$(sort "$BUILT" | uniq -d)" ]; }

@test "the commit is found, proven and reverted; the checkout stays as it is" {
    delay() { [ "$1" -ge 6 ] && echo 0.06 || echo 0.02; }
    repository 9
    run -1 kgate bisect v0 main --case wait/cpu --build 'sh build.sh'
    [[ "$output" == *"culprit: $(git rev-parse v6 | cut -c1-12) (Change 6), +"*" %, probability "* ]]
    [[ "$output" == *"against $(git rev-parse v5 | cut -c1-12) in fresh pairs: +"*", confirmed"* ]]
    untouched
    built_once
    valid out/bisect/bisect.json bisect
    jq -e '.state == "found" and .case == "wait/cpu" and .causes[0].first == 6 and .causes[0].last == 6
        and .causes[0].proven and .causes[0].revert == "conflicts" or .causes[0].revert == "faster"' out/bisect/bisect.json
    [ "$(jq .builds out/bisect/bisect.json)" -le 8 ]
    # the command that it prints works, and a second call only prints
    [[ "$output" == *"next: kgate ab -c kgate.yaml --base "* ]]
    before=$(wc -l <"$BUILT")
    run -1 kgate bisect v0 main --case wait/cpu --build 'sh build.sh' --json
    [ "$(wc -l <"$BUILT")" -eq "$before" ]
    run -0 kgate report out/bisect/bisect.json --format markdown
    [[ "$output" == *"(Change 6)"* ]]
}

# bats test_tags=thorough
@test "a revert that applies is measured, from a folder within the repository" {
    delay() { echo 0.02; }
    repository 3
    mkdir sub
    git mv build.sh sub/build.sh
    sed -i 's/cat delay/cat ..\/delay/' sub/build.sh
    git mv kgate.yaml sub
    git commit -q -a -m 'Move'
    git tag good
    echo 0.06 >delay
    git commit -q -a -m 'Sleep longer'
    for i in 1 2; do
        echo "x$i" >number
        git commit -q -a -m "Later $i"
    done
    cd sub
    run -1 kgate bisect --good good --bad HEAD --build 'sh build.sh' -o ../out
    [[ "$output" == *"(Sleep longer)"*"HEAD without it: -"*" %, faster"* ]]
    cd ..
    untouched
}

# bats test_tags=thorough
@test "commits that do not build are a range with the next one" {
    delay() { [ "$1" -ge 5 ] && echo 0.06 || echo 0.02; }
    broken() { [ "$1" -ge 4 ] && [ "$1" -le 6 ]; }
    repository 10
    run -1 kgate bisect v0 v10 --build 'sh build.sh' -o out
    [[ "$output" == *"one of 4 commits, of which only the last one builds: $(git rev-parse v4 | cut -c1-12) (Change 4) to $(git rev-parse v7 | cut -c1-12) (Change 7)"* ]]
    jq -e '.causes[0].first == 4 and .causes[0].last == 7 and .causes[0].revert == "untried"' out/bisect.json
    untouched
    built_once
}

# bats test_tags=thorough
@test "two causes are both reported, the larger one first" {
    delay() { [ "$1" -ge 9 ] && echo 0.18 || { [ "$1" -ge 3 ] && echo 0.06 || echo 0.02; }; }
    repository 12
    run -1 kgate bisect v0 v12 --build 'sh build.sh' -o out
    jq -e '[.causes[].first] | sort == [3, 9]' out/bisect.json
    jq -e '.causes[0].ratio >= .causes[1].ratio' out/bisect.json
    built_once
}

@test "a slowdown that is not there any more: exit 0" {
    delay() { [ "$1" -eq 2 ] && echo 0.06 || echo 0.02; }
    repository 4
    run -0 kgate bisect v0 v4 --build 'sh build.sh' -o out
    [[ "$output" == *"not there any more"* ]]
    [ "$(sort "$BUILT")" = "$(git rev-parse v0 v4 | sort)" ]
    untouched
}

@test "a killed search goes on, and builds no commit twice" {
    delay() { [ "$1" -ge 11 ] && echo 0.06 || echo 0.02; }
    repository 16
    for builds in 2 3 4 5; do
        "$KGATE" bisect v0 v16 --build 'sh build.sh' -o out -q >/dev/null 2>&1 &
        pid=$!
        for _ in $(seq 600); do
            # a build counts from its status on, which follows the line in built.log
            [ "$(find out/builds -name '*.status' 2>/dev/null | wc -l)" -lt "$builds" ] || break
            sleep 0.05
        done
        kill -9 "$pid" || true
        wait "$pid" || true
    done
    run -1 kgate bisect v0 v16 --build 'sh build.sh' -o out
    [[ "$output" == *"(Change 11)"* ]]
    built_once
    untouched
}

@test "Ctrl-C in a build: exit 130, no worktree stays, and the search goes on" {
    delay() { [ "$1" -ge 2 ] && echo 0.06 || echo 0.02; }
    repository 4
    (
        trap - INT
        exec "$KGATE" bisect v0 v4 --build 'touch ../../started; sleep 30; sh build.sh' -o out
    ) 2>errors &
    pid=$!
    for _ in $(seq 600); do
        [ ! -e out/started ] || break
        sleep 0.05
    done
    kill -TERM "$pid"
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq 143 ]
    [[ "$(cat errors)" == *"the same command continues the search"* ]]
    [ "$(git worktree list | wc -l)" -eq 1 ]
}

# bats test_tags=thorough
@test "commits whose files no build reads are left out; a build with a neighbour's code needs no pairs" {
    mkdir repo
    cd repo
    git init -q -b main
    cat >kgate.yaml <<'YAML'
version: 1
suite: waits
defaults: {disturbance: 100%, threshold: 20%, rounds: {min: 3, max: 8}, min_time: 2ms, trace: no, metrics: [time], unchanged_code: skip}
workloads:
  - {name: wait, command: [./app]}
YAML
    printf '#include <time.h>\n#include "wait.h"\nint main(void) { struct timespec t = {0, WAIT}; return nanosleep(&t, 0); }\n' >app.c
    for i in $(seq 0 12); do
        echo "#define WAIT $([ "$i" -ge 8 ] && echo 60 || echo 20)000000" >wait.h
        case $i in
        [1-4]) echo "$i" >README.md ;;
        5) echo 'int unused;' >other.c ;;
        *) echo "/* $i */" >>app.c ;;
        esac
        git add -A
        git commit -q -m "Change $i"
        git tag "v$i"
    done
    export BUILT=$BATS_TEST_TMPDIR/built.log
    run -1 kgate bisect v0 v12 --build 'cc -MMD -MF app.d -o app app.c && git rev-parse HEAD >>"$BUILT"' -o out
    [[ "$output" == *"(Change 8)"* ]]
    jq -e '[.commits[1:6][].status] | all(. == "left-out")' out/bisect.json
    jq -e '[.commits[6:][] | select(.status == "same-code")] | length >= 1' out/bisect.json
    built_once
}

# bats test_tags=thorough
@test "dependency files of a part of the build: a refuted search takes the left-out commits back" {
    mkdir repo
    cd repo
    git init -q -b main
    cat >kgate.yaml <<'YAML'
version: 1
suite: waits
defaults: {disturbance: 100%, threshold: 20%, rounds: {min: 3, max: 8}, min_time: 2ms, trace: no, metrics: [time]}
workloads:
  - {name: wait, command: [./app]}
YAML
    printf '#include <time.h>\n#include "wait.h"\nint main(void) { struct timespec t = {0, WAIT}; return nanosleep(&t, 0); }\n' >app.c
    for i in $(seq 0 8); do
        echo "#define WAIT $([ "$i" -ge 4 ] && echo 60 || echo 20)000000" >wait.h
        [ "$i" -eq 4 ] || echo "int part$i;" >>vendored.c
        git add -A
        git commit -q -m "Change $i"
        git tag "v$i"
    done
    run -1 kgate bisect v0 v8 --build 'cc -MMD -c vendored.c && cc -o app app.c vendored.o' -o out
    [[ "$output" == *"culprit: $(git rev-parse v4 | cut -c1-12) (Change 4), "*", confirmed"* ]]
    [[ "$output" != *"other cause"* ]]
    jq -e '.keeps_all and .state == "found"' out/bisect.json
}

# bats test_tags=thorough
@test "no commit between the ends builds: exit 4, and the same command builds them again" {
    delay() { [ "$1" -ge 3 ] && echo 0.06 || echo 0.02; }
    repository 6
    command="[ -e $PWD/lost ] && git rev-parse HEAD | grep -qvF -e $(git rev-parse v0) -e $(git rev-parse v6) && exit 9; sh build.sh"
    touch lost
    run -4 kgate bisect v0 v6 --build "$command" -o out
    [[ "$output" == *"no commit between the ends builds; the same command builds them again"*"status 9"* ]]
    jq -e '.state == "unbuilt" and (.causes | not)' out/bisect.json
    rm lost
    run -1 kgate bisect v0 v6 --build "$command" -o out
    [[ "$output" == *"(Change 3)"* ]]
}

# bats test_tags=thorough
@test "a budget ends the search with a set, and the same command continues it" {
    delay() { [ "$1" -ge 7 ] && echo 0.06 || echo 0.02; }
    repository 12
    # the time ends a build of the ends, or the search
    run -4 kgate bisect v0 v12 --build 'sleep 0.2; sh build.sh' -o out --budget 1s
    [[ "$output" == *"--budget ended the build of the "* || "$output" == *"the budget is used up"* ]]
    run -1 kgate bisect v0 v12 --build 'sleep 0.2; sh build.sh' -o out --budget 10m
    [[ "$output" == *"(Change 7)"* ]]
    built_once
}

# A search over v0 to v12 in out/ that a budget of 4 builds ended.
unfinished() {
    delay() { [ "$1" -ge 7 ] && echo 0.06 || echo 0.02; }
    repository 12
    run -4 kgate bisect v0 v12 --build 'sh build.sh' -o out --budget 4
}

@test "the time ends a build of an end: exit 4" {
    delay() { echo 0.02; }
    repository 2
    run -4 kgate bisect v0 v2 --build 'sleep 60' -o out --budget 1s
    [[ "$output" == *"--budget ended the build of the good end, "*"Raise --budget"* ]]
}

# bats test_tags=thorough
@test "the time ends before the proof: exit 4, and the same command proves" {
    delay() { [ "$1" -ge 1 ] && echo 0.25 || echo 0.08; }
    repository 1
    run -4 kgate bisect v0 v1 --build 'sh build.sh' -o out --budget 1s
    [[ "$output" == *"--budget ended the build of the "* || "$output" == *"the budget is used up"*"culprit: "* ]]
    [ ! -e out/proof-1 ]
    run -1 kgate bisect v0 v1 --build 'sh build.sh' -o out
    [[ "$output" == *", confirmed"* ]]
}

@test "undecided ends: exit 4 with the case and its interval; reports name the measured commits" {
    delay() { [ "$1" -ge 1 ] && echo 50 || echo 100; }
    repository 2
    # fewer frames are worse, which a search for a higher value cannot follow
    sed -i "s/threshold: 20%/threshold: 900%/
        s/command: .*/command: [.\/app], counters: {frames: {better: higher, threshold: 5%, regex: 'frames: ([0-9.]+)'}}}/" kgate.yaml
    sed -i 's/exec sleep \(.*\)"; }/echo frames: \1"; }/' build.sh
    git commit -q -a -m Frames
    run -4 kgate bisect v0 main --build "sh $PWD/build.sh" -o new/search
    [[ "$output" == *"wait/cpu: frames -50.0 % ("*" % … "*" %) from v0 to main"*"undecided: "*"ends/report.md"* ]]
    jq -e '.state == "unclear" and .case == "wait/cpu" and .metric == "frames" and .low <= .high' new/search/bisect.json
    [ "$(jq -r .commit new/search/ends/base.json)" = "$(git rev-parse v0 | cut -c1-12)" ]
    [ "$(jq -r .commit new/search/ends/head.json)" = "$(git rev-parse main | cut -c1-12)" ]
    jq -e '.branch == null' new/search/ends/base.json
    [ -z "$(git status --porcelain new)" ]
}

# bats test_tags=thorough
@test "a number of builds counts per call" {
    unfinished
    for _ in 1 2 3; do
        run kgate bisect v0 v12 --build 'sh build.sh' -o out --budget 4
        [ "$status" -eq 4 ] || break
    done
    [ "$status" -eq 1 ]
    [ "$(jq .builds out/bisect.json)" -gt 4 ]
}

# bats test_tags=thorough
@test "builds that were removed are built again, and their pairs stay" {
    unfinished
    pairs=$(jq -c '.commits[12].pairs' out/bisect.json)
    rm -rf out/builds
    run -1 kgate bisect v0 v12 --build 'sh build.sh' -o out
    [[ "$output" == *"culprit: $(git rev-parse v7 | cut -c1-12) (Change 7), "* ]]
    [ "$(jq -c '.commits[12].pairs' out/bisect.json)" = "$pairs" ]
}

# bats test_tags=thorough
@test "a copied folder continues the search with its own builds" {
    unfinished
    cp -r out copy
    mv out moved
    run -1 kgate bisect v0 v12 --build 'sh build.sh' -o copy
    [[ "$output" == *"culprit: $(git rev-parse v7 | cut -c1-12) (Change 7), "* ]]
    built_once
    jq -e '[.commits[].folder | select(.)] | length > 0 and all(startswith("builds/"))' copy/bisect.json
    [[ "$(kgate report copy/bisect.json)" == *" --base copy/builds/"* ]]
}

# bats test_tags=thorough
@test "a search is saved as found before its builds are removed" {
    unfinished
    mkdir shim
    printf '#!/bin/sh\njq -r .state "%s" >>"%s"\nexec %s "$@"\n' "$PWD/out/bisect.json" "$PWD/states" "$(command -v rm)" >shim/rm
    chmod +x shim/rm
    PATH=$PWD/shim:$PATH run -1 kgate bisect v0 v12 --build 'sh build.sh' -o out
    [ "$(grep -c found states)" -ge 2 ]
    [ "$(tail -1 states)" = found ]
}

@test "a damaged bisect.json is refused by the report and by the search" {
    unfinished
    cp out/bisect.json whole.json
    cause='{"first": 1, "last": 2, "probability": 1, "ratio": 2, "parent": 0, "proven": false, "refuted": false, "revert": "untried"}'
    for damage in '.commits = []' 'del(.case)' 'del(.metric)' '.effect = -1' 'del(.commits[12].pairs)' \
        ".causes = [$cause | .first = 99]" ".causes = [$cause | .parent = 999999]" ".causes = [$cause | .first = 3]"; do
        jq "$damage" whole.json >out/bisect.json
        run -2 kgate report out/bisect.json
        [[ "$output" == *"the file is damaged"* ]]
        run -2 kgate bisect v0 v12 --build 'sh build.sh' -o out
    done
}

@test "mistakes: commits, ends that do not build, another search in the folder" {
    delay() { echo 0.02; }
    broken() { [ "$1" -eq 3 ]; }
    repository 3
    run -2 kgate bisect v0 nothing --build true
    [[ "$output" == *"git finds no commit 'nothing'"* ]]
    run -2 kgate bisect v2 v0 --build true
    [[ "$output" == *"'v2' is no ancestor of 'v0'"* ]]
    run -2 kgate bisect v0 --build true
    [[ "$output" == *"give two commits"* ]]
    run -2 kgate bisect v0 v2
    [[ "$output" == *"--build"* ]]
    run -3 kgate bisect v0 v3 --build 'sh build.sh'
    [[ "$output" == *"the bad end, "*", does not build: the build command ends with status 7: "*.log ]]
    run -3 kgate bisect v0 v3 --build 'printf "warning\nno \377 space\n\n"; sh build.sh'
    [[ "$output" == *"ends with status 7 after 'no \xff space': "*.log ]]
    run -2 kgate bisect v0 v3 --build true --budget 2x
    [[ "$output" == *"or a number of builds"* ]]
    [[ "$(kgate --help)" == *"Find the commit that made a case slower."* ]]
    # a search that measured nothing leaves the settings free
    run kgate bisect v0 v2 --build 'sh build.sh' --case nosuch -o other
    [ "$status" -eq 2 ]
    run -0 kgate bisect v0 v2 --build 'sh build.sh' -o other
    run -2 kgate bisect v0 v2 --build 'sh build.sh; true' -o other
    [[ "$output" == *"is of a search with other --build"* ]]
}
