/* The bootstrap of medians in closed form: against figures by hand, against drawing, and how often
 * its intervals hold. */
#include "test_support.h"

#include "base/random.h"
#include "base/statistics/stats.h"

enum { ROUNDS_MOST = 32 };

static void near(const char *what, double expected, double value, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s is %.17g, expected %.17g within %g", what, value, expected, tolerance);
}

static void ratio_is(const struct kg_ratio *ratio, double value, double low, double high)
{
    near("ratio", value, ratio->ratio, 1e-12);
    near("low end", low, ratio->interval.low, 1e-12);
    near("high end", high, ratio->interval.high, 1e-12);
}

/* Three values: P(median* <= x_1) = P(Binomial(3, 1/3) >= 2) = 7/27, and 20/27 for x_2. */
static void median_of_three_by_hand(void **state)
{
    static const double x[] = {1, 2, 4};
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

/* log 4, log 2 and 0 with the weights 7/27, 13/27, 7/27. */
static void ratio_of_three_to_one_by_hand(void **state)
{
    static const double base[] = {1, 2, 4}, current[] = {4};
    const struct kg_ratio ratio = kg_ratio_estimate(base, 3, current, 1, 0.5);
    ratio_is(&ratio, 2, 1, 4); /* with a tie, four orders of one value prove nothing */
}

static void one_value_each_is_a_point_without_evidence(void **state)
{
    const struct kg_ratio ratio = kg_ratio_estimate(&(double){10}, 1, &(double){15}, 1, 0.5);
    ratio_is(&ratio, 1.5, 1.5, 1.5);
    const struct kg_interval interval = kg_median_interval(&(double){10}, 1, 0.95);
    near("low", 10, interval.low, 0);
    near("high", 10, interval.high, 0);
}

static void equal_constants_are_exactly_equal(void **state)
{
    static const double x[] = {3, 3, 3, 3, 3, 3};
    const struct kg_ratio ratio = kg_ratio_estimate(x, 6, x, 6, 0.5);
    assert_true(ratio.ratio == 1 && ratio.interval.low == 1 && ratio.interval.high == 1);
}

static void sides_exchanged_give_the_inverse(void **state)
{
    static const double a[] = {1, 1.1, 1.3, 1.7, 1.9, 2.3}, b[] = {1.2, 1.4, 1.5, 2.1, 2.2};
    const struct kg_ratio to = kg_ratio_estimate(a, 6, b, 5, 0.5),
                          back = kg_ratio_estimate(b, 5, a, 6, 0.5);
    near("ratio", 1, to.ratio * back.ratio, 1e-12);
}

/* The interval's ends are ratios of two of the values, not points between them. */
static void the_ends_are_ratios_that_occur(void **state)
{
    static const double a[] = {1, 1.1, 1.3, 1.7, 1.9, 2.3, 2.9}, b[] = {1.2, 1.4, 1.5, 2.1, 2.2};
    const struct kg_interval interval = kg_ratio_estimate(a, 7, b, 5, 0.5).interval;
    bool low = false, high = false;
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 5; j++) {
            low = low || fabs(b[j] / a[i] / interval.low - 1) < 1e-14;
            high = high || fabs(b[j] / a[i] / interval.high - 1) < 1e-14;
        }
    if (!low || !high)
        fail_msg("%.17g to %.17g", interval.low, interval.high);
}

/* The simulation of the closed form: the value of this rank among as many draws. */
static double drawn_quantile(struct kg_random *random, const double *x, size_t n, double part)
{
    const size_t size = part == 0.5 && n % 2 == 0 ? n - 1 : n;
    double draw[ROUNDS_MOST];
    for (size_t i = 0; i < size; i++)
        draw[i] = x[kg_random_below(random, n)];
    kg_sort(draw, size);
    return draw[(size_t)(part * (double)(size - 1))];
}

static double share(int count, int of)
{
    return (double)count / of;
}

