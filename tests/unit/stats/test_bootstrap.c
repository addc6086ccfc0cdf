/* The bootstrap of medians in closed form: against figures by hand, against drawing, and how often
 * its intervals hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/stats.h"
#include "util/random.h"

enum { ROUNDS_MOST = 32 };

static void near(const char *what, double expected, double value, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s is %.17g, expected %.17g within %g", what, value, expected, tolerance);
}

static void ratio_is(const struct kg_ratio *ratio, double value, double low, double high, double p)
{
    near("ratio", value, ratio->ratio, 1e-12);
    near("low end", low, ratio->interval.low, 1e-12);
    near("high end", high, ratio->interval.high, 1e-12);
    near("p", p, ratio->p_value, 1e-9);
}

/* Three values: P(median* <= x_1) = P(Binomial(3, 1/3) >= 2) = 7/27, of x_2 it is 20/27. */
static void median_of_three_by_hand(void **state)
{
    static const double x[] = {1, 2, 4};
    (void)state;
    struct kg_interval interval = kg_median_interval(x, 3, 0.95);
    near("low", 1, interval.low, 0);
    near("high", 4, interval.high, 0);
    interval = kg_median_interval(x, 3, 1 - 2 * 7.01 / 27);
    near("low beyond 7/27", 2, interval.low, 0);
    near("high below 20/27", 2, interval.high, 0);
    interval = kg_median_interval(x, 3, 1 - 2 * 6.99 / 27);
    near("low within 7/27", 1, interval.low, 0);
    near("high above 20/27", 4, interval.high, 0);
}

/* log 4, log 2 and 0 with the weights 7/27, 13/27, 7/27: P(L <= 0) = 7/27. */
static void ratio_of_three_to_one_by_hand(void **state)
{
    static const double base[] = {1, 2, 4}, current[] = {4};
    (void)state;
    const struct kg_ratio ratio = kg_ratio_estimate(base, 3, current, 1);
    ratio_is(&ratio, 2, 1, 4, 14.0 / 27);
}

static void one_value_each_is_a_point_without_evidence(void **state)
{
    (void)state;
    const struct kg_ratio ratio = kg_ratio_estimate(&(double){10}, 1, &(double){15}, 1);
    ratio_is(&ratio, 1.5, 1.5, 1.5, 1);
    const struct kg_interval interval = kg_median_interval(&(double){10}, 1, 0.95);
    near("low", 10, interval.low, 0);
    near("high", 10, interval.high, 0);
}

static void equal_constants_are_exactly_equal(void **state)
{
    static const double x[] = {3, 3, 3, 3, 3, 3};
    (void)state;
    const struct kg_ratio ratio = kg_ratio_estimate(x, 6, x, 6);
    assert_true(ratio.ratio == 1 && ratio.interval.low == 1 && ratio.interval.high == 1);
    assert_true(ratio.p_value == 1);
}

/* All of one side beyond all of the other: no test of so few can say more than 2 / C(n1+n2, n1). */
static void few_rounds_cannot_look_sure(void **state)
{
    static const double base[] = {1, 1.01, 1.02, 1.03, 1.04};
    static const double current[] = {9, 9.01, 9.02, 9.03, 9.04};
    (void)state;
    near("5 to 5", 2.0 / 252, kg_ratio_estimate(base, 5, current, 5).p_value, 1e-12);
    near("5 to 3", 2.0 / 56, kg_ratio_estimate(base, 5, current, 3).p_value, 1e-12);
    near("3 to 3", 2.0 / 20, kg_ratio_estimate(current, 3, base, 3).p_value, 1e-12);
}

static void sides_exchanged_give_the_inverse(void **state)
{
    static const double a[] = {1, 1.1, 1.3, 1.7, 1.9, 2.3}, b[] = {1.2, 1.4, 1.5, 2.1, 2.2};
    (void)state;
    const struct kg_ratio to = kg_ratio_estimate(a, 6, b, 5), back = kg_ratio_estimate(b, 5, a, 6);
    near("ratio", 1, to.ratio * back.ratio, 1e-12);
    near("p", to.p_value, back.p_value, 1e-12);
}

