/* command_accept.c: `kgate accept` and `kgate quarantine` write the reviewed file beside a suite. Reads options and
 * prints lines; model/waivers.h defines the file. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/units.h"
#include "cli/cli.h"
#include "judge/waivers_apply.h"
#include "suite/waivers_file.h"

/* State of one command. */
struct accepting {
    const struct kg_arguments *arguments;
    enum kg_waiver_kind kind;
    const struct kg_prepared *prepared;
    const struct kg_comparison *measured; /* comparison of --from; NULL without --from */
    struct kg_arena arena;
    struct kg_waivers waivers;
    const char *by; /* NULL: unknown */
    struct kg_text lines;
    struct kg_error *err;
};

/* Returns the case with that id; NULL with the error if the suite lacks it. */
static const struct kg_case *case_find(struct accepting *accepting, const char *id)
{
    const struct kg_plan *plan = &accepting->prepared->plan;
    const char **ids = kg_arena_alloc(&accepting->arena, plan->case_count, sizeof *ids);
    for (size_t i = 0; i < plan->case_count; i++) {
        ids[i] = plan->cases[i].id;
        if (!strcmp(ids[i], id))
            return &plan->cases[i];
    }
    char meant[KG_MEANT_BYTES];
    kg_error_set(accepting->err, KG_ERROR_USAGE,
                 "the suite has no case '%.300s'%s; `kgate list -c %.300s` has them all", id,
                 kg_meant(meant, id, ids, plan->case_count), accepting->prepared->suite.path);
    return NULL;
}

/* Returns the compared metrics of a workload: kgate's own, then the workload's counters. The list lives in `arena`. */
static const char **compared_metrics(struct kg_arena *arena, const struct kg_workload_spec *spec,
                                     size_t *count)
{
    const char **names =
        kg_arena_alloc(arena, KG_METRIC_KINDS + spec->counter_count, sizeof *names);
    *count = 0;
    for (size_t kind = 0; kind < KG_METRIC_KINDS; kind++)
        if (spec->settings.metrics & 1u << kind)
            names[(*count)++] = kg_metric_kind_names[kind];
    for (size_t i = 0; names && i < spec->counter_count; i++)
        names[(*count)++] = spec->counters[i].name;
    return names;
}

static enum kg_better better_of(const struct kg_workload_spec *spec, const char *metric)
{
    for (size_t i = 0; i < spec->counter_count; i++)
        if (!strcmp(spec->counters[i].name, metric))
            return spec->counters[i].better;
    return kg_metric_rows[kg_metric_kind_find(metric)].better;
}

/* Sets an error about a wrong or missing --metric, with the possible metrics. */
static void metric_refuse(struct accepting *accepting, const char *given,
                          const struct kg_case *planned, const char *const *names, size_t count)
{
    const char *workload = planned->spec->name;
    struct kg_text message = {0};
    if (given && kg_metric_kind_find(given) == KG_METRIC_KINDS) {
        kg_text_printf(&message, "'%.60s' is not a metric of workload '%.100s'", given, workload);
        kg_suggest_append(&message, given, names, count, "compared");
    } else {
        if (given)
            kg_text_printf(
                &message, "workload '%.100s' does not compare '%.60s'; compared:", workload, given);
        else
            kg_text_printf(&message,
                           "workload '%.100s' compares several metrics, but not time: name one "
                           "with --metric; compared:",
                           workload);
        for (size_t i = 0; i < count; i++)
            kg_text_printf(&message, "%s %s", i ? "," : "", names[i]);
    }
    kg_error_set(accepting->err, KG_ERROR_USAGE, "%s", kg_text_string(&message));
    kg_text_free(&message);
}

/* Returns the metric of --metric, else `time` or the only compared metric. NULL with the error if that is ambiguous or
 * not compared. */
static const char *metric_find(struct accepting *accepting, const struct kg_case *planned)
{
    static const char time[] = "time";
    size_t count;
    const char *given = accepting->arguments->metric;
    const char **names = compared_metrics(&accepting->arena, planned->spec, &count);
    const char *only = count == 1 ? names[0] : kg_word_is_among(time, names, count) ? time : NULL;
    const char *metric = given ? given : only;
    if (metric && kg_word_is_among(metric, names, count))
        return metric;
    metric_refuse(accepting, given, planned, names, count);
    return NULL;
}

