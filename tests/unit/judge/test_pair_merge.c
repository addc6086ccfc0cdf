/* Merges paired rounds, which decide some cases, into a comparison with stored runs. */
#include "judge/comparison_notes.h"
#include "judge/pair_merge.h"
#include "judge/undecided.h"
#include "test_support.h"

enum { CASES = 3, ROUNDS = 12 };

struct scene {
    struct kg_results stored, current, base, head;
    struct kg_baseline baseline;
    struct kg_comparison comparison, pairs;
};

/* Case 1 of the current results is slower by `seen` than the stored ones, without confirming rounds.
 * In pairs both builds are slower by `both`, and the candidate by `paired` more. */
static void scene_make_slow(struct scene *scene, double seen, double both, double paired,
                            size_t tests)
{
    struct kg_baseline base;
    support_results(&scene->stored, CASES, ROUNDS, 100000);
    support_results(&scene->current, CASES, ROUNDS, 100000);
    support_results(&scene->base, CASES, ROUNDS, 100000);
    support_results(&scene->head, CASES, ROUNDS, 100000);
    support_slow(&scene->current.cases[1], seen);
    support_slow(&scene->base.cases[1], both);
    support_slow(&scene->head.cases[1], both * paired);
    scene->base.pair = scene->head.pair = "pair";
    scene->head.tests = tests;
    for (size_t r = 0; r < ROUNDS; r++) {
        scene->head.cases[1].rounds[r].base_ratio = paired * (0.98 + 0.02 * (double)(r % 3));
        scene->head.cases[1].rounds[r].confirms = true;
    }
    /* the pairs are of this case alone */
    scene->base.cases = &scene->base.cases[1];
    scene->head.cases = &scene->head.cases[1];
    scene->base.case_count = scene->head.case_count = 1;
    scene->head.filter = "pairs";
    kg_baseline_from_results(&scene->stored, &scene->baseline);
    kg_compare(&scene->baseline, &scene->current, KG_STAGE_SCREEN, &scene->comparison);
    kg_baseline_from_results(&scene->base, &base);
    kg_compare(&base, &scene->head, KG_STAGE_SCREEN, &scene->pairs);
    kg_baseline_free(&base);
}

static void scene_make(struct scene *scene, double seen, double paired, size_t tests)
{
    scene_make_slow(scene, seen, 1, paired, tests);
}

static void scene_free(struct scene *scene)
{
    kg_comparison_free(&scene->comparison);
    kg_comparison_free(&scene->pairs);
    kg_baseline_free(&scene->baseline);
    kg_results_free(&scene->stored);
    kg_results_free(&scene->current);
    kg_results_free(&scene->base);
    kg_results_free(&scene->head);
}

static void settle(struct scene *scene)
{
    kg_comparison_settle(&scene->comparison, &scene->baseline, &scene->current, &scene->pairs,
                         "the baseline's build");
}

static const struct kg_case_change *change_of(const struct scene *scene, const char *id)
{
    for (size_t i = 0; i < scene->comparison.case_count; i++)
        if (!strcmp(scene->comparison.cases[i].id, id))
            return &scene->comparison.cases[i];
    fail_msg("there is no case %s", id);
    return NULL;
}

static void a_suspect_is_open_and_what_is_decided_is_not(void **state)
{
    struct scene scene;
    scene_make(&scene, 1.2, 1, 0);
    assert_int_equal(change_of(&scene, "w1/cpu")->change, KG_CHANGE_SUSPECT);
    assert_true(kg_change_open(change_of(&scene, "w1/cpu")));
    assert_int_equal(change_of(&scene, "w0/cpu")->change, KG_CHANGE_NO_CHANGE);
    assert_false(kg_change_open(change_of(&scene, "w0/cpu")));
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_NO_VERDICT);
    scene_free(&scene);
}

static void pairs_that_see_no_change_make_it_pass(void **state)
{
    struct scene scene;
    scene_make(&scene, 1.2, 1, 3);
    settle(&scene);
    const struct kg_case_change *change = change_of(&scene, "w1/cpu");
    assert_int_equal(change->change, KG_CHANGE_NO_CHANGE);
    assert_int_equal(change->pairs, ROUNDS);
    assert_non_null(strstr(change->reason,
                           "decided by 12 paired rounds against the baseline's build "
                           "(stored runs alone: +20.0 %)"));
    assert_string_equal(change->metrics[0].against, "base");
    assert_int_equal(change_of(&scene, "w0/cpu")->pairs, 0);
    assert_string_equal(scene.comparison.cases[0].id, "w0/cpu"); /* again in the suite's order */
    assert_int_equal(scene.comparison.counts.of[KG_CHANGE_NO_CHANGE], CASES);
    assert_int_equal(scene.comparison.verdict, KG_VERDICT_PASS);
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_PASS);
    scene_free(&scene);
}

