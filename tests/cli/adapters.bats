load support

# Programs of Google Benchmark in a suite. Their times are set by hand (UseManualTime), so that nothing here
# depends on how busy the machine is; the program with SLOWER takes a quarter more.

setup_file() {
    pkg-config --exists benchmark || return 0
    cd "$BATS_FILE_TMPDIR" || return 1
    cat >bench.cpp <<'CPP'
#include <benchmark/benchmark.h>
#ifndef SLOWER
#define SLOWER 1.0
#endif
static void BM_copy(benchmark::State &state)
{
    for (auto _ : state)
        state.SetIterationTime(1e-6 * static_cast<double>(state.range(0)) * SLOWER);
    state.SetBytesProcessed(state.iterations() * state.range(0));
    state.counters["evictions"] = 5;
}
BENCHMARK(BM_copy)->Arg(16)->Arg(64)->UseManualTime();
template <class A, class B> static void BM_pair(benchmark::State &state)
{
    for (auto _ : state)
        state.SetIterationTime(1e-6 * sizeof(A) * sizeof(B));
    state.counters["evictions"] = 7;
}
BENCHMARK_TEMPLATE(BM_pair, int, double)->UseManualTime()->Unit(benchmark::kMicrosecond);
#ifdef FAILS
static void BM_new(benchmark::State &state)
{
    for (auto _ : state)
        state.SetIterationTime(1e-6);
    state.counters["evictions"] = 1;
}
BENCHMARK(BM_new)->UseManualTime();
static void BM_fails(benchmark::State &state)
{
    state.SkipWithError("no such device");
    for (auto _ : state) {
    }
}
BENCHMARK(BM_fails);
#endif
BENCHMARK_MAIN();
CPP
    # shellcheck disable=SC2046  # the flags are words
    {
        g++ bench.cpp -o base $(pkg-config --cflags --libs benchmark) -lpthread &
        g++ -DSLOWER=1.25 bench.cpp -o slow $(pkg-config --cflags --libs benchmark) -lpthread &
        g++ -DSLOWER=1.25 -DFAILS bench.cpp -o head $(pkg-config --cflags --libs benchmark) -lpthread
        wait
    }
}

needs_program() { [ -x "$BATS_FILE_TMPDIR/base" ] || skip "no libbenchmark-dev"; }

# A suite of ./bench, which is the program $1.
program_is() {
    cp "$BATS_FILE_TMPDIR/$1" bench
    cat >gb.yaml <<'YAML'
version: 1
suite: gb
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, rounds: {min: 3, max: 5}, min_time: 2ms, metrics: [time]}
workloads:
  - name: bench
    command: [./bench]
    format: google-benchmark
    counters: {evictions: {better: lower, threshold: 5%}}
YAML
}

copy16=bench/benchmark=BM_copy/16/manual_time/cpu

@test "ab of two of its programs as plain commands says why their time is no measure" {
    needs_program
    run kgate ab "$BATS_FILE_TMPDIR/base --benchmark_min_time=0.001" "$BATS_FILE_TMPDIR/slow --benchmark_min_time=0.001" \
        --rounds 3 --export ab.json
    [[ "$output" == *"is a Google Benchmark program"*"\`format: google-benchmark\`"* ]]
    jq -e '[.notes[] | select(contains("Google Benchmark"))] | length == 1' ab.json
    # before anything is measured, not when minutes have gone
    [[ "${lines[0]}" == "kgate: note: '"*"is a Google Benchmark program"*"\`kgate ab -c SUITE OLD NEW\`"* ]]
    kgate ab "$BATS_FILE_TMPDIR/base --benchmark_min_time=0.001" "$BATS_FILE_TMPDIR/slow --benchmark_min_time=0.001" \
        --rounds 3 -q 2>quiet.txt || true
    run grep Google quiet.txt
    [ "$status" -eq 1 ]
    run kgate ab "true a" "true b" --rounds 3
    [[ "$output" != *"Google Benchmark"* ]]
}

