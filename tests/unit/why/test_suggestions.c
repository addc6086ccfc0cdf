/* The file of suggestions, and the selection from it. */
#include "test_support.h"

#include "suite/suggest_overrides.h"
#include "why/advice_index.h"
#include "why/suggestions.h"

/* Four suggestions, two findings and a change, by hand. */
static void suggestions_make(struct kg_suggestions *suggestions)
{
    static struct kg_evidence_figure figure = {"cores_busy", "", 1.5, "cores busy: 1.50"};
    static struct kg_suggestion list[4], fresh[4] = {{"a/cpu",
                                                      "case",
                                                      "a/cpu",
                                                      "cpu",
                                                      "unused_cores",
                                                      KG_TYPE_PARALLELIZATION,
                                                      KG_PRIORITY_HIGH,
                                                      KG_BASIS_MODELLED,
                                                      0,
                                                      "It idles.",
                                                      "Use it.",
                                                      {0},
                                                      NULL,
                                                      NULL,
                                                      &figure,
                                                      1,
                                                      4e6,
                                                      0.75,
                                                      1e6,
                                                      3e6,
                                                      4,
                                                      8e6,
                                                      1.6,
                                                      NAN,
                                                      NAN},
                                                     {"b/cpu;inner",
                                                      "scope",
                                                      "b/cpu",
                                                      "cpu",
                                                      "batch_calls",
                                                      KG_TYPE_BATCHING,
                                                      KG_PRIORITY_CRITICAL,
                                                      KG_BASIS_MEASURED,
                                                      0,
                                                      "Many calls.",
                                                      "Batch.",
                                                      {0},
                                                      NULL,
                                                      NULL,
                                                      NULL,
                                                      0,
                                                      2e6,
                                                      NAN,
                                                      1e6,
                                                      1e6,
                                                      2,
                                                      4e6,
                                                      4. / 3,
                                                      NAN,
                                                      NAN},
                                                     {"a/cpu",
                                                      "case",
                                                      "a/cpu",
                                                      "cpu",
                                                      "cache_results",
                                                      KG_TYPE_CACHING,
                                                      KG_PRIORITY_MEDIUM,
                                                      KG_BASIS_AT_MOST,
                                                      0,
                                                      "Again.",
                                                      "Keep.",
                                                      {0},
                                                      NULL,
                                                      NULL,
                                                      NULL,
                                                      0,
                                                      4e6,
                                                      NAN,
                                                      3.5e6,
                                                      5e5,
                                                      8. / 7,
                                                      8e6,
                                                      1.07,
                                                      NAN,
                                                      NAN},
                                                     {"c/cpu",
                                                      "case",
                                                      "c/cpu",
                                                      "cpu",
                                                      "memory_workspace",
                                                      KG_TYPE_MEMORY,
                                                      KG_PRIORITY_LOW,
                                                      KG_BASIS_MODELLED,
                                                      0,
                                                      "Much.",
                                                      "Less.",
                                                      {0},
                                                      NULL,
                                                      NULL,
                                                      NULL,
                                                      0,
                                                      1e6,
                                                      NAN,
                                                      NAN,
                                                      NAN,
                                                      NAN,
                                                      NAN,
                                                      NAN,
                                                      2e8,
                                                      1e8}};
    static struct kg_bound_finding findings[2],
        fresh_findings[2] = {{"a/cpu", "case", KG_BOUND_MEMORY, 4e6, 0.87, "memory-bound: 87 %",
                              NAN, NULL, &figure, 1},
                             {"c/cpu", "case", KG_BOUND_UNKNOWN, 1e6, NAN, "unknown: no peak", 0.5,
                              "no peak", NULL, 0}};
    static struct kg_evidence_change change[1], fresh_change = {.operation = "a/cpu",
                                                                .name = "bandwidth_share",
                                                                .unit = "share",
                                                                .base = 0.82,
                                                                .current = 0.41,
                                                                .explains = NAN,
                                                                .text = "bandwidth fell"};
    static const char *notes[] = {"no profile"};
    memcpy(list, fresh, sizeof list);
    memcpy(findings, fresh_findings, sizeof findings);
    *change = fresh_change;
    *suggestions = (struct kg_suggestions){.created = "2026-01-31T12:00:00Z",
                                           .kgate_version = "0.1.0",
                                           .suite = "suite",
                                           .source = "out/results.json",
                                           .changes = change,
                                           .change_count = 1,
                                           .findings = findings,
                                           .finding_count = 2,
                                           .suggestions = list,
                                           .suggestion_count = 4,
                                           .notes = notes,
                                           .note_count = 1};
    kg_suggest_settings_complete(&suggestions->settings);
}

