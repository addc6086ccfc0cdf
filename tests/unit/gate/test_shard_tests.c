/* The level of a shard's tests, and its part of the stored runs. */
#include "gate/plan_settings.h"
#include "gate/shard_baseline.h"
#include "judge/pair_merge.h"
#include "test_support.h"

enum { CASES = 6, SHARDS = 3, EACH = CASES / SHARDS, ROUNDS = 12, RUNS = 3 };

/* Two ordinary runs and a pinned one, which lacks the last case. */
struct scene {
    struct kg_results stored[RUNS], current;
    struct kg_baseline_run runs[RUNS];
    struct kg_baseline baseline;
    struct kg_workload_spec spec;
    struct kg_suite suite;
    struct kg_case cases[CASES];
};

static void scene_make(struct scene *scene)
{
    *scene = (struct scene){
        .spec = {.settings.metrics = 1U << KG_METRIC_TIME | 1U << KG_METRIC_PEAK_MEMORY},
        .suite.name = "suite"};
    for (size_t i = 0; i < RUNS; i++) {
        support_results(&scene->stored[i], CASES, ROUNDS, 10000);
        kg_baseline_run_make(&scene->baseline.arena, &scene->stored[i], &scene->runs[i]);
    }
    scene->runs[RUNS - 1].pin = "v1";
    scene->runs[RUNS - 1].case_count--;
    scene->baseline.runs = scene->runs;
    scene->baseline.run_count = RUNS;
    scene->baseline.fingerprint = scene->stored[0].machine.fingerprint;
    scene->baseline.machine = scene->stored[0].machine;
    support_results(&scene->current, CASES, ROUNDS, 10000);
    for (size_t i = 0; i < CASES; i++)
        scene->cases[i] =
            (struct kg_case){.id = scene->current.cases[i].id,
                             .definition_hash = scene->current.cases[i].definition_hash,
                             .spec = &scene->spec};
}

static void scene_free(struct scene *scene)
{
    kg_baseline_free(&scene->baseline);
    kg_results_free(&scene->current);
    for (size_t i = 0; i < RUNS; i++)
        kg_results_free(&scene->stored[i]);
}

/* The plan of a shard with neighbouring cases. */
static struct kg_plan plan_of(struct scene *scene, struct kg_case *room, size_t shard)
{
    size_t others = 0;
    for (size_t i = 0; i < CASES; i++)
        if (i / EACH != shard)
            room[others++] = scene->cases[i];
    return (struct kg_plan){.cases = &scene->cases[shard * EACH],
                            .case_count = EACH,
                            .elsewhere = room,
                            .elsewhere_count = others,
                            .left_out = others};
}

static size_t tests_of(struct scene *scene, size_t shard, const struct kg_baseline *baseline)
{
    struct kg_case room[CASES];
    const struct kg_plan plan = plan_of(scene, room, shard);
    const struct kg_shard number = {.index = shard + 1, .count = SHARDS};
    const struct kg_prepared_suite what = {.suite = &scene->suite, .plan = &plan, .shard = &number};
    return kg_planned_tests(&what, baseline);
}

static void every_shard_counts_the_tests_of_the_whole_suite(void **state)
{
    struct scene scene;
    struct kg_comparison whole;
    (void)state;
    scene_make(&scene);
    kg_compare(&scene.baseline, &scene.current, KG_STAGE_FINAL, &whole);
    const size_t expected = kg_comparison_tests(&whole);
    assert_int_equal(expected, 2 * CASES - 1);
    for (size_t shard = 0; shard < SHARDS; shard++) {
        assert_int_equal(tests_of(&scene, shard, &scene.baseline), expected);
        assert_int_equal(tests_of(&scene, shard, NULL), CASES);
    }
    scene.cases[0].skip_reason = "no CUDA device";
    assert_int_equal(tests_of(&scene, 1, NULL), CASES - 1);
    kg_comparison_free(&whole);
    scene_free(&scene);
}

static void without_a_shard_nothing_is_added(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene);
    const struct kg_plan plan = {.cases = scene.cases, .case_count = CASES};
    const struct kg_prepared_suite what = {.suite = &scene.suite, .plan = &plan};
    assert_int_equal(kg_planned_tests(&what, &scene.baseline), 0);
    scene_free(&scene);
}

