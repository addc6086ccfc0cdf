/* Numbers by names. */
#include "test_support.h"

#include "base/names.h"

static void an_empty_one_has_no_name(void **state)
{
    const struct kg_names names = {0};
    assert_null(kg_names_find(&names, "a", strlen("a")));
    assert_null(kg_names_find(&names, "", strlen("")));
}

static void every_name_is_found_however_many_there_are(void **state)
{
    enum { COUNT = 5000 };
    struct kg_arena arena = {0};
    struct kg_names names = {0};
    const char *all[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        all[i] = kg_arena_printf(&arena, "name %zu", i);
        kg_names_set(&arena, &names, all[i], strlen(all[i]), i);
    }
    assert_int_equal(names.count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const char *copy = kg_arena_copy(&arena, all[i]);
        assert_int_equal(*kg_names_find(&names, copy, strlen(copy)), i);
    }
    assert_null(kg_names_find(&names, "name 5000", strlen("name 5000")));
    kg_arena_free(&arena);
}

static void the_latest_number_of_a_name_counts(void **state)
{
    struct kg_arena arena = {0};
    struct kg_names names = {0};
    kg_names_set(&arena, &names, "", strlen(""), 1);
    kg_names_set(&arena, &names, "a", strlen("a"), 2);
    kg_names_set(&arena, &names, "a", strlen("a"), 3);
    assert_int_equal(names.count, 2);
    assert_int_equal(*kg_names_find(&names, "", strlen("")), 1);
    assert_int_equal(*kg_names_find(&names, "a", strlen("a")), 3);
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_one_has_no_name),
        cmocka_unit_test(every_name_is_found_however_many_there_are),
        cmocka_unit_test(the_latest_number_of_a_name_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
