/* A call of a CUDA source in numbers: elements, fills, and expected results. */
#include <math.h>

#include "base/random.h"
#include "suite/sources/cuda_launch.h"
#include "test_support.h"

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
    assert_true(kg_cuda_value_fits(KG_CUDA_F16, 0.1));
    assert_false(kg_cuda_value_fits(KG_CUDA_I32, 0.5));
    assert_false(kg_cuda_value_fits(KG_CUDA_U8, 256));
    assert_false(kg_cuda_value_fits(KG_CUDA_U8, (double)NAN));
}

/* --- Floats of 16 bits ------------------------------------------------------------------------- */

enum { SHORTS = 1 << 16 };

/* Their definition in IEEE 754, by hand: bits of the exponent and of the fraction. */
static const struct short_float {
    enum kg_cuda_type type;
    int exponent_bits, digits;
} short_floats[] = {{KG_CUDA_F16, 5, 10}, {KG_CUDA_BF16, 8, 7}};

/* The number of these bits, if finite. For infinity, the next power of two. */
static long double defined(const struct short_float *kind, unsigned bits)
{
    const int bias = (1 << (kind->exponent_bits - 1)) - 1;
    const int place = (int)(bits >> kind->digits) & ((1 << kind->exponent_bits) - 1);
    const unsigned fraction = bits & ((1U << kind->digits) - 1);
    const long double size = place ? ldexpl(1 + ldexpl(fraction, -kind->digits), place - bias)
                                   : ldexpl(fraction, 1 - bias - kind->digits);
    return bits >> 15 ? -size : size;
}

static unsigned infinity_of(const struct short_float *kind)
{
    return ((1U << kind->exponent_bits) - 1) << kind->digits;
}

static unsigned stored(const struct short_float *kind, double value)
{
    uint16_t bits;
    kg_cuda_value_store(kind->type, value, &bits);
    return bits;
}

static void each_of_16_bits_is_what_ieee_754_defines_and_comes_back(void **state)
{
    for (size_t k = 0; k < 2; k++) {
        const struct short_float *kind = &short_floats[k];
        const unsigned infinity = infinity_of(kind), quiet = 1U << (kind->digits - 1);
        for (unsigned bits = 0; bits < SHORTS; bits++) {
            const unsigned size = bits & 0x7fff;
            const uint16_t element = (uint16_t)bits;
            const double value = kg_cuda_value_load(kind->type, &element);
            const bool good = size > infinity    ? isnan(value)
                              : size == infinity ? isinf(value)
                                                 : (long double)value == defined(kind, bits);
            /* a NaN that signals is quiet, as after any operation */
            const unsigned back = size > infinity ? bits | quiet : bits;
            if (!good || (signbit(value) != 0) != (bits >> 15) || stored(kind, value) != back ||
                stored(kind, (double)(float)value) != back)
                fail_msg("%s 0x%04x is %g and comes back as 0x%04x", kg_cuda_type_names[kind->type],
                         bits, value, stored(kind, value));
        }
    }
}

static void a_nan_stays_one_where_its_first_bits_are_0(void **state)
{
    static const uint64_t nan = UINT64_C(0xfff0000000000001); /* signals, by its last bit */
    double value;
    memcpy(&value, &nan, sizeof value);
    for (size_t k = 0; k < 2; k++) {
        const struct short_float *kind = &short_floats[k];
        assert_int_equal(stored(kind, value),
                         0x8000U | infinity_of(kind) | 1U << (kind->digits - 1));
    }
}

/* The nearest value, by search: neighbours by bits are neighbours by value, and infinity stands for
 * the next power of two (IEEE 754, 4.3.1). long double holds all compared values. */
static unsigned nearest_by_search(const struct short_float *kind, double value)
{
    unsigned low = 0, high = infinity_of(kind);
    const long double size = fabsl((long double)value);
    const unsigned sign = signbit(value) ? 0x8000 : 0;
    if (size >= defined(kind, high))
        return sign | high;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        *(defined(kind, middle) <= size ? &low : &high) = middle;
    }
    const long double below = size - defined(kind, low), above = defined(kind, high) - size;
    const bool up = above < below || (above == below && low % 2);
    return sign | (up ? high : low);
}

static void rounded_to_the_nearest(const struct short_float *kind, double value)
{
    if (stored(kind, value) != nearest_by_search(kind, value))
        fail_msg("%s of %a is 0x%04x, but must be 0x%04x", kg_cuda_type_names[kind->type], value,
                 stored(kind, value), nearest_by_search(kind, value));
}

