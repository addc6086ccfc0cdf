# kgate history watch: suspected changes, decided by paired rounds of the kept builds. Most changes are of a counter that
# the program prints, so that no test depends on the load of the machine.
bats_require_minimum_version 1.5.0
load support
load postgres

# A suite of the programs $@, which print their work.
watch_suite() {
    local name
    programs=("$@")
    {
        echo 'version: 1'
        echo 'suite: watch'
        echo 'defaults: {sample_time: 0ns, trace: no, disturbance: 100%, rounds: {min: 3, max: 6}, min_time: 2ms, timeout: 120s, metrics: [time]}'
        echo 'workloads:'
        for name in "$@"; do
            echo "  - {name: $name, command: [./$name], counters: {work: {better: lower, threshold: 5%, json: /work}}}"
        done
    } >watch.yaml
}

# Builds the programs of the suite with the compiler's arguments $@, and measures them: $1.json.
build() {
    local name
    for name in "${programs[@]}"; do
        cat >"$name.c" <<'C'
#include <stdio.h>
int main(void)
{
    int work = WORK;
    FILE *file = NULL;
#ifdef DATA
    file = fopen("data", "r");
    work = file && fscanf(file, "%d", &work) == 1 ? work : WORK;
#endif
#ifdef NOISE
    static const int noise[] = {8, -8, 10, -10, 6, -6};
    int turn = 0;
    file = fopen("turn", "r");
    if (!file || fscanf(file, "%d", &turn) != 1)
        turn = 0;
    file = fopen("turn", "w");
    fprintf(file, "%d\n", turn + 1);
    work += noise[turn % 6];
#endif
#ifdef STOP
    if (fopen("stop", "r"))
        return 1;
#endif
    printf("{\"work\": %d}\n", work);
}
C
        cc -O1 "${@:2}" "$name.c" -o "$name"
    done
    kgate run -c watch.yaml -o "$1.json" -q
}

# Adds the hourly runs $2 to $3 with the builds of $1.json; the work is $4 times that of a.json. $5: a filter of jq.
nights() {
    local i files=()
    for i in $(seq "$2" "$3"); do
        jq --slurpfile of "$1.json" --argjson i "$i" --argjson factor "$4" '
            .created = ("2026-01-01T00:00:00Z" | fromdate + 3600 * $i | todate) | .commit = "c\($i)" | .branch = "main"
            | .files = $of[0].files
            | .cases = ([.cases, $of[0].cases] | transpose | map(.[0] + (.[1]
                | {build, code_hash, code_scope, libraries} | with_entries(select(.value != null)))))
            | (1 + 0.001 * ($i * 12.9898 | sin)) as $noise
            | .cases[].rounds |= (.median_ns |= map(. * $noise) | if .cpu_ns then .cpu_ns |= map(. * $noise) else . end)
            | (.cases[].series[] | select(.name == "work").values) |= map(. * $factor * $noise)
            | '"${5:-.}" a.json >"n$i.json"
        files+=("n$i.json")
    done
    kgate history add "${files[@]}" -q --history "${PLACE:-kgate-history.db}"
}

# A history of 20 runs with one build, and 10 with the compiler's arguments $@; the stored work rises to $STEP times.
history_of() {
    build a -DWORK=100 "${COMMON:--DPLAIN}"
    nights a 1 20 1
    build b "${COMMON:--DPLAIN}" "$@"
    nights b 21 30 "${STEP:-1.5}"
}

watch() { kgate history watch -c watch.yaml "$@"; }

# State and cause of each change.
states() { kgate history changes --json "$@" | jq -c '[.changes // [] | .[] | [.state, .cause]]'; }

@test "a slower build: listed, confirmed once, exit 1" {
    watch_suite job
    history_of -DWORK=150
    [ "$(find baselines/builds -name job | wc -l)" -eq 2 ]
    run -0 watch
    [ "${lines[0]}" = "job/cpu work +50.0 % (c20..c21): suspected, both builds are kept" ]
    [ "${lines[1]}" = "confirm: kgate history watch --confirm -c watch.yaml" ]
    watch --json >list.json
    valid list.json history
    [ "$(states)" = '[["suspected","unknown"]]' ]
    run -1 watch --confirm
    [[ "${lines[0]}" == *"job/cpu work +50.0 % (c20..c21): confirmed, cause code: +50.0 % ("*" paired rounds)" ]]
    # nobody knows whether the commits are neighbours
    [ "${lines[1]}" = "find the commit: kgate bisect c20 c21 -c watch.yaml --case job/cpu --build CMD" ]
    [ "$(states)" = '[["confirmed","code"]]' ]
    kgate history changes --json | jq -e '.changes[0] | .seconds > 0 and (.proof | test("^\\+50.0 % \\(.*paired rounds\\)$"))'
    run -0 kgate history audit --metric work
    [[ "$output" == *"  paired rounds 1 confirmed, 0 refuted, 0 undecided in "*"s: "*"s per confirmed change"* ]]
    kgate history show job --metric work | grep -q 'c21 .*confirmed, cause code'
    run -0 watch --confirm
    [ "$output" = "no suspected changes of this suite on this machine" ]
}

