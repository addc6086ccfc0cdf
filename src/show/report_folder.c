/* files.c: the files that a comparison leaves in a folder. */
#include <stdio.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "show/formats.h"
#include "show/page.h"
#include "show/plots/gnuplot.h"

enum { PATH_BYTES = 4096 };

/* What each report of a suite's `reports` is: a format of `kgate report`, and the file that it goes to.
 * To add one: its kind in model/policy.h, and its rows here; of a kind there may be several. */
static const struct report {
    enum kg_report_kind kind;
    const char *schema; /* of what it is made from */
    const char *file;
} reports[] = {
    {KG_REPORT_MARKDOWN, KG_COMPARISON_SCHEMA, "report.md"},
    {KG_REPORT_JUNIT, KG_COMPARISON_SCHEMA, "junit.xml"},
    {KG_REPORT_GITHUB, KG_COMPARISON_SCHEMA, "annotations.txt"},
    {KG_REPORT_CSV, KG_COMPARISON_SCHEMA, "comparison.csv"},
    {KG_REPORT_CSV, KG_RESULTS_SCHEMA, "results.csv"},
    {KG_REPORT_OPENMETRICS, KG_COMPARISON_SCHEMA, "comparison.prom"},
    {KG_REPORT_OPENMETRICS, KG_RESULTS_SCHEMA, "results.prom"},
    {KG_REPORT_HTML, KG_COMPARISON_SCHEMA, "report.html"}, /* has the results too */
    {KG_REPORT_PNG, KG_COMPARISON_SCHEMA, "comparison.png"},
    {KG_REPORT_PNG, KG_RESULTS_SCHEMA, "results.png"},
    {KG_REPORT_SVG, KG_COMPARISON_SCHEMA, "comparison.svg"},
    {KG_REPORT_SVG, KG_RESULTS_SCHEMA, "results.svg"},
};
enum { REPORTS = sizeof reports / sizeof *reports };

/* Written whatever the suite names, and what a gate measured. */
static const char *const data_files[] = {"comparison.json", "suggestions.json"};
static const char *const measured_files[] = {"results.json", "base.json", "head.json"};
enum {
    DATA_FILES = sizeof data_files / sizeof *data_files,
    MEASURED_FILES = sizeof measured_files / sizeof *measured_files
};

/* A file may name no reports. */
static bool is_asked_for(const struct report *report, const struct kg_comparison *comparison,
                         const struct kg_results *results)
{
    const unsigned usual = 1u << KG_REPORT_MARKDOWN | 1u << KG_REPORT_JUNIT;
    const unsigned asked = comparison->policy.reports ? comparison->policy.reports : usual;
    return asked & 1u << report->kind &&
           (results || !kg_schema_is(report->schema, KG_RESULTS_SCHEMA));
}

/* What a report needs that not every machine or build has: one without is no failure of a gate. */
static const char no_gnuplot[] = "there is no gnuplot (Debian and Ubuntu: gnuplot-nox)";
static const struct need {
    enum kg_report_kind kind;
    const char *why;
} needs[] = {
    {KG_REPORT_HTML, "this kgate was built without the page"},
    {KG_REPORT_PNG, no_gnuplot},
    {KG_REPORT_SVG, no_gnuplot},
};

/* Why a report of that kind cannot be made here; NULL: it can. */
static const char *missing(enum kg_report_kind kind)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].kind == kind &&
            !(kind == KG_REPORT_HTML ? *kg_page_template != '\0' : kg_gnuplot_there()))
            return needs[i].why;
    return NULL;
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

/* --- What an earlier gate measured ------------------------------------------------------------ */

/* Measuring again costs more than a mistyped option should; nobody takes a file of that name for
 * what the gate that runs now has measured. */
#define PREVIOUS ".previous"

static const char *data_file(size_t index)
{
    return index < DATA_FILES ? data_files[index] : measured_files[index - DATA_FILES];
}

