/* What a case is compared with: several runs, pins, other suites and definitions; many cases. */
#include <time.h>

#include "test_support.h"

enum { RUNS_MOST = 8 };

/* Stored runs made one by one, each from results of its own. */
struct store {
    struct kg_results results[RUNS_MOST];
    struct kg_baseline_run runs[RUNS_MOST];
    struct kg_baseline baseline;
};

/* The results of the next run, for a test to change before `store_add`. */
static struct kg_results *store_next(struct store *store, size_t cases, size_t rounds)
{
    struct kg_results *results = &store->results[store->baseline.run_count];
    support_results(results, cases, rounds, 10000);
    return results;
}

static void store_add(struct store *store, const char *pin)
{
    struct kg_baseline *baseline = &store->baseline;
    struct kg_baseline_run *run = &store->runs[baseline->run_count];
    const struct kg_results *results = &store->results[baseline->run_count];
    assert_true(kg_baseline_run_make(&baseline->arena, results, run));
    run->pin = pin;
    baseline->fingerprint = results->machine.fingerprint;
    baseline->runs = store->runs;
    baseline->run_count++;
}

/* Frees the store and the results: the comparison must stand on its own. */
static void judge(struct store *store, struct kg_results *current, struct kg_comparison *comparison)
{
    struct kg_error err;
    assert_true(kg_compare(&store->baseline, current, KG_STAGE_FINAL, comparison, &err));
    for (size_t i = 0; i < store->baseline.run_count; i++)
        kg_results_free(&store->results[i]);
    kg_baseline_free(&store->baseline);
    kg_results_free(current);
}

static const struct kg_case_change *find(const struct kg_comparison *comparison, const char *id)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        if (!strcmp(comparison->cases[i].id, id))
            return &comparison->cases[i];
    fail_msg("no case %s", id);
    return NULL;
}

static void expect(const struct kg_comparison *comparison, const char *id, enum kg_change change)
{
    assert_string_equal(kg_change_name(find(comparison, id)->change), kg_change_name(change));
}

static void runs_of_other_suites_are_left_aside(void **state)
{
    struct store store = {0};
    struct kg_results current;
    struct kg_comparison comparison;
    (void)state;
    store_next(&store, 3, 10)->suite = "other";
    store_add(&store, NULL);
    support_results(&current, 2, 10, 10000);
    judge(&store, &current, &comparison);
    assert_int_equal(comparison.case_count, 2);
    expect(&comparison, "w0/cpu", KG_CHANGE_NEW);
    assert_non_null(strstr(find(&comparison, "w0/cpu")->reason, "no baseline for this suite"));
    assert_int_equal(comparison.baseline_runs, 0);
    kg_comparison_free(&comparison);
}

/* The slow run measured something else under the same id. */
static void only_rounds_of_the_same_definition_are_pooled(void **state)
{
    struct store store = {0};
    struct kg_results current, *results;
    struct kg_comparison comparison;
    (void)state;
    results = store_next(&store, 1, 10);
    support_slow(&results->cases[0], 3);
    results->cases[0].definition_hash = "fedcba9876543210";
    store_add(&store, NULL);
    store_next(&store, 1, 10);
    store_add(&store, NULL);
    support_results(&current, 1, 10, 10000);
    judge(&store, &current, &comparison);
    expect(&comparison, "w0/cpu", KG_CHANGE_NO_CHANGE);
    assert_true(find(&comparison, "w0/cpu")->metrics[0].baseline < 11000);
    assert_true(isnan(find(&comparison, "w0/cpu")->metrics[0].noise_floor));
    kg_comparison_free(&comparison);
}

