# What Callgrind counts of cases on the CPU, line by line, and that it is counted once a code.
load support

bats_require_minimum_version 1.5.0

runs_valgrind() {
    needs_valgrind
    [ -z "$SANITIZED" ] || skip "Valgrind does not run under AddressSanitizer"
}

# The number of the line of the plugin's source that is marked so.
line_of() { grep -n "/\* $1 \*/" "$SOURCE/tests/plugins/lines.c" | cut -d: -f1; }

lines_suite() {
    looked_suite_of 50ms <<YAML
  - {name: search, plugin: $PLUGINS/liblines.so, workload: search}
  - {name: branch, plugin: $PLUGINS/liblines.so, workload: branch}
  - {name: columns, plugin: $PLUGINS/liblines.so, workload: columns}
YAML
}

@test "by default each case on the CPU has its lines counted: what is done, missed and mispredicted where" {
    runs_valgrind
    lines_suite
    kgate run -c one.yaml -o r.json -q
    valid r.json results
    jq -e 'all(.cases[].hot.counted; .source == "callgrind" and .reason == null and .calls >= 1)' r.json
    jq -e --argjson line "$(line_of COMPARED)" '.cases[0].hot.counted
        | .lines[0].place.function == "name_differs" and .lines[0].place.line == $line
        and (.lines[0].place.file | endswith("tests/plugins/lines.c")) and .lines[0].place.module == "liblines.so"' r.json
    # 4096 branches, half of them taken, in no order
    jq -e --argjson line "$(line_of FORETOLD)" '.cases[1].hot.counted.lines[0]
        | .place.line == $line and .branches == 4096 and .mispredicted > 1000 and .mispredicted < 3000' r.json
    # each access of a column touches another cache line, more than the first level has
    jq -e --argjson line "$(line_of STRIDE)" '.cases[2].hot.counted.lines[0]
        | .place.line == $line and .loads > 131000 and .line_misses > 60000' r.json
    # and nothing of kgate's own
    jq -e 'all(.cases[].hot.counted.lines[]; .place.module != "kgate")' r.json
}

@test "calls between functions are counted" {
    runs_valgrind
    lines_suite
    kgate run -c one.yaml -o r.json -q --filter 'search*'
    jq -e '.cases[0].hot.counted.edges[0] | .caller == "search" and .callee == "name_differs" and .calls == 240' r.json
}

@test "its instructions and cache lines are those of the case, and are counted once" {
    runs_valgrind
    lines_suite
    kgate run -c one.yaml -o r.json -q
    jq -e 'all(.cases[]; .look.instructions / .hot.counted.instructions - 1 | fabs < 0.05)' r.json
    jq -e 'all(.cases[]; .look.source == "callgrind" and .look.line_bytes >= 0)' r.json
}

# bats test_tags=thorough
@test "a call that takes long is counted in part" {
    runs_valgrind
    looked_suite_of 50ms <<<"  - {name: long, plugin: $PLUGINS/liblines.so, workload: lengthy}"
    for _ in 1 2 3; do # on a busy machine it may time out before it is cut
        rm -rf cache/kgate/looked
        kgate run -c one.yaml -o r.json -q
        jq -e '.cases[0].hot.counted.reason | contains("timed out")' r.json || break
    done
    jq -e --argjson line "$(line_of LENGTHY)" '.cases[0].hot.counted
        | .calls == null and (.reason | contains("cover a part of a call")) and .lines[0].place.line == $line' r.json
    jq -e '.cases[0].status == "OK" and .cases[0].look.instructions == null' r.json
}

# bats test_tags=thorough
@test "a command is counted from start to end, or not at all if that takes too long" {
    runs_valgrind
    looked_suite_of 50ms <<YAML
  - {name: short, command: [/bin/true]}
  - {name: long, command: [sh, -c, 'i=0; while [ \$i -lt 400000 ]; do i=\$((i+1)); done']}
YAML
    kgate run -c one.yaml -o r.json -q
    jq -e '.cases[0].hot.counted | .calls == 1 and .instructions > 50000 and (.edges | length > 0)' r.json
    jq -e '.cases[1].hot.counted | .calls == null and .lines == null and (.reason | contains("kgate cannot cut a command short"))' r.json
    jq -e 'all(.cases[]; .status == "OK")' r.json
}

@test "what breaks under Callgrind is a reason, and no failure" {
    runs_valgrind
    looked_suite_of 50ms <<<"  - {name: crash, plugin: $PLUGINS/libbroken.so, workload: crash_counted}"
    kgate run -c one.yaml -o r.json -q
    jq -e '.cases[0] | .status == "OK" and (.hot.counted.reason | contains("the process that counted its lines crashed: signal 4")
        and contains("Valgrind does not know all"))' r.json
}

@test "without valgrind that is the reason" {
    lines_suite
    mkdir -p nothing
    PATH=nothing "$KGATE" run -c one.yaml -o r.json -q
    jq -e 'all(.cases[]; .hot.counted.reason == "counting instructions by line needs valgrind, which is not installed" and .status == "OK")' r.json
}

