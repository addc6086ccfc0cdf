/* Paired rounds that begin suspicious, and the effect of confirming rounds on a disturbed machine:
 * less evidence gives no milder verdict. */
#include "test_support.h"

enum { FIRST = 8, LATER = 6, ROUNDS = FIRST + LATER };

struct scene {
    struct kg_results base, head;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
};

/* The head is slower by `slower` in every pair; of the later ones all but the first `calm` waited
 * for half of their time. */
static void scene_make(struct scene *scene, double slower, size_t calm)
{
    *scene = (struct scene){0};
    support_results(&scene->base, 1, ROUNDS, 100000);
    support_results(&scene->head, 1, ROUNDS, 100000);
    scene->base.pair = scene->head.pair = "pair";
    for (size_t r = 0; r < ROUNDS; r++) {
        struct kg_round *base = &scene->base.cases[0].rounds[r];
        struct kg_round *head = &scene->head.cases[0].rounds[r];
        head->base_ratio = slower * (0.99 + 0.01 * (double)(r % 3));
        base->confirms = head->confirms = r >= FIRST;
        base->disturbance = head->disturbance = r >= FIRST + calm ? 0.5 : 0;
    }
    support_slow(&scene->head.cases[0], slower);
}

/* As `kgate ab` compares, and `kgate compare` its two files. */
static const struct kg_case_change *judge(struct scene *scene, enum kg_stage stage)
{
    kg_baseline_from_results(&scene->base, &scene->baseline);
    kg_compare(&scene->baseline, &scene->head, stage, &scene->comparison);
    return &scene->comparison.cases[0];
}

static void scene_free(struct scene *scene)
{
    kg_comparison_free(&scene->comparison);
    kg_baseline_free(&scene->baseline);
    kg_results_free(&scene->base);
    kg_results_free(&scene->head);
}

static void expect_suspect(size_t calm, enum kg_stage stage)
{
    struct scene scene;
    scene_make(&scene, 1.15, calm);
    const struct kg_case_change *change = judge(&scene, stage);
    assert_string_equal(kg_change_name(change->change), "SUSPECT");
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_NO_VERDICT);
    scene_free(&scene);
}

static void fewer_confirming_pairs_never_make_a_suspicion_milder(void **state)
{
    for (size_t calm = 0; calm < 2; calm++) {
        expect_suspect(calm, KG_STAGE_SCREEN);
        expect_suspect(calm, KG_STAGE_FINAL);
    }
}

static void without_a_calm_one_the_first_pairs_figures_stand_and_the_reason_is_true(void **state)
{
    struct scene scene;
    scene_make(&scene, 1.15, 0);
    const struct kg_case_change *change = judge(&scene, KG_STAGE_FINAL);
    const struct kg_metric *metric = &change->metrics[0];
    assert_string_equal(metric->name, "time");
    assert_int_equal(metric->current_rounds, FIRST);
    assert_true(metric->interval_low > 1.1 && metric->interval_high < 1.2);
    assert_string_equal(change->reason,
                        "looks worse, not confirmed: every later round waited too long for a CPU. "
                        "Measure again when the machine is idle");
    assert_non_null(strstr(scene.comparison.next, "measure again when the machine is idle"));
    assert_int_equal(scene.comparison.note_count, 1);
    assert_non_null(strstr(scene.comparison.notes[0], "none of the 6 confirming rounds"));
    scene_free(&scene);
}

static void what_was_not_suspicious_stays_unchanged(void **state)
{
    struct scene scene;
    scene_make(&scene, 1, 0);
    assert_string_equal(kg_change_name(judge(&scene, KG_STAGE_SCREEN)->change), "NO_CHANGE");
    scene_free(&scene);
}

/* Memory metrics do not depend on waiting, so the later rounds still confirm. */
static void memory_is_confirmed_on_a_busy_machine_too(void **state)
{
    struct scene scene;
    scene_make(&scene, 1, 0);
    for (size_t r = 0; r < ROUNDS; r++)
        scene.head.cases[0].rounds[r].peak_bytes *= 2;
    const struct kg_case_change *change = judge(&scene, KG_STAGE_SCREEN);
    assert_string_equal(kg_change_name(change->change), "REGRESSION");
    assert_string_equal(change->metrics[0].name, "peak_memory");
    assert_int_equal(change->metrics[0].current_rounds, LATER);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_confirming_pairs_never_make_a_suspicion_milder),
        cmocka_unit_test(without_a_calm_one_the_first_pairs_figures_stand_and_the_reason_is_true),
        cmocka_unit_test(what_was_not_suspicious_stays_unchanged),
        cmocka_unit_test(memory_is_confirmed_on_a_busy_machine_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