static void removed_is_what_the_newest_ordinary_run_had(void **state)
{
    struct store store = {0};
    struct kg_results current;
    struct kg_comparison comparison;
    (void)state;
    store_next(&store, 4, 10); /* w3 was taken away before the newest run */
    store_add(&store, NULL);
    store_next(&store, 3, 10);
    store_add(&store, NULL);
    store_next(&store, 5, 10); /* a pinned run keeps what once was */
    store_add(&store, "v1");
    support_results(&current, 2, 10, 10000);
    judge(&store, &current, &comparison);
    assert_int_equal(comparison.counts.removed, 1);
    expect(&comparison, "w2/cpu", KG_CHANGE_REMOVED);
    assert_string_equal(find(&comparison, "w2/cpu")->workload, "w2");
    assert_string_equal(find(&comparison, "w2/cpu")->device, "cpu");
    kg_comparison_free(&comparison);
}

static void a_case_that_only_a_pin_has_is_compared_with_it(void **state)
{
    struct store store = {0};
    struct kg_results current;
    struct kg_comparison comparison;
    (void)state;
    store_next(&store, 1, 10);
    store_add(&store, "v1");
    support_results(&current, 1, 10, 10000);
    support_slow(&current.cases[0], 1.5);
    judge(&store, &current, &comparison);
    expect(&comparison, "w0/cpu", KG_CHANGE_REGRESSION);
    assert_string_equal(find(&comparison, "w0/cpu")->metrics[0].against, "pin v1");
    assert_int_equal(find(&comparison, "w0/cpu")->metric_count, 2);
    assert_string_equal(comparison.pins[0], "v1");
    kg_comparison_free(&comparison);
}

/* Five rounds against five are enough for one case at 1 %, not for twenty. */
static void more_cases_need_more_rounds(void **state)
{
    for (size_t cases = 1; cases <= 20; cases += 19) {
        struct store store = {0};
        struct kg_results current;
        struct kg_comparison comparison;
        store_next(&store, cases, 5);
        store_add(&store, NULL);
        support_results(&current, cases, 5, 10000);
        support_slow(&current.cases[0], 1.5);
        judge(&store, &current, &comparison);
        expect(&comparison, "w0/cpu", cases == 1 ? KG_CHANGE_REGRESSION : KG_CHANGE_INCONCLUSIVE);
        const char *reason = find(&comparison, "w0/cpu")->reason;
        if (cases > 1 && !strstr(reason, "5 rounds against 5 are too few to be sure (p 0.16"))
            fail_msg("%s", reason);
        kg_comparison_free(&comparison);
    }
    (void)state;
}

/* The code is the pin's, not that of the newest ordinary run. */
static void code_is_compared_with_that_of_its_own_reference(void **state)
{
    struct store store = {0};
    struct kg_results current;
    struct kg_comparison comparison;
    (void)state;
    store_next(&store, 1, 10)->cases[0].code_hash = "aaaa";
    store_add(&store, "v1");
    store_next(&store, 1, 10)->cases[0].code_hash = "bbbb";
    store_add(&store, NULL);
    support_results(&current, 1, 10, 10000);
    current.cases[0].code_hash = "aaaa";
    support_slow(&current.cases[0], 1.5);
    judge(&store, &current, &comparison);
    const struct kg_case_change *change = find(&comparison, "w0/cpu");
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        const bool pinned = !strcmp(metric->against, "pin v1");
        const char *said = pinned ? "unchanged" : "the code changed";
        if (!strcmp(metric->name, "time") && (!metric->reason || !strstr(metric->reason, said)))
            fail_msg("against %s: %s", metric->against,
                     metric->reason ? metric->reason : "nothing");
    }
    kg_comparison_free(&comparison);
}

static void a_new_case_that_violates_a_budget_is_a_regression(void **state)
{
    struct store store = {0};
    struct kg_results current;
    struct kg_comparison comparison;
    struct kg_limit violated = {"time", "<=", 1000}, met = {"time", "<=", 1e9};
    (void)state;
    support_results(&current, 2, 10, 10000);
    current.cases[0].budgets = &violated;
    current.cases[1].budgets = &met;
    current.cases[0].budget_count = current.cases[1].budget_count = 1;
    judge(&store, &current, &comparison);
    expect(&comparison, "w0/cpu", KG_CHANGE_REGRESSION);
    expect(&comparison, "w1/cpu", KG_CHANGE_NEW);
    assert_int_equal(comparison.exit_status, KG_EXIT_REGRESSION);
    kg_comparison_free(&comparison);
}

