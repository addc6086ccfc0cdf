/* Order statistics and moments of small samples. */
#include "test_support.h"

#include "base/random.h"
#include "base/statistics/stats.h"

static void near(const char *what, double expected, double value, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s is %.17g, expected %.17g within %g", what, value, expected, tolerance);
}

/* As R's quantile(c(1, 2, 3, 4), p, type = 7) and quantile(c(1, 3, 10), p) give. */
static void quantiles_are_of_type_7(void **state)
{
    static const double four[] = {1, 2, 3, 4}, three[] = {1, 3, 10};
    near("0.25 of four", 1.75, kg_quantile_sorted(four, 4, 0.25), 1e-15);
    near("0.5 of four", 2.5, kg_quantile_sorted(four, 4, 0.5), 1e-15);
    near("0.95 of four", 3.85, kg_quantile_sorted(four, 4, 0.95), 1e-14);
    near("0.75 of three", 6.5, kg_quantile_sorted(three, 3, 0.75), 1e-15);
    near("0 of three", 1, kg_quantile_sorted(three, 3, 0), 0);
    near("1 of three", 10, kg_quantile_sorted(three, 3, 1), 0);
}

static void quantile_of_one_value_is_that_value(void **state)
{
    static const double one[] = {7};
    for (double p = 0; p <= 1; p += 0.125)
        near("quantile", 7, kg_quantile_sorted(one, 1, p), 0);
}

static void quantile_of_nothing_or_out_of_range_is_nan(void **state)
{
    static const double one[] = {7};
    assert_true(isnan(kg_quantile_sorted(one, 0, 0.5)));
    assert_true(isnan(kg_quantile_sorted(one, 1, -0.1)));
    assert_true(isnan(kg_quantile_sorted(one, 1, 1.1)));
    assert_true(isnan(kg_quantile_sorted(one, 1, NAN)));
}

static void mean_and_deviation_of_a_hand_example(void **state)
{
    static const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    near("mean", 5, kg_mean(x, 8), 1e-15);
    near("deviation", sqrt(32.0 / 7), kg_standard_deviation(x, 8), 1e-14);
    assert_true(isnan(kg_mean(x, 0)));
    assert_true(isnan(kg_standard_deviation(x, 1)));
}

/* Both sort algorithms, below and above the size at which they change. */
static void sorting_orders_any_number_of_values(void **state)
{
    enum { SEED = 11, MOST = 200 };
    struct kg_random random = {SEED};
    double x[MOST];
    for (size_t n = 0; n < MOST; n++) {
        double sum = 0, sorted_sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i] = (double)kg_random_below(&random, 50);
        kg_sort(x, n);
        for (size_t i = 0; i < n; i++) {
            sorted_sum += x[i];
            if (i && x[i] < x[i - 1])
                fail_msg("seed %d, %zu values: %g before %g", SEED, n, x[i - 1], x[i]);
        }
        near("sum", sum, sorted_sum, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_of_type_7),
        cmocka_unit_test(quantile_of_one_value_is_that_value),
        cmocka_unit_test(quantile_of_nothing_or_out_of_range_is_nan),
        cmocka_unit_test(mean_and_deviation_of_a_hand_example),
        cmocka_unit_test(sorting_orders_any_number_of_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