static void a_number_between_two_becomes_the_nearer_and_of_two_the_even(void **state)
{
    for (size_t k = 0; k < 2; k++) {
        const struct short_float *kind = &short_floats[k];
        for (unsigned bits = 0; bits < infinity_of(kind); bits++) {
            const double middle = (double)((defined(kind, bits) + defined(kind, bits + 1)) / 2);
            const double values[] = {nextafter(middle, 0), middle, nextafter(middle, INFINITY)};
            for (size_t i = 0; i < 3; i++) {
                rounded_to_the_nearest(kind, values[i]);
                rounded_to_the_nearest(kind, -values[i]);
            }
        }
    }
}

static void any_double_becomes_the_nearest(void **state)
{
    enum { DRAWS = 200000, SEED = 11 };
    struct kg_random random = {SEED};
    print_message("seed %d\n", SEED);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < DRAWS; i++) {
            const uint64_t bits = kg_random_next(&random);
            double value, single;
            float narrow;
            const uint32_t half = (uint32_t)bits;
            memcpy(&value, &bits, sizeof value);
            memcpy(&narrow, &half, sizeof narrow);
            single = (double)narrow;
            if (!isnan(value))
                rounded_to_the_nearest(&short_floats[k], value);
            if (!isnan(single))
                rounded_to_the_nearest(&short_floats[k], single);
            rounded_to_the_nearest(&short_floats[k], kg_random_between(&random, -1e5, 1e5));
        }
}

#ifdef __FLT16_MANT_DIG__
__extension__ typedef _Float16 native_half;
#endif

/* Compares with the compiler's own conversion, if available. */
static void half_precision_is_what_the_compiler_makes_of_it(void **state)
{
#ifdef __FLT16_MANT_DIG__
    struct kg_random random = {12};
    for (size_t i = 0; i < 200000; i++) {
        const double value = ldexp(kg_random_between(&random, -1, 1), (int)(i % 48) - 28);
        const native_half half = (native_half)value;
        uint16_t bits;
        memcpy(&bits, &half, sizeof bits);
        if (stored(&short_floats[0], value) != bits)
            fail_msg("f16 of %a is 0x%04x, the compiler's 0x%04x", value,
                     stored(&short_floats[0], value), bits);
    }
#else
    skip();
#endif
}

static void a_default_tolerance_is_of_the_type(void **state)
{
    static const struct {
        enum kg_cuda_type type;
        double one_and_more; /* the next number after 1 */
    } rows[] = {{KG_CUDA_F16, 1 + 0x1p-10},
                {KG_CUDA_BF16, 1 + 0x1p-7},
                {KG_CUDA_F32, 1 + 0x1p-23},
                {KG_CUDA_F64, 1 + 0x1p-52}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char element[8];
        kg_cuda_value_store(rows[i].type, rows[i].one_and_more, element);
        assert_true(kg_cuda_value_load(rows[i].type, element) == rows[i].one_and_more);
        assert_true(kg_cuda_type_tolerance(rows[i].type) == 4 * (rows[i].one_and_more - 1));
    }
    assert_true(kg_cuda_type_tolerance(KG_CUDA_I8) == 0 &&
                kg_cuda_type_tolerance(KG_CUDA_U64) == 0);
}

/* --- Fills ------------------------------------------------------------------------------------- */

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

static void buffers_are_filled_as_asked(void **state)
{
    double values[4];
    filled(KG_CUDA_I32, "iota", false, values);
    assert_true(values[0] == 0 && values[3] == 3);
    filled(KG_CUDA_F64, "zero", true, values);
    assert_true(values[0] == 0 && values[3] == 0);
    filled(KG_CUDA_F32, "2.5", false, values);
    assert_true(values[0] == 2.5 && values[3] == 2.5);
    filled(KG_CUDA_F16, "1 + i / 3072", false, values); /* thirds of the last place */
    assert_true(values[0] == 1 && values[1] == 1 && values[2] == 1 + 0x1p-10);
    filled(KG_CUDA_BF16, "256 + i", false, values); /* places of two: halves go to the even one */
    assert_true(values[0] == 256 && values[1] == 256 && values[2] == 258 && values[3] == 260);
    filled(KG_CUDA_U8, "i * 100", false, values);
    assert_true(values[2] == 200 && values[3] == 255);
    /* results that are not written show */
    filled(KG_CUDA_F32, NULL, true, values);
    assert_true(isnan(values[0]));
    filled(KG_CUDA_F16, NULL, true, values);
    assert_true(isnan(values[0]));
    filled(KG_CUDA_BF16, NULL, true, values);
    assert_true(isnan(values[0]));
    filled(KG_CUDA_I32, NULL, true, values);
    assert_true(values[0] == -1);
}

