#include <sys/wait.h>

#include "test_support.h"

static char *folder;
static const char *const FINGERPRINT = "cpu-2cpu-4gib-00000000";

static int begin(void **state)
{
    (void)state;
    folder = support_folder();
    return 0;
}

static int end(void **state)
{
    (void)state;
    support_remove(folder);
    return 0;
}

static void load(struct kg_baseline *baseline)
{
    struct kg_error err;
    struct kg_arena arena = {0};
    assert_true(kg_baseline_load(kg_baseline_path(&arena, folder, FINGERPRINT), baseline, &err));
    kg_arena_free(&arena);
}

static bool update(const struct kg_results *results, const char *pin, size_t keep,
                   bool missing_only, size_t *added, struct kg_error *err)
{
    const struct kg_baseline_options options = {
        .pin = pin, .keep = keep, .missing_only = missing_only};
    return kg_baseline_update(folder, results, &options, added, err);
}

static void last_runs_and_pins_are_kept(void **state)
{
    struct kg_results results;
    struct kg_baseline baseline;
    struct kg_error err;
    size_t removed;
    (void)state;
    support_results(&results, 2, 3, 100);
    assert_true(update(&results, "v1", 2, false, NULL, &err));
    assert_false(update(&results, "v1", 2, false, NULL, &err));
    assert_non_null(strstr(err.message, "pinned run 'v1'"));
    for (int i = 0; i < 4; i++) {
        results.created = kg_arena_printf(&results.arena, "2026-02-0%dT00:00:00Z", i + 1);
        assert_true(update(&results, NULL, 2, false, NULL, &err));
    }
    load(&baseline);
    assert_int_equal(baseline.run_count, 3);
    assert_string_equal(baseline.runs[0].pin, "v1");
    assert_string_equal(baseline.runs[2].created, "2026-02-04T00:00:00Z");
    kg_baseline_free(&baseline);
    assert_true(kg_baseline_prune(folder, FINGERPRINT, 1, NULL, NULL, &removed, &err));
    assert_int_equal(removed, 1);
    assert_true(kg_baseline_prune(folder, FINGERPRINT, 1, "v1", NULL, &removed, &err));
    assert_int_equal(removed, 1);
    assert_false(kg_baseline_prune(folder, FINGERPRINT, 1, "v1", NULL, &removed, &err));
    assert_false(kg_baseline_prune(folder, "nobody", 1, NULL, NULL, &removed, &err));
    kg_results_free(&results);
}

static void missing_only_adds_what_is_missing(void **state)
{
    struct kg_results results;
    struct kg_baseline baseline;
    struct kg_error err;
    size_t added;
    (void)state;
    support_results(&results, 3, 3, 100);
    results.case_count = 2;
    assert_true(update(&results, NULL, 5, true, &added, &err));
    assert_int_equal(added, 2);
    results.case_count = 3;
    results.cases[0].definition_hash = "fedcba9876543210";
    assert_true(update(&results, NULL, 5, true, &added, &err));
    assert_int_equal(added, 2); /* the third, and the first anew */
    assert_true(update(&results, NULL, 5, true, &added, &err));
    assert_int_equal(added, 0);
    load(&baseline);
    assert_int_equal(baseline.run_count, 1);
    assert_int_equal(baseline.runs[0].case_count, 3);
    kg_baseline_free(&baseline);
    kg_results_free(&results);
}

static void partial_and_empty_results_are_refused(void **state)
{
    struct kg_results results;
    struct kg_error err;
    (void)state;
    support_results(&results, 1, 3, 100);
    results.filter = "--filter x";
    assert_false(update(&results, NULL, 5, false, NULL, &err));
    assert_non_null(strstr(err.message, "leave cases out"));
    results.filter = NULL;
    results.complete = false;
    assert_false(update(&results, NULL, 5, false, NULL, &err));
    results.complete = true;
    results.cases[0].status = KG_STATUS_FAILED;
    assert_false(update(&results, NULL, 5, false, NULL, &err));
    assert_non_null(strstr(err.message, "nothing to record"));
    kg_results_free(&results);
}

static void suites_share_a_file_without_meeting(void **state)
{
    struct kg_results results;
    struct kg_baseline baseline;
    struct kg_error err;
    (void)state;
    support_results(&results, 1, 3, 100);
    assert_true(update(&results, NULL, 1, false, NULL, &err));
    results.suite = "other";
    for (int i = 0; i < 3; i++)
        assert_true(update(&results, NULL, 1, false, NULL, &err));
    load(&baseline);
    assert_int_equal(baseline.run_count, 2);
    kg_baseline_free(&baseline);
    kg_results_free(&results);
}

static void two_writers_lose_nothing(void **state)
{
    enum { WRITERS = 2, UPDATES = 15 };
    struct kg_baseline baseline;
    int status;
    (void)state;
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            struct kg_results results;
            struct kg_error err;
            bool good = true;
            support_results(&results, 2, 3, 100);
            for (int i = 0; i < UPDATES; i++)
                good = good && update(&results, NULL, 1000, false, NULL, &err);
            kg_results_free(&results);
            _exit(!good);
        }
    for (int w = 0; w < WRITERS; w++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    load(&baseline);
    assert_int_equal(baseline.run_count, WRITERS * UPDATES);
    kg_baseline_free(&baseline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(last_runs_and_pins_are_kept, begin, end),
        cmocka_unit_test_setup_teardown(missing_only_adds_what_is_missing, begin, end),
        cmocka_unit_test_setup_teardown(partial_and_empty_results_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(suites_share_a_file_without_meeting, begin, end),
        cmocka_unit_test_setup_teardown(two_writers_lose_nothing, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