/* The interval's ends are ratios of two of the values, not points between them. */
static void the_ends_are_ratios_that_occur(void **state)
{
    static const double a[] = {1, 1.1, 1.3, 1.7, 1.9, 2.3, 2.9}, b[] = {1.2, 1.4, 1.5, 2.1, 2.2};
    (void)state;
    const struct kg_interval interval = kg_ratio_estimate(a, 7, b, 5).interval;
    bool low = false, high = false;
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 5; j++) {
            low = low || fabs(b[j] / a[i] / interval.low - 1) < 1e-14;
            high = high || fabs(b[j] / a[i] / interval.high - 1) < 1e-14;
        }
    if (!low || !high)
        fail_msg("%.17g to %.17g", interval.low, interval.high);
}

static double drawn_median(struct kg_random *random, const double *x, size_t n)
{
    const size_t size = n % 2 ? n : n - 1;
    double draw[ROUNDS_MOST];
    for (size_t i = 0; i < size; i++)
        draw[i] = x[kg_random_below(random, n)];
    kg_sort(draw, size);
    return draw[size / 2];
}

static double share(int count, int of)
{
    return (double)count / of;
}

/* What drawing 40,000 resamples would give, within four standard deviations. */
static void drawing_agrees(void **state)
{
    enum { SEED = 20, DRAWS = 40000 };
    static const size_t sizes[][2] = {{3, 3}, {5, 8}, {10, 10}, {15, 6}, {31, 30}};
    struct kg_random random = {SEED};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n1 = sizes[s][0], n2 = sizes[s][1];
        double base[ROUNDS_MOST], current[ROUNDS_MOST];
        int under_low = 0, to_low = 0, under_high = 0, to_high = 0, to_one = 0, from_one = 0;
        for (size_t i = 0; i < n1; i++)
            base[i] = kg_random_between(&random, 1, 1.3);
        for (size_t i = 0; i < n2; i++)
            current[i] = kg_random_between(&random, 1.02, 1.32);
        kg_sort(base, n1);
        kg_sort(current, n2);
        const struct kg_ratio ratio = kg_ratio_estimate(base, n1, current, n2);
        for (int d = 0; d < DRAWS; d++) {
            const double drawn =
                drawn_median(&random, current, n2) / drawn_median(&random, base, n1);
            under_low += drawn < ratio.interval.low * (1 - 1e-12);
            to_low += drawn <= ratio.interval.low * (1 + 1e-12);
            under_high += drawn < ratio.interval.high * (1 - 1e-12);
            to_high += drawn <= ratio.interval.high * (1 + 1e-12);
            to_one += drawn <= 1;
            from_one += drawn >= 1;
        }
        const double slack = 4 * sqrt(0.025 * 0.975 / DRAWS);
        if (share(under_low, DRAWS) > 0.025 + slack || share(to_low, DRAWS) < 0.025 - slack ||
            share(under_high, DRAWS) > 0.975 + slack || share(to_high, DRAWS) < 0.975 - slack)
            fail_msg("seed %d, %zu to %zu: the ends %g and %g are no 2.5 %% quantiles", SEED, n1,
                     n2, ratio.interval.low, ratio.interval.high);
        const double p = fmin(1, 2 * share(to_one < from_one ? to_one : from_one, DRAWS));
        if (fabs(p - ratio.p_value) > 8 * sqrt(0.25 / DRAWS) && ratio.p_value > p)
            fail_msg("seed %d, %zu to %zu: p is %g, drawing says %g", SEED, n1, n2, ratio.p_value,
                     p);
    }
}

