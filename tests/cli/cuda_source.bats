# A kernel without a plugin: a CUDA source in the suite. NVRTC compiles without a GPU; the driver of tests has a
# function `saxpy` that does what its name says, whatever code is loaded.
load support

bats_require_minimum_version 1.5.0

gpu() { env LD_LIBRARY_PATH="$PLUGINS/fake_cuda:$PLUGINS/fake_cupti" "$KGATE" "$@"; }

# saxpy.cu beside source.yaml, whose lines of the workload's own are given.
source_suite() {
    cp "$SOURCE/docs/examples/cuda_source/saxpy.cu" .
    {
        echo 'version: 1'
        echo 'suite: source'
        echo 'defaults: {disturbance: 100%, trace: no, rounds: {min: 2, max: 4}, min_time: 2ms, timeout: 120s, threads: 1}'
        echo 'workloads:'
        cat
    } >source.yaml
}

saxpy_suite() {
    source_suite <<YAML
  - name: saxpy
    source: ${1:-saxpy.cu}
    grid: ceil({n} / 256)
    block: 256
    matrix: {n: [1000]}
    args:
      - {i32: "{n}"}
      - {name: a, f32: 2.0}
      - {name: x, buffer: f32, count: "{n}"}
      - {name: y, buffer: f32, count: "{n}", fill: iota, out: true}
    expect: {y: "2.0 * x[i] + y[i]"}
    tolerance: 1e-6
    work: {items: "{n}", bytes: "12 * {n}", flops: "2 * {n}"}
YAML
}

# The driver of tests reads no PTX.
saxpy_ptx() {
    {
        printf '.version 8.0\n.target sm_90\n.address_size 64\n'
        for name in saxpy "$@"; do
            printf '.visible .entry %s(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) { ret; }\n' "$name"
        done
    } >saxpy.ptx
}

needs_nvrtc() {
    saxpy_suite
    ! kgate validate -c source.yaml | grep -q 'not compiled' || skip "no libnvrtc"
}

needs_code() {
    gpu doctor --seconds 0 --quiet | grep -q 'built without CUDA' && skip "built without CUDA"
    [ -e "$PLUGINS/fake_cuda/libcuda.so.1" ]
}

@test "the example of the documents is good, and compiled where NVRTC is" {
    run -0 kgate validate -c "$SOURCE/docs/examples/cuda_source/kgate.yaml"
    [[ "$output" == *"good, 2 workloads, 9 cases"* ]]
    [[ "$output" == *"9 cases of CUDA sources opened or compiled"* ||
        "$output" == *"9 cases of CUDA sources not compiled: no libnvrtc"* ]]
}

@test "the kernels of ci/gpu.sh are compiled where NVRTC is: saxpy, and the slower one" {
    cp "$SOURCE/docs/examples/cuda_source/saxpy.cu" "$SOURCE/tests/gpu/source/slower.cu" .
    sed 's/source: saxpy.ptx/source: slower.cu/' "$SOURCE/tests/gpu/source/slower.yaml" >slower.yaml
    grep -v '\.ptx\|\.cubin' "$SOURCE/tests/gpu/source/kgate.yaml" >source.yaml
    for suite in slower source; do
        run -0 kgate validate -c $suite.yaml
        [[ "$output" == *"of CUDA sources opened or compiled"* || "$output" == *"not compiled: no libnvrtc"* ]]
    done
}

@test "without a GPU it is SKIPPED as other cases are" {
    saxpy_suite
    run -0 kgate run -c source.yaml -o r.json
    jq -e '.cases[0] | .status == "SKIPPED" and .backend == "cuda_source" and .target == "saxpy.cu:saxpy"
        and .id == "saxpy/n=1000/cuda"' r.json
    valid r.json results
}

