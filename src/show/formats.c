#include "show/formats.h"

#include <string.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/record.h"
#include "base/table.h"
#include "show/format_parts.h"

/* --- Results ---------------------------------------------------------------------------------- */

static bool results_text(const struct kg_report_subject *subject, struct kg_text *text,
                         struct kg_error *err)
{
    if (subject->sweep)
        return kg_results_as_sweeps(subject, false, text, err);
    kg_report_results_text(subject->results, &subject->style, text);
    return true;
}

static bool results_markdown(const struct kg_report_subject *subject, struct kg_text *text,
                             struct kg_error *err)
{
    if (subject->sweep)
        return kg_results_as_sweeps(subject, true, text, err);
    if (subject->style.columns)
        return kg_results_as_table(subject, text, err);
    kg_report_results_markdown(subject->results, text);
    return true;
}

static bool results_json(const struct kg_report_subject *subject, struct kg_text *text,
                         struct kg_error *err)
{
    return kg_record_print(&kg_results_record, subject->results, KG_RESULTS_SCHEMA, text, err);
}

/* --- Comparisons ------------------------------------------------------------------------------ */

static bool comparison_text(const struct kg_report_subject *subject, struct kg_text *text,
                            struct kg_error *err)
{
    (void)err;
    kg_report_comparison_text(subject->comparison, subject->suggestions, &subject->style, text);
    return true;
}

static bool comparison_markdown(const struct kg_report_subject *subject, struct kg_text *text,
                                struct kg_error *err)
{
    (void)err;
    kg_report_comparison_markdown(subject->comparison, subject->suggestions, 0, text);
    return true;
}

static bool comparison_json(const struct kg_report_subject *subject, struct kg_text *text,
                            struct kg_error *err)
{
    return kg_record_print(&kg_comparison_record, subject->comparison, KG_COMPARISON_SCHEMA, text,
                           err);
}

/* --- Suggestions ------------------------------------------------------------------------------ */

static bool suggestions_text(const struct kg_report_subject *subject, struct kg_text *text,
                             struct kg_error *err)
{
    (void)err;
    kg_report_suggestions_text(subject->suggestions, &subject->style, text);
    return true;
}

static bool suggestions_markdown(const struct kg_report_subject *subject, struct kg_text *text,
                                 struct kg_error *err)
{
    (void)err;
    kg_report_suggestions_markdown(subject->suggestions,
                                   subject->top == KG_REPORT_TOP_USUAL ? 0 : subject->top, text);
    return true;
}

static bool suggestions_json(const struct kg_report_subject *subject, struct kg_text *text,
                             struct kg_error *err)
{
    return kg_record_print(&kg_suggestions_record, subject->suggestions, KG_SUGGESTIONS_SCHEMA,
                           text, err);
}

/* --- Calibrations ----------------------------------------------------------------------------- */

static bool calibration_text(const struct kg_report_subject *subject, struct kg_text *text,
                             struct kg_error *err)
{
    (void)err;
    kg_report_calibration_text(subject->calibration, &subject->style, text);
    return true;
}

static bool calibration_json(const struct kg_report_subject *subject, struct kg_text *text,
                             struct kg_error *err)
{
    return kg_record_print(&kg_calibration_record, subject->calibration, KG_CALIBRATION_SCHEMA,
                           text, err);
}

/* --- Baselines -------------------------------------------------------------------------------- */

static bool baseline_json(const struct kg_report_subject *subject, struct kg_text *text,
                          struct kg_error *err)
{
    return kg_record_print(&kg_baseline_record, subject->baseline, KG_BASELINE_SCHEMA, text, err);
}

/* --- The table -------------------------------------------------------------------------------- */

#define RESULTS .schema = KG_RESULTS_SCHEMA
#define COMPARISON .schema = KG_COMPARISON_SCHEMA
#define SUGGESTIONS .schema = KG_SUGGESTIONS_SCHEMA
#define CALIBRATION .schema = KG_CALIBRATION_SCHEMA
#define BASELINE .schema = KG_BASELINE_SCHEMA
#define PROFILE .schema = KG_PROFILE_SCHEMA

/* By kind of file; within one in the order of --help. The first of a
 * kind is what it is printed as where nothing was said. */
