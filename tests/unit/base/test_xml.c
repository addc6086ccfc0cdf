/* Text for XML. */
#include "test_support.h"

#include "base/xml.h"

static void expect_text(const char *value, const char *expected)
{
    struct kg_text text = {0};
    kg_xml_text(&text, value);
    assert_string_equal(kg_text_string(&text), expected);
    kg_text_free(&text);
}

static void what_xml_acts_on_is_escaped(void **state)
{
    expect_text("", "");
    expect_text("a<b>&\"c\"", "a&lt;b&gt;&amp;&quot;c&quot;");
    expect_text("]]>", "]]&gt;");
    expect_text("größe 時", "größe 時");
}

static void lines_stay_apart(void **state)
{
    expect_text("one\ntwo\n", "one\ntwo\n");
    expect_text("\n\n", "\n\n");
}

static void what_xml_has_no_place_for_is_shown_or_gone(void **state)
{
    expect_text("a\x01\x1b[0m\r", "a\\x01\\x1b[0m\\x0d");
    expect_text("\xff", "\\xff");
    expect_text("x\xef\xbf\xbey\xef\xbf\xbfz", "xyz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_xml_acts_on_is_escaped),
        cmocka_unit_test(lines_stay_apart),
        cmocka_unit_test(what_xml_has_no_place_for_is_shown_or_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
