#include "test_support.h"

#include "show/document.h"

static void expect(const char *string, size_t most, const char *wanted)
{
    struct kg_text text = {0};
    kg_markdown_words(&text, string, most);
    if (strcmp(kg_text_string(&text), wanted) != 0)
        fail_msg("'%s' of at most %zu gives '%s', expected '%s'", string, most,
                 kg_text_string(&text), wanted);
    kg_text_free(&text);
}

static void what_stands_between_backticks_is_code(void **state)
{
    expect("run `kgate ab -c x` again", 99, "run <code>kgate ab -c x</code> again");
    expect("`a_b|c` and `d`", 99, "<code>a\\_b\\|c</code> and <code>d</code>");
    expect("`` a", 99, "<code></code> a");
    expect("one ` alone", 99, "one \\` alone");
    expect("`code` and one ` more", 99, "<code>code</code> and one \\` more");
}

static void no_word_and_no_code_is_cut(void **state)
{
    expect("one two three", 9, "one two…");
    expect("settle it by pairs: `kgate ab --filter x`", 30, "settle it by pairs:…");
    expect("one two", 7, "one two");
    expect("größer größer", 9, "größer…");
    /* no better place exists */
    expect("abcdefghijkl mn", 5, "abcde…");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_between_backticks_is_code),
        cmocka_unit_test(no_word_and_no_code_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
