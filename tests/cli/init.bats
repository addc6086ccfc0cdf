bats_require_minimum_version 1.5.0
load support

# `kgate init` in repositories of several kinds, without CMake. What it writes is a good suite, whatever it finds.
# init_cmake.bats lets CMake list the targets.

init() { kgate init --no-cmake "$@"; }

repository() {
    mkdir -p repository/.git repository/bench repository/build/bench repository/tools
    cd repository
    echo 'project(x)' >CMakeLists.txt
    printf 'all:\n\techo\nbench: all\n\t./x\nbench.o: x\nBENCH := 3\nbench_flags := 3\n' >Makefile
    printf '#!/bin/sh\nexit 0\n' >build/bench/parse_bench
    printf '#!/bin/sh\nexit 0\n' >tools/bench-io.sh
    chmod +x build/bench/parse_bench tools/bench-io.sh
    touch bench/sum.cu tools/bench.txt
}

@test "init says what it found and where, and writes a suite that is good, and a workflow" {
    repository
    run init
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"build/bench/parse_bench: a program, by its name"* ]]
    [[ "$output" == *"tools/bench-io.sh: a program, by its name"* ]]
    [[ "$output" == *"Makefile:3: bench, a rule of make"* ]]
    [[ "$output" == *"bench/sum.cu: a CUDA source"* ]]
    [[ "$output" == *"added out/ (reports) to .gitignore"* ]]
    line=$(grep -n OWNER/ .github/workflows/kgate.yml | cut -d: -f1)
    [[ "$output" == *"replace OWNER in .github/workflows/kgate.yml line $line by "* ]]
    for absent in CMakeLists.txt bench.o bench_flags bench.txt; do
        [[ "$output" != *"$absent"* ]]
    done
    # nothing but the repository's own
    [ "$(grep -c '^  - name: ' kgate.yaml)" -eq 3 ]
    run ! grep -q 'softmax\|"true"' kgate.yaml
    printf '#!/bin/sh\n' >x
    chmod +x x
    kgate validate -c kgate.yaml
    [ "$(kgate list -c kgate.yaml)" = "$(printf 'parse_bench/cpu\nbench-io.sh/cpu\nbench/cpu')" ]
    # a rule that runs a program is that program, and its prerequisites are built
    grep -A1 'name: bench$' kgate.yaml | grep -q 'command: \["./x"\]'
    /usr/bin/python3 -c 'import yaml; w = yaml.safe_load(open(".github/workflows/kgate.yml")); assert w["jobs"]["kgate"]["steps"][1]["with"]["suite"] == "kgate.yaml"'
    # the workflow builds what the suite measures
    build='cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j && make all'
    [ "$(sed -n 's/^ *build: "\(.*\)"$/\1/p' .github/workflows/kgate.yml)" = "$build" ]
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
    run init
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"build/bench_of_a_variable: a program of Google Benchmark: it links libbenchmark"* ]]
    [[ "$output" == *"bench_static: a program of Google Benchmark: it links libbenchmark"* ]]
    [[ "$output" == *"bench_plain: a program, by its name"* ]]
    [[ "$output" == *"sub/Makefile:1: sub_bench, a program that make builds: it is of a file that links -lbenchmark; not built here"* ]]
    grep -A1 '^    command: \["./build/bench_of_a_variable"\]' kgate.yaml | grep -q '^    format: google-benchmark'
    grep -A1 '^    command: \["./bench_static"\]' kgate.yaml | grep -q '^    format: google-benchmark'
    [ "$(grep -A1 'command: \["./bench_plain"\]' kgate.yaml | grep -c format)" -eq 0 ]
    grep -A1 '^    command: \["./sub/sub_bench"\]' kgate.yaml | grep -q '^    format: google-benchmark'
    grep -q '^  # Build it first: make -C sub sub_bench$' kgate.yaml
    cp bench_static sub/sub_bench
    [ "$(kgate list -c kgate.yaml | sort)" = "$(printf '%s\n' bench_of_a_variable/benchmark=BM_one/manual_time/cpu bench_plain/cpu bench_static/benchmark=BM_static/cpu sub_bench/benchmark=BM_static/cpu)" ]
}

