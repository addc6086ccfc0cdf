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

/* With alpha so large that the factor is the least. */
static double floor_from(double scatter, size_t n, double usual)
{
    const struct kg_run_noise noise = {.scatter = scatter,
                                       .runs = n,
                                       .reference_runs = n,
                                       .usual = usual,
                                       .alpha = 0.5,
                                       .tests = 1};
    const double floor = kg_noise_floor(&noise);
    return isnan(floor) ? 0 : floor;
}

/* Of a case whose suite says nothing of what is usual. */
static double floor_of(const double *locations, size_t n)
{
    return floor_from(kg_run_scatter(locations, n), n, NAN);
}

static void one_run_has_no_noise_floor(void **state)
{
    (void)state;
    near("one run", 0, floor_of((const double[]){100}, 1));
    near("no run", 0, floor_of(NULL, 0));
}

static void equal_runs_have_none(void **state)
{
    (void)state;
    near("equal runs", 0, floor_of((const double[]){100, 100, 100}, 3));
}

/* sd of log(100), log(101) is log(1.01) / sqrt(2); times 3 and sqrt(1 + 1/2): 2.6 %. */
static void two_runs_that_differ_by_one_per_cent_leave_a_usable_gate(void **state)
{
    const double floor = floor_of((const double[]){100, 101}, 2);
    (void)state;
    near("noise floor", expm1(3 * sqrt(1.5) * log(1.01) / sqrt(2)), floor);
    if (!(floor > 0.02 && floor < 0.05))
        fail_msg("two runs that differ by 1 %% raise the threshold to %.1f %%", 100 * floor);
}

static void scattered_runs_raise_it_but_never_beyond_one_half(void **state)
{
    const double some = floor_of((const double[]){100, 108, 95}, 3);
    (void)state;
    if (!(some > 0.15 && some < 0.5))
        fail_msg("runs of 100, 108 and 95 give %.1f %%", 100 * some);
    near("wild runs", 0.5, floor_of((const double[]){100, 300, 50}, 3));
}

static void it_does_not_depend_on_the_unit(void **state)
{
    (void)state;
    near("in another unit", floor_of((const double[]){100, 108, 95}, 3),
         floor_of((const double[]){1e6, 1.08e6, 0.95e6}, 3));
}

static double normal(struct kg_random *random)
{
    const double u = 1 - kg_random_unit(random), v = kg_random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* How often the next run's location stays within the floor, `usual` being what the suite says. */
static double covered(size_t runs, double usual)
{
    enum { SEED = 3, TRIALS = 20000 };
    struct kg_random random = {SEED};
    int within = 0;
    for (int t = 0; t < TRIALS; t++) {
        double locations[5], sum = 0;
        for (size_t i = 0; i < runs; i++) {
            const double deviation = 0.01 * normal(&random);
            locations[i] = exp(deviation);
            sum += deviation;
        }
        const double next = 0.01 * normal(&random) - sum / (double)runs;
        const double floor = floor_from(kg_run_scatter(locations, runs), runs, usual);
        within += fabs(next) <= log1p(floor);
    }
    return within / (double)TRIALS;
}

/* The table of docs/statistics.md is this test's output. By itself it is Student's distribution
 * with n - 1 degrees of freedom that says it, P(|t| < 3). */
static void it_covers_the_next_run_as_often_as_documented(void **state)
{
    static const struct {
        size_t runs;
        double alone;
        double with_usual;
    } expected[] = {{2, 0.795, 0.995}, {3, 0.905, 0.995}, {5, 0.960, 0.994}};
    (void)state;
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        const double alone = covered(expected[e].runs, NAN);
        const double with_usual = covered(expected[e].runs, 0.01);
        printf("%zu runs: the next is within the floor %.1f %%, with what is usual %.1f %%\n",
               expected[e].runs, 100 * alone, 100 * with_usual);
        if (fabs(alone - expected[e].alone) > 0.015 ||
            fabs(with_usual - expected[e].with_usual) > 0.003)
            fail_msg("expected %.1f %% and %.1f %%", 100 * expected[e].alone,
                     100 * expected[e].with_usual);
    }
}

/* Two runs that happen to agree do not make a case quiet where the others scatter by 2 %; one that
 * is noisier than the others is not believed to be quiet. */
static void what_is_usual_moderates_a_case_with_few_runs(void **state)
{
    const double lucky = floor_from(0.0001, 2, 0.02);
    (void)state;
    assert_true(lucky > 0.05 && lucky < 0.08);
    assert_true(floor_from(0.02, 2, 0.001) == floor_from(0.02, 2, NAN));
}

/* Many tests, and few runs, need more. */
static void the_factor_holds_alpha_for_all_tests_together(void **state)
{
    (void)state;
    near("least", 3, kg_noise_factor(0.01, 1, 1000));
    assert_true(kg_noise_factor(0.01, 20, 1e6) > 3.47 && kg_noise_factor(0.01, 20, 1e6) < 3.49);
    assert_true(kg_noise_factor(0.01, 20, 8) > 5 && kg_noise_factor(0.01, 20, 8) < 6.5);
    near("most", 8, kg_noise_factor(0.01, 20, 1));
}

/* A new case, or a pin, has one run: what is usual is all that there is. */
static void one_run_takes_what_is_usual(void **state)
{
    const struct kg_run_noise noise = {
        .runs = 1, .reference_runs = 1, .usual = 0.01, .alpha = 0.5, .tests = 1};
    (void)state;
    near("floor", expm1(kg_noise_factor(0.5, 1, 4) * 0.01 * sqrt(2)), kg_noise_floor(&noise));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_has_no_noise_floor),
        cmocka_unit_test(equal_runs_have_none),
        cmocka_unit_test(two_runs_that_differ_by_one_per_cent_leave_a_usable_gate),
        cmocka_unit_test(scattered_runs_raise_it_but_never_beyond_one_half),
        cmocka_unit_test(it_does_not_depend_on_the_unit),
        cmocka_unit_test(the_factor_holds_alpha_for_all_tests_together),
        cmocka_unit_test(one_run_takes_what_is_usual),
        cmocka_unit_test(what_is_usual_moderates_a_case_with_few_runs),
        cmocka_unit_test(it_covers_the_next_run_as_often_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
