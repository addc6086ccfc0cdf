/* Counters beside time and memory: their direction, their proof, and where they are missing. */
#include "test_support.h"

enum { ROUNDS = 8 };

struct scene {
    struct kg_results stored, current;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    struct kg_counter counters[2];
    double values[2][ROUNDS];
};

/* Both sides have a counter "hits" of eight equal values. */
static void scene_begin(struct scene *scene, enum kg_better better, double threshold)
{
    support_results(&scene->stored, 1, ROUNDS, 10000);
    support_results(&scene->current, 1, ROUNDS, 10000);
    struct kg_results *sides[] = {&scene->stored, &scene->current};
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < ROUNDS; i++)
            scene->values[s][i] = 1000;
        scene->counters[s] = (struct kg_counter){.name = "hits",
                                                 .source = "workload",
                                                 .better = better,
                                                 .threshold = threshold,
                                                 .values = scene->values[s],
                                                 .value_count = ROUNDS};
        sides[s]->cases[0].counters = &scene->counters[s];
        sides[s]->cases[0].counter_count = 1;
    }
    scene->comparison = (struct kg_comparison){0};
    scene->baseline = (struct kg_baseline){0};
}

static const struct kg_case_change *compare(struct scene *scene)
{
    struct kg_error err = {0};
    kg_comparison_free(&scene->comparison);
    kg_baseline_free(&scene->baseline);
    assert_true(kg_baseline_from_results(&scene->stored, &scene->baseline, &err));
    if (!kg_compare(&scene->baseline, &scene->current, KG_STAGE_FINAL, &scene->comparison, &err))
        fail_msg("%s", err.message);
    return &scene->comparison.cases[0];
}

static void is(const struct kg_case_change *change, enum kg_change expected)
{
    if (change->change != expected)
        fail_msg("%s, expected %s (%s %g): %s", kg_change_name(change->change),
                 kg_change_name(expected), change->metrics[0].name, change->metrics[0].ratio,
                 change->reason ? change->reason : "");
}

static void scene_end(struct scene *scene)
{
    kg_comparison_free(&scene->comparison);
    kg_baseline_free(&scene->baseline);
    kg_results_free(&scene->stored);
    kg_results_free(&scene->current);
}

static void scale(struct scene *scene, double factor)
{
    for (size_t i = 0; i < ROUNDS; i++)
        scene->values[1][i] *= factor;
}

static void lower_or_higher_is_better(void **state)
{
    static const struct {
        enum kg_better better;
        double factor;
        enum kg_change expected;
    } rows[] = {{KG_BETTER_LOWER, 1.05, KG_CHANGE_REGRESSION},
                {KG_BETTER_LOWER, 0.95, KG_CHANGE_IMPROVEMENT},
                {KG_BETTER_HIGHER, 0.95, KG_CHANGE_REGRESSION},
                {KG_BETTER_HIGHER, 1.05, KG_CHANGE_IMPROVEMENT},
                {KG_BETTER_HIGHER, 1.005, KG_CHANGE_NO_CHANGE}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        scene_begin(&scene, rows[i].better, 0.01);
        scale(&scene, rows[i].factor);
        const struct kg_case_change *change = compare(&scene);
        is(change, rows[i].expected);
        assert_string_equal(change->metrics[0].name,
                            rows[i].expected == KG_CHANGE_NO_CHANGE ? "time" : "hits");
        assert_int_equal(change->metric_count, 3);
        scene_end(&scene);
    }
}

/* Two counts a side are enough where they repeat, and prove nothing where they do not. */
static void counts_that_repeat_need_no_test(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene, KG_BETTER_LOWER, 0.005);
    scene.counters[0].value_count = scene.counters[1].value_count = 2;
    scale(&scene, 1.01);
    const struct kg_case_change *change = compare(&scene);
    is(change, KG_CHANGE_REGRESSION);
    assert_true(isnan(change->metrics[0].p_value));
    scene.values[0][0] *= 1.02;
    is(compare(&scene), KG_CHANGE_INCONCLUSIVE);
    scene_end(&scene);
}

static void counts_of_zero_are_compared(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene, KG_BETTER_LOWER, 0.01);
    for (size_t i = 0; i < ROUNDS; i++)
        scene.values[0][i] = scene.values[1][i] = 0;
    is(compare(&scene), KG_CHANGE_NO_CHANGE);
    for (size_t i = 0; i < ROUNDS; i++)
        scene.values[1][i] = 3;
    const struct kg_case_change *change = compare(&scene);
    is(change, KG_CHANGE_REGRESSION);
    assert_true(change->metrics[0].baseline == 0 && change->metrics[0].current == 3);
    scene_end(&scene);
}

static void counts_of_another_source_are_not_compared(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene, KG_BETTER_LOWER, 0.01);
    scene.counters[0].source = "perf";
    scene.counters[1].source = "callgrind";
    scale(&scene, 2);
    const struct kg_case_change *change = compare(&scene);
    is(change, KG_CHANGE_INCONCLUSIVE);
    assert_non_null(strstr(change->reason, "has no hits counted by 'callgrind'"));
    scene_end(&scene);
}

static void what_could_not_be_counted_is_inconclusive_with_the_reason(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene, KG_BETTER_LOWER, 0.01);
    scene.counters[1].value_count = 0;
    scene.counters[1].reason = "there is no counter";
    const struct kg_case_change *change = compare(&scene);
    is(change, KG_CHANGE_INCONCLUSIVE);
    assert_string_equal(change->reason, "there is no counter");
    scene_end(&scene);
}

static void a_suite_chooses_what_is_compared(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene, KG_BETTER_LOWER, 0.01);
    support_slow(&scene.current.cases[0], 3);
    scene.current.cases[0].metrics = 1u << KG_METRIC_PEAK_MEMORY;
    const struct kg_case_change *change = compare(&scene);
    is(change, KG_CHANGE_NO_CHANGE);
    assert_int_equal(change->metric_count, 2);
    scene.current.cases[0].metrics = 1u << KG_METRIC_TIME;
    is(compare(&scene), KG_CHANGE_REGRESSION);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_or_higher_is_better),
        cmocka_unit_test(counts_that_repeat_need_no_test),
        cmocka_unit_test(counts_of_zero_are_compared),
        cmocka_unit_test(counts_of_another_source_are_not_compared),
        cmocka_unit_test(what_could_not_be_counted_is_inconclusive_with_the_reason),
        cmocka_unit_test(a_suite_chooses_what_is_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