@test "init overwrites nothing unasked, and --dry-run writes nothing" {
    repository
    run init --dry-run
    [ "$status" -eq 0 ]
    [[ "$output" == *"--- kgate.yaml"*"name: parse_bench"*"--- .github/workflows/kgate.yml"* ]]
    [ ! -e kgate.yaml ] && [ ! -e .github ]
    mkdir -p .github/workflows
    echo mine >.github/workflows/kgate.yml
    run init
    [ "$status" -eq 0 ]
    [[ "$output" == *"left as it is: .github/workflows/kgate.yml"* ]]
    [ "$(cat .github/workflows/kgate.yml)" = mine ]
    echo mine >kgate.yaml
    run init
    [ "$status" -eq 2 ]
    [ "$output" = "kgate: 'kgate.yaml' exists already; --force overwrites it" ]
    [ "$(cat kgate.yaml)" = mine ]
    run init --force -q
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    grep -q OWNER .github/workflows/kgate.yml
}

@test "init beside a .gitlab-ci.yml prints what belongs there, and leaves the file alone" {
    repository
    echo 'stages: [test]' >.gitlab-ci.yml
    run init
    [ "$status" -eq 0 ]
    [[ "$output" == *"for .gitlab-ci.yml, which is yours to edit:"*"component: "* ]]
    [ "$(cat .gitlab-ci.yml)" = 'stages: [test]' ]
    [ ! -e .github ]
}

@test "init without a benchmark writes nothing, says three ways to begin, and exits 2" {
    mkdir -p empty/.git empty/.github/workflows
    cd empty
    echo 'on: push' >.github/workflows/ci.yml
    echo 'project(x)' >CMakeLists.txt
    printf 'run_bench:\n\tcmake -B x && cmake --build x && x/b\nclean-bench:\n\trm -f ./bench\n' >Makefile
    for words in "" --force --dry-run; do
        # shellcheck disable=SC2086
        run init $words
        echo "$output"
        [ "$status" -eq 2 ]
        [[ "$output" == *"run_bench, a rule of make; not measured: the rule builds as well as it measures"* ]]
        [[ "$output" == *"clean-bench, a rule of make; not measured: its name says that it removes files"* ]]
        [[ "$output" == *"kgate: found no benchmark here, so nothing was written"* ]]
        [[ "$output" == *"three ways to begin:"*"kgate ab "*"kgate init --plugin NAME"*"benchmark::benchmark_main"* ]]
        [ "$(find . -type f | sort | xargs)" = "./.github/workflows/ci.yml ./CMakeLists.txt ./Makefile" ]
    done
    # the suite that is told begins as the text has it
    printf '#!/bin/sh\n' >app
    chmod +x app
    eval "$(grep -o "printf '.*" <<<"$output")"
    kgate validate
}

