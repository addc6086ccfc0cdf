bats_require_minimum_version 1.5.0
load support

# A plugin `over` in folder plug over a library of its own, whose function makes $1 turns.
library() {
    mkdir -p plug
    echo "double turns(double x) { for (int i = 0; i < $1; i++) x = x * 0.999 + 1; return x; }" >turns.c
    cc -O2 -shared -fPIC -Wl,-soname,libturns.so.1 turns.c -o plug/libturns.so.1
}
plugin() {
    cat >over.c <<'C'
#include "kgate/plugin.h"
double turns(double x);
static volatile double value;
static bool set_up(struct kgate_context *context, void **state)
{
    *state = context;
    return true;
}
static void run(void *state)
{
    (void)state;
    value = turns(value);
}
static void tear_down(struct kgate_context *context, void *state)
{
    (void)context;
    (void)state;
}
static const struct kgate_workload workload = {
    .name = "over", .devices = 1U << KGATE_DEVICE_CPU, .set_up = set_up, .run = run, .tear_down = tear_down};
static const struct kgate_workload *const workloads[] = {&workload};
static const struct kgate_plugin all = {.abi = KGATE_PLUGIN_ABI, .workloads = workloads, .workload_count = 1};
const struct kgate_plugin *kgate_plugin_workloads(void) { return &all; }
C
    cc -std=c17 -O2 -shared -fPIC -I"$SOURCE/include" over.c -o plug/libover.so -Wl,--no-as-needed \
        plug/libturns.so.1 -Wl,-rpath,'$ORIGIN'
}

# A suite of a kernel, the plugin and a program, which has a baseline.
start() {
    library 10
    plugin
    echo 'int main(void) { return 0; }' | cc -x c - -o program
    cat >skip.yaml <<'YAML'
version: 1
suite: skip
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 500%, rounds: {min: 3, max: 3}, min_time: 2ms, threads: 1, timeout: 120s}
workloads:
  - {name: copy, kernel: copy, params: {bytes: 16KiB}}
  - {name: over, plugin: plug/libover.so}
  - {name: program, command: [./program]}
YAML
    kgate run -c skip.yaml -o r.json -q
    kgate baseline update r.json -b baselines
}

@test "a suite whose code is unchanged passes without measuring, and says so" {
    start
    run --separate-stderr kgate gate -c skip.yaml -b baselines --skip-unchanged-code -v
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "PASS  skip, 3 cases: 3 not measured (code unchanged)" ]]
    [[ "$output" == *"unchanged: not measured"* ]]
    valid out/results.json results
    valid out/comparison.json comparison
    jq -e '[.cases[] | .status == "UNCHANGED" and (.rounds.median_ns | length == 0)] | all' out/results.json
    jq -e '.measured_ns == 0' out/results.json
    jq -e '.not_measured == 3 and .counts.no_change == 3 and .counts.removed == 0' out/comparison.json
    grep -q "3 not measured (code unchanged)" out/report.md
    run --separate-stderr kgate gate -c skip.yaml -b baselines --set unchanged_code=skip --json
    [ "$(jq -r .not_measured <<<"$output")" = 3 ]
    # without the option, and in `run`, all are measured
    run kgate gate -c skip.yaml -b baselines -q
    passes_or_open
    jq -e '.not_measured == 0' out/comparison.json
    kgate run -c skip.yaml -o all.json -q --set unchanged_code=skip
    jq -e '[.cases[].status == "OK"] | all' all.json
}

# bats test_tags=thorough
@test "what changed is measured: a library, the program, and what has a budget" {
    start
    library 11
    echo 'int main(int n, char **w) { return n - (w != 0); }' | cc -x c - -o program
    sed -i 's/params: {bytes: 16KiB}/&, budget: {time: "<= 1s"}/' skip.yaml
    run kgate gate -c skip.yaml -b baselines --skip-unchanged-code
    jq -e '[.cases[].status == "OK"] | all' out/results.json
    sed -i 's/, budget: {time: "<= 1s"}//' skip.yaml
    kgate gate -c skip.yaml -b baselines --skip-unchanged-code || true
    jq -e '[.cases[].status] == ["UNCHANGED", "OK", "OK"]' out/results.json
    # a workload's own word counts
    sed -i 's/kernel: copy,/& unchanged_code: measure,/' skip.yaml
    kgate gate -c skip.yaml -b baselines --skip-unchanged-code || true
    jq -e '[.cases[].status == "OK"] | all' out/results.json
}

