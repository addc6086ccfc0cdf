load support

# The table of the kernels' code, made as the build makes it, from the source in folder $1.
table() {
    local file objects=()
    for file in "$1"/kernels/{common,softmax,stream}/*.c; do
        cc -std=c17 -O2 -D_GNU_SOURCE -I"$1/include" -I"$1/src" -I"$1/kernels" \
            -c "$file" -o "$1/$(basename "$file").o" || return 1
        objects+=("$1/$(basename "$file").o")
    done
    "$(dirname "$KGATE")/kgate_code_table_tool" "$1/table.c" "${objects[@]}" || return 1
    grep '^    "' "$1/table.c"
}

# A copy of what the kernels are built from, in folder $1.
source_copy() {
    mkdir -p "$1/src"
    cp -r "$SOURCE/include" "$SOURCE/kernels" "$1"
    cp -r "$SOURCE/src/util" "$1/src"
}

@test "a comment or another folder changes no kernel's hash, a constant that of its own kernel alone" {
    source_copy one
    source_copy elsewhere/two
    sed -i '1i /* a comment, which moves every line */\n' elsewhere/two/kernels/*/*.c
    table one >one.txt
    table elsewhere/two >two.txt
    diff one.txt two.txt
    grep -q '"softmax ' one.txt
    sed -i 's/-87\.0F/-88.0F/' one/kernels/softmax/softmax_exp.h
    table one >changed.txt
    [ "$(diff one.txt changed.txt | grep -c '^>')" -eq 1 ]
    diff one.txt changed.txt | grep '^> *"softmax '
}

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
    .name = "waves", .devices = 1U << KGATE_DEVICE_CPU, .set_up = set_up, .run = run, .tear_down = tear_down};
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
    plugin same "/* a comment */" -g -Wl,--build-id=0x1234
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

@test "ab of two builds of the same code says that it is the same" {
    plugin base ""
    plugin head "/* a comment */" -g
    suite_of <<<"  - {name: waves, plugin: ./base.so}"
    run kgate ab -c one.yaml --base base.so --head head.so -o out --set threshold=500%
    [[ "$output" == *"1 of 1 cases have the same code on both sides"* ]]
    run kgate ab -c suite.yaml --base "$KGATE" --head "$KGATE" -o out --set threshold=500%
    [[ "$output" == *"2 of 2 cases have the same code on both sides"* ]]
}

@test "built-in kernels have hashes, commands have none" {
    suite_of <<YAML
  - {name: copy, kernel: copy, params: {bytes: 4KiB}}
  - {name: softmax, kernel: softmax, params: {rows: 4, cols: 16}}
  - {name: program, command: ["true"]}
YAML
    kgate run -c one.yaml -o r.json -q
    jq -e '[.cases[].code_hash] | .[0] != null and .[1] != null and .[0] != .[1] and .[2] == null' r.json
}

@test "the hash of CUDA code is the same in another folder, and follows the fat binary" {
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || skip "no nvcc"
    mkdir -p one two/deeper
    plugin plain ""
    cat >one/k.cu <<'C'
namespace { __global__ void scale(float *x, float by) { x[threadIdx.x] *= by; } }
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
    jq -e '[.cases[].code_hash] | .[0] == .[1] and .[0] != .[2] and .[0] != .[3] and all(. != null)' r.json
}

@test "compare says of a moved time whether the code changed: on the terminal and in the report" {
    kgate run -c suite.yaml -o a.json -q --set rounds.min=6 >run.txt
    agreeing a.json | jq '.cases[].code_hash = "0123456789abcdef"' >before.json
    scale before.json 3 >slow.json
    scale before.json 0.3 >fast.json
    for after in slow fast; do
        run kgate compare before.json $after.json -o same
        [[ "$output" == *"the code is unchanged: the machine moved, or a library"* ]]
        grep -q "the code is unchanged: the machine moved, or a library" same/report.md
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
