/* docs/suite.md and the parser's tables say the same, and its full example is a good suite. */
#include "test_support.h"

#include "model/suite.h"
#include "suite/suite_keys.h"

/* The key with its default, as in a suite: "devices: [cpu, cuda]". */
static void name_write(struct kg_text *text, const struct kg_key *key)
{
    const bool required = key->default_text && !strcmp(key->default_text, "required");
    kg_text_printf(text, "`%s", key->name);
    if (key->default_text && !required) {
        kg_text_append(text, key->type == KG_KEY_SET ? ": [" : ": ");
        for (const char *c = key->default_text; *c; c++)
            kg_text_printf(text, "%c%s", *c, *c == ',' ? " " : "");
        kg_text_append(text, key->type == KG_KEY_SET ? "]" : "");
    }
    kg_text_append(text, required ? "` (required)" : "`");
}

/* The allowed values; if the table has none, the type. A range shows its unit. */
static void values_write(struct kg_text *text, const struct kg_key *key)
{
    const char *type = kg_key_type_name(key), *word = key->default_text;
    if (key->names) {
        kg_text_append(text, key->type == KG_KEY_SET ? "list of " : "");
        for (size_t i = 0; key->names[i]; i++)
            kg_text_printf(text, "%s`%s`", i ? ", " : "", key->names[i]);
    } else if (key->type == KG_KEY_ALPHA)
        kg_text_append(text, "between 0 and 1, or with %");
    else if (key->least && key->most && !strcmp(key->least, key->most))
        kg_text_append(text, key->least);
    else if (key->least && key->most)
        kg_text_printf(text, "%s to %s", key->least, key->most);
    else
        kg_text_append(text, type + (strncmp(type, "a ", 2) ? 0 : 2));
    if (key->type == KG_KEY_PIN)
        kg_text_append(text, ", `auto`");
    if (key->least && word && (!strcmp(word, "none") || !strcmp(word, "all")))
        kg_text_printf(text, ", `%s`", word);
}

static void key_write(struct kg_text *text, const struct kg_key *key)
{
    kg_text_append(text, "| ");
    name_write(text, key);
    kg_text_append(text, " | ");
    values_write(text, key);
    kg_text_printf(text, " | %s |\n", key->help);
}

/* The tables of all keys in Markdown, between the markers of docs/suite.md. */
static void reference_write(struct kg_text *text)
{
    static const struct kg_key_table *const tables[] = {
        &kg_suite_keys,    &kg_policy_keys, &kg_default_keys, &kg_suggest_keys,
        &kg_workload_keys, &kg_cuda_keys,   &kg_cuda_arg_keys};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        kg_text_printf(text, "%s### %s\n\n%s\n\n", t ? "\n" : "", tables[t]->title,
                       tables[t]->help);
        kg_text_append(text, "| Key: default | Value | Meaning |\n"
                             "| --- | --- | --- |\n");
        for (size_t i = 0; i < tables[t]->count; i++)
            key_write(text, &tables[t]->keys[i]);
    }
}

static void page_read(struct kg_text *page)
{
    char buffer[4096];
    FILE *file = fopen(KGATE_SOURCE_DIR "/docs/suite.md", "r");
    assert_non_null(file);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        kg_text_append_bytes(page, buffer, n);
    fclose(file);
    assert_false(page->failed);
}

static void the_page_has_the_tables_of_the_parser(void **state)
{
    static const char begin[] = "<!-- keys -->\n\n", end[] = "\n<!-- /keys -->";
    struct kg_text page = {0}, reference = {0};
    page_read(&page);
    reference_write(&reference);
    char *first = strstr(page.data, begin), *last = strstr(page.data, end);
    assert_non_null(first);
    assert_non_null(last);
    *last = '\0';
    if (strcmp(first + sizeof begin - 1, reference.data) != 0)
        fail_msg("docs/suite.md must have between its markers:\n\n%s", reference.data);
    kg_text_free(&page);
    kg_text_free(&reference);
}

static void the_examples_of_the_page_are_good(void **state)
{
    static const char begin[] = "```yaml\n";
    struct kg_text page = {0};
    size_t count = 0;
    page_read(&page);
    for (char *at = page.data; (at = strstr(at, begin)); count++) {
        struct kg_suite suite;
        struct kg_error err = {0};
        at += sizeof begin - 1;
        char *end = strstr(at, "```");
        assert_non_null(end);
        if (!kg_suite_parse("page", at, (size_t)(end - at), NULL, 0, &suite, &err))
            fail_msg("%u:%u: %s in:\n%.*s", err.line, err.column, err.message, (int)(end - at), at);
        kg_suite_free(&suite);
        at = end + 3;
    }
    assert_true(count >= 2);
    kg_text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_tables_of_the_parser),
        cmocka_unit_test(the_examples_of_the_page_are_good),
    };
    return cmocka_run_group_tests_name("suite reference", tests, NULL, NULL);
}