@test "validate: mistakes are said as the compiler says them, with file and line" {
    needs_nvrtc
    sed -i 's/a \* x/b * x/' saxpy.cu
    run -2 kgate validate -c source.yaml
    [[ "$output" == *"source.yaml:6:13: in workload 'saxpy': not compiled: saxpy.cu("*"): error: identifier \"b\" is undefined"* ]]
    # the file that is named in it is where it is seen from here
    mkdir deep
    mv source.yaml saxpy.cu deep
    run -2 kgate validate -c deep/source.yaml
    [[ "$output" == *"deep/saxpy.cu("*"): error:"* ]]
    saxpy_suite
    sed -i 's/grid:/entry: other\n    grid:/' source.yaml
    run -2 kgate validate -c source.yaml
    [[ "$output" == *"source.yaml:6:13: in workload 'saxpy': not compiled: 'saxpy.cu' has no kernel 'other'"* ]]
    saxpy_suite missing.cu
    run -2 kgate validate -c source.yaml
    [[ "$output" == *"cannot read 'missing.cu'"* ]]
}

@test "validate: without libnvrtc nothing is compiled, and that is said" {
    saxpy_suite
    run -0 env KGATE_NVRTC=/nowhere/libnvrtc.so "$KGATE" validate -c source.yaml
    [[ "$output" == *"1 case of CUDA sources not compiled: no libnvrtc"* ]]
}

@test "parameters are macros, and texts of options, in a source that includes a file beside it" {
    needs_nvrtc
    source_suite <<'YAML'
  - name: f
    source: f.cu
    options: ["-DTILE={tile}"]
    grid: 1
    block: "{tile}"
    matrix: {tile: [32, 64]}
    args: []
YAML
    echo '#define FACTOR 2' >f.h
    printf '#include "f.h"\nstatic_assert(TILE == KGATE_tile && FACTOR == 2, "");\nextern "C" __global__ void f() {}\n' >f.cu
    run -0 kgate validate -c source.yaml
    [[ "$output" == *"2 cases of CUDA sources opened or compiled"* ]]
    echo 'static_assert(KGATE_tile < 64, "too large");' >>f.cu
    run -2 kgate validate -c source.yaml
    [[ "$output" == *'f.cu(4): error: static assertion failed with "too large"'* ]]
}

@test "a kernel is compiled, loaded, launched, checked and timed" {
    needs_nvrtc
    needs_code
    run -0 gpu run -c source.yaml -o r.json
    valid r.json results
    jq -e '.cases[0] | .status == "OK" and .check.checked and .check.error < 1e-6 and .check.tolerance == 1e-6
        and .work.items == 1000 and .work.bytes == 12000 and .work.flops == 2000
        and .memory.device_allocated_bytes == 8000 and (.code_hash | length == 16)' r.json
    # the code is no part of the definition: another source is other code of the same case
    sed -i 's/if (i < n)/if (i < n \&\& n > 0)/' saxpy.cu
    run -0 gpu run -c source.yaml -o other.json
    [ "$(jq -r '.cases[0].definition_hash' r.json)" = "$(jq -r '.cases[0].definition_hash' other.json)" ]
    [ "$(jq -r '.cases[0].code_hash' r.json)" != "$(jq -r '.cases[0].code_hash' other.json)" ]
    # how it is called is
    sed -i 's/block: 256/block: 128/; s,/ 256,/ 128,' source.yaml
    run -0 gpu run -c source.yaml -o called.json
    [ "$(jq -r '.cases[0].definition_hash' r.json)" != "$(jq -r '.cases[0].definition_hash' called.json)" ]
}

@test "a wrong result names its element; each timing and every round starts from fresh buffers" {
    needs_code
    saxpy_suite saxpy.ptx
    saxpy_ptx
    sed -i 's/grid:/timing: [cold, hot, graph, wall]\n    grid:/' source.yaml
    run -0 gpu run -c source.yaml -o r.json
    jq -e '[.cases[] | .status == "OK" and .check.checked] == [true, true, true, true]' r.json
    saxpy_suite saxpy.ptx
    sed -i 's/grid: ceil/grid: floor/' source.yaml
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0] | .status == "FAILED" and (.reason | test("y\\[768\\] is 768, but must be "))' r.json
    saxpy_suite saxpy.ptx
    sed -i '/expect:/d; /tolerance:/d' source.yaml
    run -0 gpu run -c source.yaml -o r.json
    jq -e '.cases[0] | .status == "OK" and (.check.checked | not)' r.json
}

