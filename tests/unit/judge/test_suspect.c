/* Names of an undecided metric: SUSPECT if it is worse and only the proof is missing. */
#include "judge/metric.h"
#include "test_support.h"

static struct kg_metric timed(double ratio, double low, double high)
{
    struct kg_metric metric = {.unit = "ns",
                               .baseline = 100,
                               .current = 100 * ratio,
                               .ratio = ratio,
                               KG_METRIC_NOT_ESTIMATED,
                               .asked_threshold = 0.05,
                               .threshold = 0.05,
                               .better = KG_BETTER_LOWER};
    metric.interval_low = low;
    metric.interval_high = high;
    return metric;
}

static void only_what_is_worse_without_proof_is_suspect(void **state)
{
    struct kg_metric slower = timed(1.2, 1.1, 1.3), faster = timed(0.8, 0.7, 0.9);
    struct kg_metric crossing = timed(1.2, 1.01, 1.4), small = timed(1.2, 1.1, 1.3);
    assert_int_equal(kg_metric_undecided(&slower), KG_CHANGE_SUSPECT);
    assert_int_equal(kg_metric_undecided(&faster), KG_CHANGE_INCONCLUSIVE);
    slower.better = faster.better = KG_BETTER_HIGHER;
    assert_int_equal(kg_metric_undecided(&slower), KG_CHANGE_INCONCLUSIVE);
    assert_int_equal(kg_metric_undecided(&faster), KG_CHANGE_SUSPECT);
    assert_int_equal(kg_metric_undecided(&crossing), KG_CHANGE_INCONCLUSIVE);
    crossing.suspected = true; /* screening found it significant */
    assert_int_equal(kg_metric_undecided(&crossing), KG_CHANGE_SUSPECT);
    small.min_effect = 1e9;
    assert_int_equal(kg_metric_undecided(&small), KG_CHANGE_INCONCLUSIVE);
}

static void a_slowdown_that_the_gpu_s_clock_may_explain_is_not_suspect(void **state)
{
    struct kg_metric slower = timed(1.2, 1.1, 1.3);
    slower.cycles_ratio = 1;
    slower.cycles_low = 0.99;
    slower.cycles_high = 1.01;
    assert_int_equal(kg_metric_undecided(&slower), KG_CHANGE_INCONCLUSIVE);
    slower.cycles_ratio = 1.2;
    slower.cycles_low = 1.1;
    slower.cycles_high = 1.3;
    assert_int_equal(kg_metric_undecided(&slower), KG_CHANGE_SUSPECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_worse_without_proof_is_suspect),
        cmocka_unit_test(a_slowdown_that_the_gpu_s_clock_may_explain_is_not_suspect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
