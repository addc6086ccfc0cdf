/* Budgets: a case's figures, and what two cases make together, against absolute limits. */
#include "compare/budget.h"
#include "compare/reasons.h"
#include "test_support.h"

/* A case on the CPU of 60 ms and the same on the GPU of 2 ms, timed in two ways, with a counter;
 * and another with other values of its parameters. */
enum { ON_CPU, ON_GPU, ON_GPU_HOT, OTHER, CASES };

struct scene {
    struct kg_results results;
    struct kg_arena arena;
    struct kg_budget_grounds grounds;
    struct kg_metric metric;
    double values[3];
    struct kg_counter counters[2];
};

static void case_set(struct scene *scene, size_t index, const char *id, const char *device,
                     const char *n, double time_ns)
{
    struct kg_case_result *result = &scene->results.cases[index];
    struct kg_pair *params = kg_arena_alloc(&scene->results.arena, 2, sizeof *params);
    assert_non_null(params);
    params[0] = (struct kg_pair){"lattice", "D4"};
    params[1] = (struct kg_pair){"n", n};
    result->id = id;
    result->workload = "encode";
    result->device = device;
    result->params = params;
    result->param_count = 2;
    result->summary.median_ns = time_ns;
}

static void scene_begin(struct scene *scene)
{
    *scene = (struct scene){.values = {9, 4, 5}};
    support_results(&scene->results, CASES, 3, 1e6);
    case_set(scene, ON_GPU, "encode/lattice=D4,n=10/cuda", "cuda", "10", 2e6);
    case_set(scene, ON_GPU_HOT, "encode/lattice=D4,n=10,timing=hot/cuda", "cuda", "10", 1e6);
    case_set(scene, OTHER, "encode/lattice=D4,n=20/cpu", "cpu", "20", 9e6);
    case_set(scene, ON_CPU, "encode/lattice=D4,n=10/cpu", "cpu", "10", 60e6);
    scene->counters[0] = (struct kg_counter){.name = "turns", .source = "cupti"};
    scene->counters[1] = (struct kg_counter){
        .name = "turns", .source = "workload", .values = scene->values, .value_count = 3};
    scene->results.cases[ON_CPU].counters = scene->counters;
    scene->results.cases[ON_CPU].counter_count = 2;
}

static void scene_end(struct scene *scene)
{
    kg_arena_free(&scene->arena);
    kg_results_free(&scene->results);
}

/* Judges one budget of a case. `reason` is a part of it, NULL where there is to be none. */
static void is(struct scene *scene, size_t index, const char *name, const char *relation,
               double limit, enum kg_change change, const char *reason)
{
    const struct kg_limit budget = {name, relation, limit};
    const struct kg_metric *metric = &scene->metric;
    assert_true(
        kg_budget_grounds_start(&scene->grounds, &scene->arena, &scene->arena, &scene->results));
    assert_true(
        kg_budget_judge(&scene->grounds, &scene->results.cases[index], &budget, &scene->metric));
    assert_true(kg_reason_make(&scene->arena, &scene->metric));
    assert_string_equal(metric->name, name);
    assert_string_equal(metric->against, "budget");
    if (metric->change != change ||
        (reason ? !metric->reason || !strstr(metric->reason, reason) : metric->reason != NULL))
        fail_msg("%s %s %g: %s, '%s'", name, relation, limit, kg_change_name(metric->change),
                 metric->reason ? metric->reason : "");
}

static void a_budget_is_met_or_violated_by_the_figure_as_it_stands(void **state)
{
    static const struct {
        double value;
        const char *relation;
        double limit;
        enum kg_change change;
        const char *reason;
    } rows[] = {
        {1e5, ">=", 1e5, KG_CHANGE_NO_CHANGE, NULL},
        {1e5, "<=", 1e5, KG_CHANGE_NO_CHANGE, NULL},
        {8.1e4, ">=", 1e5, KG_CHANGE_REGRESSION,
         "items_per_second is 81.0 k/s, below the budget of >= 100 k/s"},
        {2e5, "<=", 1e5, KG_CHANGE_REGRESSION, "above the budget of <= 100 k/s"},
        {99999, ">=", 1e5, KG_CHANGE_REGRESSION, "99999, below the budget of >= 100000"},
        {NAN, ">=", 1e5, KG_CHANGE_INCONCLUSIVE, "the workload does not say it"},
    };
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene.results.cases[ON_CPU].work.items_per_second = rows[i].value;
        is(&scene, ON_CPU, "items_per_second", rows[i].relation, rows[i].limit, rows[i].change,
           rows[i].reason);
    }
    scene_end(&scene);
}

static void budgets_limit_times_and_memory_too(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    is(&scene, ON_CPU, "time", "<=", 5e6, KG_CHANGE_REGRESSION,
       "time is 60.0 ms, above the budget of <= 5.00 ms");
    assert_string_equal(scene.metric.unit, "ns");
    scene.results.cases[ON_CPU].memory.peak_bytes = 1 << 20;
    is(&scene, ON_CPU, "peak_memory", "<=", 1 << 21, KG_CHANGE_NO_CHANGE, NULL);
    assert_string_equal(scene.metric.unit, "bytes");
    scene_end(&scene);
}