@test "sample_time: 0ns and trace: no leave it out" {
    looked_suite_of 50ms <<YAML
  - {name: never, plugin: $PLUGINS/libgood.so, workload: spin, sample_time: 0ns}
  - {name: unseen, plugin: $PLUGINS/libgood.so, workload: spin, trace: no}
YAML
    kgate run -c one.yaml -o r.json -q
    jq -e 'all(.cases[]; .hot.counted.source == null and .hot.counted.reason == null and .look.instructions == null)' r.json
    [ ! -d cache/kgate/looked ]
}


@test "code that did not change is looked into once" {
    runs_valgrind
    cp "$PLUGINS/liblines.so" mine.so
    looked_suite_of 50ms <<<"  - {name: search, plugin: ./mine.so, workload: search}"
    kgate run -c one.yaml -o first.json -q
    key=$(jq -re '.cases[0].hot.kept' first.json)
    [ -f "cache/kgate/looked/$key.json" ]
    valid "cache/kgate/looked/$key.json" looked
    # what is kept is what the next run says: here it is changed by hand
    jq '.hot.counted.instructions = 4711 | .look.instructions = 42' "cache/kgate/looked/$key.json" >changed
    mv changed "cache/kgate/looked/$key.json"
    kgate run -c one.yaml -o second.json -q
    jq -e --arg key "$key" '.cases[0] | .hot.kept == $key and .hot.counted.instructions == 4711
        and .look.instructions == 42 and .look.source == "callgrind"' second.json
    # a different time of sampling, other parameters, other code: each is looked into anew
    kgate run -c one.yaml -o other.json -q --set sample_time=300ms
    jq -e --arg key "$key" '.cases[0].hot | .kept != $key and .counted.instructions != 4711' other.json
    cp "$PLUGINS/libgood.so" mine.so
    sed -i 's/workload: search/workload: spin/' one.yaml
    kgate run -c one.yaml -o code.json -q
    jq -e --arg key "$key" '.cases[0].hot.kept != $key' code.json
}

@test "code whose CPU time changed by a variable is profiled again" {
    cat >variable.c <<'C'
#include <stdlib.h>
static volatile unsigned sum;
__attribute__((noinline)) static void always(void)
{
    for (int i = 0; i < 8000000; i++)
        sum += i;
}
__attribute__((noinline)) static void if_set(void)
{
    for (int i = 0; i < 40000000; i++)
        sum += i;
}
int main(void)
{
    always();
    if (getenv("MORE_WORK"))
        if_set();
    return 0;
}
C
    cc -O1 -g variable.c -o variable
    looked_suite_of 200ms <<<"  - {name: variable, command: [./variable]}"
    kgate run -c one.yaml -o first.json -q
    MORE_WORK=1 kgate run -c one.yaml -o second.json -q
    jq -e '.cases[0].hot.sampled | .source != null' first.json || skip "nothing may be traced here"
    jq -e '.cases[0].hot.sampled.functions | map(.place.function) | index("if_set") == null' first.json
    jq -e '.cases[0].hot.sampled.functions[0].place.function == "if_set"' second.json
    kgate baseline record -c one.yaml -b store -q
    MORE_WORK=1 run kgate gate -c one.yaml -b store -o out
    [[ "$output" == *"unchanged"* || "$output" == *"the environment"* ]]
    [[ "$output" != *"always ("* ]]
}