@test "every benchmark is a case; its name is escaped where an id must not have it; filters hold" {
    needs_program
    program_is base
    run kgate list -c gb.yaml
    [ "$status" -eq 0 ]
    [ "$output" = "$copy16
bench/benchmark=BM_copy/64/manual_time/cpu
bench/benchmark=BM_pair<int%2C double>/manual_time/cpu" ]
    run kgate list -c gb.yaml --filter '*BM_pair*'
    [ "${#lines[@]}" -eq 1 ]
    sed -i 's/\[.\/bench\]/[.\/bench, --benchmark_filter=copy]/' gb.yaml
    run kgate list -c gb.yaml
    [ "${#lines[@]}" -eq 2 ]
    run kgate validate -c gb.yaml
    [ "$status" -eq 0 ]
}

@test "a case's time, rate and counters are what its benchmark says, one process a round" {
    needs_program
    program_is base
    run kgate run -c gb.yaml -o r.json
    [ "$status" -eq 0 ]
    valid r.json results
    jq -e '.cases[0] | .status == "OK" and .work.bytes == 16
           and (.rounds.median_ns | length == 3 and all(. > 15999 and . < 16001))' r.json
    # page faults and the like are of all the calls of a process
    jq -e '.cases[0].rounds | .calls[0] >= 100 and (.wall_ns[0] / .calls[0] | . > 15999 and . < 16001)' r.json
    jq -e '.cases[2].rounds.median_ns | all(. > 31999 and . < 32001)' r.json
    jq -e '.cases[0].series[] | select(.name == "evictions") | .values == [5, 5, 5] and .threshold == 0.05' r.json
    jq -e '.cases[0].code_hash != null and .cases[0].memory.peak_bytes > 0' r.json
}

@test "a slower build is a regression against the store, and its like is none" {
    needs_program
    program_is base
    run kgate baseline record -c gb.yaml --runs 2 -b store
    [ "$status" -eq 0 ]
    run kgate gate -c gb.yaml -b store -o out
    [ "$status" -eq 0 ]
    program_is head
    run kgate gate -c gb.yaml -b store -o out --filter '*BM_[cp]*'
    [ "$status" -eq 1 ]
    [[ $output == *"$copy16"*"+25.0 %"*REGRESSION* ]]
    jq -e '[.cases[].change] == ["REGRESSION", "REGRESSION", "NO_CHANGE"]' out/comparison.json
}

@test "a slowdown that is meant is accepted, and after the merge it is the level to compare with" {
    needs_program
    program_is base
    kgate baseline record -c gb.yaml -q --runs 2 -b store
    program_is slow
    run kgate gate -c gb.yaml -b store -o out
    [ "$status" -eq 1 ]
    run kgate accept "$copy16" "${copy16/16/64}" -c gb.yaml --from out/comparison.json --because "exact sums"
    [ "$status" -eq 0 ]
    run kgate gate -c gb.yaml -b store -o out
    [ "$status" -eq 0 ]
    [[ $output == *"REGRESSION, accepted"*"exact sums"* ]]
    kgate baseline record -c gb.yaml -q --runs 1 -b store
    rm gb.accepted.yaml
    run kgate gate -c gb.yaml -b store -o out
    [ "$status" -eq 0 ]
    jq -e '.counts.regression == 0' out/comparison.json
}

@test "two builds are measured turn by turn; what only one of them has is said" {
    needs_program
    program_is base
    run kgate ab -c gb.yaml --base "$BATS_FILE_TMPDIR/base" --head "$BATS_FILE_TMPDIR/head" -o out
    jq -e '[.cases[] | select(.id | contains("copy")) | .change] == ["REGRESSION", "REGRESSION"]' out/comparison.json
    jq -e '.cases[] | select(.id | contains("pair")) | .change == "NO_CHANGE"' out/comparison.json
    jq -e '.cases[] | select(.id | contains("new")) | .change == "SKIPPED" and (.reason | contains("no benchmark"))' out/comparison.json
}

@test "a benchmark that the head removes is FAILED in a comparison of two builds" {
    needs_program
    program_is base
    run kgate ab -c gb.yaml --base "$BATS_FILE_TMPDIR/head" --head "$BATS_FILE_TMPDIR/base" --filter '*BM_new*' -o out
    [ "$status" -eq 3 ]
    jq -e '.cases | length == 1 and .[0].change == "FAILED" and (.[0].reason | contains("no benchmark"))' out/comparison.json
    # a base that cannot be asked has none, and hinders nobody
    printf '#!/bin/sh\nexit 1\n' >broken && chmod +x broken
    run kgate ab -c gb.yaml --base ./broken --head "$BATS_FILE_TMPDIR/base" -o out
    jq -e '.cases | length == 3' out/comparison.json
}

@test "two builds without --base and --head are asked for their benchmarks too" {
    needs_program
    program_is base
    mkdir old new
    cp "$BATS_FILE_TMPDIR/base" old/bench
    cp "$BATS_FILE_TMPDIR/head" new/bench
    head=$BATS_FILE_TMPDIR/head base=$BATS_FILE_TMPDIR/base
    # a benchmark that only one of them has, whichever it is; programs and trees
    for two in "$base $head" "$head $base" "old new"; do
        # shellcheck disable=SC2086
        run kgate ab -c gb.yaml $two --filter '*BM_new*' -o out
        jq -e '.cases | length == 1 and (.[0].id | contains("BM_new"))' out/comparison.json
    done
    run kgate ab -c gb.yaml ./none "$head" -o out
    [ "$status" -eq 2 ]
    [[ $output == *"OLD"*"none"* ]]
}

@test "a benchmark that fails is FAILED with its own words, a name that is not there too" {
    needs_program
    program_is head
    run kgate run -c gb.yaml -o r.json --filter '*fails*'
    [ "$status" -eq 3 ]
    [ "$(jq -r '.cases[0].reason' r.json)" = "the benchmark 'BM_fails' failed: no such device" ]
    sed -i 's/    counters:.*/    params: {benchmark: BM_cope}/' gb.yaml
    run kgate run -c gb.yaml -o r.json
    [ "$status" -eq 3 ]
    [ "$(jq -r '.cases[0].reason' r.json)" = "the program has no benchmark 'BM_cope'" ]
}

@test "a program that is no benchmark is refused at its place, with what it said" {
    suite_of <<<'  - {name: b, command: [sh, -c, "echo unknown option >&2; exit 7"], format: google-benchmark}'
    run kgate list -c one.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"one.yaml:5:25: in workload 'b': 'sh' exited with status 7"*"unknown option"* ]]
    suite_of <<<'  - {name: b, command: ["true"], format: google-benchmark}'
    run kgate list -c one.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"the program lists no benchmark"* ]]
    suite_of <<<'  - {name: b, command: [sh, -c, "printf %0201d 1"], format: google-benchmark}'
    run kgate list -c one.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"the name of the benchmark '000"*"has more than 200 bytes"* ]]
}

