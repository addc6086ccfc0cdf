/* Profiles of two builds after the verdict, if the budget is spent. */
#include "gate/ab.h"
#include "judge/comparison_notes.h"
#include "test_support.h"

/* Expects this single note, or none (NULL), from an `ab` of one slower case whose budget is spent.
 * sample_time_ns  0: the suite wants no profiles */
static void expect_note(double sample_time_ns, enum kg_change seen, const char *wanted)
{
    struct kg_workload_spec spec = {
        .settings = {.trace = KG_TRACING_YES, .sample_time_ns = sample_time_ns}};
    struct kg_case planned = {.spec = &spec};
    const struct kg_plan plan = {.cases = &planned, .case_count = 1};
    struct kg_case_change change = {.id = "w0/cpu", .change = seen};
    struct kg_ab ab = {.comparison = {.cases = &change, .case_count = 1}, .budget_ns = 1};
    struct kg_advice advice = kg_comparison_advice(&ab.comparison);
    support_results(&ab.pairing.base.results, 1, 3, 1e6);
    support_results(&ab.pairing.head.results, 1, 3, 2e6);
    ab.pairing.base.plan = ab.pairing.head.plan = &plan;
    ab.base = &ab.pairing.base.results;
    ab.head = &ab.pairing.head.results;
    kg_ab_profile(&ab, &advice);
    assert_int_equal(ab.comparison.note_count, wanted ? 1 : 0);
    if (wanted)
        assert_string_equal(ab.comparison.notes[0], wanted);
    kg_results_free(&ab.pairing.base.results);
    kg_results_free(&ab.pairing.head.results);
    kg_arena_free(&ab.comparison.arena);
    kg_arena_free(&ab.arena);
}

static void without_time_the_missing_profiles_are_noted(void **state)
{
    (void)state;
    expect_note(1e8, KG_CHANGE_REGRESSION,
                "no profiles of the two builds: --budget left no time. Raise --budget");
    expect_note(1e8, KG_CHANGE_NO_CHANGE, NULL);
    expect_note(0, KG_CHANGE_REGRESSION, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_time_the_missing_profiles_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
