#include "test_support.h"

#include <inttypes.h>

#include "base/random.h"
#include "base/statistics/stats.h"
#include "profiler/read/profile_sum.h"

enum { VALUES = 20000 };

static const double shares[] = {0, 0.01, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 1};

/* Compares the histogram's quantiles with the quantiles of the values at x. */
static void check_quantiles(double *x, size_t n, const char *what)
{
    struct kg_histogram histogram = {0};
    for (size_t i = 0; i < n; i++)
        assert_true(kg_histogram_add(&histogram, x[i]));
    kg_sort(x, n);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const double expected = kg_quantile_sorted(x, n, shares[i]);
        const double found = kg_histogram_quantile(&histogram, shares[i]);
        if (!(fabs(found - expected) <= 0.01 * expected))
            fail_msg("%s, n = %zu, p = %g: %.10g, not %.10g", what, n, shares[i], found, expected);
    }
    kg_histogram_free(&histogram);
}

static void quantiles_are_right_within_one_per_cent(void **state)
{
    static double x[VALUES];
    struct kg_random random = {11};
    for (size_t i = 0; i < VALUES; i++)
        x[i] = kg_random_between(&random, 20, 90);
    check_quantiles(x, VALUES, "uniform");
    for (size_t i = 0; i < VALUES; i++)
        x[i] = exp(kg_random_between(&random, 0, 35)); /* a ns to a week */
    check_quantiles(x, VALUES, "over 15 orders of magnitude");
    for (size_t i = 0; i < VALUES; i++)
        x[i] = i % 10 ? 100 : 1e6;
    check_quantiles(x, VALUES, "two values");
}

static void quantiles_of_few_values_lie_between_them(void **state)
{
    struct kg_random random = {12};
    for (size_t n = 1; n <= 30; n++) {
        double x[30];
        for (size_t i = 0; i < n; i++)
            x[i] = kg_random_between(&random, 100, 5000);
        check_quantiles(x, n, "few");
    }
}

static void what_is_out_of_range_counts_at_the_ends(void **state)
{
    struct kg_histogram histogram = {0};
    assert_true(kg_histogram_add(&histogram, 0));
    assert_true(kg_histogram_add(&histogram, -1));
    assert_true(kg_histogram_add(&histogram, 1e300));
    assert_true(kg_histogram_add(&histogram, INFINITY));
    assert_int_equal(histogram.count, 4);
    assert_true(kg_histogram_quantile(&histogram, 0) < 0.1);
    assert_true(kg_histogram_quantile(&histogram, 1) > 1e18);
    kg_histogram_free(&histogram);
}

static void nothing_has_no_quantiles(void **state)
{
    const struct kg_histogram histogram = {0};
    assert_true(kg_histogram_quantile(&histogram, 0.5) == 0);
}

static void two_histograms_are_one(void **state)
{
    struct kg_histogram all = {0}, parts[2] = {0};
    struct kg_random random = {13};
    for (size_t i = 0; i < 1000; i++) {
        const double value = exp(kg_random_between(&random, 0, 20));
        kg_histogram_add(&all, value);
        kg_histogram_add(&parts[i % 2], value);
    }
    assert_true(kg_histogram_merge(&parts[0], &parts[1]));
    for (double p = 0; p <= 1; p += 0.01)
        assert_true(kg_histogram_quantile(&parts[0], p) == kg_histogram_quantile(&all, p));
    kg_histogram_free(&all);
    kg_histogram_free(&parts[0]);
    kg_histogram_free(&parts[1]);
}

/* --- Blocks ---------------------------------------------------------------------------------- */

static void few_values_are_a_block_each(void **state)
{
    struct kg_blocks blocks = {0};
    double means[10];
    assert_int_equal(kg_blocks_means(&blocks, 10, means), 0);
    for (int i = 0; i < 7; i++)
        kg_blocks_add(&blocks, i);
    assert_int_equal(kg_blocks_means(&blocks, 10, means), 7);
    for (int i = 0; i < 7; i++)
        assert_true(means[i] == i);
}

/* The values 0, 1, 2…: a block's mean gives its place, and the next block follows it. */
static void check_blocks(size_t n)
{
    struct kg_blocks blocks = {0};
    double means[10], begin = 0, least = INFINITY, most = 0;
    for (size_t i = 0; i < n; i++)
        kg_blocks_add(&blocks, (double)i);
    assert_int_equal(kg_blocks_means(&blocks, 10, means), 10);
    for (size_t i = 0; i < 10; i++) {
        const double count = 2 * (means[i] - begin) + 1;
        begin += count;
        least = fmin(least, count);
        most = fmax(most, count);
    }
    if (fabs(begin - (double)n) > 1e-6 * (double)n)
        fail_msg("blocks of %zu values hold %.10g", n, begin);
    if (most > 1.7 * least && most > least + 1)
        fail_msg("%zu values: from %g to %g in a block", n, least, most);
}

static void blocks_are_consecutive_and_nearly_equal(void **state)
{
    for (size_t n = 10; n < 3000; n++)
        check_blocks(n);
    check_blocks(100000);
    check_blocks(1234567);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_right_within_one_per_cent),
        cmocka_unit_test(quantiles_of_few_values_lie_between_them),
        cmocka_unit_test(what_is_out_of_range_counts_at_the_ends),
        cmocka_unit_test(nothing_has_no_quantiles),
        cmocka_unit_test(two_histograms_are_one),
        cmocka_unit_test(few_values_are_a_block_each),
        cmocka_unit_test(blocks_are_consecutive_and_nearly_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
