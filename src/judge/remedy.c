/* remedy.c: how to settle an UNDECIDED comparison: by pairs, more runs, a quieter machine or a fresh baseline. The
 * reason code of a case's deciding metric selects its remedy. The sentence names the command for the worst case. */
#include "judge/undecided.h"

#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "judge/metric.h"

/* Remedy of a case, by the reason code of its deciding metric. */
enum remedy {
    REMEDY_PAIRS,
    REMEDY_PROCESSES,
    REMEDY_REFRESH,
    REMEDY_FIGURE,
    REMEDY_QUIET,
    REMEDY_SEARCH,
    REMEDY_NODE
};

static enum remedy remedy_of(const struct kg_case_change *change)
{
    const struct kg_metric *metric = change->metrics;
    if (!change->metric_count || metric->doubt == KG_DOUBT_BUSY ||
        metric->doubt == KG_DOUBT_DISTURBED || metric->doubt == KG_DOUBT_ALL_DISTURBED)
        return REMEDY_QUIET; /* a case without metrics is a pair that waited too long */
    if (metric->of_processes)
        return REMEDY_PROCESSES;
    if (metric->doubt == KG_DOUBT_UNCOUNTED || metric->doubt == KG_DOUBT_BUDGET_UNKNOWN)
        return REMEDY_FIGURE;
    if (metric->doubt == KG_DOUBT_NODE)
        return REMEDY_NODE;
    if (metric->doubt == KG_DOUBT_UNSEEN || metric->doubt == KG_DOUBT_DRIFT)
        return REMEDY_SEARCH;
    return metric->doubt == KG_DOUBT_NOT_STORED ? REMEDY_REFRESH : REMEDY_PAIRS;
}

/* Whether the suite is UNDECIDED only because values are missing, and not because of intervals. */
static bool blanks_decide(const struct kg_decided *decided)
{
    return !decided->suspect && 2 * decided->undecided <= decided->measured;
}

/* Returns the worst undecided case that pairs can settle, else the worst undecided case, else NULL. If only missing
 * values make the suite UNDECIDED, considers only cases with missing values. */
static const struct kg_case_change *worst_undecided(const struct kg_comparison *comparison,
                                                    const struct kg_decided *decided)
{
    const struct kg_case_change *worst = NULL;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (!kg_change_undecided(change) || kg_change_not_worse(change) || change->waived ||
            (blanks_decide(decided) && !change->missing))
            continue;
        if (remedy_of(change) == REMEDY_PAIRS)
            return change;
        worst = worst ? worst : change;
    }
    return worst;
}

static void suite_append(const struct kg_results *current, struct kg_text *text)
{
    const bool known = current->suite_path && *current->suite_path;
    kg_shell_quote(text, known ? current->suite_path : "SUITE");
}

/* Number of pairs that are not judged because they waited too long for a CPU; 0 unless they are the majority. */
static size_t disturbed_pairs(const struct kg_case_change *worst, const struct kg_results *current)
{
    const struct kg_metric *metric = worst->metrics;
    const size_t taken = worst->confirming_rounds ? worst->confirming_rounds : worst->rounds;
    const bool judged = current->pair && kg_metric_kind_find(metric->name) == KG_METRIC_TIME;
    return judged && 2 * metric->current_rounds < taken ? taken - metric->current_rounds : 0;
}

/* "kgate ab -c suite.yaml --base BASE --head HEAD --filter gemm/cpu" */
static void command_append(const struct kg_case_change *worst, size_t undecided,
                           const struct kg_results *current, const struct kg_again *again,
                           struct kg_text *text)
{
    if (again) {
        kg_text_append(text, again->command);
    } else {
        kg_text_append(text, "kgate ab -c ");
        suite_append(current, text);
        kg_text_append(text, " --base BASE --head HEAD");
    }
    if (undecided == 1 && !(again && (again->is_filtered || current->case_count == 1))) {
        kg_text_append(text, " --filter ");
        kg_shell_quote_glob(text, worst->id);
    }
}

/* The option that gives more pairs, and the values that the reader must fill in. */
struct more {
    char option[48]; /* "" if no option helps */
    const char *fill_in;
};

