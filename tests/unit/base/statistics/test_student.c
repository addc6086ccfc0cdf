/* Student's t, trimmed means and moderated variances, against tables and closed forms. */
#include "base/random.h"
#include "base/statistics/stats.h"
#include "test_support.h"

static void near(const char *what, double expected, double value, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected) + 1e-300))
        fail_msg("%s: %.17g, expected %.17g", what, value, expected);
}

static void tails_are_those_of_the_tables(void **state)
{
    near("one degree is Cauchy's", 0.5 - atan(3) / 3.14159265358979323846, kg_student_tail(3, 1),
         1e-12);
    near("two", 0.5 - 3 / (2 * sqrt(2 + 9.0)), kg_student_tail(3, 2), 1e-12);
    near("97.5 % of 8", 2.3060041350333704, kg_student_point(0.025, 8), 1e-10);
    near("99.95 % of 8", 5.041305433373367, kg_student_point(0.0005, 8), 1e-10);
    near("97.5 % of 0.5 degrees", 0.025, kg_student_tail(kg_student_point(0.025, 0.5), 0.5), 1e-9);
    near("a normal one", 0.024997895148220435, kg_student_tail(1.96, 1e12), 1e-9);
    near("nearly so", kg_student_tail(5, 1e8), kg_student_tail(5, 9e6), 1e-4);
    near("below 0", 1 - kg_student_tail(1.5, 7), kg_student_tail(-1.5, 7), 1e-12);
    near("nothing", 0.5, kg_student_tail(0, 3), 1e-12);
    assert_true(kg_student_tail(INFINITY, 4) == 0);
    assert_true(isnan(kg_student_tail(1, 0)) && isnan(kg_student_point(0, 5)));
}

/* With 2 degrees in the numerator, P(F > f) is (1 + 2 f / d) ^ (-d / 2). With 1, F is the square of t. */
static void ratios_of_variances_have_the_f_distribution(void **state)
{
    near("two and ten", pow(1.6, -5), kg_variance_ratio_tail(3, 2, 10), 1e-12);
    near("a square", 2 * kg_student_tail(2.5, 7), kg_variance_ratio_tail(6.25, 1, 7), 1e-12);
    near("equal degrees", 0.5, kg_variance_ratio_tail(1, 7, 7), 1e-12);
    near("the table's 95 %", 0.05, kg_variance_ratio_tail(2.5252, 4, 60), 1e-4);
    assert_true(kg_variance_ratio_tail(0, 4, 4) == 1 &&
                kg_variance_ratio_tail(INFINITY, 4, 4) == 0);
    assert_true(isnan(kg_variance_ratio_tail(1, 0, 4)) && isnan(kg_variance_ratio_tail(NAN, 4, 4)));
}

static void a_fifth_at_each_end_has_no_weight(void **state)
{
    double x[] = {-1e6, -1e5, 3, 4, 5, 6, 7, 8, 1e5, 1e6};
    const struct kg_location location = kg_location_find(x, 10);
    near("value", 5.5, location.value, 1e-12);
    near("count", 6, location.count, 0);
    near("freedom", 5, location.freedom, 0);
    /* winsorised: 3 3 3 4 5 6 7 8 8 8 */
    near("variance", 42.5 / 5, location.variance, 1e-12);
}

static void few_values_are_all_kept(void **state)
{
    double x[] = {1, 2, 3, 4, 5, 9};
    const struct kg_location six = kg_location_find(x, 6), one = kg_location_find(x, 1);
    near("value", 4, six.value, 1e-12);
    near("variance", 8, six.variance, 1e-12);
    assert_true(one.value == 1 && one.freedom == 0 && isnan(one.variance));
    assert_true(isnan(kg_location_find(x, 0).value));
}

static double normal(struct kg_random *random)
{
    const double u = 1 - kg_random_unit(random), v = kg_random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

enum { CASES = 400, FREEDOM = 8 };

/* Variances of FREEDOM degrees, around true ones that are `usual` times exp of `scatter` times a
 * normal variable. */
static void variances_draw(struct kg_random *random, double usual, double scatter,
                           struct kg_variance *variances)
{
    for (size_t i = 0; i < CASES; i++) {
        double squares = 0;
        for (size_t k = 0; k < FREEDOM; k++)
            squares += pow(normal(random), 2);
        variances[i] = (struct kg_variance){
            usual * exp(scatter * normal(random)) * squares / FREEDOM, FREEDOM};
    }
}

static void cases_that_are_alike_are_a_strong_prior(void **state)
{
    struct kg_random random = {3};
    struct kg_variance variances[CASES];
    variances_draw(&random, 4e-4, 0, variances);
    const struct kg_variance usual = kg_variance_usual(variances, CASES);
    near("usual", 4e-4, usual.value, 0.1);
    near("no more than", 20, usual.freedom, 0);
    /* log of an inverse chi-square of d0 degrees has variance trigamma(d0 / 2): 1.6 for d0 = 1.9 */
    variances_draw(&random, 4e-4, sqrt(1.6), variances);
    const struct kg_variance weak = kg_variance_usual(variances, CASES);
    if (weak.freedom < 1.4 || weak.freedom > 2.6)
        fail_msg("seed 3: %g degrees of freedom", weak.freedom);
}

static void a_prior_is_weighed_by_its_freedom(void **state)
{
    static const struct kg_variance own = {1e-4, 6}, usual = {4e-4, 3}, none = {NAN, 0};
    const struct kg_variance both = kg_variance_moderate(own, usual);
    near("both", 2e-4, both.value, 1e-12);
    near("freedom", 9, both.freedom, 0);
    near("own alone", 1e-4, kg_variance_moderate(own, none).value, 1e-12);
    near("usual alone", 4e-4, kg_variance_moderate(none, usual).value, 1e-12);
    assert_true(kg_variance_moderate(none, none).freedom == 0);
    assert_true(kg_variance_usual(&own, 1).freedom == 0);
}

static void a_sum_has_the_freedom_of_welch(void **state)
{
    static const struct kg_variance parts[] = {{2, 4}, {1, 8}};
    const struct kg_variance sum = kg_variance_sum(parts, 2);
    near("value", 3, sum.value, 0);
    near("freedom", 9 / (4.0 / 4 + 1.0 / 8), sum.freedom, 1e-12);
}

/* More points than the cache holds, repeatedly, and arguments without a point. */
static void points_that_are_kept_are_the_same(void **state)
{
    static const double tails[] = {0.025, 0.005, 0, 0.5, 0.7};
    struct kg_student_points points = {0};
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < 5; i++)
            for (double freedom = 0; freedom < 6.5; freedom += 1.5) {
                const double expected = kg_student_point(tails[i], freedom);
                for (int again = 0; again < 2; again++) {
                    const double found = kg_student_point_kept(&points, tails[i], freedom);
                    assert_memory_equal(&found, &expected, sizeof found);
                }
            }
    const double expected = kg_student_point(0.025, 8),
                 found = kg_student_point_kept(NULL, 0.025, 8);
    assert_memory_equal(&found, &expected, sizeof found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_are_those_of_the_tables),
        cmocka_unit_test(ratios_of_variances_have_the_f_distribution),
        cmocka_unit_test(points_that_are_kept_are_the_same),
        cmocka_unit_test(a_fifth_at_each_end_has_no_weight),
        cmocka_unit_test(few_values_are_all_kept),
        cmocka_unit_test(cases_that_are_alike_are_a_strong_prior),
        cmocka_unit_test(a_prior_is_weighed_by_its_freedom),
        cmocka_unit_test(a_sum_has_the_freedom_of_welch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