@test "what a format cannot have is refused when the suite is read" {
    suite_of <<<'  - {name: b, command: [x], format: google-benchmarks}'
    run kgate list -c one.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"did you mean 'google-benchmark'?"* ]]
    # a harness whose files are imported alone
    suite_of <<<'  - {name: b, command: [x], format: hyperfine}'
    run kgate list -c one.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"one.yaml:5:"*"'format' is 'hyperfine'; known formats: google-benchmark, nvbench"* ]]
    suite_of <<<'  - {name: b, command: [x], format: google-benchmark, metrics: [time, instructions]}'
    run kgate list -c one.yaml
    [[ $output == *"supports only time, peak_memory and cpu_time, because"* ]]
    # a workload's own number of calls, whatever the defaults say of time
    suite_of <<<'  - {name: b, command: [x], format: google-benchmark, iterations: 5}'
    run kgate list -c one.yaml
    [[ $output == *"chooses its own number of calls; write \`min_time\` instead"* ]]
    suite_of <<<'  - {name: b, kernel: copy, format: google-benchmark}'
    run kgate list -c one.yaml
    [[ $output == *"'format' goes with 'command'"* ]]
}

@test "bytes that a harness tells of are its own notion: a view of a long message is no impossible rate" {
    needs_program
    sed 's/SetBytesProcessed(/&1000000000000 */' "$BATS_FILE_TMPDIR/bench.cpp" >view.cpp
    # shellcheck disable=SC2046
    g++ view.cpp -o "$BATS_FILE_TMPDIR/view" $(pkg-config --cflags --libs benchmark) -lpthread
    program_is view
    run -0 kgate run -c gb.yaml -o r.json
    jq -e 'all(.cases[]; .status == "OK") and any(.cases[]; .work.bytes_per_second > 1e17)' r.json
}
