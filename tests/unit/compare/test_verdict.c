/* From changes to PASS or FAIL: exit statuses, which goes before which, notes. */
#include "test_support.h"

enum { CASES = 8 };

/* One case of every change, the case's index being the change's value. */
static void one_of_each(struct kg_results *stored, struct kg_results *current)
{
    support_results(stored, CASES, 10, 10000);
    support_results(current, CASES, 10, 10000);
    support_slow(&current->cases[KG_CHANGE_IMPROVEMENT], 0.7);
    support_slow(&current->cases[KG_CHANGE_REGRESSION], 1.4);
    for (size_t r = 0; r < 10; r += 2)
        current->cases[KG_CHANGE_INCONCLUSIVE].rounds[r].median_ns *= 1.3;
    current->cases[KG_CHANGE_NEW].id = "fresh/cpu";
    stored->cases[KG_CHANGE_NEW].id = "gone/cpu"; /* the case REMOVED; that of its index is equal */
    current->cases[KG_CHANGE_FAILED].status = KG_STATUS_FAILED;
    current->cases[KG_CHANGE_FAILED].reason = "exit status 7";
    current->cases[KG_CHANGE_FAILED].stderr_tail = "last words\n";
    current->cases[KG_CHANGE_SKIPPED].status = KG_STATUS_SKIPPED;
    current->cases[KG_CHANGE_SKIPPED].reason = "no CUDA device";
}

/* Compares one of each under a policy. */
static void compare(unsigned fail_on, bool complete, bool with_baseline,
                    struct kg_comparison *comparison)
{
    struct kg_results stored, current;
    struct kg_baseline baseline, none = {0};
    struct kg_error err;
    one_of_each(&stored, &current);
    current.policy.fail_on = fail_on;
    current.complete = complete;
    assert_true(kg_baseline_from_results(&stored, &baseline, &err));
    assert_true(
        kg_compare(with_baseline ? &baseline : &none, &current, KG_STAGE_FINAL, comparison, &err));
    kg_baseline_free(&baseline);
    kg_results_free(&stored);
    kg_results_free(&current);
}

static size_t exit_of(unsigned fail_on, bool complete, bool with_baseline)
{
    struct kg_comparison comparison;
    compare(fail_on, complete, with_baseline, &comparison);
    const size_t status = comparison.exit_status;
    if ((status != 0) != (comparison.verdict == KG_VERDICT_FAIL) ||
        (status != 0) != (comparison.verdict_reason_count != 0))
        fail_msg("fail_on 0x%x: exit status %zu, %s, %zu reasons", fail_on, status,
                 kg_verdict_names[comparison.verdict], comparison.verdict_reason_count);
    kg_comparison_free(&comparison);
    return status;
}

static void every_change_is_counted(void **state)
{
    struct kg_comparison comparison;
    (void)state;
    compare(0, true, true, &comparison);
    const struct kg_change_counts *counts = &comparison.counts;
    assert_int_equal(counts->improvement, 1);
    assert_int_equal(counts->regression, 1);
    assert_int_equal(counts->no_change, 2);
    assert_int_equal(counts->inconclusive, 1);
    assert_int_equal(counts->new_case, 1);
    assert_int_equal(counts->removed, 1);
    assert_int_equal(counts->failed, 1);
    assert_int_equal(counts->skipped, 1);
    kg_comparison_free(&comparison);
}

static void every_change_goes_to_json_and_back(void **state)
{
    const char *schema = KG_COMPARISON_SCHEMA;
    struct kg_comparison comparison, read = {0};
    struct kg_text before = {0}, after = {0};
    struct kg_error err;
    (void)state;
    compare(1U << KG_CHANGE_FAILED, true, true, &comparison);
    assert_true(kg_record_print(&kg_comparison_record, &comparison, schema, &before, &err));
    if (!kg_record_parse(&kg_comparison_record, schema, "comparison.json", before.data,
                         before.length, &read.arena, &read, &err))
        fail_msg("%s", err.message);
    assert_true(kg_record_print(&kg_comparison_record, &read, schema, &after, &err));
    assert_string_equal(before.data, after.data);
    assert_string_equal(read.cases[0].stderr_tail, "last words\n");
    assert_non_null(strstr(before.data, "\"new\": 1"));
    kg_text_free(&before);
    kg_text_free(&after);
    kg_comparison_free(&read);
    kg_comparison_free(&comparison);
}

static void cases_are_ranked_from_failed_to_unchanged(void **state)
{
    static const enum kg_change order[] = {
        KG_CHANGE_FAILED,      KG_CHANGE_REGRESSION, KG_CHANGE_INCONCLUSIVE,
        KG_CHANGE_NEW,         KG_CHANGE_REMOVED,    KG_CHANGE_SKIPPED,
        KG_CHANGE_IMPROVEMENT, KG_CHANGE_NO_CHANGE,  KG_CHANGE_NO_CHANGE};
    struct kg_comparison comparison;
    (void)state;
    compare(0, true, true, &comparison);
    assert_int_equal(comparison.case_count, CASES + 1);
    for (size_t i = 0; i < comparison.case_count; i++)
        assert_string_equal(kg_change_name(comparison.cases[i].change), kg_change_name(order[i]));
    assert_true(strcmp(comparison.cases[7].id, comparison.cases[8].id) < 0);
    kg_comparison_free(&comparison);
}

