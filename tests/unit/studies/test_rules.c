/* Other tools' decision rules, which the verdicts benchmark compares kgate with: each on samples
 * whose answer is known. */
#include "test_support.h"

/* The source itself: no part of the library, and its statistics are tested here too. */
#include "studies/verdicts/rules.c"
#include "studies/verdicts/rules.h"

enum { ROUNDS = 12, CALLS = 25, TIMES = ROUNDS * CALLS };

struct side {
    double ns[TIMES];
    double medians[ROUNDS];
};

/* Times spread evenly by +-scatter around centre, in an order that mixes them. The seed shifts each
 * round by a tenth of the scatter, so that two sides do not tie. */
static void fill(struct side *side, double centre, double scatter, uint64_t seed)
{
    struct kg_random random = {.state = seed};
    for (size_t r = 0; r < ROUNDS; r++) {
        double *round = &side->ns[r * CALLS];
        const double shift = 1 + 0.1 * scatter * kg_random_between(&random, -1, 1);
        for (size_t i = 0; i < CALLS; i++)
            round[i] = centre * shift * (1 + scatter * kg_random_between(&random, -1, 1));
        double *sorted = sorted_copy(round, CALLS);
        side->medians[r] = kg_median_sorted(sorted, CALLS);
        free(sorted);
    }
}

static struct rule_samples samples_of(const struct side *side)
{
    return (struct rule_samples){side->ns, TIMES, side->medians, ROUNDS};
}

static struct rule_samples same_for_both(const double *values, size_t count)
{
    return (struct rule_samples){values, count, values, count};
}

static const char *name_of(enum rule_answer answer)
{
    static const char *const names[] = {"same", "slower", "faster"};
    return names[answer];
}

static void expect(const struct rule *rule, const struct rule_samples *base,
                   const struct rule_samples *current, enum rule_answer expected, const char *what)
{
    const enum rule_answer answer = rule->judge(base, current);
    if (answer != expected)
        fail_msg("%s says %s of %s, expected %s", rule->name, name_of(answer), what,
                 name_of(expected));
}

static void expect_of_all(const struct rule_samples *base, const struct rule_samples *current,
                          enum rule_answer expected, const char *what)
{
    for (size_t i = 0; i < rule_count; i++)
        expect(&rules[i], base, current, expected, what);
}

static const struct rule *rule_named(const char *name)
{
    for (size_t i = 0; i < rule_count; i++)
        if (strcmp(rules[i].name, name) == 0)
            return &rules[i];
    fail_msg("no rule is named %s", name);
    return NULL;
}

static void near(const char *what, double expected, double value, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s is %.17g, expected %.17g within %g", what, value, expected, tolerance);
}

static void equal_samples_are_the_same(void **state)
{
    static struct side side;
    fill(&side, 1000, 0.01, 1);
    const struct rule_samples samples = samples_of(&side);
    expect_of_all(&samples, &samples, RULE_SAME, "the same samples");
}

static void a_fifth_slower_is_slower_and_its_mirror_faster(void **state)
{
    static struct side quick, slow;
    fill(&quick, 1000, 0.01, 1);
    fill(&slow, 1200, 0.01, 2);
    const struct rule_samples base = samples_of(&quick), current = samples_of(&slow);
    expect_of_all(&base, &current, RULE_SLOWER, "20 % more");
    expect_of_all(&current, &base, RULE_FASTER, "20 % less");
}

/* With little scatter, significance alone reports half a per cent. A minimum effect prevents
 * this. */