static void drawing_agrees_for(double part, size_t n1, size_t n2)
{
    enum { SEED = 20, DRAWS = 40000 };
    struct kg_random random = {SEED};
    double base[ROUNDS_MOST], current[ROUNDS_MOST];
    int under_low = 0, to_low = 0, under_high = 0, to_high = 0;
    for (size_t i = 0; i < n1; i++)
        base[i] = kg_random_between(&random, 1, 1.3);
    for (size_t i = 0; i < n2; i++)
        current[i] = kg_random_between(&random, 1.02, 1.32);
    kg_sort(base, n1);
    kg_sort(current, n2);
    const struct kg_ratio ratio = kg_ratio_estimate(base, n1, current, n2, part);
    for (int d = 0; d < DRAWS; d++) {
        const double drawn =
            drawn_quantile(&random, current, n2, part) / drawn_quantile(&random, base, n1, part);
        under_low += drawn < ratio.interval.low * (1 - 1e-12);
        to_low += drawn <= ratio.interval.low * (1 + 1e-12);
        under_high += drawn < ratio.interval.high * (1 - 1e-12);
        to_high += drawn <= ratio.interval.high * (1 + 1e-12);
    }
    const double slack = 4 * sqrt(0.025 * 0.975 / DRAWS);
    if (share(under_low, DRAWS) > 0.025 + slack || share(to_low, DRAWS) < 0.025 - slack ||
        share(under_high, DRAWS) > 0.975 + slack || share(to_high, DRAWS) < 0.975 - slack)
        fail_msg("seed %d, quantile %g, %zu to %zu: the ends %g and %g are no 2.5 %% quantiles",
                 SEED, part, n1, n2, ratio.interval.low, ratio.interval.high);
}

/* Agrees with 40,000 drawn resamples within four standard deviations. */
static void drawing_agrees(void **state)
{
    static const size_t sizes[][2] = {{3, 3}, {5, 8}, {10, 10}, {15, 6}, {31, 30}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        drawing_agrees_for(0.5, sizes[s][0], sizes[s][1]);
        drawing_agrees_for(0.25, sizes[s][0], sizes[s][1]);
    }
}

static double normal(struct kg_random *random)
{
    const double u = 1 - kg_random_unit(random), v = kg_random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* How often intervals of rounds of one and the same log-normal distribution hold the ratio 1. */
static double held_share(size_t rounds, double part)
{
    enum { SEED = 7, TRIALS = 5000 };
    struct kg_random random = {SEED};
    int held = 0;
    for (int t = 0; t < TRIALS; t++) {
        double a[ROUNDS_MOST], b[ROUNDS_MOST];
        for (size_t i = 0; i < rounds; i++) {
            a[i] = exp(0.02 * normal(&random));
            b[i] = exp(0.02 * normal(&random));
        }
        kg_sort(a, rounds);
        kg_sort(b, rounds);
        const struct kg_interval interval = kg_ratio_estimate(a, rounds, b, rounds, part).interval;
        held += interval.low <= 1 && interval.high >= 1;
    }
    return share(held, TRIALS);
}

/* Prints a table of sizes and shares. */
static void intervals_hold_about_as_often_as_they_claim(void **state)
{
    static const size_t sizes[] = {3, 5, 7, 10, 15, 30};
    printf("seed 7, 5000 trials\nrounds   lower quarters   medians\n");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const double quarter = held_share(sizes[s], 0.25), median = held_share(sizes[s], 0.5);
        printf("%6zu      %5.1f %%        %5.1f %%\n", sizes[s], 100 * quarter, 100 * median);
        if (median < (sizes[s] < 5 ? 0.88 : 0.95) || quarter < (sizes[s] < 5 ? 0.80 : 0.90))
            fail_msg("the interval holds too seldom");
    }
}

/* The weights are sums of binomial terms that are too small for a double here. Still, the interval
 * of 400 evenly spread values equals that of the normal approximation. */
static void hundreds_of_rounds_have_an_interval_too(void **state)
{
    double x[400];
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
    for (size_t i = 0; i < MANY; i++) {
        x[i] = 1000 + (double)i / 10;
        y[i] = 1.5 * x[i];
    }
    const struct kg_ratio ratio = kg_ratio_estimate(x, MANY, y, MANY, 0.5);
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
        cmocka_unit_test(sides_exchanged_give_the_inverse),
        cmocka_unit_test(the_ends_are_ratios_that_occur),
        cmocka_unit_test(drawing_agrees),
        cmocka_unit_test(intervals_hold_about_as_often_as_they_claim),
        cmocka_unit_test(hundreds_of_rounds_have_an_interval_too),
        cmocka_unit_test(more_values_than_there_is_room_for_are_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