static void a_counter_is_judged_by_its_median_over_the_rounds(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    is(&scene, ON_CPU, "turns", ">=", 4, KG_CHANGE_NO_CHANGE, NULL);
    is(&scene, ON_CPU, "turns", "<=", 8, KG_CHANGE_NO_CHANGE, NULL);
    assert_true(scene.metric.current == 5 && scene.metric.baseline == 8);
    is(&scene, ON_CPU, "turns", ">=", 6, KG_CHANGE_REGRESSION,
       "turns is 5.00, below the budget of >= 6.00");
    is(&scene, ON_CPU, "turns", "<=", 4.5, KG_CHANGE_REGRESSION, "above the budget of <= 4.50");
    is(&scene, ON_CPU, "misses", "<=", 4.5, KG_CHANGE_INCONCLUSIVE, "does not say it");
    assert_true(scene.values[0] == 9 && scene.values[2] == 5);
    scene_end(&scene);
}

static void a_speedup_is_over_the_same_case_on_the_cpu(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    is(&scene, ON_GPU, KG_SPEEDUP_OVER_CPU, ">=", 30, KG_CHANGE_NO_CHANGE, NULL);
    assert_true(scene.metric.current == 30);
    is(&scene, ON_GPU, KG_SPEEDUP_OVER_CPU, ">=", 31, KG_CHANGE_REGRESSION,
       "speedup_over_cpu is 30.0, below the budget of >= 31.0");
    /* one case on the CPU is there for all timings */
    is(&scene, ON_GPU_HOT, KG_SPEEDUP_OVER_CPU, ">=", 60, KG_CHANGE_NO_CHANGE, NULL);
    scene_end(&scene);
}

static void without_the_case_on_the_cpu_a_speedup_is_inconclusive_with_the_reason(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    struct kg_case_result *on_cpu = &scene.results.cases[ON_CPU];
    on_cpu->status = KG_STATUS_FAILED;
    on_cpu->reason = "it crashed";
    is(&scene, ON_GPU, KG_SPEEDUP_OVER_CPU, ">=", 30, KG_CHANGE_INCONCLUSIVE,
       "but encode/lattice=D4,n=10/cpu is FAILED: it crashed");
    on_cpu->status = KG_STATUS_UNMEASURED;
    on_cpu->reason = NULL;
    is(&scene, ON_GPU, KG_SPEEDUP_OVER_CPU, ">=", 30, KG_CHANGE_INCONCLUSIVE, "/cpu is UNMEASURED");
    on_cpu->params[1].value = "30";
    is(&scene, ON_GPU, KG_SPEEDUP_OVER_CPU, ">=", 30, KG_CHANGE_INCONCLUSIVE,
       "it has no case on the CPU: the suite's `devices`");
    scene.results.filter = "--shard 1/2";
    is(&scene, ON_GPU, KG_SPEEDUP_OVER_CPU, ">=", 30, KG_CHANGE_INCONCLUSIVE,
       "its case on the CPU was left out (--shard 1/2)");
    scene_end(&scene);
}

/* In the comparison: a range is two metrics, the violated one decides; the CPU has no speedup. */
static void the_violated_limit_of_a_range_decides_the_case(void **state)
{
    struct kg_limit budgets[] = {
        {"turns", ">=", 1}, {"turns", "<=", 4}, {KG_SPEEDUP_OVER_CPU, ">=", 31}};
    const struct kg_baseline none = {0};
    struct kg_comparison comparison;
    struct kg_error err = {0};
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    for (size_t i = ON_CPU; i <= ON_GPU; i++) {
        scene.results.cases[i].budgets = budgets;
        scene.results.cases[i].budget_count = 3;
    }
    if (!kg_compare(&none, &scene.results, KG_STAGE_FINAL, &comparison, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < comparison.case_count; i++) {
        const struct kg_case_change *change = &comparison.cases[i];
        if (change->order > ON_GPU)
            continue;
        assert_int_equal(change->change, KG_CHANGE_REGRESSION);
        assert_int_equal(change->metric_count, change->order == ON_CPU ? 2 : 3);
        assert_string_equal(change->metrics[0].name,
                            change->order == ON_CPU ? "turns" : KG_SPEEDUP_OVER_CPU);
    }
    assert_int_equal(comparison.counts.regression, 2);
    kg_comparison_free(&comparison);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_is_met_or_violated_by_the_figure_as_it_stands),
        cmocka_unit_test(budgets_limit_times_and_memory_too),
        cmocka_unit_test(a_counter_is_judged_by_its_median_over_the_rounds),
        cmocka_unit_test(a_speedup_is_over_the_same_case_on_the_cpu),
        cmocka_unit_test(without_the_case_on_the_cpu_a_speedup_is_inconclusive_with_the_reason),
        cmocka_unit_test(the_violated_limit_of_a_range_decides_the_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
