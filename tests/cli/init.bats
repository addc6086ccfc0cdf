load support

# `kgate init` in repositories of several kinds. What it writes is a good suite, whatever it finds.

repository() {
    mkdir -p repository/.git repository/bench repository/build/bench repository/tools
    cd repository
    cat >CMakeLists.txt <<'CMAKE'
project(x)
# add_executable(commented bench.c) target_link_libraries(commented benchmark)
add_executable(unit a.cpp)
target_link_libraries(unit PRIVATE "x y" GTest::gtest_main)
add_library(shared b.cpp)
target_link_libraries(shared benchmark::benchmark)
add_executable(plain c.cpp)
target_link_libraries(plain m)
CMAKE
    cat >bench/CMakeLists.txt <<'CMAKE'
ADD_EXECUTABLE( parse_bench
    parse.cpp )     # its source
Target_Link_Libraries(parse_bench
    PRIVATE x benchmark::benchmark_main)
add_executable(sum sum.cu)
target_link_libraries(sum nvbench::main)
foreach(name ${elsewhere})
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} benchmark)
endforeach()
CMAKE
    printf 'all:\n\techo\nbench: all\n\t./x\nbench.o: x\nBENCH := 3\nbench_flags := 3\n' >Makefile
    # the one question that a program of Google Benchmark is asked before it is measured
    printf '#!/bin/sh\n[ "$1" != --benchmark_list_tests=true ] || echo BM_parse\n' >build/bench/parse_bench
    printf '#!/bin/sh\nexit 0\n' >tools/bench-io.sh
    chmod +x build/bench/parse_bench tools/bench-io.sh
    touch bench/sum.cu tools/bench.txt
}

@test "init says what it found and where, and writes a suite that is good, and a workflow" {
    repository
    run kgate init
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"bench/CMakeLists.txt:3: parse_bench, a program of Google Benchmark: it links benchmark::benchmark_main"* ]]
    [[ "$output" == *"bench/CMakeLists.txt:6: sum, a program of NVBench: it links nvbench::main; not built here"* ]]
    [[ "$output" == *"CMakeLists.txt:4: unit, tests by GoogleTest: it links GTest::gtest_main; not built here"* ]]
    [[ "$output" == *"tools/bench-io.sh: a program named so"* ]]
    [[ "$output" == *"Makefile:3: bench, a rule of make"* ]]
    [[ "$output" == *"bench/sum.cu: a CUDA source"* ]]
    for absent in commented shared plain '{name}' bench.o bench_flags bench.txt; do
        [[ "$output" != *"$absent"* ]]
    done
    kgate validate -c kgate.yaml
    [ "$(kgate list -c kgate.yaml)" = "$(printf 'parse_bench/benchmark=BM_parse/cpu\nbench-io.sh/cpu')" ]
    # what is not built, or hardly a benchmark, is there for whoever takes the # away
    grep -q '^  # - name: sum' kgate.yaml
    grep -A1 '^  #   command: \["./build/bench/sum"\]' kgate.yaml | grep -q '^  #   format: nvbench'
    sed 's/^  # - /  - /; s/^  #   command/    command/' kgate.yaml >all.yaml
    [ "$(kgate list -c all.yaml | wc -l)" -eq 5 ]
    /usr/bin/python3 -c 'import yaml; w = yaml.safe_load(open(".github/workflows/kgate.yml")); assert w["jobs"]["kgate"]["steps"][1]["with"]["suite"] == "kgate.yaml"'
    grep -q 'build: cmake -B build' .github/workflows/kgate.yml
}

@test "a program of Google Benchmark is known by what it links, whatever built it" {
    pkg-config --exists benchmark || skip "no libbenchmark-dev"
    mkdir -p tree/build tree/sub
    cd tree
    cat >bench.cpp <<'CPP'
#include <benchmark/benchmark.h>
static void BM_one(benchmark::State &state)
{
    for (auto _ : state)
        state.SetIterationTime(1e-6);
}
BENCHMARK(BM_one)->UseManualTime();
BENCHMARK_MAIN();
CPP
    # shellcheck disable=SC2046  # the flags are words
    g++ bench.cpp -o build/bench_of_a_variable $(pkg-config --cflags --libs benchmark) -lpthread
    # one that has the library in it has the names of its options
    cat >bench_static.c <<'C'
#include <string.h>
int main(int count, char **words)
{
    if (count > 1 && !strcmp(words[1], "--benchmark_list_tests=true"))
        return !__builtin_puts("BM_static");
    const char *volatile options[] = {"benchmark_min_time", "benchmark_repetitions", "benchmark_list_tests"};
    return options[0][0] != 'b';
}
C
    gcc bench_static.c -o bench_static
    gcc -x c -o bench_plain - <<<'int main(void) { return 0; }'
    printf 'sub_bench: x.o\n\t$(CXX) $^ -lbenchmark -o $@\n' >sub/Makefile
    run kgate init
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"build/bench_of_a_variable: a program of Google Benchmark: it links libbenchmark"* ]]
    [[ "$output" == *"bench_static: a program of Google Benchmark: it links libbenchmark"* ]]
    [[ "$output" == *"bench_plain: a program named so"* ]]
    [[ "$output" == *"sub/Makefile:1: sub_bench, a rule of make: it is of a file that links -lbenchmark"* ]]
    grep -A1 '^    command: \["./build/bench_of_a_variable"\]' kgate.yaml | grep -q '^    format: google-benchmark'
    grep -A1 '^    command: \["./bench_static"\]' kgate.yaml | grep -q '^    format: google-benchmark'
    ! grep -A1 'command: \["./bench_plain"\]' kgate.yaml | grep -q format
    grep -A1 '^  #   command: \["./sub/sub_bench"\]' kgate.yaml | grep -q '^  #   format: google-benchmark'
    [ "$(kgate list -c kgate.yaml | sort)" = "$(printf '%s\n' bench_of_a_variable/benchmark=BM_one/manual_time/cpu bench_plain/cpu bench_static/benchmark=BM_static/cpu)" ]
}

