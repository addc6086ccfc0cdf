load support

# A function as a benchmark: KGATE_BENCH of kgate/plugin.h, and what `kgate init --plugin` writes.

STRICT="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-declarations -Werror -O2 -fPIC"
QUICK="--set sample_time=0ns --set trace=no --set disturbance=100% --set min_time=2ms --set rounds.min=2 --set rounds.max=4"

@test "init --plugin writes a benchmark, a suite and the commands, and these build it, check it and gate it" {
    mkdir mine && cd mine
    run kgate init --plugin parse
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "wrote parse_bench.c" ]
    [ "${lines[1]}" = "wrote kgate.yaml" ]
    [ "${lines[2]}" = "next:" ]
    [ "${lines[4]}" = "  kgate validate" ]
    [ "${lines[5]}" = "  kgate gate --update-missing" ]
    [ ! -e .gitignore ]
    eval "${lines[3]/-shared/-shared $STRICT}"
    kgate validate
    kgate gate --update-missing $QUICK
    run kgate gate $QUICK
    passes_or_open
    jq -e '.cases[0].id == "parse/cpu" and (.cases[0].summary.median_ns > 100)' out/results.json
}

@test "init --plugin keeps reports out of a repository" {
    mkdir -p mine/.git && cd mine
    kgate init --plugin parse -q
    [ "$(cat .gitignore)" = out/ ]
}

@test "ab lists a plugin over another version of a library that kgate itself has loaded" {
    # YAML_9 is a version that the system's library lacks
    printf 'int yaml_nothing(void) { return 1; }' >y.c
    printf 'YAML_9 { global: yaml_nothing; };' >y.map
    cc -shared -fPIC y.c -o libyaml-0.so.2 -Wl,-soname,libyaml-0.so.2 -Wl,--version-script=y.map
    printf '#include <kgate/plugin.h>\nint yaml_nothing(void);\nstatic volatile int n;\nstatic void run(void *s) { (void)s; for (int i = 0; i < 1000; i++) n += yaml_nothing(); }\nKGATE_BENCH(call, NULL, run, NULL);\n' >b.c
    cc -O2 -shared -fPIC -I"$SOURCE/include" b.c libyaml-0.so.2 -Wl,-rpath,"$PWD" -o b.so
    run kgate ab b.so b.so --rounds 2
    [ "$status" -eq 0 ]
}

@test "init --plugin adds to a suite that is there: every line of it stays" {
    cat >kgate.yaml <<'YAML'
# our suite
version: 1
workloads:     # ours
    # the oldest
    - name: copy
      kernel: copy
      params: {bytes: 16KiB}

    # off for now
    # - name: gemm
defaults: {threads: 1}   # after the list
# the end
YAML
    cp kgate.yaml before.yaml
    run kgate init --plugin print
    [ "$status" -eq 0 ]
    [[ "$output" == *"added print to kgate.yaml"* ]]
    diff before.yaml kgate.yaml >changes || true
    diff - changes <<'DIFF'
10a11,12
>     - name: print
>       plugin: ./libprint_bench.so
DIFF
}

@test "init --plugin overwrites nothing: a source or a workload of the name is refused" {
    kgate init -q --plugin parse
    sha256sum parse_bench.c kgate.yaml >sums
    run kgate init --plugin parse
    [ "$status" -eq 2 ]
    [[ "$output" == *"'parse_bench.c' exists already; --force overwrites it"* ]]
    mv parse_bench.c kept.c
    run kgate init --plugin parse
    [ "$status" -eq 2 ]
    [[ "$output" == *"'kgate.yaml' has a workload 'parse' already"* ]]
    [ ! -e parse_bench.c ]
    mv kept.c parse_bench.c
    run kgate init --plugin 3-parse
    [ "$status" -eq 2 ]
    [[ "$output" == *"use letters, digits and underscores"* ]]
    run kgate init --plugin other --dry-run
    [ "$status" -eq 0 ]
    [[ "$output" == *"--- other_bench.c"*"KGATE_BENCH(other, "*"--- kgate.yaml"*"plugin: ./libother_bench.so"* ]]
    sha256sum -c sums
    [ ! -e other_bench.c ]
}

@test "init --plugin prints the entry for a suite whose list it cannot extend, and for a broken one writes nothing" {
    printf 'version: 1\nworkloads: [{name: copy, kernel: copy}]\n' >kgate.yaml
    cp kgate.yaml before.yaml
    run kgate init --plugin parse
    [ "$status" -eq 0 ]
    cmp kgate.yaml before.yaml
    [[ "$output" == *"add to the workloads of kgate.yaml:"*"- name: parse"*"plugin: ./libparse_bench.so"* ]]
    [ -e parse_bench.c ]
    printf 'version: 1\nworkload:\n  - {name: copy, kernel: copy}\n' >kgate.yaml
    run kgate init --plugin other
    [ "$status" -eq 2 ]
    [[ "$output" == *"kgate.yaml:2:1: "* ]]
    [ ! -e other_bench.c ]
}

