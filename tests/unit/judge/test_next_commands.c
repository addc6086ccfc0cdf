/* The command that explains a case which fails, if nothing can be accepted. */
#include "judge/next_commands.h"
#include "test_support.h"

/* The explaining command for one undecided case of a suite that is no file.
 * pair   mark of the results of an `ab`; NULL: results of a gate
 * pairs  number of the case's paired rounds */
static void expect_explain(const char *pair, size_t pairs, const char *wanted)
{
    struct kg_results current;
    struct kg_case_change change = {
        .id = "w0/cpu", .change = KG_CHANGE_INCONCLUSIVE, .fails = true, .pairs = pairs};
    struct kg_comparison comparison = {
        .suite_path = pair ? "-" : "suite.yaml", .cases = &change, .case_count = 1};
    const struct kg_again again = {.command = "kgate ab old new"};
    const struct kg_next_source source = {
        .directory = "my out", .is_measured = true, .again = pair ? &again : NULL};
    const char *found = NULL;
    support_results(&current, 1, 3, 1000);
    current.pair = pair;
    kg_next_commands_make(&comparison, &current, &source);
    for (size_t i = 0; i < comparison.next_command_count; i++)
        if (!strcmp(comparison.next_commands[i].purpose, "explain"))
            found = comparison.next_commands[i].command;
    assert_non_null(found);
    assert_string_equal(found, wanted);
    kg_arena_free(&comparison.arena);
    kg_results_free(&current);
}

static void after_paired_rounds_both_sides_are_explained(void **state)
{
    expect_explain("pair", 5, "kgate explain w0/cpu 'my out/head.json' --base 'my out/base.json'");
    expect_explain(NULL, 5, "kgate explain w0/cpu 'my out/head.json' --base 'my out/base.json'");
    expect_explain(NULL, 0, "kgate explain w0/cpu 'my out/results.json'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_paired_rounds_both_sides_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
