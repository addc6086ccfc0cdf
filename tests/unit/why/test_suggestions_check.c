/* A suggestion that no file can hold is left out, and the others stay in their order. */
#include "test_support.h"

#include <math.h>

#include "why/suggest_parts.h"

static struct kg_suggestion suggestion_of(const char *operation, double current_ns)
{
    return (struct kg_suggestion){.operation = operation,
                                  .kind = "case",
                                  .rule = "memory_workspace",
                                  .description = "d",
                                  .hint = "h",
                                  .share = NAN,
                                  .current_ns = current_ns,
                                  .estimated_ns = NAN,
                                  .saved_ns = NAN,
                                  .speedup = NAN,
                                  .whole_ns = NAN,
                                  .whole_speedup = NAN,
                                  .current_bytes = 2,
                                  .estimated_bytes = 1};
}

static void what_no_file_can_hold_is_left_out(void **state)
{
    struct kg_suggestion suggestions[] = {suggestion_of("a/cpu", 1), suggestion_of("b/cpu", NAN),
                                          suggestion_of("c/cpu", 0), suggestion_of("d/cpu", 2)};
    struct kg_bound_finding findings[] = {{.operation = "a/cpu",
                                           .kind = "case",
                                           .time_ns = INFINITY,
                                           .share = NAN,
                                           .text = "t",
                                           .unexplained = NAN}};
    struct kg_suggestions made = {.suggestions = suggestions,
                                  .suggestion_count = 4,
                                  .findings = findings,
                                  .finding_count = 1};
    kg_suggestions_check(&made);
    assert_int_equal(made.suggestion_count, 2);
    assert_string_equal(suggestions[1].operation, "d/cpu");
    assert_int_equal(made.finding_count, 0);
    assert_int_equal(made.unwritable_count, 3);
    assert_string_equal(made.unwritable, "a suggestion for b/cpu: current_ns");
    kg_arena_free(&made.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_no_file_can_hold_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
