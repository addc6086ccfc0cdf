/* history_watch.c: `kgate history watch`: prints the suspected changes of this machine, and with --confirm their
 * decisions; gate/history_confirm.h does the work. */
#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "cli/history_parts.h"
#include "cli/progress_bar.h"
#include "gate/history_confirm.h"

enum { COMMIT_SHOWN = 12, NAME_SHOWN = 32 };

struct watch {
    const struct kg_arguments *arguments;
    const char *place; /* of the history */
    struct kg_arena arena;
    struct kg_prepared prepared;
    struct kg_history history;
    struct kg_confirmation *rows;
    size_t count;
    struct kg_progress_bar bar;
};

/* --- Lines ------------------------------------------------------------------------------------ */

static void commits_append(const struct kg_history_change *change, struct kg_text *text)
{
    if (!change->commit_before || !change->commit_after)
        return;
    kg_text_append(text, " (");
    kg_escape_terminal(text, change->commit_before, COMMIT_SHOWN);
    kg_text_append(text, "..");
    kg_escape_terminal(text, change->commit_after, COMMIT_SHOWN);
    kg_text_append(text, ")");
}

/* "pack/cpu time +5.0 % (v1.20..v1.21): confirmed, cause code: …" */
static void row_append(const struct kg_confirmation *row, struct kg_text *text)
{
    const struct kg_history_change *change = row->suspect->change;
    const struct kg_history_decision *decision = &row->decision;
    char ratio[KG_UNIT_BYTES];
    kg_escape_terminal(text, change->id_of_case, SIZE_MAX);
    kg_text_append(text, " ");
    kg_escape_terminal(text, change->metric, NAME_SHOWN);
    kg_text_printf(text, " %s", kg_change_format(change->ratio, ratio));
    commits_append(change, text);
    if (row->outcome == KG_CONFIRMING_DECIDED)
        kg_text_printf(text, ": %s, cause %s: ", decision->state, decision->cause);
    else
        kg_text_printf(text, ": suspected%s", row->reason ? ", " : "");
    if (row->outcome == KG_CONFIRMING_ABLE)
        kg_text_append(text, ", both builds are kept");
    const char *words = row->outcome == KG_CONFIRMING_DECIDED ? decision->proof : row->reason;
    if (words)
        kg_escape_terminal(text, words, SIZE_MAX);
    kg_text_append(text, "\n");
}

static void option_append(const char *name, const char *value, struct kg_text *text)
{
    if (!value)
        return;
    kg_text_printf(text, " %s ", name);
    kg_shell_quote(text, value);
}

/* The command that finds the commit of a confirmed regression among several. */
static void bisect_append(const struct watch *watch, const struct kg_confirmation *row,
                          struct kg_text *text)
{
    const struct kg_history_change *change = row->suspect->change;
    if (!row->is_regression || row->decision.culprit || !change->commit_before ||
        !change->commit_after)
        return;
    kg_text_append(text, "find the commit: kgate bisect ");
    kg_shell_quote(text, change->commit_before);
    kg_text_append(text, " ");
    kg_shell_quote(text, change->commit_after);
    option_append("-c", watch->arguments->suite, text);
    kg_text_append(text, " --case ");
    kg_shell_quote_glob(text, change->id_of_case);
    kg_text_append(text, " --build CMD\n");
}

/* The command that confirms the listed changes. */
static void command_append(const struct kg_arguments *arguments, struct kg_text *text)
{
    const struct {
        const char *name, *value;
    } options[] = {{"-c", arguments->suite},          {"-b", arguments->baseline},
                   {"--history", arguments->history}, {"--filter", arguments->filter},
                   {"--metric", arguments->metric},   {"--device", arguments->device},
                   {"--budget", arguments->budget}};
    kg_text_append(text, "confirm: kgate history watch --confirm");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        option_append(options[i].name, options[i].value, text);
    for (size_t i = 0; i < arguments->set.count; i++)
        option_append("--set", arguments->set.at[i], text);
    kg_text_append(text, "\n");
}

