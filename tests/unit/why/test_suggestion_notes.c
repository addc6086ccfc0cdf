/* Notes on questions that the results cannot answer. */
#include "why/facts_support.h"
#include "why/suggest_parts.h"

/* Expects a note with this beginning, for one timed case with a suggestion by this rule. */
static void expect_profile_note(const char *rule, const char *wanted)
{
    struct kg_facts facts;
    struct kg_results results;
    struct kg_suggestion suggestion = {.rule = rule};
    struct kg_suggestions made = {.suggestions = &suggestion, .suggestion_count = 1};
    const struct kg_facts_list cases = {.of = &facts, .count = 1};
    const char *found = NULL;
    facts_make(&facts, "cpu", false, (const struct named_fact[]){{"time_ns", 1000}, {0}});
    support_results(&results, 1, 3, 1000);
    const struct kg_suggest_input input = {.results = &results};
    kg_notes_make(&input, &cases, NULL, &made);
    for (size_t i = 0; i < made.note_count; i++)
        if (!strncmp(made.notes[i], "no profile: ", 12))
            found = made.notes[i];
    assert_non_null(found);
    assert_string_equal(found, wanted);
    kg_arena_free(&made.arena);
    kg_results_free(&results);
}

static void what_a_suggestion_saw_without_a_profile_asks_for_none(void **state)
{
    expect_profile_note(
        "batch", "no profile: only `kgate run --profile` shows repeated calls, waits, parallel "
                 "regions and the balance of threads");
    expect_profile_note(
        "repeated_work",
        "no profile: only `kgate run --profile` shows waits, parallel regions and the "
        "balance of threads");
}

/* The note about missing peaks; NULL: none. In the arena of `made`. */
static const char *peaks_note(const char *device, const char *pair, const char *reason,
                              struct kg_suggestions *made)
{
    struct kg_facts facts;
    struct kg_results results;
    const struct kg_facts_list cases = {.of = &facts, .count = 1};
    const char *found = NULL;
    *made = (struct kg_suggestions){0};
    facts_make(&facts, device, false, (const struct named_fact[]){{"time_ns", 1000}, {0}});
    support_results(&results, 1, 3, 1000);
    results.pair = pair;
    results.cpu_ceilings.reason = results.ceilings.reason = reason;
    const struct kg_suggest_input input = {.results = &results};
    kg_notes_make(&input, &cases, NULL, made);
    for (size_t i = 0; i < made->note_count; i++)
        if (strstr(made->notes[i], " peaks: "))
            found = made->notes[i];
    kg_results_free(&results);
    return found;
}

static void results_of_ab_need_no_peaks(void **state)
{
    static const char *const devices[] = {"cpu", "cuda"};
    struct kg_suggestions made;
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(strstr(peaks_note(devices[i], NULL, NULL, &made), "by an older kgate"));
        kg_arena_free(&made.arena);
        assert_null(peaks_note(devices[i], "pair", NULL, &made));
        kg_arena_free(&made.arena);
        assert_non_null(strstr(peaks_note(devices[i], "pair", "the worker died", &made),
                               "peaks: the worker died"));
        kg_arena_free(&made.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_suggestion_saw_without_a_profile_asks_for_none),
        cmocka_unit_test(results_of_ab_need_no_peaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
