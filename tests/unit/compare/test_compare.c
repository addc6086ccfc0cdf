#include "test_support.h"

/* A baseline of 5 cases and 10 rounds, and results to change; compared by `judge`. */
struct scene {
    struct kg_results stored;
    struct kg_results current;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
};

static void scene_begin(struct scene *scene)
{
    struct kg_error err;
    support_results(&scene->stored, 5, 10, 10000);
    support_results(&scene->current, 5, 10, 10000);
    assert_true(kg_baseline_from_results(&scene->stored, &scene->baseline, &err));
    scene->comparison = (struct kg_comparison){0};
}

static void scene_compare(struct scene *scene)
{
    struct kg_error err;
    kg_comparison_free(&scene->comparison);
    assert_true(
        kg_compare(&scene->baseline, &scene->current, KG_STAGE_FINAL, &scene->comparison, &err));
}

static void scene_end(struct scene *scene)
{
    kg_comparison_free(&scene->comparison);
    kg_baseline_free(&scene->baseline);
    kg_results_free(&scene->stored);
    kg_results_free(&scene->current);
}

/* Compares and expects what became of case `id`, and the exit status. */
static const struct kg_case_change *expect(struct scene *scene, const char *id,
                                           enum kg_change change, size_t exit_status)
{
    scene_compare(scene);
    for (size_t i = 0; i < scene->comparison.case_count; i++)
        if (!strcmp(scene->comparison.cases[i].id, id)) {
            const struct kg_case_change *found = &scene->comparison.cases[i];
            assert_string_equal(kg_change_name(found->change), kg_change_name(change));
            assert_int_equal(scene->comparison.exit_status, exit_status);
            return found;
        }
    fail_msg("no case %s", id);
    return NULL;
}

static void equal_times_are_no_change(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    expect(&scene, "w0/cpu", KG_CHANGE_NO_CHANGE, KG_EXIT_PASS);
    assert_int_equal(scene.comparison.counts.no_change, 5);
    assert_int_equal(scene.comparison.verdict, KG_VERDICT_PASS);
    scene_end(&scene);
}

static void slower_is_regression_and_ranks_first(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    support_slow(&scene.current.cases[3], 1.2);
    support_slow(&scene.current.cases[1], 1.4);
    support_slow(&scene.current.cases[2], 0.7);
    const struct kg_case_change *change = expect(&scene, "w3/cpu", KG_CHANGE_REGRESSION, 1);
    assert_true(change->fails);
    assert_float_equal(change->metrics[0].ratio, 1.2, 1e-3);
    assert_true(change->metrics[0].interval_low > 1.15 && change->metrics[0].interval_high < 1.25);
    assert_string_equal(scene.comparison.cases[0].id, "w1/cpu");
    assert_string_equal(scene.comparison.cases[1].id, "w3/cpu");
    assert_string_equal(scene.comparison.cases[2].id, "w2/cpu");
    assert_int_equal(scene.comparison.cases[2].change, KG_CHANGE_IMPROVEMENT);
    assert_non_null(strstr(scene.comparison.verdict_reasons[0], "2 cases regressed: w1/cpu"));
    scene_end(&scene);
}

static void small_change_stays_below_threshold(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    support_slow(&scene.current.cases[0], 1.03);
    expect(&scene, "w0/cpu", KG_CHANGE_NO_CHANGE, KG_EXIT_PASS);
    support_slow(&scene.current.cases[0], 1.3);
    scene.current.cases[0].min_effect_ns = 1e6; /* nanoseconds of nothing never fail a merge */
    expect(&scene, "w0/cpu", KG_CHANGE_NO_CHANGE, KG_EXIT_PASS);
    scene_end(&scene);
}

