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
    [[ "$output" == *"bench/CMakeLists.txt:4: slow_all, a test of CTest with a label of benchmarks; not built here"* ]]
    [ "$(sed -n 's/^  - name: //p' kgate.yaml | xargs)" = "parse_run more slow_all" ]
    [ ! -e build ]
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

@test "a dry run runs no cmake and says so, and a project that does not configure is read by its text" {
    repository
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
    [[ "$output" == *"kgate: cmake does not configure this repository (no such thing); its text is read instead"* ]]
    [ "$(sed -n 's/^  - name: //p' kgate.yaml | xargs)" = "more slow_all" ]
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'kgate-cmake*' -newer CMakeLists.txt)" ]
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
        kill -0 "$(<pid)" 2>/dev/null || break
        sleep 0.05
    done
    run ! kill -0 "$(<pid)"
}
