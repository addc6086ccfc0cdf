/* The run-time compiler, which needs no device. Tests are skipped if NVRTC is not installed. */
#include "device/nvrtc.h"
#include "test_support.h"

#include <unistd.h>

static const char text[] = "extern \"C\" __global__ void plain(float *y) { y[0] = VALUE; }\n"
                           "template <typename T> __global__ void any(T *y) { y[0] = T(1); }\n";
static const char *const options[] = {"--gpu-architecture=sm_90", "-DVALUE=2.0f"};

static struct kg_nvrtc_source source_new(const char *entry)
{
    return (struct kg_nvrtc_source){
        .text = text, .file = "a.cu", .entry = entry, .options = options, .option_count = 2};
}

/* Compiles, or skips the test if there is no compiler. */
static bool compiled(const struct kg_nvrtc_source *source, struct kg_arena *arena,
                     struct kg_nvrtc_image *image, struct kg_error *err)
{
    const enum kg_nvrtc_result result = kg_nvrtc_compile(NULL, source, arena, image, err);
    if (result == KG_NVRTC_MISSING)
        skip();
    return result == KG_NVRTC_GOOD;
}

static void headers_beside_the_library_are_found(void **state)
{
    struct kg_arena arena = {0};
    struct kg_nvrtc_image image;
    struct kg_error err;
    struct kg_nvrtc_source source = source_new("half_of");
    (void)state;
    source.text =
        "#include <cuda_fp16.h>\n"
        "extern \"C\" __global__ void half_of(__half *y) { y[0] = __float2half(0.5f); }\n";
    if (access("/usr/local/cuda/include/cuda_fp16.h", R_OK) != 0)
        skip();
    if (!compiled(&source, &arena, &image, &err))
        fail_msg("%s", err.message);
    assert_string_equal(image.symbol, "half_of");
    kg_arena_free(&arena);
}

static void a_kernel_becomes_a_binary_with_its_symbol(void **state)
{
    struct kg_arena arena = {0};
    struct kg_nvrtc_image image;
    struct kg_error err;
    struct kg_nvrtc_source source = source_new("plain");
    (void)state;
    if (!compiled(&source, &arena, &image, &err))
        fail_msg("%s", err.message);
    assert_memory_equal(image.bytes, "\177ELF", 4);
    assert_string_equal(image.symbol, "plain");
    source.entry = "any<double>";
    assert_true(compiled(&source, &arena, &image, &err));
    assert_non_null(strstr(image.symbol, "any"));
    kg_arena_free(&arena);
}

static void a_virtual_architecture_gives_ptx(void **state)
{
    static const char *const virtual[] = {"--gpu-architecture=compute_90", "-DVALUE=2.0f"};
    struct kg_arena arena = {0};
    struct kg_nvrtc_image image;
    struct kg_error err;
    struct kg_nvrtc_source source = source_new("plain");
    (void)state;
    source.options = virtual;
    if (!compiled(&source, &arena, &image, &err))
        fail_msg("%s", err.message);
    assert_non_null(strstr(image.bytes, ".entry plain"));
    kg_arena_free(&arena);
}

static void mistakes_are_noted_as_the_compiler_prints_them(void **state)
{
    struct kg_arena arena = {0};
    struct kg_nvrtc_image image;
    struct kg_error err;
    struct kg_nvrtc_source source = source_new("plain");
    (void)state;
    source.option_count = 1;
    assert_false(compiled(&source, &arena, &image, &err));
    assert_string_equal(err.message, "a.cu(1): error: identifier \"VALUE\" is undefined");
    source = source_new("other");
    assert_false(compiled(&source, &arena, &image, &err));
    assert_string_equal(err.message, "'a.cu' has no kernel 'other'");
    source = source_new("any<float>");
    source.text = "template <typename T> __global__ void any(T *y) { y[0] = T(1) }\n";
    assert_false(compiled(&source, &arena, &image, &err));
    assert_non_null(strstr(err.message, "a.cu(1): error: expected a \";\""));
    assert_null(strstr(err.message, "__nv_name_map"));
    source = source_new("any<nothing>");
    assert_false(compiled(&source, &arena, &image, &err));
    assert_string_equal(err.message, "'a.cu' has no kernel 'any<nothing>'");
    source.text = "__global__ void any(float *y) { y[0] = 1 }\n";
    assert_false(compiled(&source, &arena, &image, &err));
    assert_string_equal(err.message,
                        "a.cu(1): error: expected a \";\"; 'a.cu' has no kernel 'any<nothing>'");
    kg_arena_free(&arena);
}

static void without_a_compiler_that_is_noted(void **state)
{
    static const char *const nowhere[] = {"/nowhere/libnvrtc.so", NULL}, *const other[] = {
                                                                             "libc.so.6", NULL};
    struct kg_arena arena = {0};
    struct kg_nvrtc_image image;
    struct kg_error err;
    const struct kg_nvrtc_source source = source_new("plain");
    (void)state;
    assert_int_equal(kg_nvrtc_compile(nowhere, &source, &arena, &image, &err), KG_NVRTC_MISSING);
    assert_non_null(strstr(err.message, "no libnvrtc"));
    assert_int_equal(kg_nvrtc_compile(other, &source, &arena, &image, &err), KG_NVRTC_MISSING);
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_beside_the_library_are_found),
        cmocka_unit_test(a_kernel_becomes_a_binary_with_its_symbol),
        cmocka_unit_test(a_virtual_architecture_gives_ptx),
        cmocka_unit_test(mistakes_are_noted_as_the_compiler_prints_them),
        cmocka_unit_test(without_a_compiler_that_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
