load support

# A plugin whose call is sin of a constant; $1 is put into it, the rest are options of the compiler.
plugin() {
    local name=$1 code=$2
    shift 2
    cat >"$name.c" <<C
#include <math.h>
#include "kgate/plugin.h"
$code
#ifndef CALLED
#define CALLED sin
#endif
#ifndef REVISION
#define REVISION 0
#endif
#ifndef CONSTANT
#define CONSTANT 1.5
#endif
static volatile double value;
static bool set_up(struct kgate_context *context, void **state)
{
    *state = context;
    return true;
}
static void run(void *state)
{
    (void)state;
    for (int i = 0; i < 1000; i++)
        value = CALLED(value + CONSTANT);
}
static void tear_down(struct kgate_context *context, void *state)
{
    (void)context;
    (void)state;
}
static const struct kgate_workload workload = {
    .name = "waves", .revision = REVISION, .devices = 1U << KGATE_DEVICE_CPU, .set_up = set_up, .run = run, .tear_down = tear_down};
static const struct kgate_workload *const workloads[] = {&workload};
static const struct kgate_plugin all = {.abi = KGATE_PLUGIN_ABI, .workloads = workloads, .workload_count = 1};
const struct kgate_plugin *kgate_plugin_workloads(void) { return &all; }
C
    cc -std=c17 -O2 -shared -fPIC -I"$SOURCE/include" "$@" "$name.c" -o "$name.so" -lm
}

# The hash that a run of the plugin $1 leaves in its results.
plugin_hash() {
    suite_of <<<"  - {name: waves, plugin: ./$1.so}"
    kgate run -c one.yaml -o "$1.json" -q >run.txt
    jq -r '.cases[0].code_hash' "$1.json"
}

@test "a plugin's hash is of its code: not of build ids, debug information, symbols or comments" {
    plugin plain ""
    hash=$(plugin_hash plain)
    [[ "$hash" =~ ^[0-9a-f]{16}$ ]]
    valid plain.json results
    plugin same "/* a comment */" -g -Wl,--build-id=0x0123456789012345678901234567890123456789
    [ "$(plugin_hash same)" = "$hash" ]
    cp plain.so stripped.so
    strip stripped.so
    [ "$(plugin_hash stripped)" = "$hash" ]
    plugin constant "" -DCONSTANT=2.5
    [ "$(plugin_hash constant)" != "$hash" ]
    # the same instructions, and another function at their end
    plugin called "" -DCALLED=cos
    [ "$(plugin_hash called)" != "$hash" ]
}

# As include/kgate/plugin.h says: only a built-in kernel's revision makes another definition.
@test "a plugin's own revision is another code and the same definition" {
    plugin first "" -DREVISION=1
    plugin second "" -DREVISION=2
    [ "$(plugin_hash first)" != "$(plugin_hash second)" ]
    jq -r '.cases[0].definition_hash' first.json >was
    sed -i 's/second/first/' one.yaml
    mv second.so first.so
    kgate run -c one.yaml -o again.json -q
    [ "$(jq -r '.cases[0].definition_hash' again.json)" = "$(cat was)" ]
}

@test "ab of two builds of the same code says that it is the same" {
    plugin base ""
    plugin head "/* a comment */" -g
    suite_of <<<"  - {name: waves, plugin: ./base.so}"
    run kgate ab -c one.yaml --base base.so --head head.so -o out --set threshold=500% --measure-unchanged
    [[ "$output" == *"1 of 1 case has the same code on both sides"* ]]
    run kgate ab -c suite.yaml --base "$KGATE" --head "$KGATE" -o out --set threshold=500% --measure-unchanged
    [[ "$output" == *"2 of 2 cases have the same code on both sides"* ]]
}

@test "built-in kernels and programs have hashes and libraries, scripts have none" {
    printf '#!/bin/sh\nexit 0\n' >script
    chmod +x script
    echo 'int main(void) { return 0; }' | cc -x c - -o program
    suite_of <<YAML
  - {name: copy, kernel: copy, params: {bytes: 4KiB}}
  - {name: softmax, kernel: softmax, params: {rows: 4, cols: 16}}
  - {name: program, command: [./program]}
  - {name: shell, command: [sh, -c, ./program]}
  - {name: script, command: [./script]}
YAML
    kgate run -c one.yaml -o r.json -q
    valid r.json results
    jq -e '[.cases[].code_hash] | all(.[:4][]; . != null) and (unique | length == 5) and .[4] == null' r.json
    # what a shell starts is not known
    jq -e '[.cases[].code_scope] == ["libraries", "libraries", "libraries", "open", "file"]' r.json
    jq -e 'all(.cases[:3][]; any(.libraries[]; test("^libc[^ ]* [0-9a-f]{16}$")))' r.json
}