static const struct kg_report_format formats[] = {
    {RESULTS, .name = "text", .print = results_text, .help = "a table of the cases"},
    {RESULTS, .name = "markdown", .print = results_markdown, .help = "the same for a page"},
    {RESULTS, .name = "json", .print = results_json, .help = KG_RESULTS_SCHEMA},
    {RESULTS, .name = "csv", .print = kg_results_as_csv, .help = "a row for each case and metric"},
    {RESULTS, .name = "junit", .print = kg_results_as_junit, .help = "XML: a test for each case"},
    {RESULTS, .name = "github", .print = kg_results_as_github,
     .help = "annotations of a workflow: what failed"},
    {RESULTS, .name = "openmetrics", .print = kg_results_as_openmetrics, .help = "for Prometheus"},
    {RESULTS, .name = "png", .print = kg_plotted_as_png, .picture = true,
     .help = "a picture, by gnuplot; --plot says which"},
    {RESULTS, .name = "svg", .print = kg_plotted_as_svg, .picture = true, .help = "likewise"},
    {RESULTS, .name = "html", .stream = kg_report_as_html, .several = true,
     .help = "one page with charts, of several files too"},
    {RESULTS, .name = "components", .beside = true,
     .help = "of the profile that `run --profile` left"},
    {RESULTS, .name = "tree", .beside = true, .help = "likewise, as the next three"},
    {RESULTS, .name = "top", .beside = true, .help = ""},
    {RESULTS, .name = "trace", .beside = true, .help = ""},
    {RESULTS, .name = "folded", .beside = true, .help = ""},
    {COMPARISON, .name = "text", .print = comparison_text, .help = "the verdict, and what changed"},
    {COMPARISON, .name = "markdown", .print = comparison_markdown, .help = "for a pull request"},
    {COMPARISON, .name = "json", .print = comparison_json, .help = KG_COMPARISON_SCHEMA},
    {COMPARISON, .name = "csv", .print = kg_comparison_as_csv,
     .help = "a row for each case and metric"},
    {COMPARISON, .name = "junit", .print = kg_comparison_as_junit,
     .help = "XML: a test for each case"},
    {COMPARISON, .name = "github", .print = kg_comparison_as_github,
     .help = "annotations of a workflow: what changed"},
    {COMPARISON, .name = "openmetrics", .print = kg_comparison_as_openmetrics,
     .help = "for Prometheus"},
    {COMPARISON, .name = "png", .print = kg_plotted_as_png, .picture = true,
     .help = "a picture of the changes, by gnuplot"},
    {COMPARISON, .name = "svg", .print = kg_plotted_as_svg, .picture = true, .help = "likewise"},
    {COMPARISON, .name = "html", .stream = kg_report_as_html, .several = true, .help = "one page"},
    {SUGGESTIONS, .name = "text", .print = suggestions_text, .help = "what to try, best first"},
    {SUGGESTIONS, .name = "markdown", .print = suggestions_markdown,
     .help = "the same for a pull request"},
    {SUGGESTIONS, .name = "json", .print = suggestions_json, .help = KG_SUGGESTIONS_SCHEMA},
    {SUGGESTIONS, .name = "html", .stream = kg_report_as_html, .several = true, .help = "one page"},
    {CALIBRATION, .name = "text", .print = calibration_text,
     .help = "false alarms, and the changes that are caught"},
    {CALIBRATION, .name = "json", .print = calibration_json, .help = KG_CALIBRATION_SCHEMA},
    {CALIBRATION, .name = "html", .stream = kg_report_as_html, .several = true, .help = "one page"},
    {BASELINE, .name = "json", .print = baseline_json, .help = KG_BASELINE_SCHEMA},
    {BASELINE, .name = "html", .stream = kg_report_as_html, .several = true, .help = "one page"},
    {PROFILE, .name = "text", .print = kg_profile_as_text,
     .help = "a table by name, by total; of several cases one each"},
    {PROFILE, .name = "markdown", .print = kg_profile_as_markdown, .help = "for a pull request"},
    {PROFILE, .name = "json", .stream = kg_profile_as_json, .help = KG_PROFILE_SCHEMA},
    {PROFILE, .name = "html", .stream = kg_report_as_html, .several = true, .help = "one page"},
    {PROFILE, .name = "components", .print = kg_profile_as_components, .advised = true,
     .help = "what each case is made of, what holds it back, and what to try"},
    {PROFILE, .name = "tree", .print = kg_profile_as_tree, .help = "by nesting"},
    {PROFILE, .name = "top", .print = kg_profile_as_top, .help = "the most time of their own"},
    {PROFILE, .name = "trace", .stream = kg_profile_as_trace,
     .help = "Chrome's trace events, for Perfetto"},
    {PROFILE, .name = "folded", .print = kg_profile_as_folded,
     .help = "collapsed stacks, for flame graphs"},
    {PROFILE, .name = "csv", .stream = kg_profile_as_csv, .help = "a line for each entry"},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* --- Looking up ------------------------------------------------------------------------------- */

/* "results" of "kgate.results.v1". */
static void kind_append(const char *schema, struct kg_text *text)
{
    const size_t skipped = strcspn(schema, ".") + 1, length = kg_schema_kind_length(schema);
    if (skipped < length)
        kg_text_append_bytes(text, schema + skipped, length - skipped);
}

static bool format_unknown(const char *schema, const char *name, struct kg_error *err)
{
    const char *names[FORMATS];
    size_t count = 0;
    struct kg_text text = {0};
    for (size_t i = 0; i < FORMATS; i++)
        if (kg_schema_is(formats[i].schema, schema))
            names[count++] = formats[i].name;
    kind_append(schema, &text);
    kg_text_append(&text, " files can be printed as ");
    for (size_t i = 0; i < count; i++)
        kg_text_printf(&text, "%s%s", !i ? "" : i + 1 == count ? " or " : ", ", names[i]);
    const char *nearest = kg_nearest(name, names, count);
    kg_error_set(err, KG_ERROR_USAGE, "--format is '%.60s', but %s%s%s%s", name,
                 kg_text_string(&text), nearest ? "; did you mean '" : "", nearest ? nearest : "",
                 nearest ? "'?" : "");
    kg_text_free(&text);
    return false;
}

const struct kg_report_format *kg_report_format_find(const char *schema, const char *name,
                                                     struct kg_error *err)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (kg_schema_is(formats[i].schema, schema) && (!name || !strcmp(formats[i].name, name)))
            return &formats[i];
    format_unknown(schema, name, err);
    return NULL;
}