static void doubt_is_inconclusive_and_says_what_settles_it(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    struct kg_case_result *result = &scene.current.cases[0];
    for (size_t r = 0; r < result->round_count; r++)
        result->rounds[r].median_ns *= r % 2 ? 1.0 : 1.3;
    kg_case_summarize(result);
    const struct kg_case_change *change =
        expect(&scene, "w0/cpu", KG_CHANGE_INCONCLUSIVE, KG_EXIT_PASS);
    assert_non_null(strstr(change->reason, "would settle it"));
    scene.current.policy.fail_on |= 1U << KG_CHANGE_INCONCLUSIVE;
    expect(&scene, "w0/cpu", KG_CHANGE_INCONCLUSIVE, KG_EXIT_NO_VERDICT);
    result->round_count = 2;
    support_slow(result, 1.5);
    change = expect(&scene, "w0/cpu", KG_CHANGE_INCONCLUSIVE, KG_EXIT_NO_VERDICT);
    assert_non_null(strstr(change->reason, "too few"));
    scene_end(&scene);
}

static void new_removed_failed_and_skipped(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    scene.current.cases[0].id = "fresh/cpu";
    scene.current.cases[1].status = KG_STATUS_FAILED;
    scene.current.cases[1].reason = "crashed";
    scene.current.cases[2].status = KG_STATUS_SKIPPED;
    scene.current.cases[2].reason = "no CUDA device";
    scene.current.cases[3].definition_hash = "other";
    const struct kg_case_change *change = expect(&scene, "fresh/cpu", KG_CHANGE_NEW, 3);
    assert_string_equal(change->reason, "not in the baseline");
    change = expect(&scene, "w3/cpu", KG_CHANGE_NEW, 3);
    assert_non_null(strstr(change->reason, "definition changed"));
    expect(&scene, "w0/cpu", KG_CHANGE_REMOVED, 3);
    change = expect(&scene, "w1/cpu", KG_CHANGE_FAILED, 3);
    assert_string_equal(change->reason, "crashed");
    expect(&scene, "w2/cpu", KG_CHANGE_SKIPPED, 3);
    scene.current.policy.fail_on = 0;
    expect(&scene, "w2/cpu", KG_CHANGE_SKIPPED, 0);
    scene.current.policy.missing_device = KG_MISSING_FAIL;
    expect(&scene, "w2/cpu", KG_CHANGE_SKIPPED, 3);
    scene.current.policy.missing_device = KG_MISSING_SKIP;
    scene.current.policy.fail_on = 1U << KG_CHANGE_REMOVED;
    expect(&scene, "w0/cpu", KG_CHANGE_REMOVED, 1);
    scene.current.policy.fail_on = 1U << KG_CHANGE_NEW;
    expect(&scene, "fresh/cpu", KG_CHANGE_NEW, 1);
    scene_end(&scene);
}

static void failed_outranks_regression_outranks_doubt(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    support_slow(&scene.current.cases[0], 1.5);
    scene.current.policy.fail_on |= 1U << KG_CHANGE_NEW;
    scene.current.cases[1].id = "fresh/cpu";
    expect(&scene, "w0/cpu", KG_CHANGE_REGRESSION, 1);
    scene.current.cases[2].status = KG_STATUS_FAILED;
    expect(&scene, "w0/cpu", KG_CHANGE_REGRESSION, 3);
    assert_int_equal(scene.comparison.verdict_reason_count, 3);
    assert_non_null(strstr(scene.comparison.verdict_reasons[0], "failed"));
    scene_end(&scene);
}

static void without_a_baseline_new_is_no_verdict(void **state)
{
    struct scene scene;
    struct kg_baseline empty = {0};
    struct kg_error err;
    (void)state;
    scene_begin(&scene);
    scene.current.policy.fail_on = 1U << KG_CHANGE_NEW;
    assert_true(kg_compare(&empty, &scene.current, KG_STAGE_FINAL, &scene.comparison, &err));
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_NO_VERDICT);
    assert_int_equal(scene.comparison.counts.new_case, 5);
    scene_end(&scene);
}

