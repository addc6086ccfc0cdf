#include "cli/cli.h"

#include <string.h>

#include "run/import/import.h"
#include "show/columns.h"
#include "show/formats.h"
#include "show/plots/plots.h"
#include "why/suggestions.h"

static void word_append(struct kg_text *words, const char *word)
{
    kg_text_printf(words, "%s%s", words->length ? " " : "", word);
}

static void report_formats(struct kg_text *words)
{
    kg_report_formats_words(NULL, words);
}

static void suggest_formats(struct kg_text *words)
{
    kg_report_formats_words(KG_SUGGESTIONS_SCHEMA, words);
}

static void schema_formats(struct kg_text *words)
{
    kg_text_append(words, "json markdown");
}

static void metrics(struct kg_text *words)
{
    for (size_t i = 0; i < KG_METRIC_KINDS; i++)
        word_append(words, kg_metric_kind_names[i]);
}

static void priorities(struct kg_text *words)
{
    for (size_t i = 0; i < KG_PRIORITY_COUNT; i++)
        word_append(words, kg_priority_names[i]);
}

static void types(struct kg_text *words)
{
    for (size_t i = 0; i < KG_TYPE_COUNT; i++)
        word_append(words, kg_suggestion_type_names[i]);
}

/* The options whose values are words, and where these stand. */
static const struct {
    const char *subcommand, *option;
    enum kg_value_kind kind;
    void (*words)(struct kg_text *words);
} rows[] = {
    {"report", "format", KG_VALUE_WORD, report_formats},
    {"suggest", "format", KG_VALUE_WORD, suggest_formats},
    {"import", "format", KG_VALUE_WORD, kg_import_formats_words},
    {"schema", "format", KG_VALUE_WORD, schema_formats},
    {"report", "columns", KG_VALUE_LIST, kg_columns_words},
    {"report", "plot", KG_VALUE_WORD, kg_plots_words},
    {"accept", "metric", KG_VALUE_WORD, metrics},
    {"suggest", "only", KG_VALUE_LIST, priorities},
    {"suggest", "type", KG_VALUE_LIST, types},
};

/* "record|update|list" as words. */
static enum kg_value_kind alternatives(const char *given, size_t length, struct kg_text *words)
{
    if (!memchr(given, '|', length))
        return KG_VALUE_OTHER;
    for (size_t i = 0; i < length; i++)
        kg_text_append_bytes(words, given[i] == '|' ? " " : &given[i], 1);
    return KG_VALUE_WORD;
}

/* By what --help calls the value. */
static bool is_path(const char *value)
{
    static const char *const names[] = {"SUITE", "DIR", "PATH", "FILE", "A", "B"};
    const size_t length = strlen(value);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(value, names[i]))
            return true;
    return length > 5 && !strcmp(value + length - 5, ".json");
}

/* Whether the subcommand has a suite whose cases a glob can name. */
static bool has_suite(const struct kg_subcommand *subcommand)
{
    struct kg_option_use use;
    size_t index = 0;
    while (kg_option_next(subcommand, &index, &use))
        if (!strcmp(use.option->name, "suite"))
            return true;
    return false;
}

enum kg_value_kind kg_value_kind(const struct kg_subcommand *subcommand,
                                 const struct kg_option *option, struct kg_text *words)
{
    if (!option->value)
        return KG_VALUE_OTHER;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].option, option->name) &&
            !strcmp(rows[i].subcommand, subcommand->name)) {
            rows[i].words(words);
            return rows[i].kind;
        }
    if (is_path(option->value))
        return KG_VALUE_FILE;
    if (!strcmp(option->name, "filter") && has_suite(subcommand))
        return KG_VALUE_CASE;
    return alternatives(option->value, strlen(option->value), words);
}

enum kg_value_kind kg_operand_kind(const struct kg_subcommand *subcommand, struct kg_text *words)
{
    const char *operands = subcommand->operands;
    if (!strcmp(operands, "[CASE...]"))
        return KG_VALUE_CASE;
    return alternatives(operands, strcspn(operands, " "), words) == KG_VALUE_WORD ? KG_VALUE_WORD
                                                                                  : KG_VALUE_FILE;
}
