/* The kernels in PTX and cubins: what is there, what they take, and what is none. */
#include "base/code/gpu_kernels.h"
#include "base/random.h"
#include "device/nvrtc.h"
#include "object_builder.h"
#include "test_support.h"

/* --- PTX --------------------------------------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_90, debug\n.address_size 64\n"

/* What compilers write around a kernel, and what must not be taken for one. */
static const char ptx[] =
    "// .visible .entry comment()\n"
    "/* .entry comment2() {\n */\n"
    "# 1 \"a.cu\" .entry line()\n" HEAD ".file 1 \"/src/.entry string() {.cu\"\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 text[4] = {37, 100, 10, 0};\n"
    ".visible .entry declared(.param .u64 p);\n"
    ".weak .entry bare\n.pragma \"nounroll\";\n{ ret; }\n"
    ".visible .entry none()\n.maxntid 256, 1, 1\n.minnctapersm 2\n{ ret; }\n"
    ".visible .entry\t_Z4manyPf(\n"
    "\t.param .u64 .ptr .global .align 16 p0, // the first,\n"
    "\t.param .align 2 .b8 p1[2],\n"
    "\t.param .f32 p2, .param .s8 p3, .param .b16 p4[0x3],\n"
    "\t.param .align 4 .b8 p5[12] /* ) */, .param .texref p6\n"
    ")\n{\n\t.reg .b32 %r<2>; { .entry: } \n\t{ st.param.b64 [q+0], %rd2; }\n"
    "\t// }}}\n\tret;\n}\n"
    "\t.section .debug_str { $L__s: .b8 46, 101 }\n"
    ".entry last(.param .b128 q[]) { ret; }\n";

static bool ptx_read(const char *text, size_t length, const char *wanted, struct kg_arena *arena,
                     struct kg_gpu_kernels *kernels, struct kg_error *err)
{
    /* exactly as much memory as there is text: what is read beyond is found by the sanitizers */
    char *copy = malloc(length + !length);
    memcpy(copy, text, length);
    const bool good = kg_gpu_kernels_ptx(copy, length, wanted, arena, kernels, err);
    free(copy);
    return good;
}

static void kernels_of_ptx_are_found_with_the_sizes_of_their_parameters(void **state)
{
    static const char *const names[] = {"bare", "none", "_Z4manyPf", "last"};
    static const size_t many[] = {8, 2, 4, 1, 6, 12, 0};
    struct kg_arena arena = {0};
    struct kg_gpu_kernels kernels;
    struct kg_error err;
    (void)state;
    if (!ptx_read(ptx, sizeof ptx, "_Z4manyPf", &arena, &kernels, &err))
        fail_msg("%s", err.message);
    assert_int_equal(kernels.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(kernels.names[i], names[i]);
    assert_true(kernels.found && kernels.parameters_known);
    assert_int_equal(kernels.parameter_count, 7);
    assert_memory_equal(kernels.parameter_bytes, many, sizeof many);
    for (size_t i = 0; i < 2; i++) {
        assert_true(ptx_read(ptx, sizeof ptx, names[i], &arena, &kernels, &err));
        assert_true(kernels.found && kernels.parameters_known && !kernels.parameter_count);
    }
    assert_true(ptx_read(ptx, sizeof ptx, "last", &arena, &kernels, &err));
    assert_true(kernels.parameter_count == 1 && kernels.parameter_bytes[0] == 0);
    assert_true(ptx_read(ptx, sizeof ptx, "declared", &arena, &kernels, &err));
    assert_false(kernels.found);
    kg_arena_free(&arena);
}

static void what_is_no_ptx_is_said_with_its_line(void **state)
{
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"", "it ends in line 1, where '.version'"},
        {"\n\n// all\n", "it ends in line 4, where '.version'"},
        {"hello", "line 1 has 'hello' where '.version'"},
        {"\177ELF", "line 1 has the byte 0x7f where '.version'"},
        {".version\n8.0 .entry f() {}",
         "line 2 has '.entry' where '.target', such as '.target sm_90'"},
        {".version eight", "line 1 has 'eight' where a version"},
        {".version 8.", "line 1 has '.' where the second number"},
        {".version 8.0 .target", "it ends in line 1, where a target"},
        {HEAD "/* \n", "line 4: a comment does not end"},
        {HEAD ".file 1 \"a", "line 4: a string does not end"},
        {HEAD ".entry f(.param .u64 a", "it ends in line 4"},
        {HEAD ".entry f(.param .u64 a; )", "line 4 has ';' where a parameter"},
        {HEAD ".entry f(.u64 a)", "line 4 has '.u64' where '.param' or ')'"},
        {HEAD ".entry f(.param .u64 a,)", "line 4 has ')' where '.param'"},
        {HEAD ".entry (.param .u64 a)", "line 4 has '(' where the name of a kernel"},
        {HEAD ".entry f()", "it ends in line 4, where the '{' of a kernel"},
        {HEAD "\n.entry f() { {", "the '{' of line 5 is not closed"},
        {HEAD "}", "line 4 has '}' where a directive"},
    };
    struct kg_arena arena = {0};
    struct kg_gpu_kernels kernels;
    struct kg_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool good = ptx_read(rows[i].text, strlen(rows[i].text), "f", &arena, &kernels, &err);
        if (good || err.kind != KG_ERROR_USAGE || !strstr(err.message, rows[i].said) ||
            strncmp(err.message, "is no PTX: ", 11) != 0)
            fail_msg("'%s': %s", rows[i].text, good ? "taken" : err.message);
    }
    kg_arena_free(&arena);
}