void kg_report_formats_help(const char *schema, struct kg_text *text)
{
    struct kg_table table = {.columns = 3,
                             .heads = {"file", "format", ""},
                             .left = {true, true, true},
                             .indent = 2,
                             .trimmed = true};
    const char *before = "";
    for (size_t i = 0; i < FORMATS; i++) {
        if (schema && !kg_schema_is(formats[i].schema, schema))
            continue;
        struct kg_table_row *row = kg_table_row_add(&table);
        struct kg_text kind = {0};
        if (!row)
            break;
        if (strcmp(before, formats[i].schema) != 0)
            kind_append(formats[i].schema, &kind);
        row->cells[0] = kg_table_cell(&table, &kind);
        row->cells[1] = formats[i].name;
        row->cells[2] = formats[i].help;
        before = formats[i].schema;
    }
    kg_table_print(&table, false, text);
    kg_table_free(&table);
}

/* Whether an earlier row of such files has the name. */
static bool is_named_before(const char *schema, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if ((!schema || kg_schema_is(formats[i].schema, schema)) &&
            !strcmp(formats[i].name, formats[index].name))
            return true;
    return false;
}

void kg_report_formats_words(const char *schema, struct kg_text *text)
{
    for (size_t i = 0; i < FORMATS; i++)
        if ((!schema || kg_schema_is(formats[i].schema, schema)) && !is_named_before(schema, i))
            kg_text_printf(text, "%s%s", text->length ? " " : "", formats[i].name);
}

bool kg_report_print(const struct kg_report_format *format, const struct kg_report_subject *subject,
                     FILE *output, struct kg_error *err)
{
    struct kg_text text = {0};
    if (format->stream)
        return format->stream(subject, output, err);
    const bool good = format->print(subject, &text, err) && kg_file_print(output, &text, err);
    kg_text_free(&text);
    return good;
}
