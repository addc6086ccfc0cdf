/* Stored runs on two levels: a step that the code made is no noise that may hide the next one. */
#include "judge/compare_parts.h"
#include "judge/metric.h"
#include "judge/reasons.h"
#include "test_support.h"

enum { EACH = 5, RUNS_MOST = 6 };

/* The metric of runs at `levels`; the last one is the current run. Each has five rounds, 0.1 %
 * apart. */
static struct kg_metric of_runs(const double *levels, size_t count, enum kg_better better)
{
    double values[RUNS_MOST * EACH], scratch[3 * RUNS_MOST * EACH + 2 * RUNS_MOST];
    size_t counts[RUNS_MOST];
    struct kg_metric metric = {.unit = "ns", .better = better};
    struct kg_metric_state state;
    struct kg_metric_input input = {.values = values,
                                    .run_counts = counts,
                                    .run_count = count - 1,
                                    .current_count = EACH,
                                    .scratch = scratch,
                                    .proof = KG_PROOF_TEST,
                                    .threshold = 0.05};
    for (size_t r = 0; r < count; r++) {
        counts[r] = EACH;
        for (size_t i = 0; i < EACH; i++)
            values[r * EACH + i] = levels[r] * (1 + 0.001 * (double)i);
    }
    kg_metric_estimate(&input, &metric, &state);
    metric.change = kg_metric_undecided(&metric);
    metric.doubt = kg_metric_doubt(&metric);
    return metric;
}

#define OF_RUNS(better, ...)                                                                       \
    of_runs((const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double), better)

static void runs_are_divided_at_their_largest_step(void **state)
{
    static const double locations[] = {0, 0.01, 0, 0.4, 0.42};
    const struct kg_levels levels = kg_levels_find(locations, 5);
    assert_true(fabs(levels.older - 0.01 / 3) < 1e-12);
    assert_true(fabs(levels.newer - 0.41) < 1e-12);
    assert_true(fabs(levels.scatter - 0.02) < 1e-12);
    assert_true(isnan(kg_levels_find(locations, 3).older));
}

/* Once half as slow was stored, twice as slow was INCONCLUSIVE, and passed. */
static void what_is_worse_than_both_levels_is_suspect(void **state)
{
    struct kg_metric metric = OF_RUNS(KG_BETTER_LOWER, 1000, 1010, 1000, 1500, 2000);
    struct kg_arena arena = {0};
    assert_true(metric.noise_floor > 0.5);
    assert_int_equal(metric.change, KG_CHANGE_SUSPECT);
    assert_int_equal(metric.doubt, KG_DOUBT_STEPPED);
    assert_true(fabs(metric.step - 1500.0 / 1003.3) < 0.001);
    assert_true(fabs(metric.beyond - 2000.0 / 1500) < 0.001);
    kg_reason_make(&arena, &metric);
    assert_non_null(strstr(metric.reason, "newer runs are +49.5 % against its older runs"));
    assert_non_null(strstr(metric.reason, "+33.3 % against the worse"));
    kg_arena_free(&arena);
}

static void the_worse_level_counts_whichever_came_first(void **state)
{
    assert_int_equal(OF_RUNS(KG_BETTER_LOWER, 1500, 1510, 1000, 1010, 2000).doubt,
                     KG_DOUBT_STEPPED);
    assert_int_equal(OF_RUNS(KG_BETTER_HIGHER, 1000, 1010, 1000, 1500, 700).doubt,
                     KG_DOUBT_STEPPED);
}

static void what_is_at_a_level_or_better_is_not(void **state)
{
    assert_true(isnan(OF_RUNS(KG_BETTER_LOWER, 1000, 1010, 1000, 1500, 1500).beyond));
    assert_true(isnan(OF_RUNS(KG_BETTER_LOWER, 1000, 1010, 1000, 1500, 1200).beyond));
    assert_true(isnan(OF_RUNS(KG_BETTER_LOWER, 1000, 1010, 1000, 1500, 500).beyond));
    assert_true(isnan(OF_RUNS(KG_BETTER_HIGHER, 1000, 1010, 1000, 1500, 2000).beyond));
}

static void runs_that_scatter_have_no_levels(void **state)
{
    assert_true(isnan(OF_RUNS(KG_BETTER_LOWER, 1000, 1400, 1000, 1500, 2200).beyond));
    assert_true(isnan(OF_RUNS(KG_BETTER_LOWER, 1000, 1100, 1200, 1500, 1900).beyond));
    assert_true(isnan(OF_RUNS(KG_BETTER_LOWER, 1000, 1001, 1000, 1001, 1004).beyond));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_divided_at_their_largest_step),
        cmocka_unit_test(what_is_worse_than_both_levels_is_suspect),
        cmocka_unit_test(the_worse_level_counts_whichever_came_first),
        cmocka_unit_test(what_is_at_a_level_or_better_is_not),
        cmocka_unit_test(runs_that_scatter_have_no_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