@test "baseline prune leaves the builds of a history, unless their room is limited" {
    watch_suite job
    history_of -DWORK=150
    kgate baseline update a.json -q
    size=$(stat -c %s job)
    run -0 kgate baseline prune --keep 1
    [ "$output" = "removed 0 runs; 1 build of a history stays (--keep-builds SIZE limits them)" ]
    run -0 watch
    [[ "${lines[0]}" == *"suspected, both builds are kept" ]]
    run -0 kgate baseline prune --keep-builds "$((size * 3 / 2))B"
    [ "$output" = "removed 0 runs and 1 build, 1 of them of a history" ]
    [ -d "baselines/builds/$(jq -r '.cases[0].build' a.json)" ]
    run -0 watch
    [[ "${lines[0]}" == *"suspected, no build of c21 is kept in baselines/builds" ]]
    # a new build needs the room of an older one
    kgate history add n30.json -q --history other.db # keeps the build of c21 again
    build c -DWORK=120
    run -0 kgate history add c.json --keep-builds "$((size * 5 / 2))B"
    [[ "$output" == "added 1 run with "*"; removed 1 older build to make room (--keep-builds)" ]]
    build d -DWORK=130
    run -0 kgate baseline update d.json --keep-builds "$((size * 5 / 2))B"
    [[ "$output" == *"removed 1 build of a history to make room (--keep-builds)"* ]]
}

@test "a damaged build: its change stays suspected, and no job fails" {
    watch_suite job
    history_of -DWORK=150
    echo more >>"baselines/builds/$(jq -r '.cases[0].build' b.json)/job"
    run -0 watch --confirm
    [[ "$output" == *"(c20..c21): suspected, the build of c21: '"*"/job' is damaged: its bytes have another hash" ]]
    [ "$(states)" = '[["suspected","unknown"]]' ]
}

@test "builds that are alike: refuted, and only the machine's owner sees it" {
    watch_suite job
    history_of -DWORK=100 -fno-builtin -O0 # other code, the same work
    run -0 watch --confirm
    [[ "$output" == *"refuted, cause machine: +0.0 % ("* ]]
    run -0 kgate history changes
    [ "$output" = "no changes" ]
    run -0 kgate history show job --metric work
    [[ "$output" != *refuted* ]]
    host=$(jq -r .machine.host a.json)
    [ "$(states --all)" = '[["refuted","machine"]]' ]
    [ "$(states --machine "$host")" = '[["refuted","machine"]]' ]
    kgate history show job --metric work --machine "$host" | grep -q 'c21 .*refuted, cause machine'
}

@test "pairs that exclude the change refute it, although a smaller difference stays open" {
    watch_suite job
    history_of -DWORK=100 -DNOISE
    rm -f turn
    run -0 watch --confirm
    [[ "$output" == *"refuted, cause "*" (95 % interval -"*" % to +"* ]]
    # a change within the interval stays suspected
    STEP=1.08 PLACE=small.db history_of -DWORK=100 -DNOISE
    rm -f turn
    run -4 watch --confirm --history small.db
    [[ "$output" == *"suspected, "*"undecided"* ]]
    # its seconds count
    kgate history changes --json --history small.db | jq -e '.changes[0] | .state == "suspected" and .seconds > 0'
    kgate history audit --json --history small.db | jq -e '.audits[0] | .undecided == 1 and .confirmed == 0 and .seconds > 0'
}

@test "a slower data file is not hidden: the builds are alike, the values stay" {
    watch_suite job
    echo 100 >data
    COMMON=-DDATA
    build a -DWORK=1 -DDATA
    nights a 1 20 1
    echo 150 >data
    build b -DWORK=1 -DDATA -O0
    [ "$(jq -r '.cases[0].code_scope' b.json)" = files ]
    nights b 21 30 1.5
    run -0 watch --confirm
    [[ "$output" == *"refuted, cause unknown: +0.0 % ("*"); code or files that both builds load today may be the cause" ]]
    [ "$(states)" = '[["refuted","unknown"]]' ]
}

