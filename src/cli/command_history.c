/* command_history.c: `kgate history`: reads options and prints; judge/history/history.h does the work. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/units.h"
#include "cli/history_parts.h"
#include "judge/history/history_audit.h"
#include "show/formats.h"

/* A command with its database. */
struct session {
    const struct kg_arguments *arguments;
    struct kg_history_database *database;
    const char *place;           /* of the database */
    const char *const *operands; /* after the action */
    size_t operand_count;
    int *status; /* of the program, if the action succeeds */
};

static struct kg_history_filter filter_of(const struct session *session, size_t last)
{
    const struct kg_arguments *arguments = session->arguments;
    return (struct kg_history_filter){
        .suite = arguments->only_suite,
        .metric = arguments->metric,
        .machine = arguments->machine,
        .refuted = arguments->all || arguments->machine,
        .last = arguments->last == KG_LAST_UNSET ? last : (size_t)arguments->last};
}

/* Whether the history knows the names of the options. */
static bool names_check(const struct session *session, struct kg_error *err)
{
    const struct kg_history_filter filter = filter_of(session, 0);
    return kg_history_filter_check(session->database, &filter, err);
}

/* The file of --output; NULL: standard output. */
static const char *file_of(const struct kg_arguments *arguments)
{
    return arguments->output && strcmp(arguments->output, "-") != 0 ? arguments->output : NULL;
}

/* Prints the rows in the format that the user asks for. */
static bool rows_print(const struct session *session, const struct kg_history *history,
                       struct kg_error *err)
{
    const struct kg_arguments *arguments = session->arguments;
    const char *name = arguments->json && !arguments->format ? "json" : arguments->format;
    const struct kg_report_format *format = kg_report_format_find(KG_HISTORY_SCHEMA, name, err);
    struct kg_report_subject subject = {
        .history = history,
        .style = kg_style(arguments),
        .top = arguments->top == KG_TOP_UNSET ? KG_REPORT_TOP_USUAL : (size_t)arguments->top};
    if (!format)
        return false;
    if (!file_of(arguments))
        return kg_report_print(format, &subject, stdout, err);
    kg_style_for_file(&subject.style);
    return kg_report_write(format, &subject, arguments->output, err);
}

/* --- Writing ---------------------------------------------------------------------------------- */