# A plugin over a library of its own, libturns.so.1, which does $1 turns; both lie in folder $2.
plugin_over_library() {
    mkdir -p "$2/lib"
    echo "double turns(double x) { for (int i = 0; i < $1; i++) x = x * 0.999 + 1; return x; }" >"$2/turns.c"
    cc -O2 -shared -fPIC -Wl,-soname,libturns.so.1 "$2/turns.c" -o "$2/lib/libturns.so.1"
    plugin "$2/over" "double turns(double x);" -DCALLED=turns -Wl,--no-as-needed "$2/lib/libturns.so.1" -Wl,-rpath,'$ORIGIN/lib'
}

@test "a library that changed under a plugin is named, in compare and in ab" {
    plugin_over_library 10 base
    plugin_over_library 400 head
    suite_of <<<"  - {name: waves, plugin: ./base/over.so, metrics: [time], rounds: {min: 6, max: 8}}"
    kgate run -c one.yaml -o before.json -q
    jq -e '.cases[0] | .code_scope == "libraries" and any(.libraries[]; startswith("libturns.so.1 "))' before.json
    cp head/lib/libturns.so.1 base/lib/
    kgate run -c one.yaml -o after.json -q
    jq -e --slurpfile before before.json '.cases[0].code_hash == $before[0].cases[0].code_hash' after.json
    run kgate compare before.json after.json -o out
    [[ "$output" == *"the code is unchanged, but a library changed: libturns.so.1"* ]]
    valid out/comparison.json comparison
    plugin_over_library 10 base
    suite_of <<<"  - {name: waves, plugin: over.so, metrics: [time], rounds: {min: 8, max: 8}}"
    run kgate ab -c one.yaml --base base --head head -o ab
    [[ "$output" == *"the code is unchanged, but a library changed: libturns.so.1"* ]]
    [[ "$output" != *"same code"* && "$output" != *"the machine or the input data"* ]]
}

# bats test_tags=thorough
@test "the hash of CUDA code is the same in another folder, and follows the fat binary" {
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || skip "no nvcc"
    mkdir -p one two/deeper
    plugin plain ""
    cat >one/k.cu <<'C'
__global__ void scale(float *x, float by) { x[threadIdx.x] *= by; }
extern "C" void launch(float *x) { scale<<<1, 32>>>(x, 2); }
C
    { echo "// a comment"; cat one/k.cu; } >two/deeper/k.cu
    mkdir three
    sed 's/\*= by/+= by/' one/k.cu >three/k.cu
    cc -fPIC -O2 -I"$SOURCE/include" -c plain.c
    for folder in one two/deeper three; do
        "$nvcc" -O3 -gencode=arch=compute_90,code=sm_90 -Xcompiler -fPIC -c "$folder/k.cu" -o "$folder/k.o"
        "$nvcc" -gencode=arch=compute_90,code=sm_90 -shared plain.o "$folder/k.o" -o "$folder/p.so"
    done
    suite_of <<YAML
  - {name: one, plugin: one/p.so, devices: [cuda]}
  - {name: two, plugin: two/deeper/p.so, devices: [cuda]}
  - {name: three, plugin: three/p.so, devices: [cuda]}
  - {name: host, plugin: one/p.so, devices: [cpu]}
YAML
    # where there is no GPU they are skipped, and still told by their code
    kgate run -c one.yaml -o r.json -q || true
    jq -e '[.cases[].code_hash] | .[0] == .[1] and .[0] != .[2] and .[0] == .[3] and all(. != null)' r.json
}

@test "compare says of a moved time whether the code changed: on the terminal and in the report" {
    kgate run -c suite.yaml -o a.json -q --set rounds.min=6 >run.txt
    agreeing a.json | jq '.cases[] += {code_hash: "0123456789abcdef", code_scope: "libraries",
        libraries: ["liba.so 1111111111111111", "libb.so 2222222222222222"]}' >before.json
    jq '(.cases[].rounds.median_ns) |= map(. * 3)' before.json >slow.json
    jq '(.cases[].rounds.median_ns) |= map(. * 0.3)' before.json >fast.json
    for after in slow fast; do
        run kgate compare before.json $after.json -o same
        [ "$status" -eq 0 ]
        [[ "$output" == *"2 unchanged"*"the code and its 2 libraries are unchanged. Likely cause: the machine, the environment or the input, not this change"* ]]
        grep -q "the code and its 2 libraries are unchanged. Likely cause: the machine, the environment or the input, not this change" same/report.md
        jq '.cases[].code_hash = "fedcba9876543210"' $after.json >other.json
        run kgate compare before.json other.json -o other
        [[ "$output" == *"the code changed"* ]]
        grep -q "the code changed" other/report.md
        valid other/comparison.json comparison
    done
    jq 'del(.cases[].code_hash)' slow.json >unknown.json
    run kgate compare before.json unknown.json
    [[ "$output" == *REGRESSION* ]] && [[ "$output" != *"the code"* ]]
}
