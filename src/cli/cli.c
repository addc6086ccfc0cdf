#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "base/units.h"
#include "base/wrap.h"
#include "judge/baseline_store.h"

static const char USUAL[] = "out"; /* folder of the reports without --output */

int kg_fail(const struct kg_error *err)
{
    struct kg_text text = {0};
    kg_text_append(&text, "kgate: ");
    if (err->path[0]) {
        kg_escape_terminal(&text, err->path, sizeof err->path);
        if (err->line)
            kg_text_printf(&text, ":%u", err->line);
        if (err->line && err->column)
            kg_text_printf(&text, ":%u", err->column);
        kg_text_append(&text, ": ");
    }
    kg_escape_terminal(&text, err->message, sizeof err->message);
    fprintf(stderr, "%s\n", kg_text_string(&text));
    kg_text_free(&text);
    if (err->kind == KG_ERROR_INTERRUPTED && kg_interrupt_caught())
        return KG_EXIT_SIGNAL + kg_interrupt_caught();
    return err->kind == KG_ERROR_NOTHING     ? KG_EXIT_PASS
           : err->kind == KG_ERROR_USAGE     ? KG_EXIT_USAGE
           : err->kind == KG_ERROR_UNDECIDED ? KG_EXIT_NO_VERDICT
                                             : KG_EXIT_FAILED;
}

const char *kg_output_directory(const struct kg_arguments *arguments)
{
    return arguments->output ? arguments->output : USUAL;
}

int kg_cli_reported(const struct kg_arguments *arguments,
                    int (*run)(const struct kg_arguments *arguments, const char *directory,
                               void *user),
                    void *user)
{
    int lock;
    struct kg_error err;
    const char *directory = kg_output_directory(arguments);
    if (!kg_report_files_begin(directory, true, &lock, &err))
        return kg_fail(&err);
    const int status = run(arguments, directory, user);
    kg_report_files_end(directory);
    kg_file_unlock(lock);
    return status;
}

int kg_interrupted(int signal, const char *path)
{
    fprintf(stderr, "kgate: interrupted%s%s\n", path ? "; the measured rounds are in " : "",
            path ? path : "");
    return KG_EXIT_SIGNAL + signal;
}

int kg_fail_reported(const char *directory, const struct kg_error *err)
{
    const int status = kg_fail(err);
    struct kg_text text = {0};
    if (!directory || err->kind == KG_ERROR_NOTHING)
        return status;
    if (kg_report_files_previous(directory, &text))
        fprintf(stderr, "kgate: note: the files of the previous gate are kept in %s: %s\n",
                directory, kg_text_string(&text));
    kg_text_free(&text);
    kg_report_files_fail(directory, err);
    return status;
}

int kg_fail_unread(enum kg_reports reports, const char *output, const struct kg_error *err)
{
    const bool measures = reports == KG_REPORTS_MEASURED;
    const char *directory = output ? output : measures && access(USUAL, F_OK) == 0 ? USUAL : NULL;
    /* if the folder belongs to someone else, the error is still about the command line */
    struct kg_error ignored;
    int lock;
    if (reports == KG_REPORTS_NONE || !directory ||
        !kg_report_files_begin(directory, measures, &lock, &ignored))
        return kg_fail(err);
    const int status = kg_fail_reported(directory, err);
    kg_file_unlock(lock);
    return status;
}

bool kg_print(const struct kg_text *text, struct kg_error *err)
{
    return kg_file_print(stdout, text, err);
}

bool kg_output(const struct kg_arguments *arguments, const struct kg_text *text,
               struct kg_error *err)
{
    if (!arguments->output || !strcmp(arguments->output, "-"))
        return kg_print(text, err);
    return kg_file_write(arguments->output, kg_text_string(text), text->length, err);
}

/* Returns the columns of the terminal, at least 40; 0 if unknown. */
static size_t columns(void)
{
    enum { FEWEST = 40 };
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col >= FEWEST ? size.ws_col : size.ws_col ? FEWEST : 0;
}

struct kg_report_style kg_style(const struct kg_arguments *arguments)
{
    /* longer ids would break the lines on a terminal */
    enum { ID_ON_TERMINAL_MOST = 72, BESIDE_ID = 12 };
    const bool on_terminal = isatty(STDOUT_FILENO);
    const size_t width = on_terminal ? columns() : 0;
    const size_t room = width ? width - BESIDE_ID : ID_ON_TERMINAL_MOST;
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return (struct kg_report_style){
        .colour =
            on_terminal && !(no_colour && *no_colour) && !(terminal && !strcmp(terminal, "dumb")),
        .id_most = !on_terminal                 ? 0
                   : room < ID_ON_TERMINAL_MOST ? room
                                                : ID_ON_TERMINAL_MOST,
        .width = width,
        .top = arguments->top == KG_TOP_UNSET ? 10 : (size_t)arguments->top,
        .quiet = arguments->quiet,
        .verbose = arguments->verbose,
    };
}