static double normal(struct kg_random *random)
{
    const double u = 1 - kg_random_unit(random), v = kg_random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Rounds of one and the same log-normal distribution: how often the interval holds the ratio 1, and
 * how often p is at or below 5 % and 1 %. The table of docs/statistics.md is this test's output. */
static void intervals_hold_about_as_often_as_they_say(void **state)
{
    static const size_t sizes[] = {3, 5, 7, 10, 15, 30};
    enum { SEED = 7, TRIALS = 5000 };
    struct kg_random random = {SEED};
    (void)state;
    printf("seed %d, %d trials\nrounds  holds 1   p <= 5 %%   p <= 1 %%\n", SEED, TRIALS);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int held = 0, five = 0, one = 0;
        for (int t = 0; t < TRIALS; t++) {
            double a[ROUNDS_MOST], b[ROUNDS_MOST];
            for (size_t i = 0; i < sizes[s]; i++) {
                a[i] = exp(0.02 * normal(&random));
                b[i] = exp(0.02 * normal(&random));
            }
            kg_sort(a, sizes[s]);
            kg_sort(b, sizes[s]);
            const struct kg_ratio ratio = kg_ratio_estimate(a, sizes[s], b, sizes[s]);
            held += ratio.interval.low <= 1 && ratio.interval.high >= 1;
            five += ratio.p_value <= 0.05;
            one += ratio.p_value <= 0.01;
        }
        printf("%6zu   %5.1f %%    %5.2f %%    %5.2f %%\n", sizes[s], 100 * share(held, TRIALS),
               100 * share(five, TRIALS), 100 * share(one, TRIALS));
        if (share(held, TRIALS) < (sizes[s] < 5 ? 0.88 : 0.95))
            fail_msg("the interval holds too seldom");
        if (share(five, TRIALS) > 0.06 || share(one, TRIALS) > 0.02)
            fail_msg("p is too small too often");
    }
}

/* The terms of the binomial distribution that the weights are sums of are too small for a double
 * here: the interval of 400 evenly spread values is that of the normal approximation even so. */
static void hundreds_of_rounds_have_an_interval_too(void **state)
{
    double x[400];
    (void)state;
    for (size_t i = 0; i < 400; i++)
        x[i] = (double)i;
    const struct kg_interval interval = kg_median_interval(x, 400, 0.95);
    near("low", 199.5 - 1.96 * 0.5 * sqrt(400), interval.low, 2);
    near("high", 199.5 + 1.96 * 0.5 * sqrt(400), interval.high, 2);
}

static void more_values_than_there_is_room_for_are_thinned(void **state)
{
    enum { MANY = 3000 };
    static double x[MANY], y[MANY];
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        x[i] = 1000 + (double)i / 10;
        y[i] = 1.5 * x[i];
    }
    const struct kg_ratio ratio = kg_ratio_estimate(x, MANY, y, MANY);
    near("ratio", 1.5, ratio.ratio, 1e-12);
    assert_true(ratio.interval.low < 1.5 && ratio.interval.high > 1.5);
    assert_true(ratio.interval.high < 1.6 && ratio.interval.low > 1.4);
    const struct kg_interval interval = kg_median_interval(x, MANY, 0.95);
    assert_true(interval.low < 1150 && interval.high > 1150 && interval.high - interval.low < 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_of_three_by_hand),
        cmocka_unit_test(ratio_of_three_to_one_by_hand),
        cmocka_unit_test(one_value_each_is_a_point_without_evidence),
        cmocka_unit_test(equal_constants_are_exactly_equal),
        cmocka_unit_test(few_rounds_cannot_look_sure),
        cmocka_unit_test(sides_exchanged_give_the_inverse),
        cmocka_unit_test(the_ends_are_ratios_that_occur),
        cmocka_unit_test(drawing_agrees),
        cmocka_unit_test(intervals_hold_about_as_often_as_they_say),
        cmocka_unit_test(hundreds_of_rounds_have_an_interval_too),
        cmocka_unit_test(more_values_than_there_is_room_for_are_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