/* Suggests twice the time: twice the budget, or twice the elapsed time if the minimum rounds exceeded the budget. */
static struct more more_time(const struct kg_results *current, const struct kg_again *again)
{
    struct more more = {"--budget TIME", ", with a longer TIME"};
    if (!again || !isfinite(again->budget_ns))
        return more;
    const double ns = 2 * fmax(again->budget_ns, current->elapsed_ns);
    const bool is_short = ns < 10e9;
    snprintf(more.option, sizeof more.option, "--budget %.0f%s", ceil(ns / (is_short ? 1e6 : 1e9)),
             is_short ? "ms" : "s");
    more.fill_in = "";
    return more;
}

/* The suite's rounds.max limits the number of pairs. The results do not contain it. */
static struct more more_rounds(const struct kg_again *again)
{
    struct more more = {"--set rounds.max=N",
                        ", with N twice the suite's rounds.max (default: 30)"};
    if (!again)
        return more;
    snprintf(more.option, sizeof more.option, "--set rounds.max=%zu", 2 * again->rounds_most);
    more.fill_in = "";
    return more;
}

/* The remedy depends on why the pairs ended: rounds.max, the budget or the machine. */
static void pairs_append(const struct kg_case_change *worst, size_t undecided,
                         const struct kg_results *current, const struct kg_again *again,
                         struct kg_text *text)
{
    /* includes pairs that a gate took on its own */
    const bool paired = current->pair || worst->pairs;
    const size_t disturbed = disturbed_pairs(worst, current);
    const bool cut = paired && worst->metrics[0].out_of_budget;
    const bool has_budget = again && isfinite(again->budget_ns);
    struct more more = {"", ""};
    if (cut)
        more = more_time(current, again);
    else if (paired && !disturbed && !has_budget)
        more = more_rounds(again);
    if (disturbed)
        kg_text_printf(text,
                       "%zu of %zu paired rounds of %.200s waited too long for a CPU and do not "
                       "count. When the machine is idle, ",
                       disturbed, disturbed + worst->metrics[0].current_rounds, worst->id);
    kg_text_append(text, !paired     ? "decide it with paired rounds of both builds: "
                         : disturbed ? ""
                         : cut       ? "--budget ended too early, take more paired rounds: "
                                     : "more paired rounds: ");
    if (again && !again->command) {
        if (*more.option)
            kg_text_printf(text, "give `%s`", more.option);
        else
            kg_text_append(text, "run this job again");
        return;
    }
    kg_text_append(text, "`");
    command_append(worst, undecided, current, again, text);
    kg_text_printf(text, "%s%s`%s", *more.option ? " " : "", more.option, more.fill_in);
}

static void refresh_append(const struct kg_results *current, struct kg_text *text)
{
    kg_text_append(text, "refresh the baseline: `kgate baseline record -c ");
    suite_append(current, text);
    kg_text_append(text, " -b DIR`");
}

static const char QUIETER[] =
    "measure again when the machine is idle (`kgate doctor` names the programs). A busy machine "
    "can compare `--set metrics=instructions` or judge every round (`--set disturbance=100%`)";

/* Pairs of identical code would settle nothing. */
static void search_append(const struct kg_results *current, struct kg_text *text)
{
    kg_text_append(text, "measure again, or find other code or files that the case uses");
    if (current->pair)
        return;
    kg_text_append(text, "; if the machine changed, ");
    refresh_append(current, text);
}

static void node_append(const struct kg_case_change *worst, struct kg_text *text)
{
    kg_text_printf(text,
                   "measure shard %zu again on another machine than %.100s, then `kgate merge`",
                   worst->shard, worst->node ? worst->node : "this one");
}

/* Whether `kgate import` made the results. They have no suite, so kgate cannot measure their cases. */
static bool is_imported(const struct kg_results *current)
{
    return !current->pair && !(current->suite_path && *current->suite_path);
}

static void remedy_append(const struct kg_case_change *worst, size_t undecided,
                          const struct kg_results *current, const struct kg_again *again,
                          struct kg_text *text)
{
    switch (remedy_of(worst)) {
    case REMEDY_PAIRS:
        if (is_imported(current))
            kg_text_append(text, "run both builds more often, and import all files of a build at "
                                 "once: each file is one round (of hyperfine: each run)");
        else
            pairs_append(worst, undecided, current, again, text);
        return;
    case REMEDY_PROCESSES:
        kg_text_append(text,
                       "record more processes of both sides, and join the recordings with `cat`");
        return;
    case REMEDY_REFRESH:
        refresh_append(current, text);
        return;
    case REMEDY_FIGURE:
        kg_text_printf(text,
                       "%s has no value, for the reason that the case gives. Provide it, or remove "
                       "%s from the suite",
                       worst->metrics[0].name, worst->metrics[0].name);
        return;
    case REMEDY_SEARCH:
        search_append(current, text);
        return;
    case REMEDY_NODE:
        node_append(worst, text);
        return;
    case REMEDY_QUIET:
        kg_text_append(text, QUIETER);
    }
}

