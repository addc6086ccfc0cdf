#include <string.h>

#include "cli/subject.h"
#include "util/file.h"
#include "util/nearest.h"

enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JSON, FORMAT_COUNT };
static const char *const format_names[FORMAT_COUNT] = {"text", "markdown", "json"};

static bool format_find(const struct kg_arguments *arguments, enum format *format,
                        struct kg_error *err)
{
    const char *name = arguments->format ? arguments->format : arguments->json ? "json" : "text";
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (!strcmp(name, format_names[i])) {
            *format = (enum format)i;
            return !arguments->json || i == FORMAT_JSON ||
                   kg_error_set(err, KG_ERROR_USAGE, "--json and --format %s are two formats",
                                name);
        }
    const char *nearest = kg_nearest(name, format_names, FORMAT_COUNT);
    return kg_error_set(
        err, KG_ERROR_USAGE, "--format is '%.60s', but must be text, markdown or json%s%s%s", name,
        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* For a reader a ranking is cut where it was not said, for a program only where it was. */
static bool report(const struct kg_arguments *arguments, enum format format,
                   struct kg_suggestions *suggestions, struct kg_text *text, struct kg_error *err)
{
    struct kg_report_style style = kg_style(arguments);
    const size_t top = arguments->top == KG_TOP_UNSET ? 0 : (size_t)arguments->top;
    const struct kg_suggest_wanted wanted = {.priority = arguments->only,
                                             .type = arguments->type,
                                             .filter = arguments->filter,
                                             .top = format == FORMAT_JSON ? top : 0};
    if (!kg_suggestions_keep(suggestions, &wanted, err))
        return false;
    if (format == FORMAT_JSON)
        return kg_record_print(&kg_suggestions_record, suggestions, KG_SUGGESTIONS_SCHEMA, text,
                               err);
    if (format == FORMAT_MARKDOWN) {
        kg_report_suggestions_markdown(suggestions, top, text);
        return true;
    }
    if (arguments->output)
        kg_style_for_file(&style);
    kg_report_suggestions_text(suggestions, &style, text);
    return true;
}

static bool suggest(const struct kg_arguments *arguments, enum format format, struct kg_text *text,
                    struct kg_error *err)
{
    struct kg_subject subject;
    struct kg_suggestions suggestions = {0};
    const bool good = kg_subject_load_any(arguments, arguments->positional[0], &subject, err) &&
                      kg_suggest(&subject.input, &suggestions, err) &&
                      report(arguments, format, &suggestions, text, err);
    kg_suggestions_free(&suggestions);
    kg_subject_free(&subject);
    return good;
}

int kg_cli_suggest(const struct kg_arguments *arguments)
{
    enum format format = FORMAT_TEXT;
    struct kg_text text = {0};
    struct kg_error err;
    const bool good = format_find(arguments, &format, &err) &&
                      suggest(arguments, format, &text, &err) && kg_output(arguments, &text, &err);
    kg_text_free(&text);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
