/* Properties of a comparison that no file shows: a case without rounds, no borrowed memory, and the
 * time for ten thousand cases. */
#include <time.h>

#include "test_support.h"

enum { RUNS_MOST = 8 };

/* Stored runs, made one by one from results of their own. */
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

static void store_add(struct store *store)
{
    struct kg_baseline *baseline = &store->baseline;
    struct kg_baseline_run *run = &store->runs[baseline->run_count];
    const struct kg_results *results = &store->results[baseline->run_count];
    kg_baseline_run_make(&baseline->arena, results, run);
    baseline->fingerprint = results->machine.fingerprint;
    baseline->runs = store->runs;
    baseline->run_count++;
}

/* Frees the store and the results: the comparison must stand on its own. */
static void judge(struct store *store, struct kg_results *current, struct kg_comparison *comparison)
{
    kg_compare(&store->baseline, current, KG_STAGE_FINAL, comparison);
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

static void what_was_not_measured_is_skipped_and_failures_keep_their_last_words(void **state)
{
    struct store store = {0};
    struct kg_results current;
    struct kg_comparison comparison;
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

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

/* Prints the time; asserts only the result. */
static void ten_thousand_cases_are_compared_at_once(void **state)
{
    enum { CASES = 10000, ROUNDS = 10 };
    struct store store = {0};
    struct kg_results current;
    struct kg_comparison comparison;
    struct timespec start;
    for (size_t runs = 1; runs <= RUNS_MOST - 3; runs += 4) {
        while (store.baseline.run_count < runs) {
            store_next(&store, CASES, ROUNDS);
            store_add(&store);
        }
        support_results(&current, CASES, ROUNDS, 10000);
        support_slow(&current.cases[5000], 1.5);
        clock_gettime(CLOCK_MONOTONIC, &start);
        kg_compare(&store.baseline, &current, KG_STAGE_FINAL, &comparison);
        const double seconds = seconds_since(&start);
        printf("%d cases of %d rounds against %zu runs: %.3f s\n", CASES, ROUNDS, runs, seconds);
        assert_int_equal(comparison.counts.of[KG_CHANGE_NO_CHANGE] +
                             comparison.counts.of[KG_CHANGE_SUSPECT] +
                             comparison.counts.of[KG_CHANGE_INCONCLUSIVE] +
                             comparison.counts.of[KG_CHANGE_REGRESSION],
                         CASES);
        kg_comparison_free(&comparison);
        kg_results_free(&current);
    }
    support_results(&current, 1, 1, 10000);
    judge(&store, &current, &comparison);
    assert_int_equal(comparison.counts.of[KG_CHANGE_REMOVED], CASES - 1);
    kg_comparison_free(&comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_measured_is_skipped_and_failures_keep_their_last_words),
        cmocka_unit_test(ten_thousand_cases_are_compared_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