/* Whether some cases have rounds, but no case can be recorded or compared. */
static bool all_busy(const struct kg_results *current)
{
    size_t busy = 0;
    for (size_t i = 0; i < current->case_count; i++) {
        if (current->cases[i].status == KG_STATUS_OK)
            return false;
        busy += current->cases[i].status == KG_STATUS_UNMEASURED && current->cases[i].round_count;
    }
    return busy > 0;
}

static bool any_unpaired(const struct kg_comparison *comparison)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        if (comparison->cases[i].unpaired)
            return true;
    return false;
}

static bool any_unrecorded(const struct kg_comparison *comparison)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        if (comparison->cases[i].unrecorded)
            return true;
    return false;
}

/* Next step if nothing was compared, or a stored case was not. */
static const char *nothing_next(const struct kg_comparison *comparison,
                                const struct kg_results *current)
{
    if (all_busy(current) || any_unrecorded(comparison))
        return QUIETER;
    if (any_unpaired(comparison))
        return "repair the baseline build, or find out why its program fails";
    if (kg_undecided_is_new_pair(comparison, current))
        return "these cases are new: they are compared once this change is merged";
    if (comparison->counts.of[KG_CHANGE_REMOVED] && comparison->counts.of[KG_CHANGE_SKIPPED])
        return "if you removed cases on purpose, run `kgate baseline record`. Each skipped case "
               "has its reason; `kgate doctor` lists the devices";
    if (comparison->counts.of[KG_CHANGE_REMOVED])
        return "if you removed these cases on purpose, run `kgate baseline record`";
    return comparison->counts.of[KG_CHANGE_SKIPPED] && !comparison->counts.of[KG_CHANGE_NEW]
               ? "`kgate doctor` lists the devices of this machine; each skipped case has its "
                 "reason"
               : "record a baseline: `kgate baseline record` (five runs) or `kgate gate "
                 "--update-missing` (one run)";
}

/* Returns the next shard with MISSING cases after shard `last`; 0: none. */
static size_t missing_after(const struct kg_comparison *comparison, size_t last)
{
    size_t next = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (change->change == KG_CHANGE_MISSING && change->shard > last &&
            (!next || change->shard < next))
            next = change->shard;
    }
    return next;
}

/* Next step if shards have no results: "measure shard 3, 7 again, then merge again". */
static const char *missing_next(struct kg_comparison *comparison)
{
    enum { NAMED = 8 };
    struct kg_text text = {0};
    size_t named = 0;
    kg_text_append(&text, "measure shard");
    for (size_t shard = missing_after(comparison, 0); shard && named <= NAMED;
         shard = missing_after(comparison, shard)) {
        if (named < NAMED)
            kg_text_printf(&text, "%s %zu", named ? "," : "", shard);
        named++;
    }
    kg_text_printf(&text, "%s again, then merge again", named > NAMED ? " and others" : "");
    const char *copy = named ? kg_arena_copy(&comparison->arena, kg_text_string(&text))
                             : "measure the missing cases, then merge again";
    kg_text_free(&text);
    return copy;
}

static const char *next_make(struct kg_comparison *comparison, const struct kg_decided *decided,
                             const struct kg_results *current, const struct kg_again *again)
{
    const struct kg_case_change *worst = worst_undecided(comparison, decided);
    struct kg_text text = {0};
    if (comparison->counts.of[KG_CHANGE_MISSING])
        return missing_next(comparison);
    if (!worst)
        return nothing_next(comparison, current);
    remedy_append(worst, decided->undecided, current, again, &text);
    const char *copy = kg_arena_copy(&comparison->arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

const char *kg_undecided_next(struct kg_comparison *comparison, const struct kg_decided *decided,
                              const struct kg_results *current)
{
    return next_make(comparison, decided, current, NULL);
}

void kg_undecided_again(struct kg_comparison *comparison, const struct kg_results *current,
                        const struct kg_again *again)
{
    const struct kg_decided decided = kg_decided_count(comparison);
    if (kg_undecided_is_open(comparison))
        comparison->next = next_make(comparison, &decided, current, again);
}
