/* Untrusted text made harmless, for a terminal and for a forge. */
#include "base/escape.h"
#include "base/random.h"
#include "test_support.h"

typedef void escape(struct kg_text *, const char *, size_t);

static void expect(escape *how, const char *input, size_t most, const char *expected)
{
    struct kg_text text = {0};
    how(&text, input, most);
    if (strcmp(kg_text_string(&text), expected) != 0)
        fail_msg("'%s' became '%s', expected '%s'", input, kg_text_string(&text), expected);
    kg_text_free(&text);
}

static void a_terminal_gets_no_control_characters(void **state)
{
    expect(kg_escape_terminal, "gemm/m=512/cpu", 72, "gemm/m=512/cpu");
    expect(kg_escape_terminal, "a\nb\tc\r", 72, "a\\x0ab\\x09c\\x0d");
    expect(kg_escape_terminal, "\x1b]0;title\a\x7f", 72, "\\x1b]0;title\\x07\\x7f");
    expect(kg_escape_terminal,
           "\xc2\x9b"
           "31m",
           72, "\\xc2\\x9b31m"); /* CSI as C1 */
    expect(kg_escape_terminal, "größe µs 時間", 72, "größe µs 時間");
}

static void bytes_that_are_no_utf8_are_shown_as_such(void **state)
{
    expect(kg_escape_terminal, "a\xff", 9, "a\\xff");
    expect(kg_escape_terminal, "\xc3", 9, "\\xc3");                   /* cut short */
    expect(kg_escape_terminal, "\xc0\xaf", 9, "\\xc0\\xaf");          /* overlong */
    expect(kg_escape_terminal, "\xed\xa0\x80", 9, "\\xed\\xa0\\x80"); /* a surrogate */
    expect(kg_escape_terminal, "\xf4\x90\x80\x80", 2, "\\xf4\\x90…"); /* beyond */
    expect(kg_escape_terminal,
           "a\xe2\x80\xae"
           "b",
           9, "a\\xe2\\x80\\xaeb");                                   /* right to left */
    expect(kg_escape_terminal, "\xe2\x80\xa8", 9, "\\xe2\\x80\\xa8"); /* a line separator */
    expect(kg_escape_terminal, "\xe2", 9, "\\xe2");
}

static void long_text_is_cut_between_characters(void **state)
{
    expect(kg_escape_terminal, "äöü", 3, "äöü");
    expect(kg_escape_terminal, "äöü", 2, "äö…");
    expect(kg_escape_markdown, "a|b|c", 2, "a\\|…");
    assert_int_equal(kg_text_width("äö…"), 3);
}

static void of_long_text_both_ends_are_left(void **state)
{
    expect(kg_text_append_ends, "abcdefgh", 8, "abcdefgh");
    expect(kg_text_append_ends, "abcdefgh", 7, "abc…fgh");
    expect(kg_text_append_ends, "abcdefgh", 4, "a…gh");
    expect(kg_text_append_ends, "äöüßäöüß", 5, "äö…üß");
    expect(kg_text_append_ends, "abc", 1, "…");
    expect(kg_text_append_ends, "abc", 0, "…");
    expect(kg_text_append_ends, "", 0, "");
}

/* An entity would not do: a forge looks for names after it has resolved them. */
static void nobody_is_mentioned_and_nothing_referenced(void **state)
{
    expect(kg_escape_markdown, "@team", 99, "@<!-- -->team");
    expect(kg_escape_markdown, "see #12 and o/r#3", 99, "see #<!-- -->12 and o/r#<!-- -->3");
    expect(kg_escape_markdown, "a@b.org", 99, "a@<!-- -->b.org");
    expect(kg_escape_markdown, "http://x www.x.org", 99, "http&#58;//x www&#46;x.org");
}

static void markdown_and_html_are_plain_text(void **state)
{
    expect(kg_escape_markdown, "*a* _b_ `c` ~d~", 99, "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~");
    expect(kg_escape_markdown, "[a](b) ![c]", 99, "\\[a\\](b) \\!\\[c\\]");
    expect(kg_escape_markdown, "a|b\\|c", 99, "a\\|b\\\\\\|c");
    expect(kg_escape_markdown, "<b>&lt;", 99, "&lt;b&gt;&amp;lt;");
    expect(kg_escape_markdown, "a\nb\x1b", 99, "a b�");
    expect(kg_escape_markdown, "gemm/m=512,n=1.5/cpu", 99, "gemm/m=512,n=1.5/cpu");
}

/* For any bytes: no control characters, and at most nine output bytes per byte. */
static void random_bytes_stay_harmless_and_bounded(void **state)
{
    enum { SEED = 9, TRIALS = 20000, MOST = 20 };
    struct kg_random random = {SEED};
    for (int t = 0; t < TRIALS; t++) {
        char input[2 * MOST + 1] = {0};
        struct kg_text terminal = {0}, markdown = {0};
        const size_t length = kg_random_below(&random, sizeof input);
        for (size_t i = 0; i < length; i++)
            input[i] = (char)(1 + kg_random_below(&random, 255));
        kg_escape_terminal(&terminal, input, MOST);
        kg_escape_markdown(&markdown, input, MOST);
        for (size_t i = 0; i < terminal.length; i++)
            if ((unsigned char)terminal.data[i] < 0x20 || terminal.data[i] == 0x7f)
                fail_msg("seed %d, trial %d: a control character", SEED, t);
        for (size_t i = 0; i < markdown.length; i++)
            if ((unsigned char)markdown.data[i] < 0x20 || strchr("|`", markdown.data[i]))
                if (!i || markdown.data[i - 1] != '\\')
                    fail_msg("seed %d, trial %d: '%s'", SEED, t, markdown.data);
        if (markdown.length > 9 * MOST + strlen("…"))
            fail_msg("seed %d, trial %d: %zu bytes", SEED, t, markdown.length);
        kg_text_free(&terminal);
        kg_text_free(&markdown);
    }
}

static void on_a_terminal_of_ascii_columns_keep_their_width(void **state)
{
    static const struct {
        const char *text, *plain;
        bool same_width;
    } rows[] = {{"+10.1 … +14.9 %  ± 5.0 %", "+10.1...+14.9 %  +-5.0 %", true},
                {"copy/by…plain/cpu", "copy/by~plain/cpu", true},
                {"██░░ 2 × 3", "##.. 2 x 3", true},
                {"  … and 3 more\n", "  ... and 3 more\n", false},
                {"a long reason…\n", "a long reason...\n", false},
                {"größe/cpu", "größe/cpu", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_text text = {0};
        kg_escape_plain(&text, rows[i].text);
        assert_string_equal(kg_text_string(&text), rows[i].plain);
        if (rows[i].same_width)
            assert_int_equal(kg_text_width(kg_text_string(&text)), kg_text_width(rows[i].text));
        kg_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_terminal_of_ascii_columns_keep_their_width),
        cmocka_unit_test(a_terminal_gets_no_control_characters),
        cmocka_unit_test(bytes_that_are_no_utf8_are_shown_as_such),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(of_long_text_both_ends_are_left),
        cmocka_unit_test(nobody_is_mentioned_and_nothing_referenced),
        cmocka_unit_test(markdown_and_html_are_plain_text),
        cmocka_unit_test(random_bytes_stay_harmless_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