/* false: a path is too long. */
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

/* All or none are kept: those of two gates side by side would be taken for one's. */
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
        unlink(path); /* where it could not be renamed */
        kg_file_sweep(path);
    }
    return true;
}

bool kg_report_files_begin(const char *directory, bool measures, int *lock, struct kg_error *err)
{
    *lock = -1;
    bool good =
        kg_directory_make(directory, err) && (!measures || kg_directory_lock(directory, lock, err));
    for (size_t i = 0; i < REPORTS && good; i++)
        good = file_remove(directory, reports[i].file, measures, err);
    for (size_t i = 0; i < DATA_FILES && good && !measures; i++)
        good = file_remove(directory, data_files[i], false, err);
    return good && (!measures || data_put_aside(directory, err));
}

void kg_report_files_end(const char *directory)
{
    struct kg_error ignored; /* what is left is known by its name */
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
    struct kg_error ignored; /* why there is no report is more than that there is none */
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
        kg_text_printf(&text, "\nWhat the gate before measured is kept: `%s`.\n",
                       kg_text_string(&previous));
    kg_text_free(&previous);
    if (!text.failed && path_make(directory, reports[0].file, path, &ignored))
        kg_file_write(path, kg_text_string(&text), text.length, &ignored);
    kg_text_free(&text);
}

/* A picture of nothing is no failure, and needs no note. */
static bool is_empty_picture(const struct report *report, const struct kg_error *err)
{
    return (report->kind == KG_REPORT_PNG || report->kind == KG_REPORT_SVG) &&
           err->kind == KG_ERROR_USAGE;
}

static bool report_write(const struct report *report, const struct kg_report_subject *subject,
                         const char *directory, struct kg_error *err)
{
    char path[PATH_BYTES];
    struct kg_file_writing writing;
    struct kg_report_subject own = *subject;
    if (kg_schema_is(report->schema, KG_RESULTS_SCHEMA))
        own.comparison = NULL;
    const struct kg_report_format *format =
        kg_report_format_find(report->schema, kg_report_names[report->kind], err);
    if (!format || !path_make(directory, report->file, path, err) ||
        !kg_file_begin(&writing, path, err))
        return false;
    const bool good =
        kg_report_print(format, &own, writing.file, err) || kg_file_blame(&writing, err);
    const bool ended = kg_file_end(&writing, good, err);
    return good ? ended : is_empty_picture(report, err);
}

/* Says once why reports of a kind are left out; true: this one is. */
static bool left_out(const struct report *report, const char **said)
{
    const char *why = missing(report->kind);
    if (why && why != *said)
        fprintf(stderr, "kgate: note: no report as %s: %s\n", kg_report_names[report->kind], why);
    if (why)
        *said = why;
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

/* "no report.md" */
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
    const char *said = NULL;
    subject.top = KG_REPORT_TOP_USUAL;
    if (given->suggestions)
        file_take(advice, suggestions_write(given->suggestions, directory, &err), data_files[1],
                  &err);
    for (size_t i = 0; i < REPORTS; i++)
        if (is_asked_for(&reports[i], given->comparison, given->results) &&
            !left_out(&reports[i], &said))
            file_take(advice, report_write(&reports[i], &subject, directory, &err), reports[i].file,
                      &err);
    if (advice->notes)
        kg_advice_take(advice, kg_report_comparison_write(given->comparison, directory, &err),
                       "comparison.json lacks the last notes", &err);
}

void kg_report_files_list(const char *directory, struct kg_text *text)
{
    char path[PATH_BYTES];
    struct kg_error ignored;
    for (size_t i = 0; i < REPORTS; i++)
        if (path_make(directory, reports[i].file, path, &ignored) && access(path, F_OK) == 0)
            kg_text_printf(text, "%s, ", reports[i].file);
    kg_text_printf(text, "%s, %s", data_files[0], data_files[1]);
}