static void half_a_per_cent_parts_rules_with_a_least_effect_from_the_rest(void **state)
{
    static const struct {
        const char *rule;
        enum rule_answer slower, faster;
    } expected[] = {
        {"fixed 5 %", RULE_SAME, RULE_SAME},     {"U test on iterations", RULE_SLOWER, RULE_FASTER},
        {"benchstat", RULE_SLOWER, RULE_FASTER}, {"Criterion.rs", RULE_SAME, RULE_SAME},
        {"NVBench", RULE_SAME, RULE_SAME},
    };
    static struct side quick, slow;
    fill(&quick, 1000, 0.0005, 1);
    fill(&slow, 1005, 0.0005, 2);
    const struct rule_samples base = samples_of(&quick), current = samples_of(&slow);
    assert_int_equal(rule_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < rule_count; i++) {
        const struct rule *rule = rule_named(expected[i].rule);
        expect(rule, &base, &current, expected[i].slower, "0.5 % more");
        expect(rule, &current, &base, expected[i].faster, "0.5 % less");
    }
}

/* Criterion.rs wants the whole interval beyond 1 %: the middle at 1 % is not enough. */
static void criterion_changes_its_answer_above_one_per_cent(void **state)
{
    static struct side quick, little, more;
    fill(&quick, 1000, 0.001, 1);
    fill(&little, 1010, 0.001, 2);
    fill(&more, 1012, 0.001, 3);
    const struct rule_samples base = samples_of(&quick), at = samples_of(&little),
                              above = samples_of(&more);
    const struct rule *rule = rule_named("Criterion.rs");
    expect(rule, &base, &at, RULE_SAME, "1 % more");
    expect(rule, &base, &above, RULE_SLOWER, "1.2 % more");
}

/* [min, q3] of 100 … 103 is [100, 102] by nearest rank: the gap is 0.5 % from 102.51 on. */
static void nvbench_measures_the_gap_from_the_third_quartile(void **state)
{
    static const double base_ns[] = {103, 100, 102, 101, 100};
    static const double close_ns[] = {102.5, 104, 105, 102.6, 104};
    static const double apart_ns[] = {102.52, 104, 105, 102.6, 104};
    const struct rule_samples base = same_for_both(base_ns, 5),
                              near_by = same_for_both(close_ns, 5),
                              apart = same_for_both(apart_ns, 5);
    const struct kg_interval interval = nvbench_interval(&base);
    near("low end", 100, interval.low, 0);
    near("high end", 102, interval.high, 0);
    const struct rule *rule = rule_named("NVBench");
    expect(rule, &base, &near_by, RULE_SAME, "a gap of 0.49 %");
    expect(rule, &base, &apart, RULE_SLOWER, "a gap of 0.51 %");
}

static double p_of(const double *base, size_t base_count, const double *current,
                   size_t current_count)
{
    return mann_whitney(base, base_count, current, current_count).p_value;
}

/* Six ranks divide into two threes in 20 ways: one has U = 0 and one U = 1. */
static void u_test_of_three_and_three_by_hand(void **state)
{
    static const double low[] = {3, 1, 2}, high[] = {5, 4, 6};
    static const double low_but_one[] = {1, 2, 4}, high_but_one[] = {3, 5, 6};
    near("p of U = 0", 2.0 / 20, p_of(low, 3, high, 3), 1e-15);
    near("p of U = 1", 4.0 / 20, p_of(low_but_one, 3, high_but_one, 3), 1e-15);
    near("mirrored", 4.0 / 20, p_of(high_but_one, 3, low_but_one, 3), 1e-15);
}

/* U = 0 … 4 of two and four: 1, 1, 2, 2, 3 of the 15 ways; 4 is the middle. */
static void u_test_of_two_and_four_by_hand(void **state)
{
    static const double four[] = {1, 2, 4, 5}, two[] = {3, 6}, middle[] = {0, 6};
    near("p of U = 2", 2 * 4.0 / 15, p_of(four, 4, two, 2), 1e-15);
    near("p of the middle", 1, p_of(four, 4, middle, 2), 0);
}

/* golang.org/x/perf, benchmath/anone.go, uTestMinP: the least p of two samples of n. */
static void u_test_meets_the_published_least_p_values(void **state)
{
    static const double published[] = {[1] = 1,
                                       [2] = 0.3333333333333333,
                                       [4] = 0.02857142857142857,
                                       [5] = 0.007936507936507936,
                                       [9] = 4.113533525298231e-05};
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    for (size_t n = 1; n < sizeof published / sizeof *published; n++)
        if (published[n] > 0)
            near("least p", published[n], p_of(x, n, x + 9, n), 1e-15);
}