static bool outcome_print(const struct session *session, const struct kg_history_outcome *outcome,
                          const char *verb, struct kg_error *err)
{
    struct kg_text text = {0};
    if (session->arguments->quiet)
        return true;
    kg_text_printf(&text, "%s %zu run%s with %zu point%s %s ", verb, outcome->runs,
                   outcome->runs == 1 ? "" : "s", outcome->points, outcome->points == 1 ? "" : "s",
                   *verb == 'r' ? "from" : "to");
    kg_text_append(&text, kg_history_name(session->database));
    if (outcome->present)
        kg_text_printf(&text, "; %zu %s there already", outcome->present,
                       outcome->present == 1 ? "was" : "were");
    if (outcome->late)
        kg_text_printf(&text, "; %zu %s older than a run in the history: change detection skips %s",
                       outcome->late, outcome->late == 1 ? "is" : "are",
                       outcome->late == 1 ? "it" : "them");
    if (outcome->changes)
        kg_text_printf(&text, "; found %zu change%s: `kgate history changes`", outcome->changes,
                       outcome->changes == 1 ? "" : "s");
    if (outcome->nodes)
        kg_text_printf(&text, "; %zu suspect node%s: `kgate history changes`", outcome->nodes,
                       outcome->nodes == 1 ? "" : "s");
    if (*outcome->note)
        kg_text_printf(&text, "; %s", outcome->note);
    kg_text_append(&text, "\n");
    const bool good = kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static bool results_add(const struct session *session, const char *const *paths, size_t count,
                        struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct kg_history_add_options options = {.commit = kg_history_commit_ask};
    if (!kg_builds_option(session->arguments, KG_BUILDS_MOST_DEFAULT, &options.builds_most, err))
        return false;
    if (options.builds_most > 0)
        options.store = kg_baseline_directory(session->arguments);
    const char *kind = session->arguments->kind;
    const size_t found =
        kind ? kg_word_index(kind, kg_history_kind_names, KG_HISTORY_KINDS) : KG_HISTORY_COMMIT;
    if (found == KG_HISTORY_KINDS)
        return kg_error_unknown(err, kind, kg_history_kind_names, KG_HISTORY_KINDS,
                                "--kind has no '%.60s'", kind);
    options.kind = (enum kg_history_kind)found;
    return kg_history_add(session->database, paths, count, &options, outcome, err);
}

static bool add(const struct session *session, struct kg_error *err)
{
    struct kg_history_outcome outcome;
    return results_add(session, session->operands, session->operand_count, &outcome, err) &&
           outcome_print(session, &outcome, "added", err);
}

/* Copies the whole history of another place. */
static bool place_import(const struct session *session, struct kg_history_outcome *outcome,
                         struct kg_error *err)
{
    struct kg_history_database *from;
    const bool good = kg_history_open(session->operands[0], KG_HISTORY_READ, &from, err) &&
                      kg_history_copy(from, session->database, outcome, err);
    kg_history_close(from);
    return good;
}

/* All files are of the kind of the first. */
static bool import(const struct session *session, struct kg_error *err)
{
    struct kg_history_outcome outcome;
    const bool good =
        kg_history_is_place(session->operands[0]) ? place_import(session, &outcome, err)
        : kg_history_csv_begins(session->operands[0])
            ? kg_history_import(session->database, session->operands, session->operand_count,
                                &outcome, err)
            : results_add(session, session->operands, session->operand_count, &outcome, err);
    return good && outcome_print(session, &outcome, "added", err);
}

static bool prune(const struct session *session, struct kg_error *err)
{
    const struct kg_arguments *arguments = session->arguments;
    struct kg_history_outcome outcome;
    const bool keeps = arguments->keep != KG_KEEP_UNSET && arguments->keep;
    const bool one = arguments->run && *arguments->run;
    const struct kg_history_filter filter = filter_of(session, 0);
    if (keeps == one || (keeps && arguments->machine))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "`kgate history prune` needs --keep N: the number of newest runs to "
                            "keep for each suite and machine, at least 1; or --run TIME: the "
                            "run to remove, as `kgate history list` prints it, or its hash");
    return (one ? kg_history_run_prune(session->database, arguments->run, &filter, &outcome, err)
                : kg_history_prune(session->database, (size_t)arguments->keep,
                                   arguments->only_suite, &outcome, err)) &&
           outcome_print(session, &outcome, "removed", err);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static bool list(const struct session *session, struct kg_error *err)
{
    struct kg_history history = {0};
    const struct kg_history_filter filter = filter_of(session, KG_HISTORY_RUNS_DEFAULT);
    const bool good = kg_history_runs(session->database, &filter, &history, err) &&
                      rows_print(session, &history, err);
    kg_history_free(&history);
    return good;
}

static bool show(const struct session *session, struct kg_error *err)
{
    struct kg_history history = {0};
    struct kg_history_filter filter = filter_of(session, KG_HISTORY_RUNS_DEFAULT);
    filter.which = session->operands[0];
    history.here = kg_history_here_ask(&history.arena);
    const bool good = kg_history_show(session->database, &filter, &history, err) &&
                      rows_print(session, &history, err);
    kg_history_free(&history);
    return good;
}

static bool changes(const struct session *session, struct kg_error *err)
{
    struct kg_history history = {0};
    const struct kg_history_filter filter = filter_of(session, 0);
    const bool good = kg_history_changes(session->database, &filter, &history, err) &&
                      kg_history_nodes(session->database, &filter, &history, err) &&
                      rows_print(session, &history, err);
    kg_history_free(&history);
    return good;
}

/* Prints the audits alone: the rows behind them are many. */
static bool audit(const struct session *session, struct kg_error *err)
{
    enum { ROUNDS = 5 };
    struct kg_history history = {0};
    struct kg_history_filter filter = filter_of(session, KG_HISTORY_RUNS_DEFAULT);
    double alpha;
    filter.refuted = true; /* they are false alarms */
    bool good = kg_history_alpha(session->arguments, &alpha, err) &&
                kg_history_show(session->database, &filter, &history, err);
    if (good) {
        kg_history_audit(&history, alpha, ROUNDS);
        history.run_count = history.series_count = history.change_count = 0;
        good = rows_print(session, &history, err);
    }
    kg_history_free(&history);
    return good;
}

static bool csv_export(const struct session *session, struct kg_error *err)
{
    const struct kg_history_filter filter = filter_of(session, 0);
    struct kg_file_writing writing;
    if (!file_of(session->arguments))
        return kg_history_export(session->database, &filter, stdout, err);
    if (!kg_file_begin(&writing, session->arguments->output, err))
        return false;
    const bool good = kg_history_export(session->database, &filter, writing.file, err) ||
                      kg_error_wrap(err, "'%.300s'", session->arguments->output);
    return kg_file_end(&writing, good, err);
}

static bool json_export(const struct session *session, struct kg_error *err)
{
    struct kg_history history = {0};
    struct kg_text text = {0};
    const struct kg_history_filter filter = filter_of(session, 0);
    const bool good =
        kg_history_show(session->database, &filter, &history, err) &&
        kg_record_print(&kg_history_record, &history, KG_HISTORY_SCHEMA, &text, err) &&
        kg_output(session->arguments, &text, err);
    kg_text_free(&text);
    kg_history_free(&history);
    return good;
}

static bool export_rows(const struct session *session, struct kg_error *err)
{
    static const char *const names[] = {"csv", "json", "prior"};
    const char *format = session->arguments->format;
    if (session->arguments->json && !format)
        format = "json";
    if (!format || !strcmp(format, "csv"))
        return csv_export(session, err);
    if (!strcmp(format, "prior"))
        return kg_history_prior_write(session->arguments, session->database, err);
    return !strcmp(format, "json")
               ? json_export(session, err)
               : kg_error_unknown(err, format, names, 3, "--format has no '%.60s'", format);
}

static bool watch(const struct session *session, struct kg_error *err)
{
    return kg_history_watch(session->arguments, session->place, session->database, session->status,
                            err);
}

/* --- Actions ---------------------------------------------------------------------------------- */

static const struct action {
    const char *name;
    bool (*run)(const struct session *session, struct kg_error *err);
    enum kg_history_access access;
    size_t operands_least, operands_most;
    const char *operands;
} actions[] = {
    {"add", add, KG_HISTORY_WRITE, 1, KG_OPERANDS_ANY, "RESULTS.json..."},
    {"list", list, KG_HISTORY_READ, 0, 0, ""},
    {"show", show, KG_HISTORY_READ, 1, 1, "CASE"},
    {"changes", changes, KG_HISTORY_READ, 0, 0, ""},
    {"audit", audit, KG_HISTORY_READ, 0, 0, ""},
    {"watch", watch, KG_HISTORY_READ, 0, 0, ""},
    {"export", export_rows, KG_HISTORY_READ, 0, 0, ""},
    {"import", import, KG_HISTORY_WRITE, 1, KG_OPERANDS_ANY, "FILE..."},
    {"prune", prune, KG_HISTORY_CHANGE, 0, 0, ""},
};
enum { ACTION_COUNT = sizeof actions / sizeof *actions };

/* Whether the action takes the given options. */
static bool options_check(const struct kg_arguments *arguments, const struct action *action,
                          struct kg_error *err)
{
    const struct {
        const char *option;
        bool given;
        const char *takers; /* names of the actions that take it */
    } rows[] = {
        {"--kind", arguments->kind, "add import"},
        {"--keep", arguments->keep != KG_KEEP_UNSET, "prune"},
        {"--run", arguments->run, "prune"},
        {"--format", arguments->format, "list show changes audit export"},
        {"--metric", arguments->metric, "show changes audit watch"},
        {"--last", arguments->last != KG_LAST_UNSET, "list show audit export"},
        {"--top", arguments->top != KG_TOP_UNSET, "show audit"},
        {"--machine", arguments->machine, "list show changes audit export prune"},
        {"--output", arguments->output, "list show changes audit export"},
        {"--json", arguments->json, "list show changes audit watch export"},
        {"--all", arguments->all, "show changes export"},
        {"--confirm", arguments->confirm, "watch"},
        {"--budget", arguments->budget, "watch"},
        {"--filter", arguments->filter, "watch"},
        {"--device", arguments->device, "watch"},
        {"--set", arguments->set.count > 0, "watch"},
        {"--baseline", arguments->baseline, "add import watch export"},
        {"--keep-builds", arguments->keep_builds, "add import"},
        {"--only-suite", arguments->only_suite, "list show changes audit export prune"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given && !strstr(rows[i].takers, action->name))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "`kgate history %s` takes no %s. These actions take it: %s",
                                action->name, rows[i].option, rows[i].takers);
    return true;
}

/* Whether the place has a history to import. */
static bool place_check(const struct kg_arguments *arguments, const char *place, size_t operands,
                        struct kg_error *err)
{
    struct kg_history_database *database;
    if (arguments->kind)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "`import` of a database takes no --kind: its runs keep their kinds");
    if (operands > 1)
        return kg_error_set(err, KG_ERROR_USAGE, "`import` takes one database, and no other file");
    const bool good = kg_history_open(place, KG_HISTORY_READ, &database, err);
    kg_history_close(database);
    return good;
}

