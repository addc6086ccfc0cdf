/* Growth of a sweep: exponents, the minimum cost of a call, and series that are no sweep of
 * sizes. */
#include "why/facts_support.h"

#include "why/evidence/growth.h"

enum { SIZES = 5 };

/* Sizes 100, 200, 400, …: time is fixed_ns + scale * n^power; items n, flops
 * and bytes not known. */
static void points_make(struct kg_sweep_point *points, double fixed_ns, double scale, double power)
{
    for (size_t i = 0; i < SIZES; i++) {
        const double n = 100 * pow(2, (double)i);
        points[i] = (struct kg_sweep_point){.parameter = n,
                                            .time_ns = fixed_ns + scale * pow(n, power),
                                            .items = n,
                                            .bytes = NAN,
                                            .flops = NAN,
                                            .peak_bytes = 8 * n * n,
                                            .noise = 0.05};
    }
}

static void exponents_are_found(void **state)
{
    const double powers[] = {0, 0.5, 1, 1.58, 2, 3};
    for (size_t p = 0; p < sizeof powers / sizeof powers[0]; p++) {
        struct kg_sweep_point points[SIZES];
        struct kg_growth growth;
        points_make(points, 0, 7, powers[p]);
        assert_true(kg_growth_find(points, SIZES, &growth));
        assert_float_equal(growth.time, powers[p], 1e-9);
        assert_float_equal(growth.work, 1, 1e-9);
        assert_float_equal(growth.memory, 2, 1e-9);
        assert_true(isnan(growth.bytes));
        assert_float_equal(growth.spread, pow(16, powers[p]), 1e-6);
    }
}

static void time_is_held_against_flops_before_items(void **state)
{
    struct kg_sweep_point points[SIZES];
    struct kg_growth growth;
    points_make(points, 0, 7, 3);
    for (size_t i = 0; i < SIZES; i++)
        points[i].flops = 2 * pow(points[i].parameter, 3);
    assert_true(kg_growth_find(points, SIZES, &growth));
    assert_float_equal(growth.time, 1, 1e-9);
    assert_float_equal(growth.work, 3, 1e-9);
    assert_float_equal(kg_sweep_work(&growth, &points[1]), points[1].flops, 0);
    assert_string_equal(kg_sweep_measure(&growth), "flops");
}

static void without_any_amount_the_parameter_stands_for_it(void **state)
{
    struct kg_sweep_point points[SIZES];
    struct kg_growth growth;
    points_make(points, 0, 7, 2);
    for (size_t i = 0; i < SIZES; i++)
        points[i].items = NAN;
    assert_true(kg_growth_find(points, SIZES, &growth));
    assert_float_equal(growth.time, 2, 1e-9);
    assert_float_equal(growth.work, 1, 1e-9);
    assert_string_equal(kg_sweep_measure(&growth), "the parameter");
}

static void a_parameter_that_leaves_the_work_alone_is_no_size(void **state)
{
    struct kg_sweep_point points[SIZES];
    struct kg_growth growth;
    points_make(points, 0, 7, 2);
    for (size_t i = 0; i < SIZES; i++)
        points[i].items = 1000;
    assert_false(kg_growth_find(points, SIZES, &growth));
}

static void the_fixed_part_is_found(void **state)
{
    struct kg_sweep_point points[SIZES];
    struct kg_growth growth;
    points_make(points, 500, 2, 1);
    assert_true(kg_growth_find(points, SIZES, &growth));
    assert_float_equal(growth.fixed_ns, 500, 1e-6);
    assert_true(kg_growth_find(points, 2, &growth)); /* two sizes are enough for it alone */
    assert_float_equal(growth.fixed_ns, 500, 1e-6);
    assert_true(isnan(growth.time));
    points_make(points, 0, 2, 1.2); /* more than proportional: nothing is fixed */
    assert_true(kg_growth_find(points, SIZES, &growth));
    assert_true(isnan(growth.fixed_ns));
}

static void sizes_that_noise_cannot_separate_note_nothing_of_it(void **state)
{
    struct kg_sweep_point points[SIZES];
    struct kg_growth growth;
    /* 1000, 1001, 1002, 1005, 1011 ns: all within 10 % */
    points_make(points, 1000, 1e-3, 1.2);
    assert_true(kg_growth_find(points, SIZES, &growth));
    assert_true(isnan(growth.fixed_ns));
    /* if only the largest size differs, it decides */
    points_make(points, 1000, 0.2, 1);
    assert_true(kg_growth_find(points, SIZES, &growth));
    assert_float_equal(growth.fixed_ns, 1000, 1e-6);
}

static void nonsense_has_no_growth(void **state)
{
    static const double nonsense[] = {0, NAN, INFINITY, -1};
    for (size_t v = 0; v < sizeof nonsense / sizeof nonsense[0]; v++) {
        struct kg_sweep_point points[SIZES];
        struct kg_growth growth;
        points_make(points, 0, 7, 2);
        points[2].peak_bytes = nonsense[v];
        assert_true(kg_growth_find(points, SIZES, &growth));
        assert_true(isnan(growth.memory));
        points[2].items = nonsense[v]; /* then the parameter is all there is */
        assert_true(kg_growth_find(points, SIZES, &growth));
        assert_float_equal(growth.time, 2, 1e-9);
    }
    struct kg_growth growth;
    assert_false(kg_growth_find(NULL, 0, &growth));
}

static void memory_that_grows_with_the_square_is_distinguished_from_that_of_the_data(void **state)
{
    struct kg_sweep_point points[SIZES];
    struct kg_growth growth;
    points_make(points, 0, 7, 2);
    for (size_t i = 0; i < SIZES; i++) {
        points[i].bytes = 40 * points[i].parameter;
        points[i].peak_bytes = 3 * points[i].bytes + 8 * pow(points[i].parameter, 2);
    }
    assert_true(kg_growth_find(points, SIZES, &growth));
    assert_float_equal(kg_sweep_linear_bytes(&growth, &points[4]), (3 * points[4].bytes), 1e-3);
    assert_true(isnan(kg_sweep_linear_bytes(&growth, &points[0])));
    points[3].bytes = NAN;
    assert_true(isnan(kg_sweep_linear_bytes(&growth, &points[3])));
    points[4].peak_bytes = 300 * points[0].peak_bytes; /* more than the square */
    assert_true(isnan(kg_sweep_linear_bytes(&growth, &points[4])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponents_are_found),
        cmocka_unit_test(time_is_held_against_flops_before_items),
        cmocka_unit_test(without_any_amount_the_parameter_stands_for_it),
        cmocka_unit_test(a_parameter_that_leaves_the_work_alone_is_no_size),
        cmocka_unit_test(the_fixed_part_is_found),
        cmocka_unit_test(sizes_that_noise_cannot_separate_note_nothing_of_it),
        cmocka_unit_test(memory_that_grows_with_the_square_is_distinguished_from_that_of_the_data),
        cmocka_unit_test(nonsense_has_no_growth),
    };
    return cmocka_run_group_tests_name("growth", tests, NULL, NULL);
}
