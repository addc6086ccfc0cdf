#include "model/baseline_index.h"

#include <stdio.h>

#include "test_support.h"

static struct kg_baseline_case older[] = {{.id = "a/cpu", .definition_hash = "1"},
                                          {.id = "b/cpu", .definition_hash = "1"},
                                          {.id = "c/cpu", .definition_hash = "1"}};
static struct kg_baseline_case newer[] = {{.id = "b/cpu", .definition_hash = "1"},
                                          {.id = "c/cpu", .definition_hash = "2"}};
static struct kg_baseline_case pinned[] = {{.id = "a/cpu", .definition_hash = "1"},
                                           {.id = "d/cpu", .definition_hash = "1"}};
static struct kg_baseline_run runs[] = {
    {.suite = "one", .cases = older, .case_count = 3},
    {.suite = "other", .cases = pinned, .case_count = 2},
    {.suite = "one", .cases = newer, .case_count = 2},
    {.suite = "one", .pin = "v1", .cases = pinned, .case_count = 2},
};
static const struct kg_baseline baseline = {.runs = runs, .run_count = 4};

static void newest_run_that_has_the_case_with_its_definition_is_found(void **state)
{
    struct kg_arena arena = {0};
    struct kg_baseline_index index;
    kg_baseline_index_make(&arena, &baseline, "one", false, &index);
    assert_ptr_equal(kg_baseline_index_find(&index, "a/cpu", "1"), &older[0]);
    assert_ptr_equal(kg_baseline_index_find(&index, "b/cpu", "1"), &newer[0]);
    assert_ptr_equal(kg_baseline_index_find(&index, "c/cpu", "1"), &older[2]);
    assert_ptr_equal(kg_baseline_index_find(&index, "c/cpu", "2"), &newer[1]);
    assert_null(kg_baseline_index_find(&index, "c/cpu", "3"));
    assert_null(kg_baseline_index_find(&index, "d/cpu", "1"));
    kg_baseline_index_make(&arena, &baseline, "one", true, &index);
    assert_ptr_equal(kg_baseline_index_find(&index, "a/cpu", "1"), &pinned[0]);
    assert_ptr_equal(kg_baseline_index_find(&index, "d/cpu", "1"), &pinned[1]);
    kg_arena_free(&arena);
}

static void nothing_stored_is_nothing_found(void **state)
{
    struct kg_arena arena = {0};
    struct kg_baseline_index index;
    kg_baseline_index_make(&arena, &baseline, "none", true, &index);
    assert_null(kg_baseline_index_find(&index, "a/cpu", "1"));
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_run_that_has_the_case_with_its_definition_is_found),
        cmocka_unit_test(nothing_stored_is_nothing_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