/* The adjusted p-value of the slowed first case among the first `count` cases. */
static double p_of(struct scene *scene, size_t count, size_t tests)
{
    struct kg_comparison comparison;
    struct kg_results part = scene->current;
    double p = NAN;
    part.case_count = count;
    part.filter = "--shard 1/3";
    part.tests = tests;
    kg_compare(&scene->baseline, &part, KG_STAGE_FINAL, &comparison);
    for (size_t i = 0; i < comparison.case_count; i++)
        if (!strcmp(comparison.cases[i].id, "w0/cpu"))
            p = comparison.cases[i].metrics[0].p_value;
    kg_comparison_free(&comparison);
    return p;
}

static void shard_confirms_at_the_level_of_the_whole_suite(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene);
    scene.baseline.run_count = 1;
    support_slow(&scene.current.cases[0], 1.02);
    const double alone = p_of(&scene, EACH, 0);
    const double shard = p_of(&scene, EACH, tests_of(&scene, 0, &scene.baseline));
    const double whole = p_of(&scene, CASES, 0);
    print_message("p: alone %g, shard %g, whole suite %g\n", alone, shard, whole);
    assert_true(alone > 0 && shard < 1);
    assert_true(fabs(shard / alone - (double)CASES / EACH) < 1e-9);
    assert_true(shard >= whole);
    scene_free(&scene);
}

/* Cases of each run in the shard's file: "2,2,1", and the ids of the first run. */
static void part_expect(struct scene *scene, size_t shard, bool filtered, const char *counts,
                        const char *ids)
{
    struct kg_case room[CASES];
    struct kg_plan plan = plan_of(scene, room, shard);
    const struct kg_shard number = {.index = shard + 1, .count = SHARDS};
    struct kg_machine machine = scene->current.machine;
    machine.fingerprint = "other";
    const struct kg_prepared_suite what = {
        .suite = &scene->suite, .plan = &plan, .machine = &machine, .shard = &number};
    struct kg_baseline part;
    struct kg_error err;
    struct kg_text text = {0};
    char path[128];
    const char *folder = support_folder();
    plan.left_out += filtered;
    if (!kg_shard_baseline_write(&what, &scene->baseline, folder, &err))
        fail_msg("%s", err.message);
    snprintf(path, sizeof path, "%s/baseline.json", folder);
    if (!kg_baseline_load(path, &part, &err))
        fail_msg("%s", err.message);
    for (size_t r = 0; r < part.run_count; r++)
        kg_text_printf(&text, "%s%zu", r ? "," : "", part.runs[r].case_count);
    assert_string_equal(kg_text_string(&text), counts);
    kg_text_truncate(&text, 0);
    for (size_t i = 0; part.run_count && i < part.runs[0].case_count; i++)
        kg_text_printf(&text, "%s%s", i ? " " : "", part.runs[0].cases[i].id);
    assert_string_equal(kg_text_string(&text), ids);
    assert_string_equal(part.fingerprint,
                        scene->baseline.fingerprint ? scene->baseline.fingerprint : "other");
    kg_text_free(&text);
    kg_baseline_free(&part);
    support_remove(folder);
}

static void shard_keeps_the_runs_with_its_own_cases(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene);
    scene.runs[0].created = "2026-01-30T12:00:00Z";
    part_expect(&scene, 0, false, "2,2,2", "w0/cpu w1/cpu");
    part_expect(&scene, 2, false, "2,2,1", "w4/cpu w5/cpu");
    scene.cases[3].id = "renamed/cpu"; /* so no shard has w3 */
    part_expect(&scene, 0, false, "3,3,3", "w0/cpu w1/cpu w3/cpu");
    part_expect(&scene, 0, true, "2,2,2", "w0/cpu w1/cpu");
    part_expect(&scene, 1, false, "1,1,1", "w2/cpu");
    part_expect(&scene, 2, false, "2,2,1", "w4/cpu w5/cpu");
    scene_free(&scene);
}

static void shard_without_stored_cases_or_runs_has_a_readable_file(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene);
    scene.runs[2].suite = "another suite";
    scene.cases[2].id = scene.cases[3].id = "new/cpu"; /* two runs of one second, without cases */
    part_expect(&scene, 1, false, "0,0", "");
    scene.baseline.fingerprint = NULL;
    scene.baseline.run_count = 0;
    part_expect(&scene, 0, false, "", "");
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shard_counts_the_tests_of_the_whole_suite),
        cmocka_unit_test(without_a_shard_nothing_is_added),
        cmocka_unit_test(shard_confirms_at_the_level_of_the_whole_suite),
        cmocka_unit_test(shard_keeps_the_runs_with_its_own_cases),
        cmocka_unit_test(shard_without_stored_cases_or_runs_has_a_readable_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
