# kgate bisect: small repositories. Most programs print their work, so no test depends on the load of the machine. Some
# sleep, so that the time shows the effect.
bats_require_minimum_version 1.5.0
load support

# A repository in repo/ of $1 commits after v0. The program of commit i prints the number of `work I`, or sleeps for as
# many seconds if $program is `sleep`. If the function `broken I` succeeds, commit i does not build. Every build adds its
# commit to built.log.
repository() {
    local i
    mkdir repo
    cd repo || exit 1
    git init -q -b main
    if [ "$program" = sleep ]; then
        cat >kgate.yaml <<'YAML'
version: 1
suite: waits
defaults: {disturbance: 100%, threshold: 50%, rounds: {min: 3, max: 20}, min_time: 2ms, trace: no, timeout: 60s, metrics: [time]}
workloads:
  - {name: wait, command: [./app]}
YAML
    else
        cat >kgate.yaml <<'YAML'
version: 1
suite: waits
defaults: {disturbance: 100%, rounds: {min: 2, max: 4}, min_time: 1ms, trace: no, timeout: 60s, metrics: [peak_memory]}
workloads:
  - {name: wait, command: [./app], counters: {work: {better: lower, threshold: 5%, regex: 'work: ([0-9.]+)'}}}
YAML
    fi
    cat >build.sh <<SH
#!/bin/sh
if [ "\$(cat "\$BUILT.stop")" = "\$(wc -l <"\$BUILT")" ]; then kill -9 "\$(cat "\$BUILT.search")"; exit 9; fi
[ ! -e broken ] || { git rev-parse HEAD >>"\$BUILT"; exit 7; }
{ echo '#!/bin/sh'; echo "$program \$(cat work)"; } >app
chmod +x app
git rev-parse HEAD >>"\$BUILT"
SH
    printf 'out/\napp\n' >.gitignore
    for i in $(seq 0 "$1"); do
        work "$i" >work
        echo "$i" >number
        rm -f broken
        if broken "$i"; then touch broken; fi
        git add -A
        git commit -q -m "Change $i"
        git tag "v$i"
    done
    export BUILT=$BATS_TEST_TMPDIR/built.log
    touch "$BUILT" "$BUILT.stop"
}
broken() { false; }
program='echo work:'

# Nothing of the checkout changed, and no worktree is registered.
untouched() {
    [ -z "$(git status --porcelain)" ]
    [ "$(git worktree list | wc -l)" -eq 1 ]
    [ "$(git rev-parse HEAD)" = "$(git rev-parse main)" ]
}

built_once() { [ -z "$(sort "$BUILT" | uniq -d)" ]; }

# Searches v0 to $1 once per further argument. The build that begins after as many builds as the argument kills its search
# with SIGKILL. So the moment does not depend on the speed of the machine.
killed() {
    local last=$1 builds
    shift
    for builds in "$@"; do
        echo "$builds" >"$BUILT.stop"
        run sh -c 'echo $$ >"$BUILT.search"; exec "$0" "$@"' "$KGATE" bisect v0 "$last" --build 'sh build.sh' -o out -q
        [ "$status" -eq 137 ]
        [ "$(wc -l <"$BUILT")" -eq "$builds" ]
    done
    : >"$BUILT.stop"
}

@test "a killed search goes on; the commit is found and proven; the checkout stays as it is" {
    work() { [ "$1" -ge 6 ] && echo 30 || echo 10; }
    repository 9
    killed v9 1 3
    run -1 kgate bisect v0 v9 --build 'sh build.sh' -o out
    [[ "$output" == *"culprit: $(git rev-parse v6 | cut -c1-12) (Change 6), +"*" %, probability "* ]]
    [[ "$output" == *"against $(git rev-parse v5 | cut -c1-12) in fresh pairs: +"*", confirmed"* ]]
    [[ "$output" != *"rests on one build"* ]]
    untouched
    built_once
    valid out/bisect.json bisect
    jq -e '.state == "found" and .case == "wait/cpu" and .causes[0].first == 6 and .causes[0].last == 6
        and .causes[0].proven and .causes[0].revert == "conflicts"' out/bisect.json
    [ "$(jq .builds out/bisect.json)" -eq "$(wc -l <"$BUILT")" ]
    [ "$(wc -l <"$BUILT")" -le 8 ]
    # the command that it prints works, and a second call only prints
    [[ "$output" == *"next: kgate ab -c kgate.yaml --base "* ]]
    before=$(wc -l <"$BUILT")
    run -1 kgate bisect v0 v9 --build 'sh build.sh' -o out --json
    [ "$(wc -l <"$BUILT")" -eq "$before" ]
    run -0 kgate report out/bisect.json --format markdown
    [[ "$output" == *"(Change 6)"* ]]
}

