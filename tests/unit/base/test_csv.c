/* Fields of a CSV file. */
#include "test_support.h"

#include "base/csv.h"

static void expect_text(const char *value, const char *expected)
{
    struct kg_text text = {0};
    kg_csv_text(&text, value);
    assert_string_equal(kg_text_string(&text), expected);
    kg_text_free(&text);
}

static void text_is_quoted_where_it_needs_quotes(void **state)
{
    expect_text(NULL, "");
    expect_text("", "");
    expect_text("plain text", "plain text");
    expect_text("a,b", "\"a,b\"");
    expect_text("say \"x\"", "\"say \"\"x\"\"\"");
}

static void what_a_terminal_would_obey_is_shown(void **state)
{
    expect_text("a\r\nb", "a\\x0d\\x0ab");
    expect_text("\x1b[31m", "\\x1b[31m");
}

static void formulas_get_an_apostrophe_and_numbers_none(void **state)
{
    expect_text("=1+1", "'=1+1");
    expect_text("@SUM(1,2)", "\"'@SUM(1,2)\"");
    expect_text("+1+cmd", "'+1+cmd");
    expect_text("-2+3", "'-2+3");
    expect_text("-2.5e-3", "-2.5e-3");
    expect_text("+7", "+7");
}

static void numbers_that_are_not_known_are_empty(void **state)
{
    struct kg_text text = {0};
    kg_csv_number(&text, NAN);
    kg_csv_number(&text, INFINITY);
    assert_string_equal(kg_text_string(&text), "");
    kg_csv_number(&text, 1234567.25);
    assert_string_equal(kg_text_string(&text), "1234567.25");
    kg_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_quoted_where_it_needs_quotes),
        cmocka_unit_test(what_a_terminal_would_obey_is_shown),
        cmocka_unit_test(formulas_get_an_apostrophe_and_numbers_none),
        cmocka_unit_test(numbers_that_are_not_known_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
