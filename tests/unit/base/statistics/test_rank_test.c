/* The rank tests: against enumeration of every order, and how often they are wrong. */
#include "test_support.h"

#include "base/random.h"
#include "base/statistics/stats.h"

static void near(const char *what, double expected, double value)
{
    if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("%s is %.17g, expected %.17g", what, value, expected);
}

/* The values 1 … n1 + n2 dealt to two sides by the bits of `deal`, sorted on each. */
static void deal_out(unsigned deal, size_t all, double *a, size_t *n1, double *b, size_t *n2)
{
    *n1 = *n2 = 0;
    for (size_t i = 0; i < all; i++) {
        if (deal & 1u << i)
            a[(*n1)++] = (double)(i + 1);
        else
            b[(*n2)++] = (double)(i + 1);
    }
}

static size_t pairs_below(const double *a, size_t n1, const double *b, size_t n2)
{
    size_t pairs = 0;
    for (size_t i = 0; i < n1; i++)
        for (size_t j = 0; j < n2; j++)
            pairs += a[i] < b[j];
    return pairs;
}

/* For all C(9, 4) deals: p equals the share of deals that are at least as extreme. */
static void mann_whitney_counts_the_orders(void **state)
{
    enum { ALL = 9, LEFT = 4 };
    double a[ALL], b[ALL], c[ALL], d[ALL];
    size_t n1, n2;
    for (unsigned deal = 0; deal < 1u << ALL; deal++) {
        if (__builtin_popcount(deal) != LEFT)
            continue;
        deal_out(deal, ALL, a, &n1, b, &n2);
        const size_t pairs = pairs_below(a, n1, b, n2), most = n1 * n2;
        const size_t smaller = pairs < most - pairs ? pairs : most - pairs;
        size_t extreme = 0, deals = 0;
        for (unsigned other = 0; other < 1u << ALL; other++) {
            size_t m1, m2;
            if (__builtin_popcount(other) != LEFT)
                continue;
            deal_out(other, ALL, c, &m1, d, &m2);
            extreme += pairs_below(c, m1, d, m2) <= smaller;
            deals++;
        }
        near("p", fmin(1, 2 * (double)extreme / (double)deals), kg_mann_whitney(a, n1, b, n2));
    }
}

static void complete_separation_is_the_least_p(void **state)
{
    static const double low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10, 11, 12};
    near("5 to 7", 2.0 / 792, kg_mann_whitney(low, 5, high, 7));
    near("its inverse", 2.0 / 792, kg_mann_whitney(high, 7, low, 5));
    near("the least", 2.0 / 792, kg_mann_whitney_least(5, 7));
    near("one to one", 1, kg_mann_whitney_least(1, 1));
}

static void ties_count_against_a_difference(void **state)
{
    static const double a[] = {1, 1, 1, 1, 1}, b[] = {1, 1, 1, 1, 2};
    near("all but one equal", 1, kg_mann_whitney(a, 5, a, 5));
    assert_true(kg_mann_whitney(a, 5, b, 5) > 0.5);
}

/* As one side moves away, p falls step by step. This includes the change to the normal
 * distribution, when the exact one has too many terms. */
static void many_values_use_the_normal_distribution(void **state)
{
    enum { MANY = 150 };
    double a[MANY], b[MANY], before = 1;
    for (size_t shift = 1; shift < 30; shift++) {
        for (size_t i = 0; i < MANY; i++) {
            a[i] = (double)i;
            b[i] = (double)(i + shift) + 0.5;
        }
        const double p = kg_mann_whitney(a, MANY, b, MANY);
        if (!(p < before && p > before / 3))
            fail_msg("p falls from %g to %g at a shift of %zu", before, p, shift);
        before = p;
    }
    assert_true(before < 1e-3);
}

/* Two modes and a heavy tail: p at or below 1 % and 5 % no more often than that. */
static void it_is_no_more_often_wrong_than_it_claims(void **state)
{
    enum { SEED = 11, TRIALS = 20000, ROUNDS = 7 };
    struct kg_random random = {SEED};
    int five = 0, one = 0;
    for (int t = 0; t < TRIALS; t++) {
        double x[2][ROUNDS];
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < ROUNDS; i++)
                x[side][i] =
                    (kg_random_unit(&random) < 0.3 ? 1.2 : 1) / sqrt(1 - kg_random_unit(&random));
            kg_sort(x[side], ROUNDS);
        }
        const double p = kg_mann_whitney(x[0], ROUNDS, x[1], ROUNDS);
        five += p <= 0.05;
        one += p <= 0.01;
    }
    printf("seed %d: p <= 5 %% in %.2f %%, p <= 1 %% in %.2f %%\n", SEED, 100.0 * five / TRIALS,
           100.0 * one / TRIALS);
    assert_true(five <= 0.054 * TRIALS && one <= 0.012 * TRIALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mann_whitney_counts_the_orders),
        cmocka_unit_test(complete_separation_is_the_least_p),
        cmocka_unit_test(ties_count_against_a_difference),
        cmocka_unit_test(many_values_use_the_normal_distribution),
        cmocka_unit_test(it_is_no_more_often_wrong_than_it_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