/* The example program of the NAG Library's g08ahf: U = 86, z = -2.8039, corrected for ties and for
 * continuity. */
static void u_test_with_ties_meets_a_published_example(void **state)
{
    static const double first[] = {13, 6, 12, 7, 12, 7, 10, 7, 10, 7, 16, 7, 10, 8, 9, 8};
    static const double second[] = {17, 6,  10, 8,  15, 8,  15, 10, 15, 10, 14, 10,
                                    14, 11, 14, 11, 13, 12, 13, 12, 13, 12, 12};
    const struct u_test test = mann_whitney(second, 23, first, 16);
    near("U", 86, test.slower_pairs, 0);
    near("p", erfc(2.8039 / sqrt(2)), test.p_value, 5e-6);
}

/* At the limit of the exact distribution, the approximation continues without a step. */
static void exact_and_approximate_p_values_agree_at_fifty(void **state)
{
    double base[EXACT_MOST], current[EXACT_MOST];
    for (size_t i = 0; i < EXACT_MOST; i++) {
        base[i] = (double)(2 * i);
        current[i] = (double)(2 * i + 13);
    }
    const struct u_test test = mann_whitney(base, EXACT_MOST, current, EXACT_MOST);
    assert_true(test.p_value > 0.01 && test.p_value < 0.05);
    near("p", normal_p_value(&test, 2 * EXACT_MOST), test.p_value, 5e-4);
}

static void one_time_or_none_is_no_evidence_of_a_small_change(void **state)
{
    static const double one[] = {100}, other[] = {100.4};
    const struct rule_samples nothing = {0}, base = same_for_both(one, 1),
                              current = same_for_both(other, 1);
    expect_of_all(&nothing, &nothing, RULE_SAME, "nothing");
    expect_of_all(&base, &nothing, RULE_SAME, "nothing against one time");
    expect_of_all(&base, &current, RULE_SAME, "one time each");
}

static void equal_times_without_scatter_are_the_same(void **state)
{
    double times[8];
    for (size_t i = 0; i < 8; i++)
        times[i] = 0.1;
    for (size_t count = 1; count <= 8; count++) {
        const struct rule_samples samples = same_for_both(times, count);
        expect_of_all(&samples, &samples, RULE_SAME, "equal times");
    }
}

static void a_step_without_scatter_is_slower(void **state)
{
    double before[8], after[8];
    for (size_t i = 0; i < 8; i++) {
        before[i] = 100;
        after[i] = 120;
    }
    const struct rule_samples base = same_for_both(before, 8), current = same_for_both(after, 8);
    expect_of_all(&base, &current, RULE_SLOWER, "120 against 100");
    expect_of_all(&current, &base, RULE_FASTER, "100 against 120");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_samples_are_the_same),
        cmocka_unit_test(a_fifth_slower_is_slower_and_its_mirror_faster),
        cmocka_unit_test(half_a_per_cent_parts_rules_with_a_least_effect_from_the_rest),
        cmocka_unit_test(criterion_changes_its_answer_above_one_per_cent),
        cmocka_unit_test(nvbench_measures_the_gap_from_the_third_quartile),
        cmocka_unit_test(u_test_of_three_and_three_by_hand),
        cmocka_unit_test(u_test_of_two_and_four_by_hand),
        cmocka_unit_test(u_test_meets_the_published_least_p_values),
        cmocka_unit_test(u_test_with_ties_meets_a_published_example),
        cmocka_unit_test(exact_and_approximate_p_values_agree_at_fifty),
        cmocka_unit_test(one_time_or_none_is_no_evidence_of_a_small_change),
        cmocka_unit_test(equal_times_without_scatter_are_the_same),
        cmocka_unit_test(a_step_without_scatter_is_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