/* metric  source of the change; NULL: the user gave the change */
static void line_add(struct accepting *accepting, const struct kg_waiver *waiver,
                     const struct kg_metric *metric)
{
    struct kg_text *text = &accepting->lines;
    char change[KG_UNIT_BYTES];
    kg_accepted_line(waiver, text);
    if (metric)
        kg_text_printf(text, "; %s was measured%s", kg_change_format(metric->ratio, change),
                       kg_acceptable_bound(metric) == metric->ratio
                           ? ""
                           : ", and the accepted change is the end of its 95 % interval");
    kg_text_append(text, "\n");
}

static bool put(struct accepting *accepting, struct kg_waiver waiver,
                const struct kg_metric *metric)
{
    const struct kg_arguments *arguments = accepting->arguments;
    waiver.kind = accepting->kind;
    waiver.because = arguments->because;
    waiver.by = accepting->by;
    waiver.until = arguments->until;
    waiver.since = kg_timestamp(&accepting->arena);
    if (!kg_waivers_put(&accepting->waivers, &waiver, accepting->err))
        return false;
    line_add(accepting, &waiver, metric);
    return true;
}

/* Adds an entry for each metric of the case that the comparison of --from calls worse or suspects. */
static bool measured_put(struct accepting *accepting, const char *id)
{
    const struct kg_comparison *measured = accepting->measured;
    const char *baseline =
        measured->baseline_created
            ? kg_arena_printf(&accepting->arena, "%s on %s", measured->baseline_created,
                              measured->machine.fingerprint)
            : NULL;
    size_t count = 0;
    for (size_t i = 0; i < measured->case_count; i++) {
        const struct kg_case_change *change = &measured->cases[i];
        for (size_t m = 0; m < change->metric_count && !strcmp(change->id, id); m++) {
            const struct kg_metric *metric = &change->metrics[m];
            if (!kg_is_acceptable(change, metric) ||
                (accepting->arguments->metric &&
                 strcmp(accepting->arguments->metric, metric->name) != 0))
                continue;
            count++;
            const struct kg_waiver waiver = {.id = id,
                                             .metric = metric->name,
                                             .change = kg_acceptable_change(metric),
                                             .baseline = baseline};
            if (!put(accepting, waiver, metric))
                return false;
        }
    }
    return count ||
           kg_error_set(accepting->err, KG_ERROR_USAGE,
                        "in '%.300s' no metric of %.300s became worse: there is nothing to accept",
                        accepting->arguments->from, id);
}

/* Adds an entry for the given change, which must be a change for the worse. */
static bool change_put(struct accepting *accepting, const char *id, const char *metric,
                       enum kg_better better)
{
    double change;
    const struct kg_arguments *arguments = accepting->arguments;
    const bool higher = better == KG_BETTER_HIGHER;
    if (!kg_waiver_change_parse(arguments->change, &change))
        return kg_error_set(accepting->err, KG_ERROR_USAGE,
                            "--change is '%.60s', but must be a change such as +12%%",
                            arguments->change);
    if (higher == (change > 0))
        return kg_error_set(accepting->err, KG_ERROR_USAGE,
                            "--change is %.60s, but for %.100s %s is better: an improvement needs "
                            "no acceptance; did you mean %s%.60s?",
                            arguments->change, metric, higher ? "more" : "less", higher ? "-" : "+",
                            arguments->change + strspn(arguments->change, "+-"));
    return put(accepting, (struct kg_waiver){.id = id, .metric = metric, .change = change}, NULL);
}

static bool remove_one(struct accepting *accepting, const char *id)
{
    const char *metric = accepting->arguments->metric;
    if (!kg_waivers_remove(&accepting->waivers, accepting->kind, id, metric))
        return kg_error_set(accepting->err, KG_ERROR_USAGE,
                            "'%.300s' has no %s entry for %s%s%.300s", accepting->waivers.path,
                            kg_waiver_names[accepting->kind], metric ? metric : "",
                            metric ? " of " : "", id);
    kg_escape_terminal(&accepting->lines, id, 200);
    kg_text_append(&accepting->lines, ": removed\n");
    return true;
}