# bats test_tags=thorough
@test "a revert that applies is measured, from a folder within the repository" {
    program=sleep
    work() { echo 0.01; }
    repository 3
    mkdir sub
    git mv build.sh sub/build.sh
    sed -i 's/cat work/cat ..\/work/' sub/build.sh
    git mv kgate.yaml sub
    git commit -q -a -m 'Move'
    git tag good
    echo 0.03 >work
    git commit -q -a -m 'Work longer'
    for i in 1 2; do
        echo "x$i" >number
        git commit -q -a -m "Later $i"
    done
    cd sub
    run -1 kgate bisect --good good --bad HEAD --build 'sh build.sh' -o ../out
    [[ "$output" == *"(Work longer)"*"HEAD without it: -"*" %, faster"* ]]
    cd ..
    untouched
}

# bats test_tags=thorough
@test "commits that do not build are a range with the next one" {
    work() { [ "$1" -ge 5 ] && echo 30 || echo 10; }
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
    work() { [ "$1" -ge 9 ] && echo 90 || { [ "$1" -ge 3 ] && echo 30 || echo 10; }; }
    repository 12
    run -1 kgate bisect v0 v12 --build 'sh build.sh' -o out
    jq -e '[.causes[].first] | sort == [3, 9]' out/bisect.json
    jq -e '.causes[0].ratio >= .causes[1].ratio' out/bisect.json
    built_once
}

@test "a slowdown that is not there any more: exit 0; a search without a measurement leaves the settings free" {
    work() { [ "$1" -eq 2 ] && echo 30 || echo 10; }
    repository 4
    run -3 kgate bisect v0 v4 --build 'exit 9' -o out
    run -0 kgate bisect v0 v4 --build 'sh build.sh' -o out
    [[ "$output" == *"not there any more"* ]]
    [ "$(sort "$BUILT")" = "$(git rev-parse v0 v4 | sort)" ]
    untouched
    run -2 kgate bisect v0 v4 --build 'sh build.sh; true' -o out
    [[ "$output" == *"is of a search with other --build"* ]]
}

# bats test_tags=thorough
@test "a search that is killed at each build builds no commit twice" {
    work() { [ "$1" -ge 11 ] && echo 30 || echo 10; }
    repository 16
    killed v16 2 3 4 5
    run -1 kgate bisect v0 v16 --build 'sh build.sh' -o out
    [[ "$output" == *"(Change 11)"* ]]
    built_once
    untouched
}