@test "what is expected may be a file of values beside the suite" {
    needs_code
    saxpy_suite saxpy.ptx
    saxpy_ptx
    sed -i 's/expect: .*/expect: {y: {file: y.bin}}/; s/n: \[1000\]/n: [4]/; s/count: "{n}"}/count: "{n}", fill: 1}/' source.yaml
    printf '\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40' >y.bin # 2, 3, 4, 5
    run -0 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].check | .checked and .error == 0' r.json
    printf '\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xc0\x40' >y.bin # the last is 6
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].reason | test("y\\[3\\] is 5, but must be 6")' r.json
    printf '\0\0\0\x40' >y.bin
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].reason | test("fewer bytes than the 16")' r.json
}

@test "a file of what is expected that is not there is said at its place" {
    saxpy_suite
    sed -i 's/expect: .*/expect: {y: {file: none.bin}}/' source.yaml
    run -2 kgate validate -c source.yaml
    [[ "$output" == *"source.yaml:15:24: in workload 'saxpy': \`expect\`: 'none.bin': No such file or directory" ]]
    ln -s /dev/zero none.bin
    run timeout 60 "$KGATE" list -c source.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"source.yaml:15:24: in workload 'saxpy': \`expect\`: 'none.bin' is not a regular file"* ]]
    rm none.bin
    printf '%4000s' '' >none.bin
    run -0 kgate validate -c source.yaml
}

@test "what is expected is the target branch's under --trust" {
    needs_code
    saxpy_suite saxpy.ptx
    saxpy_ptx
    sed -i 's/expect: .*/expect: {y: {file: y.bin}}/; s/n: \[1000\]/n: [4]/; s/count: "{n}"}/count: "{n}", fill: 1}/' source.yaml
    printf '\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xc0\x40' >y.bin # the last is 6, and must be 5
    git -c init.defaultBranch=main init -q .
    git add source.yaml saxpy.ptx y.bin
    git commit -qm all
    run -3 gpu run -c source.yaml --trust git:main -o r.json
    hash=$(gpu list -c source.yaml --json | jq -r '.[0].definition_hash')
    printf '\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40' >y.bin
    run -0 gpu run -c source.yaml -o r.json
    run -3 gpu run -c source.yaml --trust git:main -o r.json
    jq -e '.cases[0].reason | test("y\\[3\\] is 5, but must be 6")' r.json
    run -0 gpu list -c source.yaml --trust git:main --json
    [[ "$output" == *"this change edits y.bin: edited (not used)"* ]]
    [[ "$output" == *"$hash"* ]]
}

# pick16 of the driver of tests: y[i] is x[i] or the scalar, in turn.
pick_suite() {
    printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry pick16(.param .u32 n,
        .param .align 2 .b8 a[2], .param .u64 x, .param .u64 y) { ret; }\n' >pick.ptx
    source_suite <<YAML
  - name: pick
    source: pick.ptx
    entry: pick16
    grid: 4
    block: 256
    matrix: {n: [${2:-1000}]}
    args:
      - {i32: "{n}"}
      - {name: a, $1: 0.1}
      - {name: x, buffer: $1, count: "{n}"}
      - {name: y, buffer: $1, count: "{n}", out: true}
    expect: {y: "i % 2 ? a : x[i]"}
YAML
}

@test "f16 and bf16: buffers, a scalar of two bytes, a formula, and the tolerance of the type" {
    needs_code
    for type in 'f16 0.00390625' 'bf16 0.03125'; do
        pick_suite "${type% *}"
        run -0 gpu run -c source.yaml -o r.json
        jq -e --argjson tolerance "${type#* }" '.cases[0] | .status == "OK" and .check.error == 0
            and .check.tolerance == $tolerance and .memory.device_allocated_bytes == 4000' r.json
        # off by ten times the tolerance in one element
        sed -i "s/expect: .*/expect: {y: \"(i % 2 ? a : x[i]) + (i == 501) * 10 * ${type#* }\"}/" source.yaml
        run -3 gpu run -c source.yaml -o r.json
        jq -e '.cases[0].reason | test("y\\[501\\] is 0.(1|0999).*, but must be ")' r.json
    done
}

