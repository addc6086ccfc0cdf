/* The adjustments of p-values: Holm's, and that of Benjamini and Hochberg. */
#include "test_support.h"

#include "base/random.h"
#include "base/statistics/stats.h"

static void expect(const double *expected, const double *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(p[i] - expected[i]) < 1e-15))
            fail_msg("adjusted p[%zu] is %.17g, expected %.17g", i, p[i], expected[i]);
}

/* Sorted: 0.005 * 4, 0.01 * 3, 0.03 * 2, and 0.04 * 1, which may not be below its predecessor. */
static void four_tests_by_hand(void **state)
{
    double p[] = {0.01, 0.04, 0.03, 0.005};
    static const double expected[] = {0.03, 0.06, 0.06, 0.02};
    kg_holm_adjust(p, 4, 0);
    expect(expected, p, 4);
}

static void one_test_stays_as_it_is(void **state)
{
    double p[] = {0.037};
    kg_holm_adjust(p, 1, 0);
    expect((const double[]){0.037}, p, 1);
    kg_holm_adjust(p, 0, 0);
}

static void adjusted_values_stay_at_or_below_one(void **state)
{
    double p[] = {0.6, 0.9, 1};
    kg_holm_adjust(p, 3, 0);
    expect((const double[]){1, 1, 1}, p, 3);
}

static void what_was_not_tested_costs_nothing(void **state)
{
    double p[] = {NAN, 0.01, NAN, 0.02, NAN};
    kg_holm_adjust(p, 5, 0);
    assert_true(isnan(p[0]) && isnan(p[2]) && isnan(p[4]));
    expect((const double[]){0.02}, p + 1, 1);
    expect((const double[]){0.02}, p + 3, 1);
}

/* Without any real change, at most a share alpha of families has a test with adjusted p at or below
 * alpha. The gate's error rate depends on it. */
static void the_family_keeps_its_error_rate(void **state)
{
    enum { SEED = 5, TESTS = 50, TRIALS = 4000 };
    struct kg_random random = {SEED};
    int false_alarms = 0;
    for (int t = 0; t < TRIALS; t++) {
        double p[TESTS];
        bool any = false;
        for (int i = 0; i < TESTS; i++)
            p[i] = kg_random_unit(&random);
        kg_holm_adjust(p, TESTS, 0);
        for (int i = 0; i < TESTS; i++)
            any = any || p[i] <= 0.05;
        false_alarms += any;
    }
    /* four standard deviations above 5 % */
    if (false_alarms > TRIALS * 0.05 + 4 * sqrt(TRIALS * 0.05 * 0.95))
        fail_msg("seed %d: %d of %d families had a false alarm at 5 %%", SEED, false_alarms,
                 TRIALS);
}

static void tests_made_elsewhere_count_as_not_rejected(void **state)
{
    double among[2] = {0.001, 0.02}, padded[5] = {0.001, 0.02, 1, 1, 1};
    kg_holm_adjust(among, 2, 3);
    kg_holm_adjust(padded, 5, 0);
    assert_true(fabs(among[0] - padded[0]) < 1e-15 && fabs(among[0] - 0.005) < 1e-15);
    assert_true(fabs(among[1] - padded[1]) < 1e-15 && fabs(among[1] - 0.08) < 1e-15);
}

/* Sorted: 0.005 * 4 / 1 and 0.01 * 4 / 2; 0.03 * 4 / 3 may not be above its successor 0.036 * 4 / 4. */
static void false_discoveries_by_hand(void **state)
{
    double p[] = {0.01, NAN, 0.036, 0.03, 0.005};
    kg_benjamini_hochberg_adjust(p, 5);
    assert_true(isnan(p[1]));
    expect((const double[]){0.02}, p, 1);
    expect((const double[]){0.036, 0.036, 0.02}, p + 2, 3);
    kg_benjamini_hochberg_adjust(p, 0);
}

/* Of the rejections at 20 %, a fifth of the share of true hypotheses is false on average. */
static void the_share_of_false_discoveries_is_kept(void **state)
{
    enum { SEED = 6, TESTS = 100, TRUE = 50, TRIALS = 2000 };
    struct kg_random random = {SEED};
    double shares = 0;
    for (int t = 0; t < TRIALS; t++) {
        double p[TESTS];
        int rejected = 0, wrong = 0;
        for (int i = 0; i < TESTS; i++)
            p[i] = kg_random_unit(&random) * (i < TRUE ? 1 : 0.02);
        kg_benjamini_hochberg_adjust(p, TESTS);
        for (int i = 0; i < TESTS; i++) {
            rejected += p[i] <= 0.2;
            wrong += p[i] <= 0.2 && i < TRUE;
        }
        shares += rejected ? (double)wrong / rejected / TRIALS : 0;
    }
    if (fabs(shares - 0.1) > 0.01)
        fail_msg("seed %d: a share of %g is false, expected 0.1", SEED, shares);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_tests_by_hand),
        cmocka_unit_test(one_test_stays_as_it_is),
        cmocka_unit_test(adjusted_values_stay_at_or_below_one),
        cmocka_unit_test(what_was_not_tested_costs_nothing),
        cmocka_unit_test(the_family_keeps_its_error_rate),
        cmocka_unit_test(tests_made_elsewhere_count_as_not_rejected),
        cmocka_unit_test(false_discoveries_by_hand),
        cmocka_unit_test(the_share_of_false_discoveries_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
