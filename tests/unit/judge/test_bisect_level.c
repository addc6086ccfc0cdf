#include "judge/bisect_posterior.h"
#include "judge/bisect_record.h"
#include "test_support.h"

/* Pairs of a build of +2 %, one of them with a preempted round. */
static double preempted[] = {0.0199, 0.0307, 0.0038, -0.2591, 0.0243};
static double quiet[] = {0.041, 0.047, 0.035, 0.043, 0.038};

static void a_preempted_pair_does_not_count(void **unused)
{
    const struct kg_bisect_level level = kg_bisect_level(preempted, 5, 0.008);
    (void)unused;
    assert_true(level.is_clear);
    assert_true(fabs(level.variance - 0.008 * 0.008 / 4) < 1e-15);
    assert_float_equal(level.mean, (0.0199 + 0.0307 + 0.0038 + 0.0243) / 4, 1e-12);
}

static void with_an_unknown_deviation_the_level_is_the_median(void **unused)
{
    const struct kg_bisect_level level = kg_bisect_level(preempted, 5, NAN);
    (void)unused;
    assert_float_equal(level.mean, 0.0199, 1e-12);
}

static void without_pairs_there_is_no_level(void **unused)
{
    (void)unused;
    assert_true(isnan(kg_bisect_level(NULL, 0, 0.01).mean));
}

/* Half of the pairs are of a busy machine. No number of them decides, and their spread is the error. */
static void pairs_that_contradict_each_other_are_not_clear(void **unused)
{
    const double apart[] = {-0.129, -0.128, 0.095, 0.095};
    const struct kg_bisect_level level = kg_bisect_level(apart, 4, 0.0005);
    (void)unused;
    assert_false(level.is_clear);
    assert_true(level.variance > 0.05 * 0.05);
}

static void the_deviation_ignores_the_preempted_pair(void **unused)
{
    struct kg_bisect_commit commits[] = {{.pair_count = 0},
                                         {.pairs = preempted, .pair_count = 5},
                                         {.pairs = quiet, .pair_count = 5}};
    const struct kg_bisect bisect = {.commits = commits, .commit_count = 3};
    const double deviation = kg_bisect_deviation(&bisect);
    (void)unused;
    assert_true(deviation > 0.004 && deviation < 0.015);
}

static void equal_pairs_have_the_least_deviation(void **unused)
{
    double equal[] = {0.05, 0.05, 0.05};
    struct kg_bisect_commit commits[] = {{.pairs = equal, .pair_count = 3}};
    const struct kg_bisect bisect = {.commits = commits, .commit_count = 1};
    (void)unused;
    assert_float_equal(kg_bisect_deviation(&bisect), 1e-4, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_preempted_pair_does_not_count),
        cmocka_unit_test(with_an_unknown_deviation_the_level_is_the_median),
        cmocka_unit_test(without_pairs_there_is_no_level),
        cmocka_unit_test(pairs_that_contradict_each_other_are_not_clear),
        cmocka_unit_test(the_deviation_ignores_the_preempted_pair),
        cmocka_unit_test(equal_pairs_have_the_least_deviation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