@test "a file of f16 or bf16 has two bytes of each value" {
    needs_code
    pick_suite f16 4
    sed -i 's/expect: .*/expect: {y: {file: y.bin}}/; s/0.1}/-2}/; s/buffer: f16, count: "{n}"}/buffer: f16, count: "{n}", fill: 1}/' source.yaml
    printf '\0\x3c\0\xc0\0\x3c\0\xc0' >y.bin # 1, -2, 1, -2
    run -0 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].check | .checked and .error == 0' r.json
    printf '\x80\x3f\0\xc0\x80\x3f\0\xc0' >y.bin # the same as bf16
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].reason | test("y\\[0\\] is 1, but must be 1.875")' r.json
    sed -i 's/f16/bf16/' source.yaml
    run -0 gpu run -c source.yaml -o r.json
    printf '\x80\x3f\0\xc0' >y.bin
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].reason | test("fewer bytes than the 8")' r.json
}

@test "a buffer that is not out must be as it was" {
    needs_code
    saxpy_suite saxpy.ptx
    saxpy_ptx
    sed -i 's/, out: true//; s/{name: x, /{name: x, out: true, fill: 1, /; s/expect: .*/expect: {x: "1"}/' source.yaml
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].reason | test("y\\[0\\] is [24], but was 0.*it is not `out`")' r.json
}

@test "what the driver refuses is said: no such kernel, too much shared memory, a block that is too large" {
    needs_code
    saxpy_suite saxpy.ptx
    saxpy_ptx nothing
    sed -i 's/grid:/shared: 64KiB\n    grid:/' source.yaml
    run -0 gpu run -c source.yaml -o r.json
    sed -i 's/64KiB/300KiB/' source.yaml
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].reason | test("the device refuses `shared`")' r.json
    saxpy_suite saxpy.ptx
    sed -i 's/grid:/entry: nothing\n    grid:/' source.yaml
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].reason | test("the code has no kernel .nothing.")' r.json
    saxpy_suite saxpy.cubin
    echo text >saxpy.cubin
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].reason | test("is no cubin file")' r.json
    run -2 kgate validate -c source.yaml
    [[ "$output" == *"'saxpy.cubin' is no cubin file"* ]]
}

@test "validate: a file must begin as its name says, with no GPU and no compiler" {
    saxpy_suite saxpy.ptx
    saxpy_ptx
    run -0 kgate validate -c source.yaml
    [[ "$output" == *"1 case of CUDA sources opened or compiled"* ]]
    cp "$KGATE" saxpy.cubin
    saxpy_suite saxpy.cubin
    run -2 kgate validate -c source.yaml
    [[ "$output" == *"'saxpy.cubin' is no cubin file: it is an ELF file for the machine "*", and CUDA's is 190"* ]]
    saxpy_suite saxpy.fatbin
    printf '\x50\xed\x55\xba\1\0\x10\0\x8\0\0\0\0\0\0\0' >saxpy.fatbin
    run -2 kgate validate -c source.yaml
    [[ "$output" == *"'saxpy.fatbin' is no fatbin file: it is shorter than its header says; it may be truncated"* ]]
    printf '12345678' >>saxpy.fatbin
    run -0 kgate validate -c source.yaml
    mv saxpy.fatbin saxpy.ptx
    saxpy_suite saxpy.ptx
    run -2 kgate validate -c source.yaml
    [[ "$output" == *"source.yaml:6:13: in workload 'saxpy': 'saxpy.ptx' is no ptx file: by its first bytes its name should end in .fatbin" ]]
}

@test "arguments must fit the parameters that the driver lists, in number and size" {
    needs_code
    saxpy_suite saxpy.fatbin
    printf '\x50\xed\x55\xba\1\0\x10\0\x8\0\0\0\0\0\0\00012345678' >saxpy.fatbin
    run -0 gpu run -c source.yaml -o r.json
    jq -e '.cases[0] | .status == "OK" and .check.checked' r.json
    sed -i '/name: y/d; /expect:/d' source.yaml
    run -0 kgate validate -c source.yaml
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0] | .status == "FAILED" and (.reason | test("takes 4 parameters of 4, 4, 8, 8 bytes, but `args` has 3"))' r.json
    saxpy_suite saxpy.fatbin
    sed -i 's/a, f32/a, f64/' source.yaml
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].reason | test("argument 2 \\(.a.\\) is a scalar of f64, 8 bytes, but parameter 2 of .saxpy. has 4")' r.json
    saxpy_suite saxpy.fatbin
    sed -i 's/x, buffer: f32, count: "{n}"/x, f32: 1/; s/x\[i\]/x/' source.yaml
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0].reason | test("argument 3 .* is a scalar of f32, 4 bytes, but parameter 3 of .saxpy. has 8")' r.json
}