/* By content, or by name if the file is no JSON of kgate. */
static bool is_csv(const char *path)
{
    char schema[64];
    struct kg_error unread;
    return kg_history_csv_begins(path) ||
           (kg_string_ends(path, ".csv") && access(path, R_OK) == 0 &&
            !kg_schema_peek(path, schema, &unread));
}

static bool csv_check(const struct action *action, const char *path, struct kg_error *err)
{
    if (action->run != import)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "'%.300s' has no results; `kgate history import` reads CSV files",
                            path);
    return kg_history_csv_begins(path) ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "'%.300s' does not begin like a CSV file of `kgate history export`", path);
}

/* Checks the input files before an action makes a database for them. */
static bool inputs_check(const struct kg_arguments *arguments, const struct action *action,
                         const char *const *paths, size_t count, struct kg_error *err)
{
    char schema[64];
    const bool reads = action->run == add || action->run == import;
    for (size_t i = 0; reads && i < count; i++) {
        if (is_csv(paths[i])) {
            if (!csv_check(action, paths[i], err))
                return false;
            continue;
        }
        if (action->run == import && kg_history_is_place(paths[i])) {
            if (!place_check(arguments, paths[i], count, err))
                return false;
            continue;
        }
        if (!kg_schema_peek(paths[i], schema, err))
            return false;
        if (!kg_schema_is(KG_RESULTS_SCHEMA, schema))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "'%.300s' is a file of %.60s, and a history takes results of `run` "
                                "and `gate`",
                                paths[i], schema);
    }
    return true;
}