static bool case_do(struct accepting *accepting, const char *id)
{
    if (accepting->arguments->remove)
        return remove_one(accepting, id);
    const struct kg_case *planned = case_find(accepting, id);
    if (!planned)
        return false;
    if (accepting->kind == KG_WAIVER_QUARANTINED)
        return put(accepting, (struct kg_waiver){.id = id, .change = NAN}, NULL);
    if (accepting->measured && !accepting->arguments->metric)
        return measured_put(accepting, id);
    const char *metric = metric_find(accepting, planned);
    if (!metric)
        return false;
    return accepting->measured
               ? measured_put(accepting, id)
               : change_put(accepting, id, metric, better_of(planned->spec, metric));
}

/* --- Choice of the cases ---------------------------------------------------------------------- */

/* Unique ids. */
struct chosen {
    const char **ids;
    size_t count;
};

static bool choose(struct chosen *chosen, const char *id, const char *pattern)
{
    if (pattern && strcmp(pattern, id) != 0 && fnmatch(pattern, id, 0) != 0)
        return false;
    if (!kg_word_is_among(id, chosen->ids, chosen->count))
        chosen->ids[chosen->count++] = id;
    return true;
}

static bool is_worse(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++)
        if (kg_is_acceptable(change, &change->metrics[m]))
            return true;
    return false;
}

/* Chooses the cases that match: with --remove cases of the file, with --from worse cases, else cases of the suite.
 * pattern  NULL: all worse cases that are not accepted yet
 * returns  number of matches */
static size_t matches_choose(const struct accepting *accepting, const char *pattern,
                             struct chosen *chosen)
{
    const struct kg_waivers *waivers = &accepting->waivers;
    const struct kg_comparison *measured = accepting->measured;
    const struct kg_plan *plan = &accepting->prepared->plan;
    size_t matches = 0;
    if (accepting->arguments->remove) {
        for (size_t i = 0; i < waivers->count; i++)
            matches += waivers->waivers[i].kind == accepting->kind &&
                       choose(chosen, waivers->waivers[i].id, pattern);
        return matches;
    }
    for (size_t i = 0; measured && i < measured->case_count; i++)
        matches += is_worse(&measured->cases[i]) && (pattern || !measured->cases[i].waived) &&
                   choose(chosen, measured->cases[i].id, pattern);
    for (size_t i = 0; !measured && i < plan->case_count; i++)
        matches += choose(chosen, plan->cases[i].id, pattern);
    return matches;
}

/* A name without a wildcard is the id of a case. Later errors about ids are more precise. */
static bool operand_choose(struct accepting *accepting, const char *operand, struct chosen *chosen)
{
    if (!strpbrk(operand, "*?[")) {
        choose(chosen, operand, NULL);
        return true;
    }
    if (matches_choose(accepting, operand, chosen))
        return true;
    return accepting->measured
               ? kg_error_set(accepting->err, KG_ERROR_USAGE,
                              "'%.300s' has no case that became worse and matches '%.200s'",
                              accepting->arguments->from, operand)
               : kg_error_set(accepting->err, KG_ERROR_USAGE,
                              "no case of '%.300s' matches '%.200s'",
                              accepting->arguments->remove ? accepting->waivers.path
                                                           : accepting->prepared->suite.path,
                              operand);
}

static bool cases_choose(struct accepting *accepting, struct chosen *chosen)
{
    const struct kg_arguments *arguments = accepting->arguments;
    const size_t most = arguments->positional_count + accepting->waivers.count +
                        accepting->prepared->plan.case_count +
                        (accepting->measured ? accepting->measured->case_count : 0);
    *chosen = (struct chosen){.ids = kg_arena_alloc(&accepting->arena, most, sizeof *chosen->ids)};
    for (size_t i = 0; i < arguments->positional_count; i++)
        if (!operand_choose(accepting, arguments->positional[i], chosen))
            return false;
    return arguments->positional_count || matches_choose(accepting, NULL, chosen) ||
           kg_error_set(accepting->err, KG_ERROR_USAGE,
                        "'%.300s' has no case that became worse: there is nothing to accept",
                        arguments->from);
}

static bool list_check(const struct kg_arguments *arguments, struct kg_error *err)
{
    return !(arguments->positional_count || arguments->because || arguments->until ||
             arguments->change || arguments->from || arguments->metric || arguments->remove) ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "--list shows all entries: it takes no CASE and none of --because, "
                        "--until, --change, --from, --metric and --remove");
}