@test "too few arguments are never launched" {
    needs_code
    saxpy_suite saxpy.ptx
    saxpy_ptx
    sed -i '/name: y/d; /expect:/d' source.yaml
    run -3 gpu run -c source.yaml -o r.json
    jq -e '.cases[0] | .status == "FAILED" and (.reason | test("takes 4 parameters .*has 3"))' r.json
}

@test "a baseline's gate: a source that became slower is no new case" {
    needs_code
    needs_nvrtc
    run -0 gpu gate -c source.yaml -b base -o out --update-missing
    sed -i 's/return;/return;;/; s/if (i < n)/if (i < n \&\& n != 7)/' saxpy.cu
    run gpu gate -c source.yaml -b base -o out
    jq -e '.cases[0].change != "NEW"' out/comparison.json
}

# One mistake: a line that takes the place of its key's, and what is said of it.
refused() {
    local key=${1%%:*}
    source_suite < <(
        echo '  - name: f'
        echo '    source: f.cu'
        for line in 'grid: 1' 'block: 32' 'args: []'; do
            [ "${line%%:*}" = "$key" ] || echo "    $line"
        done
        echo "    $1"
    )
    run -2 kgate list -c source.yaml
    [[ "$output" == *"$2"* ]]
}

@test "mistakes in how it is called have their place in the suite" {
    refused 'grid: "{n}"' "source.yaml:9:11: in workload 'f': '{n}' has {n}, but there is no such parameter"
    refused 'grid: 10/3' "must be whole: write ceil(10/3)"
    refused 'grid: [1, 2, 3, 4]' "'grid' must have 1 to 3 values, but has 4"
    refused 'block: 2048' "'block' is 2048, but must be from 1 to 1024"
    refused 'args: [{f32: 2, count: 3}]' "a scalar has no 'count'"
    refused 'args: [{buffer: f33, count: 3}]' "'f33' is no type; did you mean 'f32'?"
    refused 'args: [{buffer: half, count: 3}]' "'half' is no type; types: i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64"
    refused 'args: [{buffer: f32}]' "a buffer needs the key 'count'"
    refused 'args: [{count: 3}]' "one buffer"
    refused 'args: [{f32: 1, i32: 1}]' "one buffer"
    refused 'args: [3]' "an argument must be a mapping"
    refused 'args: [{buffer: f32, count: 3, fill: "1+"}]' "'fill': '1+': a number, a name or '(' must stand at 'the end'"
    refused 'args: [{buffer: f32, cuont: 3}]' "unknown key 'cuont' in an argument; did you mean 'count'?"
    refused 'args: [{name: i, i32: 3}]' "an argument cannot be called 'i'"
    refused 'args: [{name: a, i32: 3}, {name: a, i32: 3}]' "two arguments are called 'a'"
    refused 'args: [{u8: 256}]' "256 is no value of the type u8"
    refused 'expect: {y: "1"}' "no buffer of 'args' has the name 'y'"
    refused 'args: [{name: y, buffer: f32, count: 3, out: maybe}]' "'out' must be true or false"
    refused 'tolerance: 0 - 1' "'tolerance' is -1"
    refused 'work: {item: 3}' "unknown key 'item' in 'work'"
    refused 'devices: [cpu]' "runs on cuda alone"
    refused 'gridd: 3' "did you mean 'grid'?"
    refused 'workload: x' "'workload' names a workload in a plugin"
    source_suite <<<'  - {name: f, source: f.c, grid: 1, block: 1}'
    run -2 kgate list -c source.yaml
    [[ "$output" == *"'f.c' is not GPU code; its name must end in .cu, .ptx, .cubin or .fatbin"* ]]
    source_suite <<<'  - {name: f, source: f.cu, block: 1}'
    run -2 kgate list -c source.yaml
    [[ "$output" == *"needs the keys 'grid' and 'block'"* ]]
    source_suite <<<'  - {name: f, kernel: copy, grid: 1}'
    run -2 kgate list -c source.yaml
    [[ "$output" == *"'grid' goes with 'source', but workload 'f' is a kernel"* ]]
}
