#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/json_print.h"
#include "base/nearest.h"
#include "base/wrap.h"
#include "cli/suggest_subject.h"
#include "show/formats.h"
#include "why/rules/rules.h"
#include "why/suggest.h"

static const struct kg_report_format *format_find(const struct kg_arguments *arguments,
                                                  struct kg_error *err)
{
    const char *name = arguments->format ? arguments->format : arguments->json ? "json" : "text";
    if (arguments->json && strcmp(name, "json") != 0) {
        kg_error_set(err, KG_ERROR_USAGE, "--json and --format %s exclude each other", name);
        return NULL;
    }
    return kg_report_format_find(KG_SUGGESTIONS_SCHEMA, name, err);
}

/* Prints the suggestions. A format for readers cuts the list at --top and says so. JSON cannot say so, so this function
 * removes the suggestions beyond --top. */
static bool report(const struct kg_arguments *arguments, const struct kg_report_format *format,
                   struct kg_suggestions *suggestions, struct kg_error *err)
{
    const bool json = !strcmp(format->name, "json");
    struct kg_report_subject subject = {
        .suggestions = suggestions,
        .style = kg_style(arguments),
        .top = arguments->top == KG_TOP_UNSET ? KG_REPORT_TOP_USUAL : (size_t)arguments->top};
    const struct kg_suggest_wanted wanted = {
        .priority = arguments->only,
        .type = arguments->type,
        .filter = arguments->filter,
        .top = json && subject.top != KG_REPORT_TOP_USUAL ? subject.top : 0};
    if (!kg_suggestions_keep(suggestions, &wanted, err))
        return false;
    if (!arguments->output)
        return kg_report_print(format, &subject, stdout, err);
    kg_style_for_file(&subject.style);
    return kg_report_write(format, &subject, arguments->output, err);
}

static bool suggest(const struct kg_arguments *arguments, const struct kg_report_format *format,
                    struct kg_error *err)
{
    struct kg_subject subject;
    struct kg_suggestions suggestions = {0};
    const bool good = kg_subject_load_any(arguments, arguments->positional[0], &subject, err);
    if (good)
        kg_suggest(&subject.input, &suggestions);
    /* suggestions borrow nothing, and the report of a large file needs the memory */
    kg_subject_free(&subject);
    const bool reported = good && report(arguments, format, &suggestions, err);
    kg_suggestions_free(&suggestions);
    return reported;
}

/* --- The reference of the rules --------------------------------------------------------------- */

enum { INDENT = 2, LABEL_WIDTH = 9, NAMES_MOST = 128 };

static void labelled_print(struct kg_text *text, const char *label, const char *words, size_t width)
{
    char first[INDENT + LABEL_WIDTH + 1];
    snprintf(first, sizeof first, "%*s%-*s", INDENT, "", LABEL_WIDTH, label);
    kg_wrap(text, first, words, width);
}

static void rule_print(const struct kg_rule *rule, size_t width, struct kg_text *text)
{
    if (text->length)
        kg_text_append(text, "\n");
    kg_text_printf(text, "%s: %s, up to %s priority, estimate: %s\n", rule->name,
                   kg_suggestion_type_names[rule->type], kg_priority_names[rule->priority],
                   kg_basis_names[rule->basis]);
    labelled_print(text, "if", rule->when, width);
    labelled_print(text, "assumes", rule->assumes, width);
}

static void rule_print_json(const struct kg_rule *rule, struct kg_json_writer *writer)
{
    kg_json_begin(writer, NULL, "{");
    kg_json_put_string(writer, "rule", rule->name);
    kg_json_put_string(writer, "type", kg_suggestion_type_names[rule->type]);
    kg_json_put_string(writer, "priority", kg_priority_names[rule->priority]);
    kg_json_put_string(writer, "basis", kg_basis_names[rule->basis]);
    kg_json_put_string(writer, "when", rule->when);
    kg_json_put_string(writer, "assumes", rule->assumes);
    kg_json_finish(writer, "}");
}

static bool rule_unknown(const char *name, struct kg_error *err)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    for (; count < NAMES_MOST && kg_rule_at(count); count++)
        names[count] = kg_rule_at(count)->name;
    return kg_error_unknown(err, name, names, count, "there is no rule '%.60s'", name);
}

/* Appends the rules whose names match the glob; NULL: all rules. */
static bool rules_write(const char *glob, bool json, size_t width, struct kg_text *text,
                        struct kg_error *err)
{
    struct kg_json_writer writer = {.text = text};
    bool found = false;
    if (json)
        kg_json_begin(&writer, NULL, "[");
    for (size_t i = 0; kg_rule_at(i); i++) {
        const struct kg_rule *rule = kg_rule_at(i);
        if (glob && fnmatch(glob, rule->name, 0) != 0)
            continue;
        found = true;
        if (json)
            rule_print_json(rule, &writer);
        else
            rule_print(rule, width, text);
    }
    if (json) {
        kg_json_finish(&writer, "]");
        kg_text_append(text, "\n");
    }
    return found || rule_unknown(glob, err);
}

static bool rules_print(const struct kg_arguments *arguments, struct kg_error *err)
{
    struct kg_text text = {0};
    const char *rule = arguments->positional_count ? arguments->positional[0] : NULL;
    const bool good = rules_write(rule, arguments->json, kg_style(arguments).width, &text, err) &&
                      kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

int kg_cli_suggest(const struct kg_arguments *arguments)
{
    struct kg_error err;
    if (arguments->rules)
        return rules_print(arguments, &err) ? KG_EXIT_PASS : kg_fail(&err);
    if (!arguments->positional_count) {
        kg_error_set(&err, KG_ERROR_USAGE, "usage: kgate suggest RESULTS.json | --rules [RULE]");
        return kg_fail(&err);
    }
    const struct kg_report_format *format = format_find(arguments, &err);
    return format && suggest(arguments, format, &err) ? KG_EXIT_PASS : kg_fail(&err);
}

void kg_cli_suggest_more(struct kg_text *text)
{
    kg_text_append(text, "\nformats:\n");
    kg_report_formats_help(KG_SUGGESTIONS_SCHEMA, text);
}