# bats test_tags=thorough
@test "a kept file that is damaged is ignored, and written anew" {
    runs_valgrind
    looked_suite_of 50ms <<<"  - {name: search, plugin: $PLUGINS/liblines.so, workload: search}"
    kgate run -c one.yaml -o r.json -q
    file=$(echo cache/kgate/looked/*.json)
    for damage in 'head -c 100' 'sed s/looked.v1/looked.v7/' 'sed s/[0-9]/x/g'; do
        $damage "$file" >changed
        cp changed "$file"
        kgate run -c one.yaml -o r.json -q
        jq -e '.cases[0].hot.counted.calls >= 1' r.json
        valid "$file" looked
    done
}

@test "where nothing can be kept, that is said once" {
    mkdir -p cache/kgate nothing
    touch cache/kgate/looked # in the place of a folder: who may write everywhere cannot write in it either
    looked_suite_of 50ms <<YAML
  - {name: one, plugin: $PLUGINS/libgood.so, workload: spin}
  - {name: other, plugin: $PLUGINS/libgood.so, workload: spin, threads: 1}
YAML
    PATH=nothing "$KGATE" run -c one.yaml -o r.json --set sample_time=10ms >said
    [ "$(grep -c 'are not kept for the next run' said)" -eq 1 ]
    jq -e '(.not_kept | length > 0) and all(.cases[]; .hot.kept == null)' r.json
}

@test "a program that starts what it is told to is not kept" {
    looked_suite_of 50ms <<<"  - {name: script, command: [sh, -c, 'exit 0']}"
    kgate run -c one.yaml -o r.json -q
    jq -e '.cases[0].hot.kept == null' r.json
    [ ! -d cache/kgate/looked ]
}

# bats test_tags=thorough
@test "a folder that cannot be written is no failure" {
    looked_suite_of 50ms <<<"  - {name: spin, plugin: $PLUGINS/libgood.so, workload: spin}"
    echo file >not-a-folder
    XDG_CACHE_HOME=$PWD/not-a-folder kgate run -c one.yaml -o r.json -q
    jq -e '.cases[0].status == "OK"' r.json
}

# Runs the suite until the case has as many experiments as it may have; a busy machine leaves some out.
experiments() { # COUNT
    for _ in 1 2 3 4 5; do
        rm -rf cache/kgate/looked
        kgate run -c one.yaml -o r.json -q
        jq -e --argjson count "$1" '(.cases[0].hot.experiments // []) | length >= $count' r.json && return
    done
    return 1
}

# bats test_tags=thorough
@test "where instructions take long, flushing denormal numbers is tried in turns" {
    [ "$(uname -m)" = x86_64 ] || skip "tried on x86-64"
    looked_suite_of 50ms <<<"  - {name: decay, plugin: $PLUGINS/liblines.so, workload: decay, params: {start: 1e-310}}"
    experiments 1
    valid r.json results
    jq -e '.cases[0].hot.experiments | length == 1' r.json # too little memory for more
    jq -e '.cases[0].hot.experiments[0] | .name == "flush_denormals" and .pairs >= 3 and .base_ns > 0 and .time_ns > 0
        and .ratio_low <= .ratio and .ratio <= .ratio_high' r.json
    [ "$(jq '.cases[0].rounds.median_ns | length' r.json)" -eq 2 ] # its turns are no rounds
}

@test "where memory is large and missed, huge pages are tried" {
    grep -qs '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled && skip "there are none"
    [ -r /sys/kernel/mm/transparent_hugepage/enabled ] || skip "there are none"
    runs_valgrind # it counts the misses
    looked_suite_of 50ms <<<"  - {name: touch, plugin: $PLUGINS/liblines.so, workload: touch, params: {pages: 2048}}"
    experiments 1
    jq -e '[.cases[0].hot.experiments[].name] | index("huge_pages") != null' r.json
}

# bats test_tags=thorough
@test "code with many instructions a cycle in little memory is not tried with anything" {
    runs_valgrind
    looked_suite_of 50ms <<<"  - {name: search, plugin: $PLUGINS/liblines.so, workload: search}"
    kgate run -c one.yaml -o r.json -q
    jq -e '.cases[0].hot.experiments == null' r.json
}

@test "a case that a change breaks has no such experiment, and does not fail" {
    looked_suite_of 50ms <<<"  - {name: turns, plugin: $PLUGINS/libbroken.so, workload: crash_flushed}"
    kgate run -c one.yaml -o r.json -q
    jq -e '.cases[0].status == "OK" and ([.cases[0].hot.experiments[]?.name] | index("flush_denormals") == null)' r.json
}

# bats test_tags=thorough
@test "the processor's counters agree with what is simulated, where there are any" {
    runs_valgrind
    lines_suite
    kgate run -c one.yaml -o r.json -q
    jq -e 'any(.cases[].hot.core; .source == "perf")' r.json || skip "no counters of the processor"
    jq -e 'all(.cases[].hot; .core.instructions / .counted.instructions - 1 | fabs < 0.05)' r.json
    # half of the branches are taken in no order: nobody foretells them
    jq -e '.cases[1].hot | .core.mispredicted > 0.5 * .counted.mispredicted
        and .core.mispredicted < 2 * .counted.mispredicted' r.json
    jq -e 'all(.cases[].hot.core; .retiring == null
        or (.retiring + .bad_speculation + .frontend_bound + .backend_bound < 1.05))' r.json
    jq -e '.cases[1].hot.core | .retiring == null or .bad_speculation > 0.2' r.json
}

@test "what the processor's counters say is shown" {
    suite_of <<YAML
  - {name: branch, plugin: $PLUGINS/liblines.so, workload: branch}
YAML
    kgate run -c one.yaml -o r.json -q
    jq '.cases[0].hot = {core: {source: "perf", cycles: 50000, instructions: 75000, branches: 8200, mispredicted: 2050,
        retiring: 0.3, bad_speculation: 0.45, frontend_bound: 0.05, backend_bound: 0.2, memory_bound: 0.15}}' r.json >counted.json
    valid counted.json results
    kgate explain branch counted.json >page
    grep -q "processor counters per call" page
    grep -q '50.0 k cycles, 1.5 instructions a cycle, 25 % of branches mispredicted' page
    grep -q '30 % retiring, 45 % wrong guesses, 5 % waiting for code, 20 % waiting for results (of memory:' page
}