static void another_machine_is_never_compared(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    scene.current.machine.fingerprint = "elsewhere";
    const struct kg_case_change *change = expect(&scene, "w0/cpu", KG_CHANGE_NEW, 0);
    assert_non_null(strstr(change->reason, "another machine"));
    assert_non_null(strstr(scene.comparison.notes[0], "another machine"));
    assert_int_equal(scene.comparison.counts.removed, 0);
    scene_end(&scene);
}

static void filtered_or_interrupted_runs_remove_nothing(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    scene.current.case_count = 3;
    scene.current.filter = "--filter w*";
    expect(&scene, "w0/cpu", KG_CHANGE_NO_CHANGE, 0);
    assert_int_equal(scene.comparison.case_count, 3);
    scene.current.filter = NULL;
    scene.current.complete = false;
    expect(&scene, "w0/cpu", KG_CHANGE_NO_CHANGE, KG_EXIT_NO_VERDICT);
    assert_int_equal(scene.comparison.case_count, 3);
    scene_end(&scene);
}

static void memory_and_budgets_are_changes_too(void **state)
{
    struct scene scene;
    struct kg_limit budget = {"items_per_second", ">=", 1e6};
    (void)state;
    scene_begin(&scene);
    for (size_t r = 0; r < 10; r++)
        scene.current.cases[0].rounds[r].peak_bytes *= 2;
    kg_case_summarize(&scene.current.cases[0]);
    const struct kg_case_change *change = expect(&scene, "w0/cpu", KG_CHANGE_REGRESSION, 1);
    assert_string_equal(change->metrics[0].name, "peak_memory");
    scene.current.cases[0].status = KG_STATUS_SKIPPED;
    scene.current.cases[1].budgets = &budget;
    scene.current.cases[1].budget_count = 1;
    change = expect(&scene, "w1/cpu", KG_CHANGE_INCONCLUSIVE, 0); /* items are not known */
    scene.current.cases[1].work.items = 10;
    kg_case_summarize(&scene.current.cases[1]);
    change = expect(&scene, "w1/cpu", KG_CHANGE_REGRESSION, 1);
    assert_non_null(strstr(change->reason, "below the budget"));
    budget.limit = 10;
    expect(&scene, "w1/cpu", KG_CHANGE_NO_CHANGE, 0);
    scene_end(&scene);
}

static void noise_between_runs_raises_the_threshold(void **state)
{
    struct scene scene;
    struct kg_baseline_run runs[3];
    (void)state;
    scene_begin(&scene);
    for (size_t i = 0; i < 3; i++) {
        support_slow(&scene.stored.cases[0], i == 0 ? 1 : 1.1);
        assert_true(kg_baseline_run_make(&scene.baseline.arena, &scene.stored, &runs[i]));
    }
    scene.baseline.runs = runs;
    scene.baseline.run_count = 3;
    support_slow(&scene.current.cases[0], 1.25); /* within what the runs themselves show */
    const struct kg_case_change *change = expect(&scene, "w0/cpu", KG_CHANGE_INCONCLUSIVE, 0);
    assert_true(change->metrics[0].noise_floor > 0.3);
    assert_float_equal(change->metrics[0].threshold, change->metrics[0].noise_floor, 0);
    scene_end(&scene);
}

static void small_slowdowns_are_caught_against_a_pin(void **state)
{
    struct scene scene;
    struct kg_baseline_run runs[2];
    (void)state;
    scene_begin(&scene);
    assert_true(kg_baseline_run_make(&scene.baseline.arena, &scene.stored, &runs[0]));
    runs[0].pin = "v1";
    support_slow(&scene.stored.cases[0], 1.04);
    assert_true(kg_baseline_run_make(&scene.baseline.arena, &scene.stored, &runs[1]));
    scene.baseline.runs = runs;
    scene.baseline.run_count = 2;
    support_slow(&scene.current.cases[0], 1.08); /* 3.8 % over the last run, 8 % over v1 */
    const struct kg_case_change *change = expect(&scene, "w0/cpu", KG_CHANGE_REGRESSION, 1);
    assert_string_equal(change->metrics[0].against, "pin v1");
    assert_int_equal(scene.comparison.pin_count, 1);
    scene_end(&scene);
}