/* Checks for missing and conflicting options. */
static bool options_check(const struct kg_arguments *arguments, enum kg_waiver_kind kind,
                          struct kg_error *err)
{
    struct kg_arena arena = {0};
    const bool accepts = kind == KG_WAIVER_ACCEPTED;
    const char *today = kg_timestamp(&arena);
    bool good = true;
    if (arguments->list)
        good = list_check(arguments, err);
    else if (!arguments->positional_count && !arguments->from)
        good = kg_error_set(err, KG_ERROR_USAGE, "usage: kgate %s CASE...%s, or --list",
                            accepts ? "accept" : "quarantine",
                            accepts ? ", --from out/comparison.json" : "");
    else if (arguments->json)
        good = kg_error_set(err, KG_ERROR_USAGE, "--json is for --list");
    else if (arguments->remove)
        good = !(arguments->because || arguments->until || arguments->change || arguments->from) ||
               kg_error_set(err, KG_ERROR_USAGE,
                            "--remove takes no --because, --until, --change or --from");
    else if (!arguments->because)
        good = kg_error_set(err, KG_ERROR_USAGE,
                            "`kgate %s` needs --because TEXT: the reason, which reports show",
                            accepts ? "accept" : "quarantine");
    else if (arguments->until && !kg_waiver_day_is(arguments->until))
        good = kg_error_set(err, KG_ERROR_USAGE,
                            "--until is '%.60s', but must be a day, such as 2026-01-31",
                            arguments->until);
    else if (arguments->until && strncmp(arguments->until, today, 10) < 0)
        good = kg_error_set(err, KG_ERROR_USAGE, "--until is %.60s, which has passed",
                            arguments->until);
    else if (accepts && !arguments->change == !arguments->from)
        good = kg_error_set(err, KG_ERROR_USAGE,
                            "`kgate accept` needs the size of the change: --change +12%% or --from "
                            "out/comparison.json");
    kg_arena_free(&arena);
    return good;
}

static bool file_write(struct accepting *accepting)
{
    struct kg_text text = {0};
    kg_waivers_print(&accepting->waivers, &text);
    const bool good =
        kg_file_write(accepting->waivers.path, kg_text_string(&text), text.length, accepting->err);
    kg_text_free(&text);
    return good;
}

/* Writes entries for all cases, or nothing. */
static bool cases_do(struct accepting *accepting)
{
    const struct kg_arguments *arguments = accepting->arguments;
    const char *path = arguments->accepted
                           ? arguments->accepted
                           : kg_waivers_path(&accepting->arena, accepting->prepared->suite.path);
    if (!kg_waivers_load(path, &accepting->waivers, accepting->err))
        return false;
    if (!arguments->remove)
        kg_git_user(&accepting->arena, &accepting->by);
    if (accepting->by && !kg_waiver_text_is(accepting->by))
        accepting->by = NULL;
    struct chosen chosen;
    if (!cases_choose(accepting, &chosen))
        return false;
    for (size_t i = 0; i < chosen.count; i++)
        if (!case_do(accepting, chosen.ids[i]))
            return false;
    if (!file_write(accepting))
        return false;
    kg_escape_terminal(&accepting->lines, path, 300);
    kg_text_append(&accepting->lines, arguments->remove ? " is written: commit it\n"
                                                        : " is written: commit it, for a review\n");
    return arguments->quiet || kg_print(&accepting->lines, accepting->err);
}

static int run(const struct kg_arguments *arguments, enum kg_waiver_kind kind)
{
    struct kg_prepared prepared;
    struct kg_comparison measured = {0};
    struct kg_error err;
    if (!options_check(arguments, kind, &err) || !kg_prepare(arguments, &prepared, &err))
        return kg_fail(&err);
    struct accepting accepting = {.arguments = arguments,
                                  .kind = kind,
                                  .prepared = &prepared,
                                  .measured = arguments->from ? &measured : NULL,
                                  .err = &err};
    const bool good = arguments->list ? kg_accepted_list(arguments, kind, &prepared, &err)
                                      : (!arguments->from ||
                                         kg_comparison_load(arguments->from, &measured, &err)) &&
                                            cases_do(&accepting);
    kg_text_free(&accepting.lines);
    kg_waivers_free(&accepting.waivers);
    kg_arena_free(&accepting.arena);
    kg_comparison_free(&measured);
    kg_prepared_free(&prepared);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}

int kg_cli_accept(const struct kg_arguments *arguments)
{
    return run(arguments, KG_WAIVER_ACCEPTED);
}

int kg_cli_quarantine(const struct kg_arguments *arguments)
{
    return run(arguments, KG_WAIVER_QUARANTINED);
}
