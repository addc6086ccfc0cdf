#!/usr/bin/env bats
# Five whole tasks of users, in as few steps as kgate has for them.
bats_require_minimum_version 1.5.0
load support

QUICK="--set rounds.min=2 --set rounds.max=2 --set min_time=1ms --set disturbance=100%"

# A scope's time has its waits for a CPU in it. So the longest scope takes far longer than any such wait, and the others
# far shorter.

# The compiler and its words for a program with scopes, as pkg-config gives them after an installation.
compile() { "$@" "-I$SOURCE/include" -L"$(dirname "$KGATE")" -Wl,-rpath,"$(dirname "$KGATE")" -lkgate_profiler -o app; }

@test "task: a sweep of a kernel's batches: one command for tables, pictures and a report" {
    picture=
    command -v gnuplot >/dev/null && picture=,png
    run kgate run --kernel lattice_encode --param lattice=D4,q=4,M=2 --matrix batch=1,10,100 $QUICK --set trace=no \
        --set "reports=markdown,csv$picture" -o results/
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"vectors/s"* ]]
    [ "$(jq '.cases | length' results/results.json)" -eq 3 ]
    grep -q 'vectors/s' results/results.md
    grep -q 'batch=100' results/results.csv
    [ -z "$picture" ] || [ -s results/results.png ]
}

@test "task: where a program's time goes, printed, exported and on a page: scopes, one run, one report" {
    cat >app.c <<'C'
#include <kgate/profiler.h>

static double spin(int turns)
{
    volatile double value = 1;
    for (int i = 0; i < turns; i++)
        value = value * 1.0000001;
    return value;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        {
            KGATE_SCOPE("matrix_multiply");
            spin(2000000);
        }
        KGATE_SCOPE("graph_search");
        spin(5000);
    }
    return 0;
}
C
    compile gcc -O2 app.c
    KGATE_PROFILE=run.json ./app
    valid run.json profile
    run kgate report run.json
    [[ "$output" == *matrix_multiply*graph_search*"bottleneck: matrix_multiply, "* ]]
    kgate report run.json --format html -o run.html
    grep -q matrix_multiply run.html
}

@test "task: the components of attention at each level, the bottleneck and a remedy: one command" {
    run kgate run -c "$SOURCE/config/attention.yaml" --filter 'levels/*causal=no*/cpu' $QUICK --set sample_time=0ns \
        -p -o attention.json
    echo "$output"
    [ "$status" -eq 0 ]
    for component in qkv_projection scores softmax weighted_sum output_projection; do
        [[ "$output" == *"$component"* ]]
    done
    # the products inside are not mixed over components
    [[ "$output" == *"qkv_projection "*" %"*"    multiply "*"output_projection "*"    multiply "* ]]
    [[ "$output" == *"total "*"100.0 %"*"bottleneck: "*"try: "* ]]
}

@test "task: two stored results: what became slower, by how much, and the exit status: one command" {
    kgate run -c suite.yaml -o baseline.json -q
    agreeing baseline.json >a.json
    jq '(.cases[1].rounds.median_ns) |= map(. * 1.408) | del(.cases[].code_hash)' a.json >current.json
    run kgate compare a.json current.json --set threshold=10%
    [ "$status" -eq 1 ]
    [[ "$output" == FAIL*"1 regressed"*"+40.8 %"*REGRESSION* ]]
    run kgate compare a.json current.json --set threshold=50%
    [ "$status" -eq 0 ]
}

@test "task: a trainer in C++, with layers named at run time: macros, and one variable prints the report" {
    cat >app.cpp <<'C'
#include <kgate/profiler.h>
#include <string>

static volatile double sink;

static void layer(int i)
{
    KGATE_SCOPE_NAMED("Layer_" + std::to_string(i));
    static const int turns[] = {20000, 40000000, 400000000};
    for (int k = 0; k < turns[i]; k++)
        sink = k * 1.5;
}

int main()
{
    KGATE_SCOPE("train");
    for (int step = 0; step < 5; step++) {
        KGATE_SCOPE("step");
        for (int i = 0; i < 3; i++)
            layer(i);
    }
}
C
    compile g++ -O2 app.cpp
    KGATE_PROFILE=- run ./app
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"train "*" 100.0"*"step "*Layer_2*Layer_1*Layer_0*"bottleneck of train: Layer_2, "* ]]
}
