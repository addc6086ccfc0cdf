#include <string.h>
#include <unistd.h>

#include "cli/inputs.h"
#include "cli/report.h"
#include "profile/profile_load.h"
#include "util/file.h"
#include "util/nearest.h"

static const char *const format_names[KG_FORMAT_COUNT] = {"text", "markdown", "json",   "tree",
                                                          "top",  "trace",    "folded", "csv"};

static bool format_parse(const char *name, enum kg_cli_format *format, struct kg_error *err)
{
    for (int i = 0; i < KG_FORMAT_COUNT; i++)
        if (!strcmp(name, format_names[i])) {
            *format = (enum kg_cli_format)i;
            return true;
        }
    const char *nearest = kg_nearest(name, format_names, KG_FORMAT_COUNT);
    return kg_error_set(err, KG_ERROR_USAGE,
                        "--format is '%.60s', but must be text, markdown or json, or of a profile "
                        "also tree, top, trace, folded or csv%s%s%s",
                        name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "");
}

static bool profiles_only(const char *path, enum kg_cli_format format, struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_USAGE,
                        "'%.300s' has no profile for --format %s; `kgate run --profile` makes one",
                        path, format_names[format]);
}

/* As on the terminal, but for a file. */
static struct kg_report_style style_of(const struct kg_arguments *arguments)
{
    struct kg_report_style style = kg_style(arguments);
    if (arguments->output)
        kg_style_for_file(&style);
    return style;
}

/* Those that were written with the comparison: beside it, at the same moment. */
static bool beside_load(const char *path, const struct kg_comparison *comparison,
                        struct kg_suggestions *suggestions)
{
    struct kg_arena arena = {0};
    struct kg_error none;
    const char *slash = strrchr(path, '/');
    const char *beside =
        kg_arena_printf(&arena, "%.*ssuggestions.json", slash ? (int)(slash + 1 - path) : 0, path);
    bool good =
        beside && access(beside, R_OK) == 0 && kg_suggestions_load(beside, suggestions, &none);
    if (good && strcmp(suggestions->created, comparison->created) != 0) {
        kg_suggestions_free(suggestions);
        good = false;
    }
    kg_arena_free(&arena);
    return good;
}

static bool comparison_report(const struct kg_arguments *arguments, enum kg_cli_format format,
                              struct kg_text *text, struct kg_error *err)
{
    struct kg_comparison comparison;
    struct kg_suggestions suggestions = {0};
    const struct kg_report_style style = style_of(arguments);
    bool good = true;
    if (!kg_comparison_load(arguments->positional[0], &comparison, err))
        return false;
    const bool any = beside_load(arguments->positional[0], &comparison, &suggestions);
    if (format == KG_FORMAT_JSON)
        good = kg_record_print(&kg_comparison_record, &comparison, KG_COMPARISON_SCHEMA, text, err);
    else if (format == KG_FORMAT_MARKDOWN)
        kg_report_comparison_markdown(&comparison, any ? &suggestions : NULL, 0, text);
    else
        kg_report_comparison_text(&comparison, any ? &suggestions : NULL, &style, text);
    kg_suggestions_free(&suggestions);
    kg_comparison_free(&comparison);
    return good;
}

static bool calibration_report(const struct kg_arguments *arguments, enum kg_cli_format format,
                               struct kg_text *text, struct kg_error *err)
{
    struct kg_calibration calibration = {0};
    const struct kg_report_style style = style_of(arguments);
    bool good = format != KG_FORMAT_MARKDOWN
                    ? true
                    : kg_error_set(err, KG_ERROR_USAGE,
                                   "a calibration is shown as text or json, not as markdown");
    good = good && kg_record_load(&kg_calibration_record, KG_CALIBRATION_SCHEMA,
                                  arguments->positional[0], &calibration.arena, &calibration, err);
    if (good && format == KG_FORMAT_JSON)
        good =
            kg_record_print(&kg_calibration_record, &calibration, KG_CALIBRATION_SCHEMA, text, err);
    else if (good)
        kg_report_calibration_text(&calibration, &style, text);
    kg_calibration_free(&calibration);
    return good;
}