/* A time that moved, to either side, and what the hashes of the code were. */
static void whether_the_code_changed_is_said_of_a_moved_time(void **state)
{
    static const struct {
        const char *base, *current;
        double factor;
        const char *said; /* NULL: nothing */
    } cases[] = {
        {"aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa", 1.5, "the code is unchanged: the machine moved"},
        {"aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa", 0.5, "the code is unchanged: the machine moved"},
        {"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", 1.5, "the code changed"},
        {"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", 0.5, "the code changed"},
        {"aaaaaaaaaaaaaaaa", NULL, 1.5, NULL},
        {NULL, "bbbbbbbbbbbbbbbb", 1.5, NULL},
        {"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", 1, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        struct kg_error err;
        scene_begin(&scene);
        kg_baseline_free(&scene.baseline);
        scene.stored.cases[0].code_hash = cases[i].base;
        scene.current.cases[0].code_hash = cases[i].current;
        assert_true(kg_baseline_from_results(&scene.stored, &scene.baseline, &err));
        support_slow(&scene.current.cases[0], cases[i].factor);
        const enum kg_change expected = cases[i].factor > 1   ? KG_CHANGE_REGRESSION
                                        : cases[i].factor < 1 ? KG_CHANGE_IMPROVEMENT
                                                              : KG_CHANGE_NO_CHANGE;
        const struct kg_case_change *change =
            expect(&scene, "w0/cpu", expected, expected == KG_CHANGE_REGRESSION);
        const char *reason = change->reason ? change->reason : "";
        if (cases[i].said ? !strstr(reason, cases[i].said) : *reason != '\0')
            fail_msg("%zu: '%s'", i, reason);
        scene_end(&scene);
    }
}

static void comparison_goes_to_json_and_back(void **state)
{
    struct scene scene;
    struct kg_comparison read;
    struct kg_error err;
    struct kg_text before = {0}, after = {0};
    char path[128];
    char *folder = support_folder();
    (void)state;
    scene_begin(&scene);
    support_slow(&scene.current.cases[3], 1.2);
    scene_compare(&scene);
    snprintf(path, sizeof path, "%s/comparison.json", folder);
    assert_true(kg_comparison_write(&scene.comparison, path, &err));
    assert_true(kg_comparison_load(path, &read, &err));
    kg_record_print(&kg_comparison_record, &scene.comparison, KG_COMPARISON_SCHEMA, &before, &err);
    kg_record_print(&kg_comparison_record, &read, KG_COMPARISON_SCHEMA, &after, &err);
    assert_string_equal(before.data, after.data);
    kg_text_free(&before);
    kg_text_free(&after);
    kg_comparison_free(&read);
    scene_end(&scene);
    support_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_times_are_no_change),
        cmocka_unit_test(slower_is_regression_and_ranks_first),
        cmocka_unit_test(small_change_stays_below_threshold),
        cmocka_unit_test(doubt_is_inconclusive_and_says_what_settles_it),
        cmocka_unit_test(new_removed_failed_and_skipped),
        cmocka_unit_test(failed_outranks_regression_outranks_doubt),
        cmocka_unit_test(without_a_baseline_new_is_no_verdict),
        cmocka_unit_test(another_machine_is_never_compared),
        cmocka_unit_test(filtered_or_interrupted_runs_remove_nothing),
        cmocka_unit_test(memory_and_budgets_are_changes_too),
        cmocka_unit_test(noise_between_runs_raises_the_threshold),
        cmocka_unit_test(small_slowdowns_are_caught_against_a_pin),
        cmocka_unit_test(whether_the_code_changed_is_said_of_a_moved_time),
        cmocka_unit_test(comparison_goes_to_json_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