static size_t drift_notes(const struct kg_comparison *comparison)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->note_count; i++)
        count +=
            strstr(comparison->notes[i], "the machine, or files that the program reads") != NULL;
    return count;
}

static void memory_that_moved_by_less_than_counts_is_not_noted(void **state)
{
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_make(&scene, 1, 1, 3);
        struct kg_case_change *change = &scene.comparison.cases[1];
        for (size_t m = 0; m < change->metric_count; m++) {
            struct kg_metric *metric = &change->metrics[m];
            if (strcmp(metric->name, "peak_memory") != 0)
                continue;
            metric->ratio = 1.2;
            metric->current = 1.2 * metric->baseline;
            metric->min_effect = i ? metric->current : 0;
        }
        settle(&scene);
        assert_int_equal(drift_notes(&scene.comparison), i == 0);
        if (i == 0)
            assert_non_null(strstr(scene.comparison.notes[scene.comparison.note_count - 1],
                                   "w1/cpu (peak_memory +20.0 %)"));
        scene_free(&scene);
    }
}

static void what_is_slower_with_both_builds_is_noted(void **state)
{
    static const double paired[] = {1, 1.15};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_make(&scene, 1.2, paired[i], 3);
        settle(&scene);
        assert_int_equal(drift_notes(&scene.comparison), i == 0);
        if (i == 0)
            assert_non_null(
                strstr(scene.comparison.notes[scene.comparison.note_count - 1],
                       "w1/cpu (time +20.0 %) differs from the stored runs, but not from "
                       "the baseline's build in paired rounds"));
        scene_free(&scene);
    }
}

/* Both builds are as slow as the gate measured. The cause is the machine, or code and files that
 * both builds load, start or read. */
static void what_pairs_cannot_see_is_suspect_unless_all_code_is_known(void **state)
{
    static const enum kg_code_scope scopes[] = {KG_CODE_FILE_ALONE, KG_CODE_WITH_LIBRARIES,
                                                KG_CODE_OPEN_ENDED, KG_CODE_WITH_FILES};
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        struct scene scene;
        const bool known = scopes[i] == KG_CODE_WITH_LIBRARIES;
        scene_make_slow(&scene, 3, 3, 1, 3);
        scene.current.cases[1].code = (struct kg_code_identity){.hash = "a", .scope = scopes[i]};
        settle(&scene);
        const struct kg_case_change *change = change_of(&scene, "w1/cpu");
        assert_int_equal(change->change, known ? KG_CHANGE_NO_CHANGE : KG_CHANGE_SUSPECT);
        assert_int_equal(change->pairs, ROUNDS);
        assert_int_equal(drift_notes(&scene.comparison), known);
        assert_int_equal(scene.comparison.exit_status, known ? 0 : KG_EXIT_NO_VERDICT);
        if (!known) {
            assert_non_null(strstr(change->reason,
                                   "+200.0 % against the stored runs, but not in 12 "
                                   "paired rounds against the baseline's build"));
            assert_int_equal(change->metrics[0].doubt, KG_DOUBT_DRIFT);
            assert_non_null(strstr(scene.comparison.next, "kgate baseline record"));
        }
        scene_free(&scene);
    }
}

/* The gate's own rounds were slow. In paired rounds the candidate is as fast as the stored runs. */
static void what_is_over_in_the_pairs_is_not_suspect(void **state)
{
    struct scene scene;
    scene_make_slow(&scene, 3, 1, 1, 3);
    scene.current.cases[1].code =
        (struct kg_code_identity){.hash = "a", .scope = KG_CODE_WITH_FILES};
    settle(&scene);
    assert_int_equal(change_of(&scene, "w1/cpu")->change, KG_CHANGE_NO_CHANGE);
    assert_int_equal(drift_notes(&scene.comparison), 1);
    scene_free(&scene);
}

/* Undecided paired rounds do not cancel a suspicion. */
static void what_pairs_leave_open_stays_suspect(void **state)
{
    struct scene scene;
    scene_make_slow(&scene, 3, 3, 1, 3);
    scene.pairs.cases[0].change = scene.pairs.cases[0].metrics[0].change = KG_CHANGE_INCONCLUSIVE;
    settle(&scene);
    assert_int_equal(change_of(&scene, "w1/cpu")->change, KG_CHANGE_SUSPECT);
    scene_free(&scene);
}

