/* Prose is broken to fit the terminal, at spaces alone. */
#include "test_support.h"

#include "base/text.h"
#include "base/wrap.h"

static void lines_fit_the_terminal(void **state)
{
    struct kg_text text = {0};
    kg_wrap(&text, "  try: ", "one two three four", 14);
    assert_string_equal(text.data, "  try: one two\n       three\n       four\n");
    kg_text_free(&text);
    kg_wrap(&text, "  ", "äöü äöü unbreakable", 9);
    assert_string_equal(text.data, "  äöü äöü\n  unbreakable\n");
    kg_text_free(&text);
    kg_wrap(&text, "- ", "one  two ", 0);
    assert_string_equal(text.data, "- one  two\n");
    kg_text_free(&text);
    kg_text_append(&text, "1. ");
    kg_wrap_on(&text, 3, 2, "\x1b[1mone\x1b[0m two three", 10);
    assert_string_equal(text.data, "1. \x1b[1mone\x1b[0m two\n  three\n");
    kg_text_free(&text);
    kg_wrap(&text, "- ", "", 10);
    assert_string_equal(text.data, "- \n");
    kg_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_fit_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