/* Anything is an answer, but for what would read or write beyond: that is the sanitizers' to find. */
static void ptx_cut_off_at_any_byte_or_with_one_changed_is_read_without_harm(void **state)
{
    enum { SEED = 5, CHANGES = 20000 };
    static const char bytes[] = "(){}[],;.\"/*\\#\n0x9\377 \1";
    struct kg_random random = {SEED};
    struct kg_gpu_kernels kernels;
    struct kg_error err;
    char changed[sizeof ptx];
    (void)state;
    print_message("seed %d\n", SEED);
    for (size_t length = 0; length < sizeof ptx; length++) {
        struct kg_arena arena = {0};
        const bool good = ptx_read(ptx, length, "last", &arena, &kernels, &err);
        assert_true(good || err.kind == KG_ERROR_USAGE);
        /* a kernel is there when its '{' is, and the file is whole when that is closed */
        assert_true(!good || length < sizeof ptx - 3 || kernels.found);
        kg_arena_free(&arena);
    }
    for (size_t i = 0; i < CHANGES; i++) {
        struct kg_arena arena = {0};
        memcpy(changed, ptx, sizeof ptx);
        for (size_t k = 0; k < 1 + i % 4; k++)
            changed[kg_random_below(&random, sizeof ptx)] =
                bytes[kg_random_below(&random, sizeof bytes)];
        ptx_read(changed, sizeof changed, "_Z4manyPf", &arena, &kernels, &err);
        kg_arena_free(&arena);
    }
}

/* --- Cubins ------------------------------------------------------------------------------------ */

enum { MACHINE = 190, ENTRY = 0x10, MACHINE_AT = 18 };

/* Two kernels, and a function that is none. `f` takes 4, 2 and 8 bytes, said from the last on. */
static const unsigned char f_about[] = {
    4, 0x37, 4,    0, 0x82, 0,    0,    0,                               /* a version */
    4, 0x17, 12,   0, 0,    0,    0,    0, 2, 0, 8, 0, 0, 0xf0, 0x21, 0, /* 8 bytes at 8 */
    4, 0x17, 12,   0, 0,    0,    0,    0, 1, 0, 4, 0, 0, 0xf0, 0x09, 0, /* 2 at 4 */
    4, 0x17, 12,   0, 0,    0,    0,    0, 0, 0, 0, 0, 0, 0xf0, 0x11, 0, /* 4 at 0 */
    3, 0x1b, 0xff, 0, 3,    0x19, 0x10, 0,                               /* 16 bytes of all */
};

static void cubin_make(struct object *object, const void *about, size_t about_bytes,
                       unsigned machine)
{
    enum { CODE = SHF_ALLOC | SHF_EXECINSTR };
    static const char *const names[] = {"g", "f", "helper"};
    object_begin(object);
    for (size_t i = 0; i < 3; i++) {
        char section[32];
        snprintf(section, sizeof section, ".text.%s", names[i]);
        const size_t code = object_section(object, section, SHT_PROGBITS, CODE, "codecode", 8);
        const size_t symbol = object_symbol(object, names[i], STB_GLOBAL, STT_FUNC, code, 0, 8);
        object->symbols[symbol].st_other = i < 2 ? ENTRY : 0;
        if (i != 1)
            continue;
        const size_t info = object_section(object, ".nv.info.f", SHT_LOPROC, 0, about, about_bytes);
        object->sections[info].sh_info = (Elf64_Word)code;
    }
    object_end(object);
    const Elf64_Half kind = (Elf64_Half)machine;
    memcpy(object->bytes + MACHINE_AT, &kind, sizeof kind);
}

