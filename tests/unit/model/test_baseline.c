#include <sys/wait.h>

#include "base/file.h"
#include "base/text.h"
#include "judge/baseline_store.h"
#include "test_support.h"

static char *folder;
static const char *const FINGERPRINT = "cpu-2cpu-4gib-00000000";

static int begin(void **state)
{
    folder = support_folder();
    return 0;
}

static int end(void **state)
{
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
    const struct kg_prune_options last = {.keep = 1, .builds_most = INFINITY};
    const struct kg_prune_options pinned = {.keep = 1, .pin = "v1", .builds_most = INFINITY};
    struct kg_prune_outcome outcome;
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
    assert_true(kg_baseline_prune(folder, FINGERPRINT, &last, &outcome, &err));
    assert_int_equal(outcome.runs, 1);
    assert_true(kg_baseline_prune(folder, FINGERPRINT, &pinned, &outcome, &err));
    assert_int_equal(outcome.runs, 1);
    assert_false(kg_baseline_prune(folder, FINGERPRINT, &pinned, &outcome, &err));
    assert_false(kg_baseline_prune(folder, "nobody", &last, &outcome, &err));
    kg_results_free(&results);
}

static void missing_only_adds_what_is_missing(void **state)
{
    struct kg_results results;
    struct kg_baseline baseline;
    struct kg_error err;
    size_t added;
    support_results(&results, 3, 3, 100);
    results.case_count = 2;
    assert_true(update(&results, NULL, 5, true, &added, &err));
    assert_int_equal(added, 2);
    results.case_count = 3;
    results.cases[0].definition_hash = "fedcba9876543210";
    assert_true(update(&results, NULL, 5, true, &added, &err));
    assert_int_equal(added, 2); /* the third, and the first again */
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
    support_results(&results, 1, 3, 100);
    assert_true(update(&results, NULL, 1, false, NULL, &err));
    results.suite = "other";
    for (int i = 0; i < 3; i++) {
        results.created = kg_arena_printf(&results.arena, "2026-02-0%dT00:00:00Z", i + 1);
        assert_true(update(&results, NULL, 1, false, NULL, &err));
    }
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
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            struct kg_results results;
            struct kg_error err;
            bool good = true;
            support_results(&results, 2, 3, 100);
            for (int i = 0; i < UPDATES && good; i++) {
                results.created =
                    kg_arena_printf(&results.arena, "2026-02-%02dT00:00:0%dZ", i + 1, w);
                good = update(&results, NULL, 1000, false, NULL, &err);
            }
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

/* Loads a store: one run, one case, this series. */
static bool series_load(const char *series, struct kg_error *err)
{
    struct kg_baseline baseline;
    struct kg_arena arena = {0};
    struct kg_text text = {0};
    const char *path = kg_baseline_path(&arena, folder, FINGERPRINT);
    kg_text_printf(&text,
                   "{\"schema\": \"" KG_BASELINE_SCHEMA "\", \"fingerprint\": \"%s\", \"machine\": "
                   "{\"fingerprint\": \"%s\", \"cpu_model\": \"CPU\", \"cpu_count\": 2, "
                   "\"memory_bytes\": 1, \"gpus\": []}, \"runs\": [{\"created\": "
                   "\"2026-01-31T12:00:00Z\", \"suite\": \"s\", \"kgate_version\": \"9\", "
                   "\"cases\": [{\"id\": \"a/cpu\", \"definition_hash\": \"0123456789abcdef\", "
                   "\"series\": %s}]}]}",
                   FINGERPRINT, FINGERPRINT, series);
    assert_true(kg_file_write(path, text.data, text.length, err));
    const bool good = kg_baseline_load(path, &baseline, err);
    if (good)
        kg_baseline_free(&baseline);
    kg_text_free(&text);
    kg_arena_free(&arena);
    return good;
}

#define TIME "{\"name\": \"time\", \"source\": \"rounds\", \"values\": [5]}"
#define MEMORY(values) "{\"name\": \"peak_memory\", \"source\": \"rounds\"" values "}"

static void damaged_series_are_refused_by_name(void **state)
{
    static const char *const cases[][2] = {
        {"3", "series: expected a list of objects, found a number"},
        {"[" TIME ", 4]", "series[1]: expected an object, found a number"},
        {"[" TIME ", " MEMORY("") "]", "series[1].values: expected a value, found nothing"},
        {"[" TIME ", " MEMORY(", \"values\": 7") "]",
         "series[1].values: expected a list of numbers, found a number"},
        {"[" TIME ", " MEMORY(", \"values\": null") "]",
         "series[1].values: expected a list of numbers, found null"},
        {"[" MEMORY(", \"values\": [1]") "]",
         ": expected a series 'time' with one value per round"},
    };
    struct kg_error err;
    if (!series_load("[" TIME ", " MEMORY(", \"values\": [1]") "]", &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(series_load(cases[i][0], &err));
        if (!strstr(err.message, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(last_runs_and_pins_are_kept, begin, end),
        cmocka_unit_test_setup_teardown(missing_only_adds_what_is_missing, begin, end),
        cmocka_unit_test_setup_teardown(partial_and_empty_results_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(suites_share_a_file_without_meeting, begin, end),
        cmocka_unit_test_setup_teardown(two_writers_lose_nothing, begin, end),
        cmocka_unit_test_setup_teardown(damaged_series_are_refused_by_name, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