/* All code is known, so the paired rounds alone decide if they can. */
static void what_stored_runs_and_open_pairs_find_worse_is_suspect(void **state)
{
    static const struct {
        double paired;
        enum kg_change change;
    } rows[] = {{1.3, KG_CHANGE_SUSPECT}, {1.02, KG_CHANGE_INCONCLUSIVE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        scene_make(&scene, 3, rows[i].paired, 3);
        scene.current.cases[1].code =
            (struct kg_code_identity){.hash = "a", .scope = KG_CODE_WITH_LIBRARIES};
        scene.pairs.cases[0].change = scene.pairs.cases[0].metrics[0].change =
            KG_CHANGE_INCONCLUSIVE;
        settle(&scene);
        assert_int_equal(change_of(&scene, "w1/cpu")->change, rows[i].change);
        scene_free(&scene);
    }
}

static void pairs_that_see_a_change_make_it_fail(void **state)
{
    struct scene scene;
    scene_make(&scene, 1.2, 1.15, 3);
    settle(&scene);
    const struct kg_case_change *change = change_of(&scene, "w1/cpu");
    assert_int_equal(change->change, KG_CHANGE_REGRESSION);
    assert_true(change->fails);
    assert_ptr_equal(change, scene.comparison.cases); /* ranked again: the worst is first */
    assert_true(fabs(change->metrics[0].ratio - 1.15) < 0.001);
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_REGRESSION);
    assert_int_equal(scene.comparison.verdict_reason_count, 1);
    scene_free(&scene);
}

static void pairs_are_judged_among_the_tests_of_the_suite(void **state)
{
    struct scene scene;
    scene_make(&scene, 1.2, 1.15, 1000000000);
    settle(&scene);
    const struct kg_case_change *change = change_of(&scene, "w1/cpu");
    assert_int_equal(change->change, KG_CHANGE_SUSPECT);
    assert_non_null(strstr(change->reason, "not decided by 12 paired rounds"));
    /* the same pairs once more are no advice */
    assert_non_null(strstr(scene.comparison.next, "more paired rounds: `kgate ab"));
    assert_non_null(strstr(scene.comparison.next, "--set rounds.max=N"));
    struct kg_again again = {
        .command = "kgate ab a.so b.so", .rounds_most = 30, .budget_ns = INFINITY};
    kg_undecided_again(&scene.comparison, &scene.current, &again);
    assert_string_equal(
        scene.comparison.next,
        "more paired rounds: `kgate ab a.so b.so --filter w1/cpu --set rounds.max=60`");
    again.budget_ns = 9e9; /* then no suite's rounds limit a case that may be worse */
    kg_undecided_again(&scene.comparison, &scene.current, &again);
    assert_string_equal(scene.comparison.next,
                        "more paired rounds: `kgate ab a.so b.so --filter w1/cpu`");
    /* more paired rounds alone cannot continue after the budget's end */
    scene.comparison.cases[0].metrics[0].out_of_budget = true;
    kg_undecided_again(&scene.comparison, &scene.current, &again);
    assert_string_equal(
        scene.comparison.next,
        "--budget ended too early, take more paired rounds: `kgate ab a.so b.so --filter "
        "w1/cpu --budget 18s`");
    again.command = NULL; /* a pipeline's */
    kg_undecided_again(&scene.comparison, &scene.current, &again);
    assert_string_equal(scene.comparison.next,
                        "--budget ended too early, take more paired rounds: give `--budget 18s`");
    scene.current.elapsed_ns = 30e9; /* the fewest rounds took longer */
    kg_undecided_again(&scene.comparison, &scene.current, &again);
    assert_non_null(strstr(scene.comparison.next, "--budget 60s`"));
    scene_free(&scene);
}

static void where_most_pairs_waited_that_is_what_left_it_open(void **state)
{
    struct scene scene;
    const struct kg_again again = {
        .command = "kgate ab a.so b.so", .rounds_most = 30, .budget_ns = INFINITY};
    scene_make(&scene, 1.2, 1.15, 1000000000);
    struct kg_case_change *change = &scene.pairs.cases[0];
    change->rounds = change->confirming_rounds = 30;
    change->metrics[0].current_rounds = 4;
    kg_undecided_again(&scene.pairs, &scene.head, &again);
    assert_string_equal(
        scene.pairs.next,
        "26 of 30 paired rounds of w1/cpu waited too long for a CPU and do not count. "
        "When the machine is idle, `kgate ab a.so b.so`");
    scene_free(&scene);
}

static void one_pair_is_one(void **state)
{
    struct scene scene;
    scene_make(&scene, 1.2, 1.15, 3);
    scene.pairs.cases[0].rounds = 1;
    settle(&scene);
    assert_non_null(
        strstr(change_of(&scene, "w1/cpu")->reason, "decided by 1 paired round against"));
    scene_free(&scene);
}