void kg_style_for_file(struct kg_report_style *style)
{
    style->colour = false;
    style->id_most = 0;
    style->width = 0;
}

uint64_t kg_keep_option(const struct kg_arguments *arguments)
{
    return arguments->keep == KG_KEEP_UNSET ? KG_BASELINE_KEEP_DEFAULT : arguments->keep;
}

bool kg_builds_option(const struct kg_arguments *arguments, double otherwise, double *bytes,
                      struct kg_error *err)
{
    uint64_t given;
    *bytes = otherwise;
    if (!arguments->keep_builds)
        return true;
    if (!strcmp(arguments->keep_builds, "0")) {
        *bytes = 0;
        return true;
    }
    if (!kg_size_parse(arguments->keep_builds, &given))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--keep-builds is '%.60s', but must be a size, for example 500MB",
                            arguments->keep_builds);
    *bytes = (double)given;
    return true;
}

void kg_builds_outcome_text(const struct kg_builds_outcome *outcome, struct kg_text *text)
{
    char size[KG_UNIT_BYTES];
    if (*outcome->problem)
        kg_text_printf(text, "builds are not kept: %s\n", outcome->problem);
    if (outcome->kept)
        kg_text_printf(text, "kept %zu build%s; all that are kept take %s\n", outcome->kept,
                       outcome->kept == 1 ? "" : "s", kg_size_format(outcome->bytes, size));
    if (outcome->changed)
        kg_text_printf(text, "not kept, because the file changed after the measurement: %s%s\n",
                       outcome->first_changed, outcome->changed > 1 ? ", and more" : "");
    if (outcome->large)
        kg_text_printf(text, "not kept, because there is no room (--keep-builds): %s%s\n",
                       outcome->first_large, outcome->large > 1 ? ", and more" : "");
    if (outcome->removed_history)
        kg_text_printf(text, "removed %zu build%s of a history to make room (--keep-builds)\n",
                       outcome->removed_history, outcome->removed_history == 1 ? "" : "s");
}

bool kg_budget_option(const struct kg_arguments *arguments, double *ns, struct kg_error *err)
{
    char text[64];
    const char *given = arguments->budget ? arguments->budget : "";
    const size_t length = strlen(given);
    *ns = INFINITY;
    if (!arguments->budget)
        return true;
    /* "5m" means five minutes here, since nobody means milliseconds; suites write "5min" */
    snprintf(text, sizeof text, "%s%s", given, length && given[length - 1] == 'm' ? "in" : "");
    const bool is_time = kg_duration_parse(text, ns);
    if (is_time && *ns > 0)
        return true;
    if (is_time)
        return kg_error_set(err, KG_ERROR_USAGE, "--budget is '%.60s', but must be more than 0",
                            arguments->budget);
    return kg_error_set(err, KG_ERROR_USAGE,
                        "--budget is '%.60s', but must be a time with its unit, such as 5m or 90s",
                        arguments->budget);
}

bool kg_comparison_advised(const struct kg_comparison *comparison,
                           const struct kg_arguments *arguments)
{
    const struct kg_report_style style = kg_style(arguments);
    return !arguments->json && kg_report_comparison_advised(comparison, &style);
}

bool kg_comparison_summary(const struct kg_comparison *comparison,
                           const struct kg_suggestions *suggestions,
                           const struct kg_arguments *arguments, struct kg_text *text,
                           struct kg_error *err)
{
    const struct kg_report_style style = kg_style(arguments);
    if (arguments->json)
        return kg_record_print(&kg_comparison_record, comparison, KG_COMPARISON_SCHEMA, text, err);
    kg_report_comparison(comparison, suggestions, &style, text);
    return true;
}

void kg_option_append(struct kg_text *text, const char *name, const char *value)
{
    if (!value)
        return;
    kg_text_printf(text, " %s ", name);
    kg_shell_quote(text, value);
}

const char *kg_baseline_directory(const struct kg_arguments *arguments)
{
    return arguments->baseline ? arguments->baseline : KG_BASELINES;
}

const char *kg_baselines_named(const struct kg_arguments *arguments)
{
    return arguments->baseline && strcmp(arguments->baseline, KG_BASELINES) != 0
               ? arguments->baseline
               : NULL;
}

void kg_reports_line(const struct kg_arguments *arguments, const char *directory, const char *more,
                     struct kg_text *text)
{
    struct kg_text files = {0};
    kg_text_printf(&files, "%s/", directory);
    kg_report_files_list(directory, &files);
    kg_text_append(&files, more);
    kg_wrap(text, "  reports: ", kg_text_string(&files), kg_style(arguments).width);
    kg_text_free(&files);
}

bool kg_results_summary(const struct kg_arguments *arguments, const struct kg_results *results,
                        struct kg_error *err)
{
    struct kg_text text = {0};
    const struct kg_report_style style = kg_style(arguments);
    bool good = true;
    if (arguments->json)
        good = kg_record_print(&kg_results_record, results, KG_RESULTS_SCHEMA, &text, err);
    else
        kg_report_results(results, &style, &text);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    return good;
}
