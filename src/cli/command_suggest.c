#include <string.h>

#include "cli/suggest_subject.h"
#include "show/formats.h"
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

int kg_cli_suggest(const struct kg_arguments *arguments)
{
    struct kg_error err;
    const struct kg_report_format *format = format_find(arguments, &err);
    return format && suggest(arguments, format, &err) ? KG_EXIT_PASS : kg_fail(&err);
}

void kg_cli_suggest_more(struct kg_text *text)
{
    kg_text_append(text, "\nformats:\n");
    kg_report_formats_help(KG_SUGGESTIONS_SCHEMA, text);
}
