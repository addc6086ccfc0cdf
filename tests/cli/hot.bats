load support

# What samples find is held loosely: a machine that does other things too takes fewer of them.
setup_hot() {
    cat >hot.yaml <<YAML
version: 1
suite: hot
defaults: {disturbance: 100%, rounds: {min: 2, max: 2}, min_time: 2ms, threads: 1, timeout: 120s, sample_time: ${2:-400ms}}
workloads:
$1
YAML
}

# Skips where nobody may trace.
needs_ptrace() {
    ! jq -e '.cases[0].hot.sampled.reason // "" | contains("may not stop its threads")' "$1" >/dev/null ||
        skip "$(jq -r '.cases[0].hot.sampled.reason' "$1")"
}

# Samples a workload of a plugin, by itself; the plugin is $2 or `hot`.
sampled() {
    setup_hot "  - {name: $1, plugin: $PLUGINS/lib${2:-hot}.so}" "${3:-400ms}"
    kgate run -c hot.yaml -o "$1.json" -q
    needs_ptrace "$1.json"
    jq '.cases[0].hot.sampled' "$1.json" >"$1.sampled"
    cat "$1.sampled"
}

# Where the sanitizers' own allocator and copies stand in the place of the C library's.
plain_only() { [ "$SANITIZED" != yes ] || skip "the sanitizers' own functions are in their place"; }

@test "a function of a library is named, with who called it and from which line" {
    sampled cosine
    jq -e '.source == "ptrace" and .samples >= 5 and .functions[0].place.function == "cos"
        and .functions[0].self > 0.5 and .functions[0].place.module == "libm.so.6"' cosine.sampled
    jq -e '[.stacks[0].frames[] | .function] == ["cos", "make_window", "cosine_run"]
        and .stacks[0].frames[1].line > 0 and (.stacks[0].frames[1].file | endswith("hot.c"))' cosine.sampled
    run kgate explain cosine cosine.json
    [[ "$output" == *"its hottest functions, by "*" samples"*" %"*"cos (libm.so.6), called from make_window (hot.c:"* ]]
}

# bats test_tags=thorough
@test "copying and allocating are named too" {
    plain_only
    sampled copy
    jq -e '.functions[0].place.function | test("mem(cpy|move)")' copy.sampled
    sampled allocate
    jq -e '[.stacks[] | select([.frames[].function] | index("malloc") or index("free")) | .share] | add > 0.5' allocate.sampled
}

@test "an inlined function is named by debug information" {
    sampled inline
    jq -e '.functions[0].place.function == "mix" and .lines[0].self > 0
        and ([.stacks[0].frames[].function] | index("stir"))' inline.sampled
}

# bats test_tags=thorough
@test "without symbols and frame pointers the library's function is named nevertheless" {
    sampled cosine hot_bare
    jq -e '.functions[0].place.function == "cos" and (.stacks[0].frames[1] | .module == "libhot_bare.so"
        and (has("function") | not))' cosine.sampled
    run kgate explain cosine cosine.json
    [[ "$output" == *"called from unnamed code (libhot_bare.so)"* ]]
}

@test "a thread that sleeps is seen waiting, in its system call" {
    sampled sleep
    jq -e '.waiting > 0.5 and .stacks[0].waiting and .stacks[0].call == "clock_nanosleep"' sleep.sampled
}

@test "a deep recursion is one frame" {
    sampled recursion
    jq -e '[.stacks[0].frames[].function] | index("dive") and (map(select(. == "dive")) | length == 1)' recursion.sampled
}

# bats test_tags=thorough
@test "threads: those at work count, and a lock that they fight for is seen" {
    sampled threads
    jq -e '.functions[0].place.function == "churn" and .functions[0].self > 0.5' threads.sampled
    # how long one of them waits for the other's end, who may be without a CPU, is the machine's
    sampled locks hot 2s
    jq -e 'any(.stacks[]; [.frames[].function] | index("fight"))' locks.sampled
}

@test "a process that ends too soon fails nothing: the reason is told" {
    sampled exit hot 5s
    jq -e '.reason | test("ended early")' exit.sampled
    [ "$(jq -r '.cases[0].status' exit.json)" = OK ]
}

# bats test_tags=thorough
@test "of a command the program is sampled, and none of the worker" {
    cat >loop.c <<'C'
#include <math.h>
static double __attribute__((noinline)) turn(int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += sin(i * 0.3);
    return sum;
}
int main(void) { return turn(3000000) > 1e9; }
C
    "${CC:-cc}" -O1 -g -o loop loop.c -lm
    setup_hot "  - {name: loop, command: [./loop]}"
    kgate run -c hot.yaml -o loop.json -q
    needs_ptrace loop.json
    jq -e '.cases[0].hot.sampled | .functions[0].place.function == "sin"
        and (.stacks[0].frames[-1].function == "main") and ([.stacks[].frames[].module] | index("kgate") | not)' loop.json
}

@test "a built-in kernel is named, without what calls it" {
    setup_hot "  - {name: gemm, kernel: gemm, params: {m: 128, n: 128, k: 128, version: naive}}"
    kgate run -c hot.yaml -o gemm.json -q
    needs_ptrace gemm.json
    jq -e '.cases[0].hot.sampled | (.functions[0].place.function | test("gemm_naive"))
        and ([.stacks[].frames[].function] | index("kg_sampling_run") | not)' gemm.json
}

@test "sample_time: 0ns and trace: no leave it out" {
    setup_hot "  - {name: cosine, plugin: $PLUGINS/libhot.so}" 0ns
    kgate run -c hot.yaml -o none.json -q
    jq -e '.cases[0].hot.sampled | (has("source") or has("reason")) | not' none.json
}
