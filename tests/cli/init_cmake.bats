bats_require_minimum_version 1.5.0
load support

# `kgate init` asks CMake for the targets, however the project spells them. The library is a stand-in.

setup_file() {
    command -v cmake >/dev/null && command -v cc >/dev/null
}

repository() {
    mkdir -p repository/.git repository/bench repository/data
    cd repository
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(x C)
enable_testing()
option(X_BUILD_BENCHMARKS "more" OFF)
include(add.cmake)
add_library(benchmark STATIC library.c)
add_library(gtest_main STATIC library.c)
add_executable(unit main.c)
target_link_libraries(unit gtest_main)
add_library(timing INTERFACE)
target_link_libraries(timing INTERFACE benchmark)
add_subdirectory(bench)
CMAKE
    cat >add.cmake <<'CMAKE'
function(timed name)
  add_executable(${name}_run ${CMAKE_SOURCE_DIR}/main.c)
  target_link_libraries(${name}_run PRIVATE $<BUILD_INTERFACE:timing>)
endfunction()
CMAKE
    cat >bench/CMakeLists.txt <<'CMAKE'
timed(parse)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_executable(slow ../main.c)
add_executable(prepare_bench ../main.c)
add_test(NAME slow_all COMMAND slow --size 3 ${CMAKE_SOURCE_DIR}/data/in.txt)
set_tests_properties(slow_all PROPERTIES LABELS "benchmark;long")
add_test(NAME quick COMMAND slow)
if(X_BUILD_BENCHMARKS)
  add_executable(more ../main.c)
  target_link_libraries(more benchmark)
endif()
CMAKE
    cat >main.c <<'C'
#include <stdio.h>
#include <string.h>
int main(int count, char **words)
{
    if (count > 1 && !strcmp(words[1], "--benchmark_list_tests=true"))
        puts("BM_one");
    return count > 3 && !fopen(words[3], "r");
}
C
    echo 'int library;' >library.c
    echo 1 >data/in.txt
}

@test "targets behind functions and interfaces are found, with the folder of the program, and the options that add them" {
    repository
    run kgate init
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *'kgate: runs `cmake -S . -B '* ]]
    [[ "$output" == *"add.cmake:2: parse_run, a program of Google Benchmark: it links benchmark; not built here"* ]]
    [[ "$output" == *"bench/CMakeLists.txt:5: slow_all, a test of CTest with a label of benchmarks; not built here"* ]]
    [[ "$output" == *"CMakeLists.txt:8: unit, tests by GoogleTest: it links gtest_main; not built here; not measured: a test is rarely a good benchmark"* ]]
    [[ "$output" == *"prepare_bench, a program that CMake builds; not built here; not measured: it links no harness"* ]]
    [[ "$output" == *"build first: cmake -B build "* ]]
    [ "$(sed -n 's/^  - name: //p' kgate.yaml | xargs)" = "parse_run more slow_all" ]
    # what is hardly a benchmark is there for whoever takes the # away
    grep -q '^  # - name: unit' kgate.yaml
    [ ! -e build ]
    # validate names a program that is not built
    run kgate validate
    [ "$status" -eq 2 ]
    [[ "$output" == *"did the build make it?"* ]]
    # the build that the workflow does makes all of them
    build=$(sed -n 's/^ *build: "\(.*\)"$/\1/p' .github/workflows/kgate.yml)
    [[ "$build" == *" -DX_BUILD_BENCHMARKS=ON "* ]]
    sh -c "$build" >/dev/null
    [ "$(kgate list -c kgate.yaml | sort | xargs)" = "more/benchmark=BM_one/cpu parse_run/benchmark=BM_one/cpu slow_all/cpu" ]
    # the test runs where CTest runs it, and finds its file
    kgate run -c kgate.yaml --filter 'slow_all*' --set rounds.max=2 --set rounds.min=2 --set min_time=1ms --set disturbance=100% -o r.json -q
    jq -e '.cases[0].status == "OK"' r.json
    # now a folder with CMake's reply is there, and nothing runs
    mkdir -p build/.cmake/api/v1/query/client-kgate
    touch build/.cmake/api/v1/query/client-kgate/codemodel-v2
    cmake -B build >/dev/null
    run kgate init --force
    [ "$status" -eq 0 ]
    [[ "$output" != *'runs `cmake'* ]]
    [[ "$output" == *"add.cmake:2: parse_run, a program of Google Benchmark: it links benchmark"$'\n'* ]]
    [ "$(sed -n 's/^  - name: //p' kgate.yaml | xargs)" = "parse_run more slow_all" ]
}