static bool action_run(const struct kg_arguments *arguments, const struct action *action,
                       int *status, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct session session = {.arguments = arguments,
                              .operands = arguments->positional + 1,
                              .operand_count = arguments->positional_count - 1,
                              .status = status};
    if (session.operand_count < action->operands_least ||
        session.operand_count > action->operands_most)
        return kg_error_set(err, KG_ERROR_USAGE, "usage: kgate history %s%s%s [options]",
                            action->name, *action->operands ? " " : "", action->operands);
    const bool good =
        options_check(arguments, action, err) &&
        inputs_check(arguments, action, session.operands, session.operand_count, err) &&
        kg_history_place(arguments, &arena, &session.place, err) &&
        kg_history_open(session.place, action->access, &session.database, err) &&
        names_check(&session, err) && action->run(&session, err);
    kg_history_close(session.database);
    kg_arena_free(&arena);
    return good;
}

int kg_cli_history(const struct kg_arguments *arguments)
{
    const char *names[ACTION_COUNT], *wanted = arguments->positional[0];
    struct kg_error err;
    int status = KG_EXIT_PASS;
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        names[i] = actions[i].name;
        if (!strcmp(wanted, names[i]))
            return action_run(arguments, &actions[i], &status, &err) ? status : kg_fail(&err);
    }
    kg_error_unknown(&err, wanted, names, ACTION_COUNT, "`kgate history` has no action '%.60s'",
                     wanted);
    return kg_fail(&err);
}