static void what_is_written_is_read_back(void **state)
{
    struct kg_suggestions made, read;
    struct kg_error err;
    char path[128];
    const char *folder = support_folder();
    snprintf(path, sizeof path, "%s/suggestions.json", folder);
    suggestions_make(&made);
    assert_true(kg_suggestions_write(&made, path, &err));
    assert_true(kg_suggestions_load(path, &read, &err));
    assert_int_equal(read.suggestion_count, 4);
    const struct kg_suggestion *first = &read.suggestions[0], *last = &read.suggestions[3];
    assert_string_equal(first->rule, "unused_cores");
    assert_int_equal(first->priority, KG_PRIORITY_HIGH);
    assert_int_equal(first->basis, KG_BASIS_MODELLED);
    assert_float_equal(first->speedup, 4, 0);
    assert_string_equal(first->evidence[0].text, "cores busy: 1.50");
    assert_true(isnan(first->current_bytes));
    assert_true(isnan(last->saved_ns) && isnan(last->speedup));
    assert_float_equal(last->estimated_bytes, 1e8, 0);
    assert_int_equal(read.findings[0].bound, KG_BOUND_MEMORY);
    assert_string_equal(read.findings[1].missing, "no peak");
    assert_float_equal(read.changes[0].current, 0.41, 0);
    assert_string_equal(read.notes[0], "no profile");
    assert_float_equal(read.settings.min_gain, made.settings.min_gain, 0);
    kg_suggestions_free(&read);
    support_remove(folder);
}

static void another_file_is_refused_by_the_name_of_its_schema(void **state)
{
    struct kg_suggestions read;
    struct kg_results results;
    struct kg_error err;
    char path[128];
    const char *folder = support_folder();
    snprintf(path, sizeof path, "%s/results.json", folder);
    support_results(&results, 1, 3, 1e6);
    assert_true(kg_results_write(&results, path, &err));
    assert_false(kg_suggestions_load(path, &read, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    assert_non_null(strstr(err.message, KG_RESULTS_SCHEMA));
    assert_null(read.suggestions);
    kg_results_free(&results);
    support_remove(folder);
}

static size_t kept(const struct kg_suggest_wanted *wanted, struct kg_suggestions *suggestions)
{
    struct kg_error err;
    suggestions_make(suggestions);
    assert_true(kg_suggestions_keep(suggestions, wanted, &err));
    return suggestions->suggestion_count;
}

static void what_is_not_wanted_is_left_out(void **state)
{
    struct kg_suggestions s;
    assert_int_equal(kept(&(struct kg_suggest_wanted){0}, &s), 4);
    assert_int_equal(kept(&(struct kg_suggest_wanted){.priority = "critical,high"}, &s), 2);
    assert_int_equal(kept(&(struct kg_suggest_wanted){.type = "caching"}, &s), 1);
    assert_string_equal(s.suggestions[0].rule, "cache_results");
    assert_int_equal(
        kept(&(struct kg_suggest_wanted){.priority = "low", .type = "memory,caching"}, &s), 1);
    assert_int_equal(
        kept(&(struct kg_suggest_wanted){.priority = " low ,high", .type = "memory, caching"}, &s),
        1);
    assert_int_equal(s.left_out_count, 3);
    assert_int_equal(kept(&(struct kg_suggest_wanted){.top = 3}, &s), 3);
    assert_int_equal(s.left_out_count, 0);
    assert_string_equal(s.suggestions[0].rule, "unused_cores");
}

/* A filter selects operations. A scope belongs to its case. */
static void a_filter_is_of_cases_and_their_scopes(void **state)
{
    struct kg_suggestions s;
    assert_int_equal(kept(&(struct kg_suggest_wanted){.filter = "b/*"}, &s), 1);
    assert_int_equal(s.finding_count, 0);
    assert_int_equal(s.change_count, 0);
    assert_int_equal(kept(&(struct kg_suggest_wanted){.filter = "b/cpu"}, &s), 1);
    assert_int_equal(kept(&(struct kg_suggest_wanted){.filter = "a/cpu"}, &s), 2);
    assert_int_equal(s.finding_count, 1);
    assert_int_equal(s.change_count, 1);
}

static void what_there_is_of_an_operation_is_found(void **state)
{
    struct kg_arena arena = {0};
    struct kg_advice_index index;
    struct kg_suggestions s;
    suggestions_make(&s);
    assert_int_equal(kg_suggestions_count(&s, KG_PRIORITY_CRITICAL), 1);
    assert_int_equal(kg_suggestions_count(&s, KG_PRIORITY_HIGH), 2);
    assert_int_equal(kg_suggestions_count(&s, KG_PRIORITY_LOW), 4);
    kg_advice_index_make(&arena, &s, &index);
    assert_string_equal(kg_advice_first(&index, "a/cpu")->rule, "unused_cores");
    assert_string_equal(kg_advice_first(&index, "b/cpu")->rule, "batch_calls");
    assert_null(kg_advice_first(&index, "d/cpu"));
    assert_string_equal(kg_advice_change(&index, "a/cpu", 0)->name, "bandwidth_share");
    assert_null(kg_advice_change(&index, "a/cpu", s.change_count));
    assert_null(kg_advice_change(&index, "b/cpu", 0));
    kg_advice_index_make(&arena, NULL, &index);
    assert_null(kg_advice_first(&index, "a/cpu"));
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(another_file_is_refused_by_the_name_of_its_schema),
        cmocka_unit_test(what_is_not_wanted_is_left_out),
        cmocka_unit_test(a_filter_is_of_cases_and_their_scopes),
        cmocka_unit_test(what_there_is_of_an_operation_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