static void kernels_of_a_cubin_are_its_entries(void **state)
{
    static const size_t sizes[] = {4, 2, 8};
    struct kg_arena arena = {0};
    struct kg_gpu_kernels kernels;
    struct kg_error err;
    struct object object;
    (void)state;
    cubin_make(&object, f_about, sizeof f_about, MACHINE);
    if (!kg_gpu_kernels_cubin(object.bytes, object.length, "f", &arena, &kernels, &err))
        fail_msg("%s", err.message);
    assert_int_equal(kernels.count, 2);
    assert_string_equal(kernels.names[0], "g");
    assert_string_equal(kernels.names[1], "f");
    assert_true(kernels.found && kernels.parameters_known);
    assert_int_equal(kernels.parameter_count, 3);
    assert_memory_equal(kernels.parameter_bytes, sizes, sizeof sizes);
    /* without a section about it nothing is known of its parameters */
    assert_true(kg_gpu_kernels_cubin(object.bytes, object.length, "g", &arena, &kernels, &err));
    assert_true(kernels.found && !kernels.parameters_known);
    assert_true(
        kg_gpu_kernels_cubin(object.bytes, object.length, "helper", &arena, &kernels, &err));
    assert_false(kernels.found);
    kg_arena_free(&arena);
}

static void parameters_that_are_said_in_another_way_are_not_known(void **state)
{
    static const struct {
        unsigned char bytes[20];
        size_t length;
        bool known;
    } rows[] = {
        {{3, 0x1b, 0xff, 0}, 4, true},                        /* there are none */
        {{3, 0x19, 8, 0}, 4, false},                          /* 8 bytes, of what? */
        {{4, 0x45, 4, 0, 0, 0, 0, 0}, 8, false},              /* large ones */
        {{4, 0x17, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 12, false}, /* shorter */
        {{4, 0x17, 12, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x20, 0}, 16, false}, /* the second alone */
        {{4, 0x17, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20}, 15, false},    /* cut off */
    };
    struct kg_arena arena = {0};
    struct kg_gpu_kernels kernels;
    struct kg_error err;
    struct object object;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cubin_make(&object, rows[i].bytes, rows[i].length, MACHINE);
        assert_true(kg_gpu_kernels_cubin(object.bytes, object.length, "f", &arena, &kernels, &err));
        if (kernels.parameters_known != rows[i].known)
            fail_msg("row %zu is known: %d", i, kernels.parameters_known);
    }
    kg_arena_free(&arena);
}

static void what_is_no_cubin_is_said(void **state)
{
    struct kg_arena arena = {0};
    struct kg_gpu_kernels kernels;
    struct kg_error err;
    struct object object;
    (void)state;
    cubin_make(&object, f_about, sizeof f_about, EM_X86_64);
    assert_false(kg_gpu_kernels_cubin(object.bytes, object.length, "f", &arena, &kernels, &err));
    assert_string_equal(err.message, "is no cubin file: it is an ELF file for the machine 62, and "
                                     "CUDA's is 190");
    assert_false(kg_gpu_kernels_cubin("text", 4, "f", &arena, &kernels, &err));
    assert_string_equal(err.message, "is no cubin file: it is no ELF file");
    kg_arena_free(&arena);
}

static void a_cubin_cut_off_at_any_byte_or_with_one_changed_is_read_without_harm(void **state)
{
    enum { SEED = 6, CHANGES = 20000 };
    struct kg_random random = {SEED};
    struct kg_gpu_kernels kernels;
    struct kg_error err;
    struct object object;
    (void)state;
    print_message("seed %d\n", SEED);
    cubin_make(&object, f_about, sizeof f_about, MACHINE);
    for (size_t i = 0; i < object.length + CHANGES; i++) {
        const size_t length = i < object.length ? i : object.length;
        struct kg_arena arena = {0};
        unsigned char *copy = malloc(length + !length);
        memcpy(copy, object.bytes, length);
        if (i >= object.length)
            copy[kg_random_below(&random, length)] = (unsigned char)kg_random_next(&random);
        const bool good = kg_gpu_kernels_cubin(copy, length, "f", &arena, &kernels, &err);
        assert_true(good || err.kind == KG_ERROR_USAGE);
        assert_false(good && i < object.length); /* its section headers are at the end */
        kg_arena_free(&arena);
        free(copy);
    }
}

/* --- Fat binaries ------------------------------------------------------------------------------ */

static void a_fat_binary_is_known_by_its_header(void **state)
{
    unsigned char bytes[24] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 8};
    struct kg_error err;
    (void)state;
    assert_true(kg_gpu_fatbin_check(bytes, sizeof bytes, &err));
    for (size_t length = 0; length < sizeof bytes; length++) {
        unsigned char *copy = malloc(length + !length);
        memcpy(copy, bytes, length);
        assert_false(kg_gpu_fatbin_check(copy, length, &err));
        free(copy);
    }
    assert_string_equal(err.message,
                        "is no fatbin file: it is shorter than its header says: is it whole?");
    bytes[0] = 0x51;
    assert_false(kg_gpu_fatbin_check(bytes, sizeof bytes, &err));
    assert_string_equal(err.message, "is no fatbin file: it does not begin with 0xBA55ED50");
}

