/* A metric that is undecided only on the better side. If it is surely not worse by the threshold,
 * no suite is UNDECIDED. */
#include "judge/metric.h"
#include "judge/undecided.h"
#include "test_support.h"

static struct kg_metric open_metric(double ratio, double low, double high)
{
    struct kg_metric metric = {.name = "time",
                               .against = "base",
                               .unit = "ns",
                               .baseline = 100,
                               .current = 100 * ratio,
                               .ratio = ratio,
                               KG_METRIC_NOT_ESTIMATED,
                               .asked_threshold = 0.05,
                               .threshold = 0.05,
                               .better = KG_BETTER_LOWER,
                               .change = KG_CHANGE_INCONCLUSIVE,
                               .doubt = KG_DOUBT_CROSSING,
                               .base_rounds = 10,
                               .current_rounds = 10,
                               .least_rounds = 3};
    metric.interval_low = low;
    metric.interval_high = high;
    return metric;
}

static void the_worse_end_of_the_interval_decides(void **state)
{
    struct kg_metric metric = open_metric(0.74, 0.55, 1.0);
    assert_true(kg_metric_not_worse(&metric));
    metric = open_metric(0.96, 0.92, 1.01); /* nor is this worse by the threshold */
    assert_true(kg_metric_not_worse(&metric));
    metric = open_metric(0.96, 0.85, 1.06);
    assert_false(kg_metric_not_worse(&metric));
    metric.min_effect = 7; /* of 100: 6 % do not count */
    assert_true(kg_metric_not_worse(&metric));
    metric = open_metric(1.1, 0.99, 1.2);
    metric.better = KG_BETTER_HIGHER;
    assert_true(kg_metric_not_worse(&metric));
    metric = open_metric(0.9, 0.8, 1.01);
    metric.better = KG_BETTER_HIGHER;
    assert_false(kg_metric_not_worse(&metric));
}

static void the_same_code_is_not_worse_by_what_another_load_explains(void **state)
{
    struct kg_metric metric = open_metric(1.1, 0.8, 1.5);
    assert_false(kg_metric_not_worse(&metric));
    metric.code_same = true;
    assert_true(kg_metric_not_worse(&metric));
    metric.interval_low = 1.01; /* slower for sure: it may read another file */
    assert_false(kg_metric_not_worse(&metric));
    metric.interval_low = 0.8;
    metric.interval_high = 2.1;
    assert_false(kg_metric_not_worse(&metric));
    metric.interval_high = 1.5;
    metric.mean_ratio = 1.2;
    assert_false(kg_metric_not_worse(&metric));
}

static void without_an_interval_enough_rounds_or_quiet_means_nothing_is_sure(void **state)
{
    struct kg_metric metric = open_metric(0.74, NAN, NAN);
    assert_false(kg_metric_not_worse(&metric));
    metric = open_metric(0.74, 0.55, 1.0);
    metric.current_rounds = 2;
    assert_false(kg_metric_not_worse(&metric));
    metric = open_metric(0.74, 0.55, 1.0);
    metric.mean_ratio = 1.2;
    assert_false(kg_metric_not_worse(&metric));
}

/* Undecided counts of a comparison of one case with two metrics. */
static struct kg_decided decided(const struct kg_metric metrics[2], enum kg_change word)
{
    struct kg_metric copies[2] = {metrics[0], metrics[1]};
    struct kg_case_change change = {.change = word, .metrics = copies, .metric_count = 2};
    struct kg_comparison comparison = {.cases = &change, .case_count = 1};
    comparison.counts.of[KG_CHANGE_INCONCLUSIVE] = word == KG_CHANGE_INCONCLUSIVE;
    comparison.counts.of[KG_CHANGE_SUSPECT] = word == KG_CHANGE_SUSPECT;
    return kg_decided_count(&comparison);
}

static void a_case_counts_as_undecided_where_a_metric_of_it_may_be_worse(void **state)
{
    struct kg_metric metrics[2] = {open_metric(0.74, 0.55, 1.0), open_metric(0.35, 0.34, 0.36)};
    metrics[1].change = KG_CHANGE_IMPROVEMENT;
    assert_int_equal(decided(metrics, KG_CHANGE_INCONCLUSIVE).compared, 1);
    assert_int_equal(decided(metrics, KG_CHANGE_INCONCLUSIVE).undecided, 0);
    assert_int_equal(decided(metrics, KG_CHANGE_INCONCLUSIVE).not_worse, 1);
    metrics[1] = open_metric(1, 0.9, 1.1);
    assert_int_equal(decided(metrics, KG_CHANGE_INCONCLUSIVE).undecided, 1);
    assert_int_equal(decided(metrics, KG_CHANGE_SUSPECT).undecided, 1);
    metrics[1] = open_metric(0.74, 0.55, 1.0);
    metrics[1].doubt = KG_DOUBT_BUSY; /* no interval tells of a busy machine */
    assert_int_equal(decided(metrics, KG_CHANGE_INCONCLUSIVE).undecided, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worse_end_of_the_interval_decides),
        cmocka_unit_test(the_same_code_is_not_worse_by_what_another_load_explains),
        cmocka_unit_test(without_an_interval_enough_rounds_or_quiet_means_nothing_is_sure),
        cmocka_unit_test(a_case_counts_as_undecided_where_a_metric_of_it_may_be_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
