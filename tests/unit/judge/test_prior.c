/* Variances that history knows, against known ones. */
#include "base/random.h"
#include "judge/prior.h"
#include "test_support.h"

static double normal(struct kg_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += kg_random_unit(random);
    return sum;
}

static const struct kg_variance UNKNOWN = {NAN, 0};

static void equal(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6 * fabs(expected)))
        fail_msg("found %.9g, expected %.9g", found, expected);
}

/* Three values with weights 1, 0.98 and 0.98^2, by hand. */
static void few_runs_have_their_weighted_variance(void **unused)
{
    const double w[] = {0.98 * 0.98, 0.98, 1}, x[] = {1, 2, 4};
    struct kg_history_level level = {0};
    struct kg_change_alarm alarm;
    double w1 = 0, w2 = 0, mean = 0, squares = 0;
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        assert_false(kg_history_append(&level, x[i], UNKNOWN, &alarm));
        w1 += w[i];
        w2 += w[i] * w[i];
        mean += w[i] * x[i];
    }
    mean /= w1;
    for (size_t i = 0; i < 3; i++)
        squares += w[i] * (x[i] - mean) * (x[i] - mean);
    const struct kg_variance between = kg_prior_location(&level);
    equal(between.value, squares / (w1 - w2 / w1));
    assert_true(between.freedom > 1.99 && between.freedom <= 2);
    assert_true(kg_prior_within(&level).freedom == 0);
}

static void one_run_knows_nothing(void **unused)
{
    struct kg_history_level level = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    kg_history_append(&level, 1, UNKNOWN, &alarm);
    assert_true(kg_prior_location(&level).freedom == 0);
    assert_true(kg_prior_between(&level).freedom == 0);
}

/* Steps of 20 standard deviations would multiply the variance. */
static void change_points_are_taken_out(void **unused)
{
    struct kg_random random = {5};
    struct kg_history_level level = {0};
    struct kg_change_alarm alarm;
    size_t alarms = 0;
    (void)unused;
    for (size_t i = 0; i < 400; i++)
        alarms += kg_history_append(&level, 0.2 * (double)(i / 40 % 3) + 0.01 * normal(&random),
                                    UNKNOWN, &alarm);
    const struct kg_variance between = kg_prior_location(&level);
    if (alarms < 9 || !(fabs(sqrt(between.value) - 0.01) < 0.002))
        fail_msg("seed 5: %zu alarms, deviation %g", alarms, sqrt(between.value));
    equal(between.freedom, 60);
}

/* Draws the variance of a run of `rounds` normal rounds. */
static struct kg_variance run_draw(struct kg_random *random, double deviation, size_t rounds)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < rounds; i++) {
        const double x = deviation * normal(random);
        sum += x;
        squares += x * x;
    }
    const double freedom = (double)rounds - 1;
    return (struct kg_variance){(squares - sum * sum / (double)rounds) / freedom, freedom};
}

static void alike_runs_are_a_strong_prior(void **unused)
{
    struct kg_random random = {6};
    struct kg_history_level level = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    for (size_t i = 0; i < 400; i++)
        kg_history_append(&level, 1, run_draw(&random, 0.01, i % 2 ? 5 : 10), &alarm);
    const struct kg_variance within = kg_prior_within(&level);
    if (!(fabs(within.value / 1e-4 - 1) < 0.15 && within.freedom > 20))
        fail_msg("seed 6: variance %g with %g degrees of freedom", within.value, within.freedom);
    assert_int_equal(level.runs, 400);
    /* the runs do not differ: nothing is left after the scatter that the rounds explain */
    assert_true(kg_prior_between(&level).value == 0);
}

/* One night in four is three times as noisy. */
static void runs_that_differ_are_a_weak_prior(void **unused)
{
    struct kg_random random = {6};
    struct kg_history_level level = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    for (size_t i = 0; i < 400; i++)
        kg_history_append(&level, 1, run_draw(&random, i % 4 ? 0.01 : 0.03, 5), &alarm);
    if (!(kg_prior_within(&level).freedom < 8))
        fail_msg("seed 6: %g degrees of freedom", kg_prior_within(&level).freedom);
}

static void three_runs_know_no_variance_within(void **unused)
{
    struct kg_history_level level = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    for (size_t i = 0; i < 3; i++)
        kg_history_append(&level, 1, (struct kg_variance){4, 4}, &alarm);
    assert_true(kg_prior_within(&level).freedom == 0);
    kg_history_append(&level, 1, (struct kg_variance){4, 4}, &alarm);
    assert_true(kg_prior_within(&level).freedom > 0);
}

static struct kg_variance moderated(struct kg_variance own, struct kg_variance prior, bool expected)
{
    assert_int_equal(kg_prior_moderate(&own, prior), expected);
    return own;
}

static void a_run_like_its_past_borrows_its_freedom(void **unused)
{
    const struct kg_variance both =
        moderated((struct kg_variance){1.5, 4}, (struct kg_variance){1, 60}, true);
    (void)unused;
    equal(both.freedom, 64);
    equal(both.value, (4 * 1.5 + 60) / 64);
}

/* The 80 % point of F with 4 and 60 degrees of freedom is 1.548. */
static void a_noisier_run_keeps_its_own_variance(void **unused)
{
    const struct kg_variance prior = {1, 60};
    (void)unused;
    equal(moderated((struct kg_variance){1.54, 4}, prior, true).freedom, 64);
    equal(moderated((struct kg_variance){1.56, 4}, prior, false).freedom, 4);
    equal(moderated((struct kg_variance){1.56, 4}, prior, false).value, 1.56);
}

static void an_unknown_side_leaves_the_other(void **unused)
{
    (void)unused;
    equal(moderated(UNKNOWN, (struct kg_variance){1, 60}, true).freedom, 60);
    equal(moderated((struct kg_variance){3, 4}, UNKNOWN, false).value, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_runs_have_their_weighted_variance),
        cmocka_unit_test(one_run_knows_nothing),
        cmocka_unit_test(change_points_are_taken_out),
        cmocka_unit_test(alike_runs_are_a_strong_prior),
        cmocka_unit_test(runs_that_differ_are_a_weak_prior),
        cmocka_unit_test(three_runs_know_no_variance_within),
        cmocka_unit_test(a_run_like_its_past_borrows_its_freedom),
        cmocka_unit_test(a_noisier_run_keeps_its_own_variance),
        cmocka_unit_test(an_unknown_side_leaves_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
