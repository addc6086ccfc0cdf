/* A call of a CUDA source in numbers: elements, fills, and what is expected. */
#include <math.h>

#include "test_support.h"
#include "workload/cuda_launch.h"

/* --- Elements ---------------------------------------------------------------------------------- */

static void a_value_comes_back_from_its_bytes_as_the_type_holds_it(void **state)
{
    static const struct {
        enum kg_cuda_type type;
        double value, held;
    } rows[] = {
        {KG_CUDA_I8, -128, -128},        {KG_CUDA_I8, 1000, 127},
        {KG_CUDA_U8, 255, 255},          {KG_CUDA_U8, -1, 0},
        {KG_CUDA_I16, -2.9, -2},         {KG_CUDA_U16, 65535, 65535},
        {KG_CUDA_I32, -0x1p31, -0x1p31}, {KG_CUDA_U32, 0x1p32 - 1, 0x1p32 - 1},
        {KG_CUDA_I64, -0x1p53, -0x1p53}, {KG_CUDA_I64, 1e300, 0x1p63 - 1024},
        {KG_CUDA_U64, 0x1p63, 0x1p63},   {KG_CUDA_F32, 0.1, (double)0.1F},
        {KG_CUDA_F64, 0.1, 0.1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char bytes[9] = {0};
        bytes[kg_cuda_type_bytes(rows[i].type)] = 0xa5;
        kg_cuda_value_store(rows[i].type, rows[i].value, bytes);
        const double held = kg_cuda_value_load(rows[i].type, bytes);
        if (held != rows[i].held)
            fail_msg("%s: %g is %g, but must be %g", kg_cuda_type_names[rows[i].type],
                     rows[i].value, held, rows[i].held);
        assert_int_equal(bytes[kg_cuda_type_bytes(rows[i].type)], 0xa5);
    }
    assert_true(kg_cuda_value_fits(KG_CUDA_F32, 0.1));
    assert_false(kg_cuda_value_fits(KG_CUDA_I32, 0.5));
    assert_false(kg_cuda_value_fits(KG_CUDA_U8, 256));
    assert_false(kg_cuda_value_fits(KG_CUDA_U8, (double)NAN));
}

/* The elements of a fill: 0 to 3 of a buffer of that type. */
static void filled(enum kg_cuda_type type, const char *text, bool out, double values[4])
{
    struct kg_arena arena = {0};
    struct kg_cuda_fill fill;
    struct kg_error err;
    char bytes[32];
    const struct kg_cuda_arg arg = {.type = type, .count = "4", .fill = text, .out = out};
    if (!kg_cuda_fill_make(&arena, &arg, 2, 7, &fill, &err))
        fail_msg("%s", err.message);
    kg_cuda_fill_write(&fill, 0, 4, bytes);
    for (size_t i = 0; i < 4; i++) {
        values[i] = kg_cuda_value_load(type, bytes + i * kg_cuda_type_bytes(type));
        const double alone = kg_cuda_fill_value(&fill, i);
        assert_true(values[i] == alone || (isnan(values[i]) && isnan(alone)));
    }
    kg_arena_free(&arena);
}

static void buffers_are_filled_as_told(void **state)
{
    double values[4];
    (void)state;
    filled(KG_CUDA_I32, "iota", false, values);
    assert_true(values[0] == 0 && values[3] == 3);
    filled(KG_CUDA_F64, "zero", true, values);
    assert_true(values[0] == 0 && values[3] == 0);
    filled(KG_CUDA_F32, "2.5", false, values);
    assert_true(values[0] == 2.5 && values[3] == 2.5);
    filled(KG_CUDA_U8, "i * 100", false, values);
    assert_true(values[2] == 200 && values[3] == 255);
    /* results that are not written show */
    filled(KG_CUDA_F32, NULL, true, values);
    assert_true(isnan(values[0]));
    filled(KG_CUDA_I32, NULL, true, values);
    assert_true(values[0] == -1);
}

static void random_values_are_in_their_range_and_their_own(void **state)
{
    double floats[4], again[4], whole[4];
    (void)state;
    filled(KG_CUDA_F32, "random", false, floats);
    filled(KG_CUDA_F32, NULL, false, again);
    filled(KG_CUDA_U8, "random", false, whole);
    for (size_t i = 0; i < 4; i++) {
        assert_true(floats[i] >= -1 && floats[i] <= 1 && floats[i] == again[i]);
        assert_true(whole[i] >= 0 && whole[i] <= 255);
    }
    assert_true(floats[0] != floats[1]);
}

/* --- Calls ------------------------------------------------------------------------------------- */

static const char *grid[] = {"ceil(1000 / 256)"}, *block[] = {"16", "8", "2"};
static struct kg_cuda_arg args[] = {
    {.type = KG_CUDA_I32, .value = "1000", .mark = {5, 1}},
    {.name = "a", .type = KG_CUDA_F32, .value = "0.1", .mark = {6, 1}},
    {.name = "x", .type = KG_CUDA_F64, .count = "1000", .fill = "iota", .mark = {7, 1}},
    {.name = "y", .type = KG_CUDA_F64, .count = "1000", .fill = "1", .out = true, .mark = {8, 1}},
};

static struct kg_cuda_call call_new(void)
{
    args[3].expect = "a * x[i] + y[i]";
    args[3].expect_file = NULL;
    return (struct kg_cuda_call){.folder = "bench/",
                                 .entry = "f",
                                 .grid = grid,
                                 .grid_count = 1,
                                 .block = block,
                                 .block_count = 3,
                                 .shared = "48KiB",
                                 .args = args,
                                 .arg_count = 4,
                                 .tolerance = "1e-6",
                                 .items = "1000",
                                 .grid_mark = {2, 3},
                                 .block_mark = {3, 3},
                                 .shared_mark = {4, 3}};
}

static void a_call_comes_to_numbers(void **state)
{
    const struct kg_cuda_call call = call_new();
    struct kg_cuda_launch launch;
    struct kg_arena arena = {0};
    struct kg_mark at;
    struct kg_error err;
    (void)state;
    assert_true(kg_cuda_launch_make(&arena, &call, 1, &launch, &at, &err));
    assert_int_equal(launch.grid[0], 4);
    assert_int_equal(launch.grid[1], 1);
    assert_int_equal(launch.block[0], 16);
    assert_int_equal(launch.block[2], 2);
    assert_int_equal(launch.shared_bytes, 49152);
    assert_int_equal(launch.args[0].scalar, 1000);
    assert_int_equal(launch.args[2].count, 1000);
    assert_true(launch.items == 1000 && launch.flops == 0 && launch.tolerance == 1e-6);
    assert_true(kg_cuda_expects(&launch));
    /* a is the float that the kernel reads */
    assert_true(kg_cuda_expected(&launch, 3, 10) == (double)0.1F * 10 + 1);
    kg_arena_free(&arena);
}

static void what_is_expected_may_be_a_file_beside_the_suite(void **state)
{
    struct kg_cuda_call call = call_new();
    struct kg_cuda_launch launch;
    struct kg_arena arena = {0};
    struct kg_mark at;
    struct kg_error err;
    (void)state;
    args[3].expect = NULL;
    args[3].expect_file = "y.bin";
    assert_true(kg_cuda_launch_make(&arena, &call, 1, &launch, &at, &err));
    assert_string_equal(launch.args[3].expect_file, "bench/y.bin");
    args[3].expect_file = "/abs/y.bin";
    assert_true(kg_cuda_launch_make(&arena, &call, 1, &launch, &at, &err));
    assert_string_equal(launch.args[3].expect_file, "/abs/y.bin");
    kg_arena_free(&arena);
}

static void refused(const struct kg_cuda_call *call, unsigned line, const char *said)
{
    struct kg_cuda_launch launch;
    struct kg_arena arena = {0};
    struct kg_mark at;
    struct kg_error err;
    assert_false(kg_cuda_launch_make(&arena, call, 1, &launch, &at, &err));
    if (at.line != line || !strstr(err.message, said))
        fail_msg("line %u: %s", at.line, err.message);
    kg_arena_free(&arena);
}

static void what_no_device_can_do_is_refused_at_its_place(void **state)
{
    struct kg_cuda_call call = call_new();
    const char *text;
    (void)state;
    text = "1000 / 256";
    call.grid = &text;
    refused(&call, 2, "must be whole: write ceil(1000 / 256)");
    text = "0 - 1";
    refused(&call, 2, "must be from 1");
    call = call_new();
    block[0] = "1024";
    refused(&call, 3, "'block' has 16384 threads");
    block[0] = "16";
    call.shared = "lots";
    refused(&call, 4, "'shared': 'lots': there is no such name");
    call = call_new();
    args[0].value = "2.5";
    refused(&call, 5, "2.5 is no value of the type i32");
    args[0].value = "1000";
    args[2].count = "0";
    refused(&call, 7, "'count' is 0");
    args[2].count = "1000";
    args[3].expect = "x[i] + z[i]";
    refused(&call, 8, "'expect' of 'y'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_comes_back_from_its_bytes_as_the_type_holds_it),
        cmocka_unit_test(buffers_are_filled_as_told),
        cmocka_unit_test(random_values_are_in_their_range_and_their_own),
        cmocka_unit_test(a_call_comes_to_numbers),
        cmocka_unit_test(what_is_expected_may_be_a_file_beside_the_suite),
        cmocka_unit_test(what_no_device_can_do_is_refused_at_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