@test "Ctrl-C in a build: exit 130, no worktree stays, and the search goes on" {
    work() { [ "$1" -ge 2 ] && echo 30 || echo 10; }
    repository 4
    (
        trap - INT
        exec "$KGATE" bisect v0 v4 --build 'touch ../../started; sleep 300; sh build.sh' -o out
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
defaults: {disturbance: 100%, threshold: 20%, rounds: {min: 3, max: 20}, min_time: 2ms, trace: no, metrics: [time], unchanged_code: skip}
workloads:
  - {name: wait, command: [./app]}
YAML
    printf '#include <time.h>\n#include "wait.h"\nint main(void) { struct timespec t = {0, WAIT}; return nanosleep(&t, 0); }\n' >app.c
    for i in $(seq 0 12); do
        echo "#define WAIT $([ "$i" -ge 8 ] && echo 30 || echo 10)000000" >wait.h
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
defaults: {disturbance: 100%, threshold: 20%, rounds: {min: 3, max: 20}, min_time: 2ms, trace: no, metrics: [time]}
workloads:
  - {name: wait, command: [./app]}
YAML
    printf '#include <time.h>\n#include "wait.h"\nint main(void) { struct timespec t = {0, WAIT}; return nanosleep(&t, 0); }\n' >app.c
    for i in $(seq 0 8); do
        echo "#define WAIT $([ "$i" -ge 4 ] && echo 30 || echo 10)000000" >wait.h
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
    work() { [ "$1" -ge 3 ] && echo 30 || echo 10; }
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
    work() { [ "$1" -ge 7 ] && echo 30 || echo 10; }
    repository 12
    # the time ends a build of the ends, or the search: that needs more than three builds of 0.4 s on any machine
    run -4 kgate bisect v0 v12 --build 'sleep 0.4; sh build.sh' -o out --budget 1s
    [[ "$output" == *"--budget ended the build of the "* || "$output" == *"the budget is used up"* ]]
    run -1 kgate bisect v0 v12 --build 'sleep 0.4; sh build.sh' -o out --budget 10m
    [[ "$output" == *"(Change 7)"* ]]
    built_once
}

# A search over v0 to v12 in out/ that a budget of 4 builds ended.
unfinished() {
    work() { [ "$1" -ge 7 ] && echo 30 || echo 10; }
    repository 12
    run -4 kgate bisect v0 v12 --build 'sh build.sh' -o out --budget 4
}

@test "the time ends a build of an end: exit 4" {
    work() { echo 10; }
    repository 2
    run -4 kgate bisect v0 v2 --build 'sleep 60' -o out --budget 200ms
    [[ "$output" == *"--budget ended the build of the good end, "*"Raise --budget"* ]]
}

# bats test_tags=thorough
@test "the time ends before the proof: exit 4, and the same command proves" {
    program=sleep
    work() { [ "$1" -ge 1 ] && echo 0.1 || echo 0.03; }
    repository 1
    run -4 kgate bisect v0 v1 --build 'sh build.sh' -o out --budget 500ms
    [[ "$output" == *"--budget ended the build of the "* || "$output" == *"the budget is used up"*"culprit: "* ]]
    [ ! -e out/proof-1 ]
    run -1 kgate bisect v0 v1 --build 'sh build.sh' -o out
    [[ "$output" == *", confirmed"*"it rests on one build: a single measured build has the value before it"* ]]
}

@test "undecided ends: exit 4 with the case and its interval; reports name the measured commits" {
    work() { [ "$1" -ge 1 ] && echo 50 || echo 100; }
    repository 2
    # fewer frames are worse, which a search for a higher value cannot follow
    sed -i "s/work: {better: lower, threshold: 5%, regex: 'work/frames: {better: higher, threshold: 5%, regex: 'frames/" kgate.yaml
    sed -i 's/echo work:/echo frames:/' build.sh
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

# bats test_tags=thorough
@test "if the good build fails too, no commit is to blame: exit 3, and the same command goes on" {
    work() { [ "$1" -ge 5 ] && echo 30 || { [ "$1" -eq 4 ] && echo '10; exit 9' || echo 10; }; }
    program="[ ! -e $BATS_TEST_TMPDIR/gone ] || exit 9; echo work:"
    repository 6
    command="[ \"\$(git rev-parse HEAD)\" != $(git rev-parse v3) ] || touch $BATS_TEST_TMPDIR/gone; sh build.sh"
    run -3 kgate bisect v0 v6 --build "$command" -o out
    [[ "$output" == *"the good build can no longer be measured: "*"The same command continues the search"* ]]
    jq -e '[.commits[].status] | index("unbuildable") == null' out/bisect.json
    rm "$BATS_TEST_TMPDIR/gone"
    run -1 kgate bisect v0 v6 --build "$command" -o out
    # commit 4 fails alone
    [[ "$output" == *"one of 2 commits, "*"(Change 4) to "*"(Change 5)"* ]]
    built_once
}

# bats test_tags=thorough
@test "rounds that all wait for a CPU blame no build: exit 4, and the same command goes on" {
    needs_waits
    work() { [ "$1" -ge 5 ] && echo 30 || echo 10; }
    # while the file exists, the program waits for 20 loops on its own CPU, whatever else the machine does
    cat >wait.sh <<SH
if [ -e $BATS_TEST_TMPDIR/busy ]; then
    taskset -cp $(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//') \$\$ >/dev/null
    for i in \$(seq 20); do (while :; do :; done) & loops="\$loops \$!"; done
    i=0; while [ \$i -lt 10000 ]; do i=\$((i+1)); done
    kill \$loops
fi
SH
    program=". $PWD/wait.sh; echo work:"
    repository 6
    sed -i 's/disturbance: 100%/disturbance: 45%/; s/peak_memory/time/' kgate.yaml
    git commit -q -a -m Limit
    command="[ \"\$(git rev-parse HEAD)\" != $(git rev-parse v3) ] || touch $BATS_TEST_TMPDIR/busy; sh build.sh"
    run -4 kgate bisect v0 v6 --build "$command" -o out
    [[ "$output" == *"the machine is too busy: "*" rounds waited too long for a CPU. The same command continues the search"* ]]
    jq -e '[.commits[].status] | index("unbuildable") == null' out/bisect.json
    rm "$BATS_TEST_TMPDIR/busy"
    run -1 kgate bisect v0 v6 --build "$command" -o out
    [[ "$output" == *"culprit: $(git rev-parse v5 | cut -c1-12) (Change 5), "* ]]
    built_once
}

@test "a damaged bisect.json is refused by the report and by the search" {
    work() { echo 10; }
    repository 3
    # a search that the budget ended, without its builds
    git log --reverse --format='{"hash": "%H", "subject": "%s"}' | jq -s '{schema: "kgate.bisect.v1",
        created: "2026-01-31T12:00:00Z", kgate_version: "0", suite_path: "kgate.yaml", build: "sh build.sh", good: "v0",
        bad: "v3", state: "budget", case: "wait/cpu", definition_hash: "0000000000000000", metric: "time", others: 0,
        offset: 0.005, effect: 1.1, deviation: 0.02, builds: 2,
        commits: map(. + {status: "untried"})} | .commits[3] += {status: "measured", pairs: [1.1, 1.1]}' >whole.json
    run -0 kgate report whole.json
    valid whole.json bisect
    mkdir out
    cause='{"first": 1, "last": 2, "probability": 1, "ratio": 2, "builds_before": 1, "builds_after": 2, "parent": 0, "proven": false, "refuted": false, "revert": "untried"}'
    for damage in '.commits = []' 'del(.case)' 'del(.metric)' '.effect = -1' 'del(.commits[3].pairs)' \
        ".causes = [$cause | .first = 99]" ".causes = [$cause | .parent = 999999]" ".causes = [$cause | .first = 3]"; do
        jq "$damage" whole.json >out/bisect.json
        run -2 kgate report out/bisect.json
        [[ "$output" == *"the file is damaged"* ]]
        run -2 kgate bisect v0 v3 --build 'sh build.sh' -o out
    done
    jq '.offset = 0' whole.json >out/bisect.json
    run -2 kgate report out/bisect.json
    [[ "$output" == *"offset: expected a number from 0.0001 to 1, found 0"* ]]
    [ ! -s "$BUILT" ]
    [ "$(kgate report whole.json --format json | jq -c '[.commits[].weight] | unique')" = '[1]' ]
}

# bats test_tags=thorough
@test "a merge commit is found; blanks in paths, and edits in the checkout" {
    work() { echo 10; }
    repository 2
    git checkout -q -b side
    echo 30 >work
    git commit -q -a -m 'Work longer'
    git checkout -q main
    for i in 3 4; do
        echo "$i" >"a note"
        git add -A
        git commit -q -m "Note $i"
    done
    git merge -q --no-ff -m 'Merge side' side
    echo 5 >"a note"
    git commit -q -a -m 'Note 5'
    cd ..
    mv repo 'a repo'
    cd 'a repo'
    echo edited >number
    echo new >'a file'
    before=$(git status --porcelain)
    run -1 kgate bisect v0 main --build 'sh build.sh' -o 'the out'
    [[ "$output" == *"(Merge side), "*", confirmed"*"main without it: -"*" %, faster"* ]]
    [ "$(git status --porcelain)" = "$before" ]
    [ "$(cat number)" = edited ]
}

# bats test_tags=thorough
@test "submodules: the failure names them, and the build command can fetch them" {
    work() { [ "$1" -ge 2 ] && echo 30 || echo 10; }
    git init -q lib
    (cd lib && echo 'printf "#!/bin/sh\necho work: $(cat work)\n" >app; chmod +x app' >make.sh && git add -A && git commit -q -m Lib)
    repository 0
    git -c protocol.file.allow=always submodule --quiet add "$BATS_TEST_TMPDIR/lib" lib
    for i in 1 2 3; do
        work "$i" >work
        echo "$i" >number
        git add -A
        git commit -q -m "Change $i"
        git tag "v$i"
    done
    run -3 kgate bisect v1 v3 --build 'sh lib/make.sh' -o out
    [[ "$output" == *"A worktree begins without submodules; --build can run"* ]]
    run -1 kgate bisect v1 v3 --build 'git -c protocol.file.allow=always submodule --quiet update --init && sh lib/make.sh' -o out
    [[ "$output" == *"(Change 2), "* ]]
    [ "$(git worktree list | wc -l)" -eq 1 ]
}

@test "a shallow clone without the commits between is named" {
    work() { echo 10; }
    repository 3
    git clone -q --depth 1 "file://$PWD" shallow 2>/dev/null
    cd shallow
    git fetch -q --depth 1 origin tag v0
    run -2 kgate bisect v0 main --build true
    [[ "$output" == *"this clone is shallow; "* ]]
}

# Adds the results $1 of the commit $2 to the history.
history_add() {
    jq --arg commit "$(git rev-parse "$2")" --argjson later "$3" \
        '.commit = $commit | .created |= (fromdate + $later | todate)' "$1" >"$2.json"
    kgate history add "$2.json" -q --history steps.db
}

# bats test_tags=thorough
@test "a step of the history weighs the commits" {
    work() { [ "$1" -ge 9 ] && echo 30 || echo 10; }
    repository 12
    sh build.sh
    kgate run -c kgate.yaml -o results.json -q
    history_add results.json v7 0
    history_add results.json v10 60
    /usr/bin/python3 -c 'import sqlite3; c = sqlite3.connect("steps.db"); c.execute("""INSERT INTO change (series, run_before,
        run_after, found_run, kind, ratio, cause, state, proof, culprit) SELECT s.id, b.id, a.id, a.id, "step", 3, "unknown",
        "suspected", "", "" FROM series AS s, run AS b, run AS a WHERE s.metric = "work" AND a.started > b.started"""); c.commit()'
    run -1 kgate bisect v0 v12 --build 'sh build.sh' --history steps.db -o out
    [[ "$output" == *"(Change 9), "* ]]
    jq -e '[.commits[].weight | round] | .[8:11] == [10, 10, 10] and .[1] == 1 and .[12] > 1 and .[12] < 10' out/bisect.json
    [ "$(jq .builds out/bisect.json)" -le 6 ]
}

# bats test_tags=thorough
@test "commits that touch the slower function weigh more" {
    mkdir repo
    cd repo
    git init -q -b main
    cat >kgate.yaml <<'YAML'
version: 1
suite: waits
defaults: {disturbance: 100%, threshold: 20%, rounds: {min: 3, max: 20}, min_time: 2ms, metrics: [time]}
workloads:
  - {name: wait, command: [./app]}
YAML
    for i in $(seq 0 8); do
        cat >app.c <<C
#include <time.h>
int other(int x)
{
    x++;
    return x + $i;
}
__attribute__((noinline)) int pause_some(void)
{
    struct timespec t = {0, 0};
    t.tv_nsec = $([ "$i" -ge 5 ] && echo 30 || echo 10)000000;
    return nanosleep(&t, 0);
}
int main(void)
{
    return pause_some();
}
C
        git add -A
        git commit -q -m "Change $i"
        git tag "v$i"
    done
    run -1 kgate bisect v0 v8 --build 'cc -g -O1 -o app app.c' -o out
    [[ "$output" == *"(Change 5), "* ]]
    jq -e '[.commits[].weight | round] | .[5] == 10 and .[1:5] + .[6:] == [3, 3, 3, 3, 3, 3, 3]' out/bisect.json
}

@test "mistakes: commits, ends that do not build, another search in the folder" {
    work() { echo 10; }
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
    run -2 kgate bisect v0 HEAD~3 --build true
    [[ "$output" == *"'v0' and 'HEAD~3' are the same commit"* ]]
    # mistakes that cost no build
    before=$(wc -l <"$BUILT")
    run -2 kgate bisect v0 v2 --build 'sh build.sh' --case wiat/cpu -o other
    [[ "$output" == *"no case of the suite matches --case 'wiat/cpu'; did you mean 'wait/cpu'?" ]]
    run -2 kgate bisect v0 v2 --build 'sh build.sh' --case nosuch -o other
    [[ "$output" == *"no case of the suite matches --case 'nosuch'; the cases are 'wait/cpu'" ]]
    # the ids of these cases are unknown before a build, but begin with the workload's name
    printf 'version: 1\nsuite: s\nworkloads:\n  - {name: bench, command: [./bench], format: google-benchmark}\n' >listed.yaml
    for case in nosuch bench b 'benches/*' bencx/cpu tag:nosuch; do
        run -2 kgate bisect v0 v2 -c listed.yaml --build 'sh build.sh' --case "$case" -o other
        [[ "$output" == *"no case of the suite matches --case '$case'; "*"'bench'"* ]]
    done
    run -2 kgate bisect v0 v2 --build 'sh build.sh' --history nosuch.db -o other
    [[ "$output" == *"nosuch.db"* ]]
    [ ! -e other ]
    [ "$(wc -l <"$BUILT")" -eq "$before" ]
    # a full disk says nothing about a commit
    run kgate bisect v0 v2 --build 'echo "ld: No space left on device"; exit 1' -o other
    [[ "$status" -ne 0 && "$output" == *"a build lacked space on the disk: "* ]]
}