/* --- CUDA C++ ---------------------------------------------------------------------------------- */

static void names_of_kernels_are_seen_in_a_source(void **state)
{
    static const char text[] =
        "// __global__ void comment();\n#define MACRO __global__ void macro()\n"
        "template <typename T> __global__ void __launch_bounds__(sizeof(T) * 64, 2) axpy(T *y);\n"
        "static __global__ __cluster_dims__(2, 1, 1) void two(int n) { f(\"__global__ void "
        "string()\"); }\n"
        "extern \"C\" __global__ void\n  three\n(void) {}\n"
        "template <typename T> __global__ void axpy(T *y) {}\n"
        "__global__ int variable; __global__ (*pointer)(); __global__ void last(";
    static const char *const names[] = {"axpy", "two", "three", "last"};
    struct kg_gpu_kernels kernels;
    struct kg_error err;
    (void)state;
    for (size_t length = 0; length <= sizeof text; length++) {
        struct kg_arena arena = {0};
        char *copy = malloc(length + !length);
        memcpy(copy, text, length);
        assert_true(kg_gpu_kernels_source(copy, length, &arena, &kernels, &err));
        free(copy);
        for (size_t i = 0; i < kernels.count; i++)
            assert_string_equal(kernels.names[i], names[i]);
        assert_true(length < sizeof text || kernels.count == 4);
        kg_arena_free(&arena);
    }
}

/* --- What the compiler makes ------------------------------------------------------------------- */

static const char source[] = "struct three { int a[3]; };\n"
                             "__device__ __noinline__ float square(float x) { return x * x; }\n"
                             "extern \"C\" __global__ void every(int n, double d, const float *x, "
                             "unsigned short h, char c,\n"
                             "                                three t, float *y)\n"
                             "{ y[n] = square(x[n]) + (float)d + h + c + t.a[2]; }\n"
                             "extern \"C\" __global__ void nothing() {}\n";

static void of_one_source(const char *architecture, const char *entry, const size_t *sizes,
                          size_t count)
{
    const char *const options[] = {architecture};
    const struct kg_nvrtc_source from = {
        .text = source, .file = "a.cu", .entry = entry, .options = options, .option_count = 1};
    struct kg_arena arena = {0};
    struct kg_nvrtc_image image;
    struct kg_gpu_kernels of[2];
    struct kg_error err;
    const enum kg_nvrtc_result result = kg_nvrtc_compile(NULL, &from, &arena, &image, &err);
    if (result == KG_NVRTC_MISSING)
        skip();
    if (result != KG_NVRTC_GOOD)
        fail_msg("%s", err.message);
    if (!kg_gpu_kernels_ptx(image.ptx, image.ptx_length, entry, &arena, &of[0], &err) ||
        !kg_gpu_kernels_cubin(image.bytes, image.length, entry, &arena, &of[1], &err))
        fail_msg("%s: %s", architecture, err.message);
    for (size_t i = 0; i < 2; i++) {
        assert_true(of[i].count == 2 && of[i].found && of[i].parameters_known);
        assert_int_equal(of[i].parameter_count, count);
        if (count)
            assert_memory_equal(of[i].parameter_bytes, sizes, count * sizeof *sizes);
    }
    kg_arena_free(&arena);
}

static void ptx_and_cubin_of_one_source_say_the_same(void **state)
{
    static const size_t sizes[] = {4, 8, 8, 2, 1, 12, 8};
    (void)state;
    of_one_source("--gpu-architecture=sm_90", "every", sizes, 7);
    of_one_source("--gpu-architecture=sm_90", "nothing", NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_ptx_are_found_with_the_sizes_of_their_parameters),
        cmocka_unit_test(what_is_no_ptx_is_said_with_its_line),
        cmocka_unit_test(ptx_cut_off_at_any_byte_or_with_one_changed_is_read_without_harm),
        cmocka_unit_test(kernels_of_a_cubin_are_its_entries),
        cmocka_unit_test(parameters_that_are_said_in_another_way_are_not_known),
        cmocka_unit_test(what_is_no_cubin_is_said),
        cmocka_unit_test(a_cubin_cut_off_at_any_byte_or_with_one_changed_is_read_without_harm),
        cmocka_unit_test(a_fat_binary_is_known_by_its_header),
        cmocka_unit_test(names_of_kernels_are_seen_in_a_source),
        cmocka_unit_test(ptx_and_cubin_of_one_source_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