static bool suggestions_report(const struct kg_arguments *arguments, enum kg_cli_format format,
                               struct kg_text *text, struct kg_error *err)
{
    struct kg_suggestions suggestions;
    const struct kg_report_style style = style_of(arguments);
    bool good = true;
    if (!kg_suggestions_load(arguments->positional[0], &suggestions, err))
        return false;
    if (format == KG_FORMAT_JSON)
        good =
            kg_record_print(&kg_suggestions_record, &suggestions, KG_SUGGESTIONS_SCHEMA, text, err);
    else if (format == KG_FORMAT_MARKDOWN)
        kg_report_suggestions_markdown(&suggestions, 0, text);
    else
        kg_report_suggestions_text(&suggestions, &style, text);
    kg_suggestions_free(&suggestions);
    return good;
}

/* The recording beside the results, for what only a profile can be made into. */
static bool results_profile(const struct kg_arguments *arguments, enum kg_cli_format format,
                            const struct kg_results *results, struct kg_error *err)
{
    struct kg_arena arena = {0};
    const char *path = arguments->positional[0];
    bool good = false;
    if (!results->profile)
        return profiles_only(path, format, err);
    const char *beside = kg_recording_path(&arena, path, results);
    if (!beside)
        kg_error_memory(err);
    else if (access(beside, R_OK) != 0)
        kg_error_set(err, KG_ERROR_USAGE, "the profile '%.300s' of these results is gone",
                     results->profile);
    else
        good = kg_cli_report_profile(arguments, beside, format, err);
    kg_arena_free(&arena);
    return good;
}

static bool results_report(const struct kg_arguments *arguments, enum kg_cli_format format,
                           struct kg_text *text, struct kg_error *err)
{
    struct kg_results results;
    const struct kg_report_style style = style_of(arguments);
    bool good = true;
    if (!kg_results_load(arguments->positional[0], &results, err))
        return false;
    if (format >= KG_FORMAT_TREE)
        good = results_profile(arguments, format, &results, err);
    else if (format == KG_FORMAT_JSON)
        good = kg_record_print(&kg_results_record, &results, KG_RESULTS_SCHEMA, text, err);
    else if (format == KG_FORMAT_MARKDOWN)
        kg_report_results_markdown(&results, text);
    else
        kg_report_results_text(&results, &style, text);
    kg_results_free(&results);
    return good;
}

/* Everything but profiles, which are streamed. */
static bool file_report(const struct kg_arguments *arguments, enum kg_cli_format format,
                        struct kg_text *text, struct kg_error *err)
{
    char schema[64];
    struct kg_error not_json;
    /* A journal is lines of JSON, not one document: what cannot be peeked at is read as results. */
    const bool peeked = kg_schema_peek(arguments->positional[0], schema, &not_json);
    const bool comparison = peeked && kg_schema_is(KG_COMPARISON_SCHEMA, schema);
    const bool calibration = peeked && kg_schema_is(KG_CALIBRATION_SCHEMA, schema);
    if (arguments->filter && format < KG_FORMAT_TREE)
        return kg_error_set(err, KG_ERROR_USAGE, "--filter is for profiles");
    const bool suggestions = peeked && kg_schema_is(KG_SUGGESTIONS_SCHEMA, schema);
    if ((comparison || calibration || suggestions) && format >= KG_FORMAT_TREE)
        return profiles_only(arguments->positional[0], format, err);
    return comparison    ? comparison_report(arguments, format, text, err)
           : calibration ? calibration_report(arguments, format, text, err)
           : suggestions ? suggestions_report(arguments, format, text, err)
                         : results_report(arguments, format, text, err);
}

int kg_cli_report(const struct kg_arguments *arguments)
{
    enum kg_cli_format format = KG_FORMAT_TEXT;
    struct kg_text text = {0};
    struct kg_error err;
    if (arguments->format && !format_parse(arguments->format, &format, &err))
        return kg_fail(&err);
    if (!kg_input_regular(arguments->positional[0], &err) ||
        !kg_profile_or_json(arguments->positional[0], &err))
        return kg_fail(&err);
    if (kg_profile_is(arguments->positional[0]))
        return kg_cli_report_profile(arguments, arguments->positional[0], format, &err)
                   ? KG_EXIT_PASS
                   : kg_fail(&err);
    bool good = file_report(arguments, format, &text, &err);
    if (good && format < KG_FORMAT_TREE)
        good = kg_output(arguments, &text, &err);
    kg_text_free(&text);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
