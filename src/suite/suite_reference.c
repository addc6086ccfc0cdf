#include "suite/suite_keys.h"

#include <string.h>

/* "cpu,cuda" as code, one word at a time. */
static void words_write(struct kg_text *text, const char *words)
{
    for (const char *word = words; *word;) {
        const size_t length = strcspn(word, ",");
        kg_text_printf(text, "%s`%.*s`", word == words ? "" : ", ", (int)length, word);
        word += length + (word[length] == ',');
    }
}

static void range_write(struct kg_text *text, const struct kg_key *key)
{
    if (key->names)
        for (size_t i = 0; key->names[i]; i++)
            kg_text_printf(text, "%s`%s`", i ? ", " : "", key->names[i]);
    else if (key->type == KG_KEY_ALPHA)
        kg_text_append(text, "more than 0, less than 1");
    else if (key->least && key->most && !strcmp(key->least, key->most))
        kg_text_printf(text, "%s", key->least);
    else if (key->least && key->most)
        kg_text_printf(text, "%s to %s", key->least, key->most);
}

static void key_write(struct kg_text *text, const struct kg_key *key)
{
    kg_text_printf(text, "| `%s` | %s | ", key->name, kg_key_type_name(key));
    range_write(text, key);
    kg_text_append(text, " | ");
    if (key->default_text && !strcmp(key->default_text, "required"))
        kg_text_append(text, "required");
    else if (key->default_text)
        words_write(text, key->default_text);
    kg_text_printf(text, " | %s |\n", key->help);
}

void kg_suite_reference_write(struct kg_text *text)
{
    static const struct kg_key_table *const tables[] = {
        &kg_suite_keys,    &kg_policy_keys, &kg_default_keys, &kg_suggest_keys,
        &kg_workload_keys, &kg_cuda_keys,   &kg_cuda_arg_keys};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        kg_text_printf(text, "%s### %s\n\n%s\n\n", t ? "\n" : "", tables[t]->title,
                       tables[t]->help);
        kg_text_append(text, "| Key | Type | Allowed | Default | Meaning |\n"
                             "| --- | --- | --- | --- | --- |\n");
        for (size_t i = 0; i < tables[t]->count; i++)
            key_write(text, &tables[t]->keys[i]);
    }
}