static void random_values_are_in_their_range_and_their_own(void **state)
{
    double floats[4], again[4], whole[4], halves[4];
    filled(KG_CUDA_F32, "random", false, floats);
    filled(KG_CUDA_F32, NULL, false, again);
    filled(KG_CUDA_U8, "random", false, whole);
    filled(KG_CUDA_F16, "random", false, halves);
    for (size_t i = 0; i < 4; i++) {
        assert_true(floats[i] >= -1 && floats[i] <= 1 && floats[i] == again[i]);
        assert_true(whole[i] >= 0 && whole[i] <= 255);
        /* the same random number, rounded */
        assert_true(fabs(halves[i] - floats[i]) <= 0x1p-12 * 1.001);
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
    assert_true(kg_cuda_launch_make(&arena, &call, 1, &launch, &at, &err));
    assert_int_equal(launch.grid[0], 4);
    assert_int_equal(launch.grid[1], 1);
    assert_int_equal(launch.block[0], 16);
    assert_int_equal(launch.block[2], 2);
    assert_int_equal(launch.shared_bytes, 49152);
    assert_int_equal(launch.args[0].scalar, 1000);
    assert_int_equal(launch.args[2].count, 1000);
    assert_true(launch.items == 1000 && launch.flops == 0 && launch.args[3].tolerance == 1e-6);
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
    args[3].expect = NULL;
    args[3].expect_file = "y.bin";
    assert_true(kg_cuda_launch_make(&arena, &call, 1, &launch, &at, &err));
    assert_string_equal(launch.args[3].expect_file, "bench/y.bin");
    args[3].expect_file = "/abs/y.bin";
    assert_true(kg_cuda_launch_make(&arena, &call, 1, &launch, &at, &err));
    assert_string_equal(launch.args[3].expect_file, "/abs/y.bin");
    kg_arena_free(&arena);
}

static void a_scalar_of_16_bits_has_two_bytes_of_its_word(void **state)
{
    static struct kg_cuda_arg shorts[] = {
        {.name = "a", .type = KG_CUDA_F16, .value = "0.1", .mark = {6, 1}},
        {.name = "b", .type = KG_CUDA_BF16, .value = "-0.1", .mark = {7, 1}}};
    struct kg_cuda_call call = call_new();
    struct kg_cuda_launch launch;
    struct kg_arena arena = {0};
    struct kg_mark at;
    struct kg_error err;
    call.args = shorts;
    call.arg_count = 2;
    call.tolerance = NULL;
    assert_true(kg_cuda_launch_make(&arena, &call, 1, &launch, &at, &err));
    assert_int_equal(kg_cuda_type_bytes(KG_CUDA_F16), 2);
    assert_int_equal(kg_cuda_type_bytes(KG_CUDA_BF16), 2);
    assert_int_equal(launch.args[0].scalar, 0x2e66); /* 0.0999755859375 */
    assert_int_equal(launch.args[1].scalar, 0xbdcd); /* -0.10009765625 */
    assert_true(launch.args[0].value == 0.0999755859375 && launch.args[1].value == -0.10009765625);
    assert_true(launch.args[0].tolerance == 0x1p-8 && launch.args[1].tolerance == 0x1p-5);
    kg_arena_free(&arena);
}

static void refused(const struct kg_cuda_call *call, unsigned line, const char *part)
{
    struct kg_cuda_launch launch;
    struct kg_arena arena = {0};
    struct kg_mark at;
    struct kg_error err;
    assert_false(kg_cuda_launch_make(&arena, call, 1, &launch, &at, &err));
    if (at.line != line || !strstr(err.message, part))
        fail_msg("line %u: %s", at.line, err.message);
    kg_arena_free(&arena);
}

static void what_no_device_can_do_is_refused_at_its_place(void **state)
{
    struct kg_cuda_call call = call_new();
    const char *text;
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
        cmocka_unit_test(each_of_16_bits_is_what_ieee_754_defines_and_comes_back),
        cmocka_unit_test(a_nan_stays_one_where_its_first_bits_are_0),
        cmocka_unit_test(a_number_between_two_becomes_the_nearer_and_of_two_the_even),
        cmocka_unit_test(any_double_becomes_the_nearest),
        cmocka_unit_test(half_precision_is_what_the_compiler_makes_of_it),
        cmocka_unit_test(a_default_tolerance_is_of_the_type),
        cmocka_unit_test(buffers_are_filled_as_asked),
        cmocka_unit_test(random_values_are_in_their_range_and_their_own),
        cmocka_unit_test(a_call_comes_to_numbers),
        cmocka_unit_test(a_scalar_of_16_bits_has_two_bytes_of_its_word),
        cmocka_unit_test(what_is_expected_may_be_a_file_beside_the_suite),
        cmocka_unit_test(what_no_device_can_do_is_refused_at_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