static void a_build_that_could_not_be_measured_leaves_the_stored_decision(void **state)
{
    struct scene scene;
    scene_make(&scene, 1.2, 1, 3);
    scene.pairs.cases[0].change = KG_CHANGE_SKIPPED;
    settle(&scene);
    assert_int_equal(change_of(&scene, "w1/cpu")->change, KG_CHANGE_SUSPECT);
    assert_int_equal(change_of(&scene, "w1/cpu")->pairs, 0);
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_NO_VERDICT);
    scene_free(&scene);
}

static void a_workload_that_fails_in_pairs_has_failed(void **state)
{
    struct scene scene;
    scene_make(&scene, 1.2, 1, 3);
    scene.pairs.cases[0].change = KG_CHANGE_FAILED;
    scene.pairs.cases[0].reason = "crashed: signal 11 (Segmentation fault)";
    settle(&scene);
    assert_int_equal(change_of(&scene, "w1/cpu")->change, KG_CHANGE_FAILED);
    assert_string_equal(change_of(&scene, "w1/cpu")->reason,
                        "in paired rounds: crashed: signal 11 (Segmentation fault)");
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_FAILED);
    scene_free(&scene);
}

static void a_case_is_settled_only_when_none_of_its_metrics_is_open(void **state)
{
    struct scene scene;
    for (int open = 0; open < 2; open++) {
        scene_make(&scene, 1.2, 1.15, 3);
        struct kg_metric *memory = &scene.pairs.cases[0].metrics[1];
        assert_string_equal(memory->name, "peak_memory");
        struct kg_case_change *change = (struct kg_case_change *)change_of(&scene, "w1/cpu");
        for (size_t m = 0; m < change->metric_count; m++)
            change->metrics[m].change = KG_CHANGE_INCONCLUSIVE;
        if (open)
            memory->change = KG_CHANGE_INCONCLUSIVE;
        assert_false(kg_change_settled(change));
        settle(&scene);
        assert_int_equal(change_of(&scene, "w1/cpu")->change, KG_CHANGE_REGRESSION);
        assert_int_equal(kg_change_settled(change_of(&scene, "w1/cpu")), !open);
        assert_false(kg_change_settled(change_of(&scene, "w0/cpu")));
        scene_free(&scene);
    }
}

static void a_note_is_added_behind_the_others(void **state)
{
    struct scene scene;
    scene_make(&scene, 1, 1, 0);
    const size_t before = scene.comparison.note_count;
    kg_comparison_note(&scene.comparison, "a note");
    assert_int_equal(scene.comparison.note_count, before + 1);
    assert_string_equal(scene.comparison.notes[before], "a note");
    scene_free(&scene);
}

static void pairs_without_a_figure_settle_nothing_and_note_it(void **state)
{
    struct scene scene;
    scene_make(&scene, 1.2, 1, 0);
    scene.pairs.cases[0].metrics[0].ratio = NAN;
    scene.pairs.cases[0].reason = "the machine is too busy";
    settle(&scene);
    const struct kg_case_change *change = change_of(&scene, "w1/cpu");
    assert_int_equal(change->change, KG_CHANGE_SUSPECT);
    if (!strstr(change->reason,
                "not decided by 12 paired rounds against the baseline's build: the machine "
                "is too busy"))
        fail_msg("%s", change->reason);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suspect_is_open_and_what_is_decided_is_not),
        cmocka_unit_test(pairs_that_see_no_change_make_it_pass),
        cmocka_unit_test(memory_that_moved_by_less_than_counts_is_not_noted),
        cmocka_unit_test(what_is_slower_with_both_builds_is_noted),
        cmocka_unit_test(what_pairs_cannot_see_is_suspect_unless_all_code_is_known),
        cmocka_unit_test(what_is_over_in_the_pairs_is_not_suspect),
        cmocka_unit_test(what_pairs_leave_open_stays_suspect),
        cmocka_unit_test(what_stored_runs_and_open_pairs_find_worse_is_suspect),
        cmocka_unit_test(pairs_that_see_a_change_make_it_fail),
        cmocka_unit_test(pairs_are_judged_among_the_tests_of_the_suite),
        cmocka_unit_test(where_most_pairs_waited_that_is_what_left_it_open),
        cmocka_unit_test(one_pair_is_one),
        cmocka_unit_test(a_build_that_could_not_be_measured_leaves_the_stored_decision),
        cmocka_unit_test(a_workload_that_fails_in_pairs_has_failed),
        cmocka_unit_test(a_case_is_settled_only_when_none_of_its_metrics_is_open),
        cmocka_unit_test(a_note_is_added_behind_the_others),
        cmocka_unit_test(pairs_without_a_figure_settle_nothing_and_note_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
