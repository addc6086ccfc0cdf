/* Acceptable changes of a comparison, and their size. */
#include "judge/waivers_apply.h"
#include "test_support.h"

static struct kg_metric metric_make(const char *against, double ratio, double low, double high)
{
    return (struct kg_metric){.name = "time",
                              .against = against,
                              .better = KG_BETTER_LOWER,
                              .change = KG_CHANGE_REGRESSION,
                              .ratio = ratio,
                              .interval_low = low,
                              .interval_high = high};
}

static void as_much_is_accepted_as_the_next_gate_may_measure(void **state)
{
    struct kg_metric metric = metric_make("baseline", 1.223, 1.168, 1.28104);
    assert_true(fabs(kg_acceptable_bound(&metric) - 1.28104) <= 0);
    assert_true(fabs(kg_acceptable_change(&metric) - 0.282) <= 1e-12);
    metric.better = KG_BETTER_HIGHER;
    metric.ratio = 0.8, metric.interval_low = 0.7512;
    assert_true(fabs(kg_acceptable_change(&metric) + 0.249) <= 1e-12);
    metric.interval_low = NAN;
    assert_true(fabs(kg_acceptable_change(&metric) + 0.2) <= 1e-12);
}

static void the_furthest_reference_stands_for_all(void **state)
{
    struct kg_metric metrics[] = {metric_make("baseline", 1.2, 1.15, 1.25),
                                  metric_make("pin:release", 1.4, 1.35, 1.45),
                                  metric_make("budget", 2, NAN, NAN)};
    const struct kg_case_change change = {.metrics = metrics, .metric_count = 3};
    assert_false(kg_is_acceptable(&change, &metrics[0]));
    assert_true(kg_is_acceptable(&change, &metrics[1]));
    assert_false(kg_is_acceptable(&change, &metrics[2]));
    metrics[1].change = KG_CHANGE_NO_CHANGE;
    assert_true(kg_is_acceptable(&change, &metrics[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_much_is_accepted_as_the_next_gate_may_measure),
        cmocka_unit_test(the_furthest_reference_stands_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