@test "without a kept build, or on another machine, a change stays suspected" {
    watch_suite job
    history_of -DWORK=150
    rm -r "baselines/builds/$(jq -r '.cases[0].build' a.json)"
    run -0 watch --confirm
    [[ "$output" == *"(c20..c21): suspected, no build of c20 is kept in baselines/builds" ]]
    [ "$(states)" = '[["suspected","unknown"]]' ]
    rm -r baselines
    jq '.machine.host = "b"' a.json >other && mv other a.json
    PLACE=other.db nights a 1 20 1
    PLACE=other.db nights b 21 30 1.5
    run -0 watch --confirm --history other.db
    [ "$output" = "no suspected changes of this suite on this machine" ]
    kgate history add n1.json --keep-builds 0 -q --history third.db
    run -2 kgate history list --confirm
    [[ "$output" == *"takes no --confirm"* ]]
}

@test "the build of a run that changed before it was added is not kept" {
    watch_suite job
    build a -DWORK=100
    kgate run -c watch.yaml -o b.json -q
    cc -O0 -DWORK=1 job.c -o job
    run -0 kgate history add b.json
    [[ "$output" == "added 1 run with "*"; not kept, because the file changed after the measurement: $PWD/job" ]]
    [ ! -e baselines/builds ] || [ -z "$(find baselines/builds -name job)" ]
    rm job
    jq '.commit = "gone"' b.json >gone.json
    run -0 kgate history add gone.json
    [[ "$output" == "added 1 run with "*"; not kept, because the file is not on this machine: $PWD/job" ]]
}

@test "a budget that ends: the rest stays suspected, exit 4; a killed watch loses no decision" {
    watch_suite one two
    sed -i '/name: two/s/}}}/}}, min_time: 300ms}/' watch.yaml
    history_of -DWORK=100 -O0
    cp kgate-history.db before.db
    run -4 watch --confirm --budget 1ms
    [[ "$output" == *"one/cpu work"*"refuted, cause machine"*"two/cpu work"*"suspected, --budget left no time"* ]]
    mv before.db kgate-history.db
    "$KGATE" history watch -c watch.yaml --confirm >out 2>err 3>&- &
    watcher=$!
    for _ in $(seq 1200); do grep -q refuted out 2>/dev/null && break; sleep 0.05; done
    kill -KILL "$watcher" || true
    wait "$watcher" || true
    first=$(states --all | jq '[.[] | select(.[0] == "refuted")] | length')
    [ "$first" -ge 1 ]
    run watch --confirm
    [ "$status" -eq 0 ]
    [ "$(grep -c refuted <<<"$output")" -eq $((2 - first)) ]
    [ "$(states --all)" = '[["refuted","machine"],["refuted","machine"]]' ]
}

@test "a build that fails: exit 3, and the change stays suspected" {
    watch_suite job
    history_of -DWORK=150 -DSTOP
    touch stop
    run -3 watch --confirm
    [[ "$output" == *"(c20..c21): suspected, the candidate fails"* ]]
    [ "$(states)" = '[["suspected","unknown"]]' ]
    sed -i 's/\[\.\/job\]/[.\/job, again]/' watch.yaml
    run -0 watch --confirm
    [[ "$output" == *"suspected, the suite has no such case, or defines it otherwise" ]]
}

@test "a plugin that takes twice as long is confirmed by its CPU time" {
    cat >watch.yaml <<'YAML'
version: 1
suite: watch
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 30%, rounds: {min: 6, max: 16}, min_time: 4ms, threads: 1, timeout: 120s, metrics: [cpu_time]}
workloads:
  - {name: turns, plugin: ./libit.so}
YAML
    for turns in 20000 40000; do
        cc -std=c17 -O2 -fPIC -shared -I"$SOURCE/include" -DTURNS=$turns "$SOURCE/tests/plugins/reporting.c" -o libit.so
        kgate run -c watch.yaml -o $turns.json -q
        cp $turns.json a.json
        case $turns in
        20000) nights $turns 1 20 1 ;;
        *) nights $turns 21 30 1 ;;
        esac
    done
    run -1 watch --confirm
    [[ "$output" == *"turns/cpu cpu_time +"*"confirmed, cause code: +"*"95 % interval"*"p = "*"paired rounds)"* ]]
}

# bats test_tags=thorough
@test "PostgreSQL and SQLite take the same decisions" {
    watch_suite job
    pg_up
    build a -DWORK=100
    for place in kgate-history.db "$URL"; do PLACE=$place nights a 1 20 1; done
    build b -DWORK=150
    for place in kgate-history.db "$URL"; do PLACE=$place nights b 21 30 1.5; done
    watch | head -n 1 >sqlite.out
    watch --history "$URL" | head -n 1 | cmp - sqlite.out
    run -1 watch --confirm
    run -1 watch --confirm --history "$URL"
    both changes
    both changes --json
    both show job
    [ "$(states --history "$URL")" = '[["confirmed","code"]]' ]
    run -0 watch --confirm --history "$URL"
    [[ "$output" == *"no suspected changes"* ]]
}