static bool json_print(const struct watch *watch, struct kg_error *err)
{
    struct kg_text text = {0};
    const bool good =
        kg_record_print(&kg_history_record, &watch->history, KG_HISTORY_SCHEMA, &text, err) &&
        kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

/* --- Listing ---------------------------------------------------------------------------------- */

static bool list(const struct watch *watch, struct kg_error *err)
{
    struct kg_text text = {0};
    size_t able = 0;
    if (watch->arguments->json)
        return json_print(watch, err);
    for (size_t i = 0; i < watch->count; i++) {
        row_append(&watch->rows[i], &text);
        able += watch->rows[i].outcome == KG_CONFIRMING_ABLE;
    }
    if (!watch->count)
        kg_text_append(&text, "no suspected changes of this suite on this machine\n");
    if (able)
        command_append(watch->arguments, &text);
    const bool good = kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

/* --- Confirming ------------------------------------------------------------------------------- */

/* Prints each outcome at once, since the next one may take minutes. A failure to print must not stop the decisions. */
static void outcome_print(void *user, const struct kg_confirmation *row)
{
    struct watch *watch = user;
    struct kg_text text = {0};
    struct kg_error ignored;
    kg_progress_bar_clear(&watch->bar);
    if (watch->arguments->json || (watch->arguments->quiet && !row->is_regression))
        return;
    row_append(row, &text);
    bisect_append(watch, row, &text);
    kg_print(&text, &ignored);
    kg_text_free(&text);
}

static bool confirm(struct watch *watch, double budget_ns, int *status, struct kg_error *err)
{
    const struct kg_prepared_suite what = kg_prepared_what(&watch->prepared);
    const struct kg_confirm_options options = {
        .history = watch->place,
        .store = kg_baseline_directory(watch->arguments),
        .budget_ns = budget_ns,
        .progress = kg_progress_bar_start(&watch->bar, watch->arguments),
        .done = outcome_print,
        .user = watch};
    int signal = 0;
    if (!watch->count)
        return list(watch, err);
    if (!kg_confirmations_run(&watch->arena, &what, &options, watch->rows, watch->count, &signal,
                              err) ||
        (watch->arguments->json && !json_print(watch, err)))
        return false;
    *status =
        signal ? kg_interrupted(signal, NULL) : kg_confirmations_status(watch->rows, watch->count);
    return true;
}

/* Leaves out the cases that --filter left out of the plan. */
static void rows_filter(struct watch *watch)
{
    size_t kept = 0;
    for (size_t i = 0; i < watch->count; i++)
        if (watch->rows[i].planned)
            watch->rows[kept++] = watch->rows[i];
    watch->count = kept;
}

static bool suspects_read(struct watch *watch, struct kg_history_database *database,
                          struct kg_error *err)
{
    const struct kg_prepared *prepared = &watch->prepared;
    const struct kg_prepared_suite what = kg_prepared_what(prepared);
    const struct kg_history_filter filter = {.suite = prepared->suite.name,
                                             .metric = watch->arguments->metric};
    struct kg_history_suspect *suspects;
    if (!kg_history_suspects(database, &filter, prepared->machine.fingerprint,
                             prepared->machine.host, &watch->history, &suspects, &watch->count,
                             err))
        return false;
    watch->rows = kg_confirmations_make(
        &watch->arena, &what, kg_baseline_directory(watch->arguments), suspects, watch->count);
    if (watch->arguments->filter)
        rows_filter(watch);
    return true;
}

bool kg_history_watch(const struct kg_arguments *arguments, const char *place,
                      struct kg_history_database *database, int *status, struct kg_error *err)
{
    struct watch watch = {.arguments = arguments, .place = place};
    double budget_ns;
    if (!kg_budget_option(arguments, &budget_ns, err) ||
        !kg_prepare(arguments, &watch.prepared, err))
        return false;
    const bool good =
        suspects_read(&watch, database, err) &&
        (arguments->confirm ? confirm(&watch, budget_ns, status, err) : list(&watch, err));
    kg_history_free(&watch.history);
    kg_prepared_free(&watch.prepared);
    kg_arena_free(&watch.arena);
    return good;
}
