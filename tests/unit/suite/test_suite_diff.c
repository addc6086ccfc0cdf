/* Differences of two suites, key by key. */
#include "test_support.h"

#include "suite/suite_diff.h"

/* The lines of the difference, joined by "; ". */
static void differ(const char *before, const char *after, const char *expected)
{
    struct kg_arena arena = {0};
    struct kg_suite_diff diff;
    struct kg_error err;
    char joined[4096] = "";
    assert_true(
        kg_suite_diff(&arena, "s", before, strlen(before), after, strlen(after), &diff, &err));
    for (size_t i = 0; i < diff.count; i++) {
        strcat(joined, i ? "; " : "");
        strcat(joined, diff.lines[i]);
    }
    assert_string_equal(joined, expected);
    kg_arena_free(&arena);
}

static void what_is_written_in_another_way_is_the_same(void **state)
{
    differ("a: {b: 1, c: [x, y]}", "a:\n  b: '1' # comment\n  c:\n  - x\n  - y\n", "");
    differ("x-a: &t 5%\ndefaults: {threshold: *t}", "defaults: {threshold: 5%}", "");
}

static void a_value_is_noted_with_both_sides(void **state)
{
    differ("defaults: {threshold: 5%}", "defaults: {threshold: 50%}",
           "defaults.threshold 5% -> 50%");
    differ("policy: {fail_on: [REGRESSION, FAILED]}", "policy: {fail_on: [FAILED]}",
           "policy.fail_on [REGRESSION, FAILED] -> [FAILED]");
    differ("x-a: &t 5%\ndefaults: {threshold: *t}", "x-a: &t 50%\ndefaults: {threshold: *t}",
           "defaults.threshold 5% -> 50%");
}

static void a_key_that_is_new_or_gone_has_its_default(void **state)
{
    differ("defaults: {}", "defaults: {threshold: 50%}", "defaults.threshold (default) -> 50%");
    differ("defaults: {threshold: 5%}", "defaults: {}", "defaults.threshold 5% -> (default)");
    differ("version: 1", "version: 1\npolicy: {undecided: pass}", "policy: added");
}

static void workloads_are_distinguished_by_their_names(void **state)
{
    differ("workloads: [{name: a, params: {n: 1}}, {name: b}]",
           "workloads: [{name: b}, {name: c}, {name: a, params: {n: 2}}]",
           "workloads.a.params.n 1 -> 2; workloads.c: added");
    differ("workloads: [{name: a}, {name: b}]", "workloads: [{name: b}]", "workloads.a: removed");
}

static void what_is_no_yaml_is_an_error(void **state)
{
    struct kg_arena arena = {0};
    struct kg_suite_diff diff;
    struct kg_error err;
    assert_false(kg_suite_diff(&arena, "s", "a: 1", 4, "a: [", 4, &diff, &err));
    kg_arena_free(&arena);
}

static void a_long_value_is_cut(void **state)
{
    struct kg_arena arena = {0};
    struct kg_suite_diff diff;
    struct kg_error err;
    char after[4000] = "a: ";
    memset(after + 3, 'x', 3000);
    assert_true(kg_suite_diff(&arena, "s", "a: 1", 4, after, strlen(after), &diff, &err));
    assert_int_equal(diff.count, 1);
    assert_true(strlen(diff.lines[0]) < 200);
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_in_another_way_is_the_same),
        cmocka_unit_test(a_value_is_noted_with_both_sides),
        cmocka_unit_test(a_key_that_is_new_or_gone_has_its_default),
        cmocka_unit_test(workloads_are_distinguished_by_their_names),
        cmocka_unit_test(what_is_no_yaml_is_an_error),
        cmocka_unit_test(a_long_value_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
