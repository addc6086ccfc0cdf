/* Command lines as words: by the shell's quotes, and nothing that a shell would expand. */
#include "test_support.h"

#include "base/shell_words.h"
#include "base/text.h"

/* The words with '|' between them. */
static void expect(const char *line, const char *expected)
{
    struct kg_arena arena = {0};
    struct kg_text text = {0};
    struct kg_words words;
    struct kg_error err;
    if (!kg_words_split(&arena, line, &words, &err))
        fail_msg("<%s> is refused: %s", line, err.message);
    for (size_t i = 0; i < words.count; i++)
        kg_text_printf(&text, "%s%s", i ? "|" : "", words.at[i]);
    assert_null(words.at[words.count]);
    if (strcmp(kg_text_string(&text), expected) != 0)
        fail_msg("<%s> is <%s>, expected <%s>", line, kg_text_string(&text), expected);
    kg_text_free(&text);
    kg_arena_free(&arena);
}

static void refuse(const char *line, const char *why)
{
    struct kg_arena arena = {0};
    struct kg_words words;
    struct kg_error err;
    if (kg_words_split(&arena, line, &words, &err))
        fail_msg("<%s> is taken", line);
    if (!strstr(err.message, why))
        fail_msg("<%s> is refused by '%s', expected '%s'", line, err.message, why);
    kg_arena_free(&arena);
}

static void blanks_part_words(void **state)
{
    expect("", "");
    expect(" \t\n", "");
    expect("a", "a");
    expect("  ./old  --size=3\t-v ", "./old|--size=3|-v");
}

static void quotes_keep_what_is_in_them(void **state)
{
    expect("a 'b c' \"d e\"", "a|b c|d e");
    expect("a''b", "ab");
    expect("a '' \"\"", "a||");
    expect("'$HOME|*' \"<x> 'y'\"", "$HOME|*|<x> 'y'");
    expect("'a\"b' \"a\\\"b\" \"a\\\\b\" \"a\\nb\"", "a\"b|a\"b|a\\b|a\\nb");
    expect("\"\\$x\"", "$x");
}

static void a_backslash_keeps_the_next_character(void **state)
{
    expect("a\\ b \\$x \\' \\\\", "a b|$x|'|\\");
    expect("a\\\nb \"c\\\nd\"", "ab|cd");
}

static void what_a_shell_would_act_on_is_refused(void **state)
{
    static const char *const lines[] = {"a | b", "a; b",     "a & b", "a > b", "a <b",
                                        "a $x",  "a `b`",    "a *.c", "a ?",   "a [x]",
                                        "(a)",   "a \"$x\"", "a ~/b", "a #b"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        refuse(lines[i], "has no special meaning");
    expect("a x#y x~ {b}", "a|x#y|x~|{b}");
}

static void what_has_no_end_is_refused(void **state)
{
    refuse("a 'b", "a quote ' has no matching quote");
    refuse("a \"b", "a quote \" has no matching quote");
    refuse("a \"b\\", "a quote \" has no matching quote");
    refuse("a\\", "a backslash ends the command");
}

static void program_is_behind_variables(void **state)
{
    static const struct {
        const char *line;
        size_t program;
    } lines[] = {{"app -n 1", 0},
                 {"env app x=1", 1},
                 {"/usr/bin/env A=1 B=2 app", 3},
                 {"env -i A=1 app", 0},
                 {"env A=1", 0},
                 {"envy A=1 app", 0},
                 {"env", 0},
                 {"env A=1 -i app B=2", 0}};
    struct kg_arena arena = {0};
    struct kg_words words;
    struct kg_error err;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_true(kg_words_split(&arena, lines[i].line, &words, &err));
        if (kg_words_program(words) != lines[i].program)
            fail_msg("<%s>: word %zu", lines[i].line, kg_words_program(words));
    }
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_part_words),
        cmocka_unit_test(quotes_keep_what_is_in_them),
        cmocka_unit_test(a_backslash_keeps_the_next_character),
        cmocka_unit_test(what_a_shell_would_act_on_is_refused),
        cmocka_unit_test(what_has_no_end_is_refused),
        cmocka_unit_test(program_is_behind_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