static void each_change_has_its_exit_status(void **state)
{
    static const size_t expected[KG_CHANGE_COUNT] = {
        [KG_CHANGE_IMPROVEMENT] = 1,  [KG_CHANGE_REGRESSION] = 1, [KG_CHANGE_NO_CHANGE] = 1,
        [KG_CHANGE_INCONCLUSIVE] = 4, [KG_CHANGE_NEW] = 1,        [KG_CHANGE_REMOVED] = 1,
        [KG_CHANGE_FAILED] = 3,       [KG_CHANGE_SKIPPED] = 3};
    (void)state;
    assert_int_equal(exit_of(0, true, true), 0);
    for (unsigned c = 0; c < KG_CHANGE_COUNT; c++) {
        const size_t status = exit_of(1U << c, true, true);
        if (status != expected[c])
            fail_msg("%s: exit status %zu, expected %zu", kg_change_names[c], status, expected[c]);
    }
}

static void three_goes_before_one_before_four(void **state)
{
    const unsigned failed = 1U << KG_CHANGE_FAILED, regression = 1U << KG_CHANGE_REGRESSION,
                   doubt = 1U << KG_CHANGE_INCONCLUSIVE;
    struct kg_comparison comparison;
    (void)state;
    assert_int_equal(exit_of(failed | regression | doubt, true, true), 3);
    assert_int_equal(exit_of(regression | doubt, true, true), 1);
    assert_int_equal(exit_of(failed | doubt, true, true), 3);
    compare(failed | regression | doubt, true, true, &comparison);
    assert_int_equal(comparison.verdict_reason_count, 3);
    assert_string_equal(comparison.verdict_reasons[0], "1 case failed: w6/cpu");
    assert_string_equal(comparison.verdict_reasons[1], "1 case regressed: w1/cpu +40.0 %");
    assert_string_equal(comparison.verdict_reasons[2], "1 case inconclusive: w3/cpu");
    kg_comparison_free(&comparison);
}

static void an_interrupted_run_is_no_verdict_unless_it_is_worse(void **state)
{
    (void)state;
    assert_int_equal(exit_of(0, false, true), 4);
    assert_int_equal(exit_of(1U << KG_CHANGE_REGRESSION, false, true), 1);
    assert_int_equal(exit_of(1U << KG_CHANGE_FAILED, false, true), 3);
}

static void new_without_any_baseline_is_no_verdict(void **state)
{
    (void)state;
    assert_int_equal(exit_of(1U << KG_CHANGE_NEW, true, false), 4);
    assert_int_equal(exit_of(1U << KG_CHANGE_NEW, true, true), 1);
}

static void the_cases_that_fail_are_marked(void **state)
{
    struct kg_comparison comparison;
    (void)state;
    compare(1U << KG_CHANGE_REGRESSION | 1U << KG_CHANGE_SKIPPED, true, true, &comparison);
    for (size_t i = 0; i < comparison.case_count; i++)
        assert_int_equal(comparison.cases[i].fails,
                         comparison.cases[i].change == KG_CHANGE_REGRESSION ||
                             comparison.cases[i].change == KG_CHANGE_SKIPPED);
    kg_comparison_free(&comparison);
}

static bool noted(const struct kg_comparison *comparison, const char *part)
{
    for (size_t i = 0; i < comparison->note_count; i++)
        if (strstr(comparison->notes[i], part))
            return true;
    return false;
}

static void facts_that_differ_are_noted(void **state)
{
    struct kg_results stored, current;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    struct kg_error err;
    (void)state;
    support_results(&stored, 1, 10, 10000);
    support_results(&current, 1, 10, 10000);
    stored.machine.kernel = "Linux 6.1.0";
    current.machine.kernel = "Linux 6.12.0";
    stored.machine.governor = "performance";
    stored.machine.vectors = "AVX-512";
    current.machine.vectors = "AVX2";
    current.machine.compiler = "Clang 14.0.6";
    current.machine.cuda_driver = "13.0";
    current.complete = false;
    assert_true(kg_baseline_from_results(&stored, &baseline, &err));
    assert_true(kg_compare(&baseline, &current, KG_STAGE_FINAL, &comparison, &err));
    assert_true(
        noted(&comparison, "kernel: the baseline had Linux 6.1.0, this run has Linux 6.12"));
    assert_true(noted(&comparison, "governor: the baseline had performance, this run has none"));
    assert_true(noted(&comparison, "vectors: the baseline had AVX-512, this run has AVX2"));
    assert_true(noted(&comparison, "compiler: the baseline had GNU 12.2.0"));
    assert_true(noted(&comparison, "CUDA driver: the baseline had none, this run has 13.0"));
    assert_true(noted(&comparison, "one run, so the noise between runs is not known"));
    assert_true(noted(&comparison, "did not finish, so no case is called REMOVED"));
    kg_comparison_free(&comparison);
    kg_baseline_free(&baseline);
    kg_results_free(&stored);
    kg_results_free(&current);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_counted),
        cmocka_unit_test(every_change_goes_to_json_and_back),
        cmocka_unit_test(cases_are_ranked_from_failed_to_unchanged),
        cmocka_unit_test(each_change_has_its_exit_status),
        cmocka_unit_test(three_goes_before_one_before_four),
        cmocka_unit_test(an_interrupted_run_is_no_verdict_unless_it_is_worse),
        cmocka_unit_test(new_without_any_baseline_is_no_verdict),
        cmocka_unit_test(the_cases_that_fail_are_marked),
        cmocka_unit_test(facts_that_differ_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
