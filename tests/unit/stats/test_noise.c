/* The noise floor: how far a case's median moves between runs of unchanged code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "stats/stats.h"
#include "util/random.h"

static void near(const char *what, double expected, double value)
{
    if (!(fabs(value - expected) <= 1e-12))
        fail_msg("%s is %.17g, expected %.17g", what, value, expected);
}

static void one_run_has_no_noise_floor(void **state)
{
    (void)state;
    near("one run", 0, kg_noise_floor((const double[]){100}, 1));
    near("no run", 0, kg_noise_floor(NULL, 0));
}

static void equal_runs_have_none(void **state)
{
    (void)state;
    near("equal runs", 0, kg_noise_floor((const double[]){100, 100, 100}, 3));
}

/* sd of log(100), log(101) is log(1.01) / sqrt(2); times 3 and sqrt(1 + 1/2): 2.6 %. */
static void two_runs_that_differ_by_one_per_cent_leave_a_usable_gate(void **state)
{
    const double floor = kg_noise_floor((const double[]){100, 101}, 2);
    (void)state;
    near("noise floor", expm1(3 * sqrt(1.5) * log(1.01) / sqrt(2)), floor);
    if (!(floor > 0.02 && floor < 0.05))
        fail_msg("two runs that differ by 1 %% raise the threshold to %.1f %%", 100 * floor);
}

static void scattered_runs_raise_it_but_never_beyond_one_half(void **state)
{
    const double some = kg_noise_floor((const double[]){100, 108, 95}, 3);
    (void)state;
    if (!(some > 0.15 && some < 0.5))
        fail_msg("runs of 100, 108 and 95 give %.1f %%", 100 * some);
    near("wild runs", 0.5, kg_noise_floor((const double[]){100, 300, 50}, 3));
}

static void it_does_not_depend_on_the_unit(void **state)
{
    (void)state;
    near("in another unit", kg_noise_floor((const double[]){100, 108, 95}, 3),
         kg_noise_floor((const double[]){1e6, 1.08e6, 0.95e6}, 3));
}

static double normal(struct kg_random *random)
{
    const double u = 1 - kg_random_unit(random), v = kg_random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* docs/statistics.md says how often the next run's median stays within the floor. The factor is 3,
 * so Student's distribution with n - 1 degrees of freedom says it: P(|t| < 3). */
static void it_covers_the_next_run_as_often_as_documented(void **state)
{
    static const struct {
        size_t runs;
        double covered;
    } expected[] = {{2, 0.795}, {3, 0.905}, {5, 0.960}};
    enum { SEED = 3, TRIALS = 20000 };
    struct kg_random random = {SEED};
    (void)state;
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        int within = 0;
        for (int t = 0; t < TRIALS; t++) {
            double medians[5], sum = 0;
            for (size_t i = 0; i < expected[e].runs; i++) {
                const double deviation = 0.01 * normal(&random);
                medians[i] = exp(deviation);
                sum += deviation;
            }
            const double next = 0.01 * normal(&random) - sum / (double)expected[e].runs;
            within += fabs(next) <= log1p(kg_noise_floor(medians, expected[e].runs));
        }
        const double share = within / (double)TRIALS;
        printf("%zu runs, seed %d: the next is within the floor %.1f %%\n", expected[e].runs, SEED,
               100 * share);
        if (fabs(share - expected[e].covered) > 0.015)
            fail_msg("expected %.1f %%", 100 * expected[e].covered);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_has_no_noise_floor),
        cmocka_unit_test(equal_runs_have_none),
        cmocka_unit_test(two_runs_that_differ_by_one_per_cent_leave_a_usable_gate),
        cmocka_unit_test(scattered_runs_raise_it_but_never_beyond_one_half),
        cmocka_unit_test(it_does_not_depend_on_the_unit),
        cmocka_unit_test(it_covers_the_next_run_as_often_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
