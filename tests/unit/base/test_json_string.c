/* Any bytes as a JSON string. */
#include "base/json_string.h"
#include "test_support.h"

static void expect(const char *text, const char *expected)
{
    json_t *json = kg_json_string(text);
    if (!json || strcmp(json_string_value(json), expected) != 0)
        fail_msg("'%s' became '%s', expected '%s'", text, json ? json_string_value(json) : "NULL",
                 expected);
    json_decref(json);
}

static void utf8_is_kept(void **state)
{
    (void)state;
    expect("", "");
    expect("größe\t\"µs\"\n時間 \\xff", "größe\t\"µs\"\n時間 \\xff");
}

static void other_bytes_are_shown(void **state)
{
    (void)state;
    expect("ung\374ltig", "ung\\xfcltig");
    expect("cut \xe6\x99", "cut \\xe6\\x99");
    expect("\x80 first, µ after", "\\x80 first, µ after");
}

static void no_text_is_no_string(void **state)
{
    (void)state;
    assert_null(kg_json_string(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_kept),
        cmocka_unit_test(other_bytes_are_shown),
        cmocka_unit_test(no_text_is_no_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
