/* report_folder.c: the files of a comparison in its folder. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "show/formats.h"

enum { PATH_BYTES = 4096 };

/* `data_files`: kgate writes them whatever reports the suite names. `measured_files`: the results of a gate. */
static const char *const data_files[] = {"comparison.json", "suggestions.json"};
static const char *const measured_files[] = {"results.json", "base.json", "head.json"};
enum {
    DATA_FILES = sizeof data_files / sizeof *data_files,
    MEASURED_FILES = sizeof measured_files / sizeof *measured_files
};

/* Whether to write the report. A comparison whose policy names no reports comes from a file and gets the usual
 * reports. */
static bool is_asked_for(const struct kg_report_format *format,
                         const struct kg_report_subject *subject)
{
    const unsigned usual = 1u << KG_REPORT_MARKDOWN | 1u << KG_REPORT_JUNIT;
    const unsigned policy = subject->comparison->policy.reports, asked = policy ? policy : usual;
    if (!format->file || (!subject->results && kg_schema_is(format->schema, KG_RESULTS_SCHEMA)))
        return false;
    for (int i = 0; i < KG_REPORT_KINDS; i++)
        if (asked & 1u << i && !strcmp(kg_report_names[i], format->name))
            return true;
    return false;
}

static bool path_make(const char *directory, const char *file, char path[PATH_BYTES],
                      struct kg_error *err)
{
    return snprintf(path, PATH_BYTES, "%s/%s", directory, file) < PATH_BYTES ||
           kg_error_set(err, KG_ERROR_USAGE, "the path '%.100s…' is too long", directory);
}

static bool file_remove(const char *directory, const char *file, bool sweep, struct kg_error *err)
{
    char path[PATH_BYTES];
    if (!path_make(directory, file, path, err))
        return false;
    unlink(path);
    if (sweep)
        kg_file_sweep(path);
    return true;
}

/* --- Results of an earlier gate --------------------------------------------------------------- */

/* kgate keeps earlier results, because a mistyped option should not cost a new measurement. The suffix tells them
 * from the results of the current gate. */
#define PREVIOUS ".previous"

static const char *data_file(size_t index)
{
    return index < DATA_FILES ? data_files[index] : measured_files[index - DATA_FILES];
}

/* Makes both paths. If a path is too long: false. */
static bool paths_make(const char *directory, const char *file, char path[PATH_BYTES],
                       char previous[PATH_BYTES], struct kg_error *err)
{
    return path_make(directory, file, path, err) &&
           (snprintf(previous, PATH_BYTES, "%s" PREVIOUS, path) < PATH_BYTES ||
            path_make(path, PREVIOUS, previous, err));
}

static bool has_measured(const char *directory)
{
    char path[PATH_BYTES];
    struct kg_error ignored;
    for (size_t i = 0; i < MEASURED_FILES; i++)
        if (path_make(directory, measured_files[i], path, &ignored) && access(path, F_OK) == 0)
            return true;
    return false;
}

static bool previous_remove(const char *directory, struct kg_error *err)
{
    char path[PATH_BYTES], previous[PATH_BYTES];
    for (size_t i = 0; i < DATA_FILES + MEASURED_FILES; i++) {
        if (!paths_make(directory, data_file(i), path, previous, err))
            return false;
        unlink(previous);
    }
    return true;
}

/* Keeps all files or none: a reader would take the files of two gates for the files of one gate. */
static bool data_put_aside(const char *directory, struct kg_error *err)
{
    char path[PATH_BYTES], previous[PATH_BYTES];
    if (has_measured(directory) && !previous_remove(directory, err))
        return false;
    const bool keeps = has_measured(directory);
    for (size_t i = 0; i < DATA_FILES + MEASURED_FILES; i++) {
        if (!paths_make(directory, data_file(i), path, previous, err))
            return false;
        if (keeps)
            rename(path, previous);
        unlink(path); /* if the rename failed or was not wanted */
        kg_file_sweep(path);
    }
    return true;
}

bool kg_report_files_begin(const char *directory, bool measures, int *lock, struct kg_error *err)
{
    *lock = -1;
    bool good =
        kg_directory_make(directory, err) && (!measures || kg_directory_lock(directory, lock, err));
    for (size_t i = 0; i < kg_report_format_count && good; i++)
        good = !kg_report_formats[i].file ||
               file_remove(directory, kg_report_formats[i].file, measures, err);
    for (size_t i = 0; i < DATA_FILES && good && !measures; i++)
        good = file_remove(directory, data_files[i], false, err);
    return good && (!measures || data_put_aside(directory, err));
}

void kg_report_files_end(const char *directory)
{
    struct kg_error ignored; /* a remaining file is recognisable by its suffix */
    if (has_measured(directory))
        previous_remove(directory, &ignored);
}

bool kg_report_files_previous(const char *directory, struct kg_text *text)
{
    char path[PATH_BYTES], previous[PATH_BYTES];
    struct kg_error ignored;
    bool any = false;
    for (size_t i = 0; i < DATA_FILES + MEASURED_FILES && !has_measured(directory); i++)
        if (paths_make(directory, data_file(i), path, previous, &ignored) &&
            access(previous, F_OK) == 0) {
            kg_text_printf(text, "%s%s" PREVIOUS, any ? ", " : "", data_file(i));
            any = true;
        }
    return any;
}