@test "init overwrites nothing unasked, and --dry-run writes nothing" {
    repository
    run kgate init --dry-run
    [ "$status" -eq 0 ]
    [[ "$output" == *"--- kgate.yaml"*"name: parse_bench"*"--- .github/workflows/kgate.yml"* ]]
    [ ! -e kgate.yaml ] && [ ! -e .github ]
    mkdir -p .github/workflows
    echo mine >.github/workflows/kgate.yml
    run kgate init
    [ "$status" -eq 0 ]
    [[ "$output" == *"left as it is: .github/workflows/kgate.yml"* ]]
    [ "$(cat .github/workflows/kgate.yml)" = mine ]
    echo mine >kgate.yaml
    run kgate init
    [ "$status" -eq 2 ]
    [ "$output" = "kgate: 'kgate.yaml' is there already; --force overwrites it" ]
    [ "$(cat kgate.yaml)" = mine ]
    run kgate init --force -q
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    kgate validate -c kgate.yaml
    grep -q OWNER .github/workflows/kgate.yml
}

@test "init beside a .gitlab-ci.yml prints what belongs there, and leaves the file alone" {
    repository
    echo 'stages: [test]' >.gitlab-ci.yml
    run kgate init
    [ "$status" -eq 0 ]
    [[ "$output" == *"for .gitlab-ci.yml, which is yours to edit:"*"component: "* ]]
    [ "$(cat .gitlab-ci.yml)" = 'stages: [test]' ]
    [ ! -e .github ]
}

@test "init where nothing is found writes an example that runs everywhere" {
    mkdir empty
    cd empty
    run kgate init
    [ "$status" -eq 0 ]
    [[ "$output" == *"found no benchmarks here"* ]]
    kgate validate -c kgate.yaml
    [ "$(kgate list -c kgate.yaml | wc -l)" -eq 2 ]
    [ "$(ls -A)" = kgate.yaml ]
}

@test "init takes names and files as they come" {
    mkdir 'a "b" {c}: #'
    cd 'a "b" {c}: #'
    printf '#!/bin/sh\nexit 0\n' >'bench {x} "y" #1'
    cp 'bench {x} "y" #1' $'bench\n- name: z'
    cp 'bench {x} "y" #1' $'bench\377'
    chmod +x bench*
    mkdir sub
    cp -p bench*y* sub
    head -c 100000 /dev/urandom >CMakeLists.txt
    printf 'target_link_libraries(' >sub/CMakeLists.txt
    printf 'target_link_libraries(a "benchmark' >sub/Makefile
    ln -s .. sub/up
    run kgate init
    echo "$output"
    [ "$status" -eq 0 ]
    kgate validate -c kgate.yaml
}

@test "init follows variables that a CMakeLists.txt sets itself, and its loops" {
    mkdir repository
    cd repository
    cat >CMakeLists.txt <<'CMAKE'
project(fast CXX)
set(LIBS Threads::Threads benchmark::benchmark)
set(names sort "hash" CACHE STRING "more words")
list(APPEND names scan)
foreach(name IN LISTS names)
  set(target bench_${name})
  add_executable(${target} ${name}.cpp)
  target_link_libraries(${target} PRIVATE ${LIBS})
endforeach()
FOREACH(size 1 2)
  foreach(kind IN ITEMS a b)
    add_executable(${PROJECT_NAME}_${kind}${size} x.cpp)
    target_link_libraries(${PROJECT_NAME}_${kind}${size} ${LIBS})
  endforeach()
endforeach()
# what the loop has left, another has set, or nobody: none of these is one
add_executable(after_${name} x.cpp)
target_link_libraries(after_${name} ${LIBS})
add_executable(x_${UNKNOWN} x.cpp)
target_link_libraries(x_${UNKNOWN} ${LIBS})
foreach(i RANGE 3)
  add_executable(r_${i} x.cpp)
  target_link_libraries(r_${i} ${LIBS})
endforeach()
add_executable(expression x.cpp)
target_link_libraries(expression $<IF:1,benchmark,x>)
CMAKE
    run kgate init --dry-run
    echo "$output"
    [ "$status" -eq 0 ]
    for target in bench_sort bench_hash bench_scan; do
        [[ "$output" == *"CMakeLists.txt:8: $target, a program of Google Benchmark: it links benchmark::benchmark"* ]]
    done
    for target in fast_a1 fast_a2 fast_b1 fast_b2; do
        [[ "$output" == *"CMakeLists.txt:13: $target, a program of Google Benchmark"* ]]
    done
    [ "$(grep -c '^ *CMakeLists.*a program of Google Benchmark: it links' <<<"$output")" -eq 7 ]
}

@test "a CMakeLists.txt that makes more and more words is not followed without end" {
    mkdir repository
    cd repository
    {
        echo 'set(a x y)'
        for _ in $(seq 200); do echo 'set(a ${a} ${a}${a} z${a})'; done
        for _ in $(seq 200); do echo 'foreach(i ${a} ${a})'; done
        echo 'add_executable(${i}${i}${i}${i}${unknown} x.cpp)'
        echo 'target_link_libraries(${i}${i}${i}${i} benchmark)'
    } >CMakeLists.txt
    run timeout 60 "$KGATE" init --dry-run
    [ "$status" -eq 0 ]
}