@test "programs and rules are found by bench in any part of their names, and one that only compiles is a comment" {
    mkdir -p repository/tests repository/.git
    cd repository
    printf 'fullbench : lz4.o \\
		x.o\nfullbench : CPPFLAGS += -DX\nfullbench : lz4.o fullbench.c\n\t$(CC) $^ -o $@$(EXT)\nbench_cjson: cJSON.o\n\t$(CC) $^ -o $@\nworkbench: x\n\t./x\nspeed-benchmark: all\n\t./x $(N)\nbench.o: x\n' >tests/Makefile
    printf '#!/bin/sh\nfor n in 1 2; do\n  :\ndone\n' >JSONBench.sh
    printf '#!/bin/bash\ng++ -c a.cpp\nclang++ -c a.cpp\n' >bench_headers.sh
    cp JSONBench.sh benchmark_reflection_usage_compilation.sh
    chmod +x ./*.sh
    run init
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"tests/Makefile:4: fullbench, a program that make builds; not built here"* ]]
    [[ "$output" == *"bench_headers.sh: a program, by its name; not measured: the script compiles, and starts no program"* ]]
    [[ "$output" == *"compilation.sh: a program, by its name; not measured: its name says that it compiles"* ]]
    [[ "$output" != *workbench* ]]
    [ "$(sed -n 's/^  - name: //p' kgate.yaml | xargs)" = "JSONBench.sh fullbench bench_cjson speed-benchmark" ]
    grep -q '^    command: \["make", "-s", "-C", "tests", "speed-benchmark"\]' kgate.yaml
    grep -q 'build: "make -C tests fullbench && make -C tests bench_cjson && make -C tests all"' .github/workflows/kgate.yml
    # built, the program and its rule are one
    printf '#!/bin/sh\n' >tests/fullbench
    chmod +x tests/fullbench
    run init --force
    [ "$(grep -c 'name: fullbench' kgate.yaml)" -eq 1 ]
    [[ "$output" == *"tests/Makefile:4: fullbench, a program that make builds"$'\n'* ]]
}

@test "a rule of several names is one program, two rules of a program are one, and a checksum is no check" {
    mkdir -p repository/.git
    cd repository
    printf 'bench: bench_cjson\n\t./bench_cjson\nbench_cjson: cJSON.o\n\t$(CC) $^ -o $@\nbenchHash benchHash32 bench-64: $(OBJ)\n\t$(CXX) $^ -o $@\n' >Makefile
    printf '#!/bin/sh\nexit 0\n' >checksum_benchmarks.sh
    cp checksum_benchmarks.sh check-bench.sh
    chmod +x ./*.sh
    run init
    echo "$output"
    [ "$(sed -n 's/^  - name: //p' kgate.yaml | xargs)" = "checksum_benchmarks.sh bench benchHash" ]
    [ "$(grep -c '"./bench_cjson"' kgate.yaml)" -eq 1 ]
    grep -q 'make bench_cjson && make benchHash' .github/workflows/kgate.yml
    [[ "$output" == *"check-bench.sh: a program, by its name; not measured: its name says that it checks"* ]]
    printf '#!/bin/sh\nninja -C build bench\nbuild/bench\n' >bench.sh
    chmod +x bench.sh
    run init --force
    [[ "$output" == *"bench.sh: a program, by its name; not measured: the script builds as well as it measures"* ]]
}

@test "out/ is ignored once, and not where the user has such a folder or said so" {
    repository
    printf 'x\n/out' >.gitignore
    run init
    [[ "$output" != *.gitignore* ]]
    [ "$(cat .gitignore)" = "$(printf 'x\n/out')" ]
    printf 'x' >.gitignore
    init --force -q
    init --force -q
    [ "$(cat .gitignore)" = "$(printf 'x\nout/')" ]
    rm .gitignore
    mkdir out
    init --force -q
    [ ! -e .gitignore ]
    # a folder of kgate's own results is no folder of the user's
    touch out/results.json
    init --force -q
    [ "$(cat .gitignore)" = out/ ]
    rm .gitignore
    rm -r out .git
    init --force -q
    [ ! -e .gitignore ]
}

@test "workflows are one line of what was found" {
    repository
    mkdir -p .github/workflows
    for i in 1 2 3; do echo 'on: push' >.github/workflows/$i.yml; done
    run init
    [[ "$output" == *".github/workflows: 3 workflows of GitHub"* ]]
    [ "$(grep -c 'of GitHub' <<<"$output")" -eq 1 ]
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
    printf 'target_link_libraries(a "benchmark' >sub/Makefile
    ln -s .. sub/up
    run init
    echo "$output"
    [ "$status" -eq 0 ]
    kgate validate -c kgate.yaml
}

@test "init beside a suite without a workflow writes the workflow alone" {
    mkdir -p .git
    printf 'libit.so: it.c\n\tcc -shared it.c -o libit.so\n' >Makefile
    printf 'version: 1\nsuite: mine\nworkloads:\n  - {name: it, plugin: ./libit.so}\n' >kgate.yaml
    cp kgate.yaml before.yaml
    run init
    [ "$status" -eq 0 ]
    [[ "$output" == *"wrote .github/workflows/kgate.yml"*"left as it is: kgate.yaml"*"check \`build:\` in .github/workflows/kgate.yml"* ]]
    cmp kgate.yaml before.yaml
    grep -q '^          suite: "kgate.yaml"' .github/workflows/kgate.yml
    grep -q '^          build: "make"' .github/workflows/kgate.yml
    grep -qx out/ .gitignore
    run init
    [ "$status" -eq 2 ]
}