# bats test_tags=thorough
@test "a baseline of another system, or from before libraries were hashed, is measured against" {
    start
    store=$(ls baselines/*.json)
    cp "$store" kept.json
    jq '.runs[0].kernel = "Linux 1.0"' kept.json >"$store"
    run kgate gate -c skip.yaml -b baselines --skip-unchanged-code
    jq -e '.not_measured == 0' out/comparison.json
    [[ "$output" == *"kernel: the baseline had Linux 1.0"* ]]
    jq 'del(.runs[].cases[].code_scope, .runs[].cases[].libraries)' kept.json >"$store"
    run kgate gate -c skip.yaml -b baselines --skip-unchanged-code
    jq -e '.not_measured == 0' out/comparison.json
}

@test "what was not measured is no baseline" {
    start
    kgate gate -c skip.yaml -b baselines --skip-unchanged-code --update-missing -q
    run kgate baseline update out/results.json -b baselines
    [ "$status" -eq 2 ]
    [[ "$output" == *"3 cases of these results were not measured, because the code is unchanged"* ]]
    jq -e '.runs | length == 1' baselines/*.json
    # a case that is new beside them is recorded, and they stay
    echo '  - {name: fill, kernel: copy, params: {bytes: 4KiB}}' >>skip.yaml
    run kgate gate -c skip.yaml -b baselines --skip-unchanged-code --update-missing
    [[ "$output" == *"recorded 1 new case"* ]]
    jq -e '.runs | length == 1 and (.[0].cases | length == 4)' baselines/*.json
}

@test "ab does not measure what is the same in both builds" {
    start
    cp -r plug head
    run --separate-stderr kgate ab -c skip.yaml --base plug/libover.so --head head/libover.so -o ab
    [[ "${lines[0]}" == *"not measured (code unchanged)"* ]]
    jq -e '.cases[1].status == "UNCHANGED"' ab/base.json
    jq -e '.cases[1].status == "UNCHANGED"' ab/head.json
    library 11
    cp plug/libturns.so.1 head/
    library 10
    kgate ab -c skip.yaml --base plug/libover.so --head head/libover.so -o ab || true
    jq -e '.cases[1].status == "OK"' ab/head.json
    run kgate ab -c skip.yaml --base "$KGATE" --head "$KGATE" -o ab
    [ "$status" -eq 0 ]
    jq -e '[.cases[:2][].status == "UNCHANGED"] | all' ab/head.json
    run kgate compare ab/base.json ab/head.json --json
    [ "$(jq .not_measured <<<"$output")" = 2 ]
}

# A program that counts to a constant, $1, in a section of its own, $2.
counter() {
    cat >counter.c <<C
__attribute__((section("$2"), used)) static const volatile long count = $1;
static volatile double value;
int main(void)
{
    for (long i = 0; i < count; i++)
        value = value * 0.999 + 1;
    return 0;
}
C
    cc -O2 counter.c -o program
}

# Writes into the program that its section .odd is of no type.
section_forget() {
    python3 - <<'PY'
import struct
data = bytearray(open("program", "rb").read())
at, = struct.unpack_from("<Q", data, 40)
count, names = struct.unpack_from("<HH", data, 60)
strings, = struct.unpack_from("<Q", data, at + names * 64 + 24)
for i in range(count):
    name, = struct.unpack_from("<I", data, at + i * 64)
    if data[strings + name:strings + name + 5] == b".odd\0":
        data[at + i * 64 + 4:at + i * 64 + 64] = bytes(60)
open("program", "wb").write(data)
PY
}

@test "a slower program is measured, wherever its file hides the constant that changed" {
    suite_of <<<"  - {name: program, command: [./program]}"
    counter 1000 .note.odd
    kgate gate -c one.yaml -b baselines --update-missing -q
    counter 1000 .note.odd
    kgate gate -c one.yaml -b baselines --skip-unchanged-code -q
    jq -e '.cases[0].status == "UNCHANGED"' out/results.json
    counter 4000000 .note.odd
    run kgate gate -c one.yaml -b baselines --skip-unchanged-code
    [ "$status" -ne 0 ]
    jq -e '.cases[0].status == "OK"' out/results.json
    rm -r baselines
    counter 1000 .odd
    section_forget
    kgate gate -c one.yaml -b baselines --update-missing -q
    counter 4000000 .odd
    section_forget
    run kgate gate -c one.yaml -b baselines --skip-unchanged-code
    [ "$status" -ne 0 ]
    jq -e '.cases[0].status == "OK"' out/results.json
}

# The status of the one case after an ab of commands $1 and $2.
status_of_ab() {
    kgate ab "$1" "$2" --set disturbance=100% --rounds 2..2 --set min_time=2ms -o ab -q >/dev/null || true
    jq -r '.cases[0].status' ab/head.json
}

@test "ab measures what may differ though the code is the same: arguments, names, files, scripts" {
    echo 'int main(void) { return 0; }' | cc -x c - -o same
    printf '#include <stdio.h>\nint main(void) { return !fopen("/dev/null", "r"); }' | cc -x c - -o reads
    printf '#!/bin/sh\n' >script && chmod +x script
    mkdir -p old new
    cp same reads script old && cp same reads script new && cp same new/other
    [ "$(status_of_ab ./old/same ./new/same)" = UNCHANGED ]
    [ "$(status_of_ab ./old/reads ./old/reads)" = UNCHANGED ]
    [ "$(status_of_ab './old/same 1' './new/same 2')" = OK ]
    [ "$(status_of_ab ./old/same ./new/other)" = OK ]
    [ "$(status_of_ab ./old/reads ./new/reads)" = OK ]
    [ "$(status_of_ab ./old/script ./new/script)" = OK ]
    run kgate ab ./old/same ./new/same
    [ "$status" -eq 0 ]
    [[ "$output" == *"NO_CHANGE"*"the code and its "*" are unchanged: not measured"* ]]
}

@test "the same code on both sides is never a regression, however it is measured" {
    start
    cp -r plug head
    run kgate ab -c skip.yaml --base plug/libover.so --head head/libover.so -o ab --measure-unchanged --set threshold=0.01%
    jq -e '.cases[] | select(.id == "over/cpu") | .change == "NO_CHANGE" and .rounds > 0' ab/comparison.json
    jq -e '.cases[1].status == "OK" and .cases[1].same_as_base' ab/head.json
    # stored runs: only the machine changed
    kgate run -c skip.yaml -o run.json -q --set rounds.min=6 --set rounds.max=6
    agreeing run.json >r.json
    jq '(.cases[].rounds | .median_ns, .mean_ns) |= map(. * 8)' r.json >slow.json
    run -0 kgate compare r.json slow.json
    [[ "$output" == *"3 unchanged"*"over/cpu: time +700"*"are unchanged. Likely cause: the machine, the environment or the input, not this change"* ]]
    # more than twice the threshold's factor is no other load
    jq '(.cases[].rounds | .median_ns, .mean_ns) |= map(. * 20)' r.json >slower.json
    run -4 kgate compare r.json slower.json
    [[ "$output" == *"3 cases suspect"*"20.0 times slower, although "*" unchanged. Likely cause: another machine"* ]]
    # a variable, the kernel, a library or a file that is opened may be why
    for change in '.machine.kernel = "Linux 1.0"' '.environment.variables.GLIBC_TUNABLES = "7"' \
        '.cases[].libraries[0] = "liba.so 1111111111111111"' '.cases[].code_scope = "files"' \
        '.cases[].code_scope = "open"'; do
        jq "$change" slow.json >other.json
        run -1 kgate compare r.json other.json
        [[ "$output" == *"regressed"* ]]
    done
}

@test "ab measures a case whose setup or loader variables may bring other code" {
    echo 'int main(void) { return 0; }' | cc -x c - -o same
    mkdir -p old new && cp same old && cp same new
    for more in 'setup: ["true"]' 'environment: {LD_LIBRARY_PATH: lib}'; do
        suite_of <<<"  - {name: it, command: [./same], $more}"
        kgate ab -c one.yaml --base old --head new -o ab -q >/dev/null || true
        jq -e '.cases[0] | .status == "OK" and .code_scope == "open"' ab/head.json
    done
}

@test "code that looks a function up, starts a shell, converts text or asks for its folder or a file's name is measured" {
    printf '#include <unistd.h>\nint main(void) { char place[4096]; return !getcwd(place, sizeof place); }' | cc -x c - -o place
    printf '#include <wordexp.h>\nint main(void) { wordexp_t words; return wordexp("a", &words, 0); }' | cc -x c - -o words
    printf '#define _GNU_SOURCE\n#include <dlfcn.h>\nint main(void) { return !dlsym(RTLD_DEFAULT, "fopen"); }' | cc -x c - -o looks
    # iconv loads libraries that the program's GCONV_PATH names
    printf '#include <iconv.h>\nint main(void) { return iconv_open("A", "B") == (iconv_t)0; }' | cc -x c - -o texts
    printf '#include <stdio.h>\nFILE *_IO_popen(const char *, const char *);\nint main(void) { return !_IO_popen("true", "r"); }' | cc -x c - -o shells
    printf '#include <stdio.h>\nint main(void) { return rename("a", "b") > 0; }' | cc -x c - -o names
    mkdir -p old new
    for program in place words looks texts shells names; do
        cp $program old && cp $program new
        [ "$(status_of_ab "./old/$program" "./new/$program")" = OK ]
    done
}

# Folders base and head: a program over a library that makes $1 and $2 turns.
slower_library() {
    echo 'int work(int); int main(int n, char **w) { return (w == 0) + work(n) * 0; }' >m.c
    for side in base:$1 head:$2; do
        mkdir -p "${side%:*}/build"
        echo "int work(int x) { for (volatile int i = 0; i < ${side#*:}; i++) x++; return x; }" >w.c
        cc -O2 -shared -fPIC w.c -o "${side%:*}/build/libwork.so"
        (cd "${side%:*}" && cc -O2 ../m.c build/libwork.so -o build/app)
    done
}

@test "a library by a path from the command's folder on is not known, so the case is measured" {
    slower_library 1000 4000
    cmp base/build/app head/build/app
    suite_of <<<"  - {name: it, command: [./build/app]}"
    kgate ab -c one.yaml --base base --head head -o ab -q >/dev/null || true
    jq -e '.cases[0] | .status == "OK" and .code_scope == "file"' ab/head.json
}

@test "a checkout that was copied after its build loads the other's library: refused, with the library" {
    slower_library 1000 4000
    (cd head && cc -O2 ../m.c -Lbuild -lwork -Wl,-rpath,"$PWD/build" -o build/app)
    cp head/build/app base/build/app
    suite_of <<<"  - {name: it, command: [./build/app]}"
    run kgate ab -c one.yaml --base base --head head -o ab
    [ "$status" -eq 2 ]
    [[ "$output" == *"it/cpu: the base loads '$(realpath head)/build/libwork.so', which lies in the folder of the head"* ]]
    # of its own folder, also where one lies within the other
    cp -r base head/before
    (cd head/before && cc -O2 ../../m.c -Lbuild -lwork -Wl,-rpath,"$PWD/build" -o build/app)
    run kgate ab -c one.yaml --base head/before --head head -o ab
    [ "$status" -ne 2 ]
}

@test "a program is looked for in the PATH that the suite gives it" {
    mkdir -p base/bin head/bin common
    echo 'int main(void) { return 0; }' | cc -x c - -o common/app
    for side in base:3 head:4; do
        echo "int main(void) { volatile int x = ${side#*:}; return x - x; }" | cc -x c - -o "${side%:*}/bin/app"
    done
    suite_of <<<'  - {name: it, command: [app], environment: {PATH: "bin:/usr/bin:/bin"}}'
    PATH="$PWD/common:$PATH" kgate ab -c one.yaml --base base --head head -o ab -q >/dev/null || true
    jq -e '.cases[0].status == "OK"' ab/head.json
    jq -es '[.[].cases[0].code_hash] | .[0] != .[1]' ab/base.json ab/head.json
}