# Functions of every kind that the macro takes, in C and C++.
sources() {
    cat >in_c.c <<'C'
#include "kgate/plugin.h"
#include <stdlib.h>
static void *set_up(void) { return calloc(1, sizeof(int)); }
static void run(void *state) { int *count = (int *)state; for (int i = 0; i < 100; i++) *count = (*count + i) % 1000; }
static void tear_down(void *state) { free(state); }
KGATE_BENCH(first, set_up, run, tear_down);
static volatile int result;
static void alone(void *state) { result = state ? 1 : 2; }
KGATE_BENCH(alone, NULL, alone, NULL);
C
    cat >in_cpp.cpp <<'CPP'
#include "kgate/plugin.h"
#include <numeric>
#include <vector>
namespace mine {
static void *set_up() { return new std::vector<int>(100, 3); }
static void run(void *state) { auto &v = *static_cast<std::vector<int> *>(state); v[0] = std::accumulate(v.begin() + 1, v.end(), 0); }
static void tear_down(void *state) { delete static_cast<std::vector<int> *>(state); }
KGATE_BENCH(sum, set_up, run, tear_down);
}
static volatile int result;
KGATE_BENCH(lambda, nullptr, [](void *) { result = result + 1; }, NULL);
static void *nothing() { return NULL; }
KGATE_BENCH(fails, nothing, mine::run, nullptr);
CPP
}

@test "KGATE_BENCH compiles without a warning as C17 and C++17, by gcc and clang, with symbols hidden" {
    sources
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        $compiler -std=c17 $STRICT -fvisibility=hidden -I"$SOURCE/include" -c in_c.c -o in_c.o
    done
    for compiler in g++ clang++; do
        command -v $compiler >/dev/null || continue
        $compiler -std=c++17 $STRICT -fvisibility=hidden -I"$SOURCE/include" -c in_cpp.cpp -o in_cpp.o
    done
}

@test "a plugin has several benchmarks, of several files; one whose set_up returns NULL fails alone" {
    sources
    cc -std=c17 -O2 -fPIC -fvisibility=hidden -I"$SOURCE/include" -c in_c.c
    c++ -std=c++17 -O2 -fPIC -fvisibility=hidden -I"$SOURCE/include" -c in_cpp.cpp
    c++ -shared -Wl,-z,defs -Wl,--gc-sections in_c.o in_cpp.o -o libboth.so
    suite_of <<'YAML'
  - {name: first, plugin: ./libboth.so}
  - {name: other, plugin: ./libboth.so, workload: alone}
  - {name: sum, plugin: ./libboth.so}
  - {name: lambda, plugin: ./libboth.so}
  - {name: fails, plugin: ./libboth.so}
YAML
    kgate validate -c one.yaml
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    jq -e '[.cases[] | "\(.workload) \(.status)"] == ["first OK", "other OK", "sum OK", "lambda OK", "fails FAILED"]
        and (.cases[4].reason | endswith("set_up returned NULL"))' r.json
    sed -i 's/name: lambda/name: lamda/' one.yaml
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"has no workload 'lamda'; did you mean 'lambda'?"* ]]
}

@test "ab of two plugins of KGATE_BENCH measures every benchmark that both have" {
    sources
    cc -std=c17 -O2 -fPIC -shared -I"$SOURCE/include" in_c.c -o libbase.so
    sed 's/i < 100/i < 2000/' in_c.c >slower.c
    cc -std=c17 -O2 -fPIC -shared -I"$SOURCE/include" slower.c -o libhead.so
    run kgate ab libbase.so libhead.so $QUICK --threshold 50% -o out
    [ "$status" -eq 1 ]
    jq -e '[.cases[] | select(.change == "REGRESSION") | .id] == ["first/cpu"]
        and ([.cases[].id] | sort) == ["alone/cpu", "first/cpu"]' out/comparison.json
}

@test "a plugin of a later kgate, one with both kinds of list, and one with none are refused" {
    sources
    sed 's|#include <stdlib.h>|&\n#undef KGATE_PLUGIN_ABI\n#define KGATE_PLUGIN_ABI 99u|' in_c.c >later.c
    { cat in_c.c; echo 'const struct kgate_plugin *kgate_plugin_workloads(void); const struct kgate_plugin *kgate_plugin_workloads(void) { return NULL; }'; } >both.c
    echo 'int nothing;' >none.c
    for kind in later both none; do
        cc -std=c17 -O2 -fPIC -shared -I"$SOURCE/include" $kind.c -o lib$kind.so
    done
    refused() {
        suite_of <<<"  - {name: first, plugin: ./lib$1.so}"
        run kgate validate -c one.yaml
        [ "$status" -eq 2 ]
        [[ "$output" == *"$2"* ]]
    }
    refused later "has interface version 99, this kgate has"
    refused both "has both a KGATE_BENCH and a function kgate_plugin_workloads"
    refused none "it has neither a KGATE_BENCH nor a function kgate_plugin_workloads"
}
