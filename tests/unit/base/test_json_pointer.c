/* Values inside JSON texts by their paths: the examples of RFC 6901, and what is no pointer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_pointer.h"

static void the_examples_of_the_rfc_are_found(void **state)
{
    static const char text[] =
        "{\"foo\": [\"bar\", \"baz\"], \"\": 0, \"a/b\": 1, \"c%d\": 2, \"e^f\": 3, "
        "\"g|h\": 4, \"i\\\\j\": 5, \"k\\\"l\": 6, \" \": 7, \"m~n\": 8}";
    static const char *const pointers[] = {"/",     "/a~1b", "/c%d", "/e^f", "/g|h",
                                           "/i\\j", "/k\"l", "/ ",   "/m~0n"};
    json_t *json = json_loads(text, 0, NULL);
    (void)state;
    assert_non_null(json);
    assert_ptr_equal(kg_json_pointer_find(json, ""), json);
    assert_int_equal(json_array_size(kg_json_pointer_find(json, "/foo")), 2);
    assert_string_equal(json_string_value(kg_json_pointer_find(json, "/foo/0")), "bar");
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        assert_true(kg_json_pointer_good(pointers[i]));
        assert_int_equal(json_integer_value(kg_json_pointer_find(json, pointers[i])), i);
    }
    json_decref(json);
}

static void what_is_not_there_is_not_found(void **state)
{
    static const char *const missing[] = {
        "/b",    "/a/2",   "/a/-", "/a/01", "/a/1x",
        "/a/0/", "/a/0/x", "/aa",  "/a~0",  "/a/99999999999999999999"};
    json_t *json = json_loads("{\"a\": [1, 2]}", 0, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        assert_null(kg_json_pointer_find(json, missing[i]));
    json_decref(json);
}

static void what_is_no_pointer_is_refused(void **state)
{
    (void)state;
    assert_true(kg_json_pointer_good(""));
    assert_false(kg_json_pointer_good("a"));
    assert_false(kg_json_pointer_good("a/b"));
    assert_false(kg_json_pointer_good("/~"));
    assert_false(kg_json_pointer_good("/~2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_rfc_are_found),
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(what_is_no_pointer_is_refused),
    };
    return cmocka_run_group_tests_name("json pointer", tests, NULL, NULL);
}
