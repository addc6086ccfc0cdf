#include <string.h>

#include "why/rules/rules.h"

/* "a,b" as code, one word at a time. */
static void words_write(struct kg_text *text, const char *words)
{
    for (const char *word = words; word && *word;) {
        const size_t length = strcspn(word, ",");
        kg_text_printf(text, "%s`%.*s`", word == words ? "" : ", ", (int)length, word);
        word += length + (word[length] == ',');
    }
}

static void rule_write(struct kg_text *text, const struct kg_rule *rule)
{
    kg_text_printf(text, "| `%s` | %s | %s | %s | %s | %s | ", rule->name,
                   kg_suggestion_type_names[rule->type], kg_priority_names[rule->priority],
                   kg_basis_names[rule->basis], rule->when, rule->assumes);
    words_write(text, rule->settings);
    kg_text_append(text, " |\n");
}

void kg_rules_reference_write(struct kg_text *text)
{
    kg_text_append(text, "| Rule | Type | Highest priority | Basis | When | The estimate assumes | "
                         "Thresholds |\n"
                         "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; kg_rule_at(i); i++)
        rule_write(text, kg_rule_at(i));
}