@test "a benchmark that is built with the tests is found with the option that builds these" {
    mkdir -p repository/.git && cd repository
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(x C)\noption(X_BUILD_TESTS "" OFF)\nif(X_BUILD_TESTS)\n  add_executable(benchmark b.c)\nendif()\n' >CMakeLists.txt
    printf 'int main(void) { return 0; }\n' >b.c
    kgate init -q
    build=$(sed -n 's/^ *build: "\(.*\)"$/\1/p' .github/workflows/kgate.yml)
    [[ "$build" == *" -DX_BUILD_TESTS=ON "* ]]
    sh -c "$build" >/dev/null
    kgate validate
}

@test "options that add no benchmark, or do not configure, are no part of the build" {
    repository
    sed -i '/X_BUILD_BENCHMARKS/,/endif/d' bench/CMakeLists.txt
    run kgate init
    [ "$status" -eq 0 ]
    run ! grep -q X_BUILD_BENCHMARKS kgate.yaml .github/workflows/kgate.yml
    printf 'if(X_BUILD_BENCHMARKS)\n  message(FATAL_ERROR "no harness")\nendif()\n' >>CMakeLists.txt
    run kgate init --force
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"kgate: cmake does not configure this repository (with -DX_BUILD_BENCHMARKS=ON: no harness): benchmarks that need such options are missing; build the benchmarks, then run \`kgate init --force\`"* ]]
    [ "$(sed -n 's/^  - name: //p' kgate.yaml | xargs)" = "parse_run slow_all" ]
    run ! grep -q X_BUILD_BENCHMARKS kgate.yaml .github/workflows/kgate.yml
}

@test "a dry run runs no cmake and says so, and a project that does not configure has its built programs listed" {
    repository
    mkdir -p build
    printf '#!/bin/sh\n' >build/bench_built
    chmod +x build/bench_built
    echo 'file(WRITE ${CMAKE_SOURCE_DIR}/ran "")' >>CMakeLists.txt
    run kgate init --dry-run
    [[ "$output" == *'without --dry-run it also runs `cmake'* ]]
    run kgate init --no-cmake --dry-run
    [[ "$output" != *'cmake -S'* ]]
    [ ! -e ran ]
    printf 'message(FATAL_ERROR "no such thing")\n' >>CMakeLists.txt
    run kgate init
    echo "$output"
    [ "$status" -eq 0 ]
    [ -e ran ]
    [[ "$output" == *"kgate: cmake does not configure this repository (no such thing): only built programs are listed; build the benchmarks, then run \`kgate init --force\`"* ]]
    [ "$(sed -n 's/^  - name: //p' kgate.yaml | xargs)" = "bench_built" ]
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'kgate-cmake*' -newer CMakeLists.txt)" ]
}

@test "without cmake the built programs are listed, and a note says so" {
    repository
    printf '#!/bin/sh\n' >bench_built
    chmod +x bench_built
    run env PATH=/nonexistent "$KGATE" init
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"kgate: there is no cmake in PATH: only built programs are listed; install cmake or build the benchmarks, then run \`kgate init --force\`"* ]]
    [ "$(sed -n 's/^  - name: //p' kgate.yaml | xargs)" = "bench_built" ]
}

@test "an interrupted init ends cmake with all that it started, and leaves no folder" {
    mkdir repository temporary
    cd repository
    printf 'project(x NONE)\nexecute_process(COMMAND sh -c "echo $$ >%s/pid; exec sleep 300")\n' "$PWD" >CMakeLists.txt
    printf '#!/bin/sh\n' >bench_a
    chmod +x bench_a
    TMPDIR=$PWD/../temporary "$KGATE" init >/dev/null 2>&1 3>&- &
    local init=$!
    for _ in $(seq 600); do
        [ ! -s pid ] || break
        sleep 0.05
    done
    [ -s pid ]
    kill -TERM $init
    local status=0
    wait $init || status=$?
    [ "$status" -eq 143 ]
    [ -z "$(ls ../temporary)" ]
    [ ! -e kgate.yaml ]
    for _ in $(seq 100); do
        ! ended "$(<pid)" || break
        sleep 0.05
    done
    ended "$(<pid)"
}
