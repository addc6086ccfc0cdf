#include <string.h>

#include "cli/cli.h"
#include "util/file.h"
#include "util/nearest.h"

enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JSON };

static bool format_parse(const char *name, enum format *format, struct kg_error *err)
{
    static const char *const names[] = {"text", "markdown", "json"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(name, names[i])) {
            *format = (enum format)i;
            return true;
        }
    const char *nearest = kg_nearest(name, names, 3);
    return kg_error_set(
        err, KG_ERROR_USAGE, "--format is '%.60s', but must be text, markdown or json%s%s%s", name,
        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static bool comparison_report(const struct kg_arguments *arguments, enum format format,
                              struct kg_text *text, struct kg_error *err)
{
    struct kg_comparison comparison;
    struct kg_report_style style = kg_style(arguments);
    bool good = true;
    style.colour = style.colour && !arguments->output;
    if (!kg_comparison_load(arguments->positional[0], &comparison, err))
        return false;
    if (format == FORMAT_JSON)
        good = kg_record_print(&kg_comparison_record, &comparison, KG_COMPARISON_SCHEMA, text, err);
    else if (format == FORMAT_MARKDOWN)
        kg_report_comparison_markdown(&comparison, 0, text);
    else
        kg_report_comparison_text(&comparison, &style, text);
    kg_comparison_free(&comparison);
    return good;
}

static bool calibration_report(const struct kg_arguments *arguments, enum format format,
                               struct kg_text *text, struct kg_error *err)
{
    struct kg_calibration calibration = {0};
    struct kg_report_style style = kg_style(arguments);
    style.colour = style.colour && !arguments->output;
    bool good = format != FORMAT_MARKDOWN
                    ? true
                    : kg_error_set(err, KG_ERROR_USAGE,
                                   "a calibration is shown as text or json, not as markdown");
    good = good && kg_record_load(&kg_calibration_record, KG_CALIBRATION_SCHEMA,
                                  arguments->positional[0], &calibration.arena, &calibration, err);
    if (good && format == FORMAT_JSON)
        good =
            kg_record_print(&kg_calibration_record, &calibration, KG_CALIBRATION_SCHEMA, text, err);
    else if (good)
        kg_report_calibration_text(&calibration, &style, text);
    kg_calibration_free(&calibration);
    return good;
}

static bool results_report(const struct kg_arguments *arguments, enum format format,
                           struct kg_text *text, struct kg_error *err)
{
    struct kg_results results;
    struct kg_report_style style = kg_style(arguments);
    bool good = true;
    style.colour = style.colour && !arguments->output;
    if (!kg_results_load(arguments->positional[0], &results, err))
        return false;
    if (format == FORMAT_JSON)
        good = kg_record_print(&kg_results_record, &results, KG_RESULTS_SCHEMA, text, err);
    else if (format == FORMAT_MARKDOWN)
        kg_report_results_markdown(&results, text);
    else
        kg_report_results_text(&results, &style, text);
    kg_results_free(&results);
    return good;
}

int kg_cli_report(const struct kg_arguments *arguments)
{
    char schema[64];
    enum format format = FORMAT_TEXT;
    struct kg_text text = {0};
    struct kg_error err, not_json;
    bool good = !arguments->format || format_parse(arguments->format, &format, &err);
    /* A journal is lines of JSON, not one document: what cannot be peeked at is read as results. */
    const bool peeked = good && kg_schema_peek(arguments->positional[0], schema, &not_json);
    if (good && peeked && !strcmp(schema, KG_COMPARISON_SCHEMA))
        good = comparison_report(arguments, format, &text, &err);
    else if (good && peeked && !strcmp(schema, KG_CALIBRATION_SCHEMA))
        good = calibration_report(arguments, format, &text, &err);
    else
        good = good && results_report(arguments, format, &text, &err);
    if (good && arguments->output)
        good = text.failed
                   ? kg_error_memory(&err)
                   : kg_file_write(arguments->output, kg_text_string(&text), text.length, &err);
    else
        good = good && kg_print(&text, &err);
    kg_text_free(&text);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