static void what_was_not_measured_is_skipped_and_failures_keep_their_last_words(void **state)
{
    struct store store = {0};
    struct kg_results current;
    struct kg_comparison comparison;
    (void)state;
    support_results(&current, 3, 10, 10000);
    current.cases[0].status = KG_STATUS_UNMEASURED;
    current.cases[1].round_count = 0;
    current.cases[2].status = KG_STATUS_FAILED;
    current.cases[2].reason = "crashed";
    current.cases[2].stderr_tail = "assertion failed\n";
    judge(&store, &current, &comparison);
    expect(&comparison, "w0/cpu", KG_CHANGE_SKIPPED);
    expect(&comparison, "w1/cpu", KG_CHANGE_SKIPPED);
    expect(&comparison, "w2/cpu", KG_CHANGE_FAILED);
    assert_string_equal(find(&comparison, "w0/cpu")->reason, "it was not measured");
    assert_string_equal(find(&comparison, "w2/cpu")->stderr_tail, "assertion failed\n");
    kg_comparison_free(&comparison);
}

static void memory_that_moves_between_runs_raises_its_threshold(void **state)
{
    struct store store = {0};
    struct kg_results current;
    struct kg_comparison comparison;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct kg_results *results = store_next(&store, 1, 10);
        for (size_t r = 0; r < 10; r++)
            results->cases[0].rounds[r].peak_bytes *= 10 + i;
        store_add(&store, NULL);
    }
    support_results(&current, 1, 10, 10000);
    for (size_t r = 0; r < 10; r++)
        current.cases[0].rounds[r].peak_bytes *= 13;
    judge(&store, &current, &comparison);
    expect(&comparison, "w0/cpu", KG_CHANGE_INCONCLUSIVE);
    kg_comparison_free(&comparison);
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

/* Prints how long it took; asserts only what came of it. */
static void ten_thousand_cases_are_compared_at_once(void **state)
{
    enum { CASES = 10000, ROUNDS = 10 };
    struct store store = {0};
    struct kg_results current;
    struct kg_comparison comparison;
    struct kg_error err;
    struct timespec start;
    (void)state;
    for (size_t runs = 1; runs <= RUNS_MOST - 3; runs += 4) {
        while (store.baseline.run_count < runs) {
            store_next(&store, CASES, ROUNDS);
            store_add(&store, NULL);
        }
        support_results(&current, CASES, ROUNDS, 10000);
        support_slow(&current.cases[5000], 1.5);
        clock_gettime(CLOCK_MONOTONIC, &start);
        assert_true(kg_compare(&store.baseline, &current, KG_STAGE_FINAL, &comparison, &err));
        const double seconds = seconds_since(&start);
        printf("%d cases of %d rounds against %zu runs: %.3f s\n", CASES, ROUNDS, runs, seconds);
        assert_int_equal(comparison.counts.no_change + comparison.counts.inconclusive +
                             comparison.counts.regression,
                         CASES);
        kg_comparison_free(&comparison);
        kg_results_free(&current);
    }
    support_results(&current, 1, 1, 10000);
    judge(&store, &current, &comparison);
    assert_int_equal(comparison.counts.removed, CASES - 1);
    kg_comparison_free(&comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_other_suites_are_left_aside),
        cmocka_unit_test(only_rounds_of_the_same_definition_are_pooled),
        cmocka_unit_test(removed_is_what_the_newest_ordinary_run_had),
        cmocka_unit_test(a_case_that_only_a_pin_has_is_compared_with_it),
        cmocka_unit_test(more_cases_need_more_rounds),
        cmocka_unit_test(code_is_compared_with_that_of_its_own_reference),
        cmocka_unit_test(a_new_case_that_violates_a_budget_is_a_regression),
        cmocka_unit_test(what_was_not_measured_is_skipped_and_failures_keep_their_last_words),
        cmocka_unit_test(memory_that_moves_between_runs_raises_its_threshold),
        cmocka_unit_test(ten_thousand_cases_are_compared_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
