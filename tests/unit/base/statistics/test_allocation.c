/* How long rounds are to be, on spreads of known variances. */
#include "test_support.h"

#include "base/random.h"
#include "base/statistics/allocation.h"

enum { MOST = 4096 };

/* Twelve uniform ones: near enough to a normal variable. */
static double normal(struct kg_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(kg_random_next(random) >> 11) * 0x1p-53;
    return sum;
}

/* Rounds of one length. Processes differ by `between`. Samples give a round's median an error of
 * `within`. Both are standard deviations. */
static struct kg_spread spread_of(size_t count, double between, double within, double measured_ns)
{
    static struct kg_round_evidence rounds[MOST];
    static double scratch[2 * MOST];
    struct kg_random random = {11};
    for (size_t i = 0; i < count; i++)
        rounds[i] = (struct kg_round_evidence){.log_value = between * normal(&random) +
                                                            within * normal(&random),
                                               .error = within,
                                               .measured_ns = measured_ns};
    return kg_spread_estimate(rounds, count, scratch);
}

static void expect_near(double found, double expected, double share)
{
    if (!(fabs(found - expected) <= share * expected))
        fail_msg("found %g, expected %g within %g %%", found, expected, 100 * share);
}

static void both_variances_are_found(void **state)
{
    const struct kg_spread spread = spread_of(MOST, 0.10, 0.03, 30e6);
    expect_near(sqrt(spread.between), 0.10, 0.05);
    expect_near(spread.within_ns, 0.03 * 0.03 * 30e6, 1e-9);
    expect_near(kg_spread_variance(&spread, 30e6), 0.10 * 0.10 + 0.03 * 0.03, 0.1);
}

/* The variance of a round is `between` plus the rest of `within` at its length. */
static void processes_that_do_not_differ_keep_a_tenth(void **state)
{
    const struct kg_spread spread = spread_of(MOST, 0, 0.03, 30e6);
    assert_true(spread.between >= 0.1 * 0.03 * 0.03 * 0.99);
    assert_true(spread.between <= 0.2 * 0.03 * 0.03);
}

static void a_few_disturbed_rounds_do_not_decide(void **state)
{
    struct kg_round_evidence rounds[10];
    double scratch[20];
    for (size_t i = 0; i < 10; i++)
        rounds[i] = (struct kg_round_evidence){0.001 * (double)(i % 5), 0.001, 30e6};
    const struct kg_spread quiet = kg_spread_estimate(rounds, 10, scratch);
    rounds[3].log_value = 0.7;
    rounds[7].error = 0.2;
    const struct kg_spread disturbed = kg_spread_estimate(rounds, 10, scratch);
    assert_true(disturbed.between < 4 * quiet.between);
    expect_near(disturbed.within_ns, quiet.within_ns, 1e-9);
}

static void rounds_without_an_error_note_nothing(void **state)
{
    struct kg_round_evidence rounds[4] = {
        {0, NAN, 30e6}, {0.1, NAN, 30e6}, {0.2, 0.01, 30e6}, {0.1, 0, 30e6}};
    double scratch[8];
    const struct kg_spread spread = kg_spread_estimate(rounds, 4, scratch);
    assert_true(isnan(spread.between) && isnan(spread.within_ns));
    assert_true(isnan(kg_allocation_length(&spread, 1e6, 1e6, 1e9)));
}

/* sqrt(4 ms * (0.02^2 * 30 ms) / 0.1^2) = 2.19 ms */
static void processes_that_differ_get_short_rounds(void **state)
{
    const struct kg_spread spread = {.between = 0.01, .within_ns = 4e-4 * 30e6};
    expect_near(kg_allocation_length(&spread, 4e6, 1e6, 120e6), 2.19e6, 0.01);
    assert_true(kg_allocation_length(&spread, 4e6, 3e6, 120e6) == 3e6);
    /* of a dear start a quarter is measured */
    assert_true(kg_allocation_length(&spread, 400e6, 1e6, 120e6) == 100e6);
}

/* sqrt(20 ms * (0.1^2 * 30 ms) / 0.02^2) = 122 ms */
static void noisy_samples_get_long_rounds_as_far_as_allowed(void **state)
{
    const struct kg_spread spread = {.between = 4e-4, .within_ns = 0.01 * 30e6};
    expect_near(kg_allocation_length(&spread, 20e6, 1e6, 1e9), 122.5e6, 0.01);
    assert_true(kg_allocation_length(&spread, 20e6, 1e6, 120e6) == 120e6);
}

/* No other length makes the variance of the mean smaller in the same time. */
static void the_length_is_the_best_there_is(void **state)
{
    const struct kg_spread spread = {.between = 0.003, .within_ns = 9000};
    const double fixed = 5e6, best = kg_allocation_length(&spread, fixed, 1, 1e12);
    const double least = kg_spread_variance(&spread, best) * (fixed + best);
    for (double length = best / 8; length < best * 8; length *= 1.1)
        assert_true(kg_spread_variance(&spread, length) * (fixed + length) >= least * (1 - 1e-12));
}

/* By hand: points 2.576 and 1.282 make 3.857; 10 % each, 10 % apart: 14.9, and 3.3 for Student. */
static void rounds_that_a_test_needs(void **state)
{
    assert_true(kg_allocation_rounds(0.01, 0.1, 0.01, INFINITY) == 19);
    assert_true(kg_allocation_rounds(0.01, -0.1, 0.01, INFINITY) == 19);
    assert_true(kg_allocation_rounds(1e-8, 0.1, 0.01, INFINITY) == 4);
    assert_true(kg_allocation_rounds(0.01, 0.1, 0.01, 30) == 33);
    assert_true(isinf(kg_allocation_rounds(0.01, 0.1, 0.01, 14)));
    assert_true(isinf(kg_allocation_rounds(0.01, 0, 0.01, INFINITY)));
    assert_true(isinf(kg_allocation_rounds(NAN, 0.1, 0.01, INFINITY)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_variances_are_found),
        cmocka_unit_test(processes_that_do_not_differ_keep_a_tenth),
        cmocka_unit_test(a_few_disturbed_rounds_do_not_decide),
        cmocka_unit_test(rounds_without_an_error_note_nothing),
        cmocka_unit_test(processes_that_differ_get_short_rounds),
        cmocka_unit_test(noisy_samples_get_long_rounds_as_far_as_allowed),
        cmocka_unit_test(the_length_is_the_best_there_is),
        cmocka_unit_test(rounds_that_a_test_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