/* --- Reports ---------------------------------------------------------------------------------- */

void kg_report_files_fail(const char *directory, const struct kg_error *why)
{
    char path[PATH_BYTES];
    struct kg_text text = {0}, previous = {0};
    struct kg_error ignored; /* the gate's error matters more than a missing report */
    kg_text_append(&text, "## kgate: no verdict\n\nNothing was decided, because of an error: ");
    if (why->path[0]) {
        kg_escape_markdown(&text, why->path, sizeof why->path);
        if (why->line)
            kg_text_printf(&text, ":%u", why->line);
        kg_text_append(&text, ": ");
    }
    kg_escape_markdown(&text, why->message, sizeof why->message);
    kg_text_append(&text, "\n");
    if (kg_report_files_previous(directory, &previous))
        kg_text_printf(&text, "\nThe results of the previous gate are kept: `%s`.\n",
                       kg_text_string(&previous));
    kg_text_free(&previous);
    if (path_make(directory, "report.md", path, &ignored))
        kg_file_write(path, kg_text_string(&text), text.length, &ignored);
    kg_text_free(&text);
}

/* Writes a report. A picture without data is left out; this is no failure and needs no note. */
static bool report_write(const struct kg_report_format *format,
                         const struct kg_report_subject *subject, const char *directory,
                         struct kg_error *err)
{
    char path[PATH_BYTES];
    struct kg_report_subject own = *subject;
    if (kg_schema_is(format->schema, KG_RESULTS_SCHEMA))
        own.comparison = NULL;
    return path_make(directory, format->file, path, err) &&
           (kg_report_write(format, &own, path, err) || kg_report_is_empty(format, err));
}

/* Whether a report is left out, because the machine lacks the format's programs. Prints each reason once. */
static bool left_out(const struct kg_report_format *format, const char **noted)
{
    const char *why = kg_report_missing(format->need);
    if (why && why != *noted)
        fprintf(stderr, "kgate: note: no report as %s: %s\n", format->name, why);
    if (why)
        *noted = why;
    return why != NULL;
}

bool kg_report_comparison_write(const struct kg_comparison *comparison, const char *directory,
                                struct kg_error *err)
{
    char path[PATH_BYTES];
    return path_make(directory, data_files[0], path, err) && kg_directory_make(directory, err) &&
           kg_comparison_write(comparison, path, err);
}

static bool suggestions_write(const struct kg_suggestions *suggestions, const char *directory,
                              struct kg_error *err)
{
    char path[PATH_BYTES];
    return path_make(directory, data_files[1], path, err) &&
           kg_suggestions_write(suggestions, path, err);
}

/* Notes "no report.md" if the write failed. */
static void file_take(struct kg_advice *advice, bool good, const char *file,
                      const struct kg_error *err)
{
    char missing[64];
    snprintf(missing, sizeof missing, "no %s", file);
    kg_advice_take(advice, good, missing, err);
}

void kg_report_files_write(const struct kg_report_subject *given, const char *directory,
                           struct kg_advice *advice)
{
    struct kg_report_subject subject = *given;
    struct kg_error err;
    const char *noted = NULL;
    subject.top = KG_REPORT_TOP_USUAL;
    if (given->suggestions)
        file_take(advice, suggestions_write(given->suggestions, directory, &err), data_files[1],
                  &err);
    for (size_t i = 0; i < kg_report_format_count; i++) {
        const struct kg_report_format *format = &kg_report_formats[i];
        if (is_asked_for(format, given) && !left_out(format, &noted))
            file_take(advice, report_write(format, &subject, directory, &err), format->file, &err);
    }
    if (advice->notes)
        kg_advice_take(advice, kg_report_comparison_write(given->comparison, directory, &err),
                       "comparison.json lacks the last notes", &err);
}

/* Whether the suite of the results asks for the format. */
static bool is_named(const struct kg_report_format *format, const struct kg_results *results)
{
    for (int i = 0; i < KG_REPORT_KINDS; i++)
        if (results->policy.reports & 1u << i && !strcmp(kg_report_names[i], format->name))
            return format->ending && kg_schema_is(format->schema, KG_RESULTS_SCHEMA);
    return false;
}

bool kg_report_results_write(const struct kg_report_subject *subject, const char *directory,
                             struct kg_text *files, struct kg_error *err)
{
    char file[64], path[PATH_BYTES];
    const char *noted = NULL;
    for (size_t i = 0; i < kg_report_format_count; i++) {
        const struct kg_report_format *format = &kg_report_formats[i];
        if (!is_named(format, subject->results) || left_out(format, &noted))
            continue;
        snprintf(file, sizeof file, "results%s", format->ending);
        if (!path_make(directory, file, path, err))
            return false;
        if (kg_report_write(format, subject, path, err))
            kg_text_printf(files, ", %s", file);
        else if (!kg_report_is_empty(format, err))
            return false;
    }
    return true;
}

void kg_report_files_list(const char *directory, struct kg_text *text)
{
    char path[PATH_BYTES];
    struct kg_error ignored;
    for (size_t i = 0; i < kg_report_format_count; i++) {
        const char *file = kg_report_formats[i].file;
        if (file && path_make(directory, file, path, &ignored) && access(path, F_OK) == 0)
            kg_text_printf(text, "%s, ", file);
    }
    kg_text_printf(text, "%s, %s", data_files[0], data_files[1]);
}
