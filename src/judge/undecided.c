#include "judge/undecided.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "judge/metric.h"

/* A new case has metrics only where budgets judge it, and is NEW still only where it meets them. */
static bool meets_budgets(const struct kg_case_change *change)
{
    return change->change == KG_CHANGE_NEW && change->metric_count;
}

static bool is_undecided(const struct kg_case_change *change)
{
    return change->change == KG_CHANGE_SUSPECT || change->change == KG_CHANGE_INCONCLUSIVE;
}

static bool is_compared(const struct kg_case_change *change)
{
    return meets_budgets(change) || is_undecided(change) ||
           change->change == KG_CHANGE_IMPROVEMENT || change->change == KG_CHANGE_REGRESSION ||
           change->change == KG_CHANGE_NO_CHANGE;
}

/* Whether the interval is all that leaves the metric open: not the clock, a busy machine, or a figure
 * that is missing. */
static bool open_by_interval(const struct kg_metric *metric)
{
    switch (metric->doubt) {
    case KG_DOUBT_MEAN:
    case KG_DOUBT_CALL_CPU:
    case KG_DOUBT_UNCONFIRMED:
    case KG_DOUBT_ALL_DISTURBED:
    case KG_DOUBT_UNPROVEN:
    case KG_DOUBT_EFFECT:
    case KG_DOUBT_NOISE:
    case KG_DOUBT_CROSSING:
        return true;
    default:
        return false;
    }
}

bool kg_change_not_worse(const struct kg_case_change *change)
{
    if (change->change != KG_CHANGE_INCONCLUSIVE || !change->metric_count)
        return false;
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        if (metric->change == KG_CHANGE_INCONCLUSIVE && !metric->unasked &&
            !(open_by_interval(metric) && kg_metric_not_worse(metric)))
            return false;
    }
    return true;
}

struct kg_decided kg_decided_count(const struct kg_comparison *comparison)
{
    const struct kg_change_counts *counts = &comparison->counts;
    size_t undecided = counts->suspect + counts->inconclusive, suspect = counts->suspect;
    size_t compared = counts->improvement + counts->regression + counts->no_change + undecided;
    size_t not_worse = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        compared += meets_budgets(change);
        if (change->waived == KG_WAIVER_NONE) {
            not_worse += kg_change_not_worse(change);
            continue;
        }
        undecided -= is_undecided(change);
        suspect -= change->change == KG_CHANGE_SUSPECT;
        if (change->waived == KG_WAIVER_UNTRUSTED && is_compared(change))
            compared--;
    }
    return (struct kg_decided){.compared = compared,
                               .measured = compared - comparison->not_measured,
                               .undecided = undecided - not_worse,
                               .not_worse = not_worse,
                               .suspect = suspect};
}

/* Undecided cases whose rounds waited too much to be compared at all. */
static size_t busy_count(const struct kg_comparison *comparison)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        count += is_undecided(change) && change->waived == KG_WAIVER_NONE &&
                 (!change->metric_count || change->metrics[0].doubt == KG_DOUBT_BUSY);
    }
    return count;
}

const char *kg_undecided_most(struct kg_comparison *comparison, const struct kg_decided *decided)
{
    const size_t suspect = decided->suspect, busy = busy_count(comparison);
    const size_t undecided = decided->undecided - busy, compared = decided->measured - busy;
    const char *worse = decided->not_worse ? ", and may be worse" : "";
    char others[96] = "";
    if (!undecided)
        return kg_arena_printf(&comparison->arena,
                               "%zu of %zu case%s could not be compared: the machine was too busy",
                               busy, decided->measured, decided->measured == 1 ? "" : "s");
    if (busy)
        snprintf(others, sizeof others,
                 ", and %zu other%s could not be compared: the machine was too busy", busy,
                 busy == 1 ? "" : "s");
    if (!suspect || suspect == undecided)
        return kg_arena_printf(&comparison->arena, "%zu of %zu compared case%s %s%s%s", undecided,
                               compared, compared == 1 ? " is" : "s are",
                               kg_change_name(suspect ? KG_CHANGE_SUSPECT : KG_CHANGE_INCONCLUSIVE),
                               worse, others);
    return kg_arena_printf(&comparison->arena, "%zu of %zu compared cases are %s or %s%s%s",
                           undecided, compared, kg_change_name(KG_CHANGE_SUSPECT),
                           kg_change_name(KG_CHANGE_INCONCLUSIVE), worse, others);
}

bool kg_undecided_is_new_pair(const struct kg_comparison *comparison,
                              const struct kg_results *current)
{
    return current->pair && comparison->counts.new_case;
}

const char *kg_undecided_nothing(struct kg_comparison *comparison, const char *missing)
{
    const struct kg_change_counts *counts = &comparison->counts;
    const struct {
        size_t count;
        const char *word;
    } words[] = {{counts->new_case, "new"},
                 {counts->skipped, "skipped"},
                 {counts->failed, "failed"},
                 {counts->removed, "removed"}};
    struct kg_text text = {0};
    const char *separator = ": ";
    kg_text_append(&text, "nothing was compared");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].count) {
            kg_text_printf(&text, "%s%zu %s", separator, words[i].count, words[i].word);
            separator = ", ";
        }
    if (missing)
        kg_text_printf(&text, "; %s", missing);
    const char *copy =
        text.failed ? NULL : kg_arena_copy(&comparison->arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

/* The metric was to be compared, the reference has it, and this run does not. */
static bool is_blank(const struct kg_metric *metric)
{
    return metric->doubt == KG_DOUBT_BUSY ||
           (metric->doubt == KG_DOUBT_UNCOUNTED && isfinite(metric->baseline));
}

static const struct kg_metric *blank_find(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++)
        if (is_blank(&change->metrics[m]))
            return &change->metrics[m];
    return NULL;
}

bool kg_change_blank(const struct kg_case_change *change)
{
    if (change->change == KG_CHANGE_NEW)
        return false;
    return blank_find(change) || (is_undecided(change) && !change->metric_count);
}

/* "prog/cpu was SKIPPED", "prog/cpu: the machine was too busy" */
static const char *missing_words(struct kg_arena *arena, const struct kg_case_change *change)
{
    const struct kg_metric *blank = blank_find(change);
    if (change->unpaired)
        return kg_arena_printf(arena, "%.300s was %s: %.300s", change->id,
                               kg_change_name(change->change), change->reason);
    if (!kg_change_blank(change))
        return kg_arena_printf(arena, "%.300s was %s", change->id, kg_change_name(change->change));
    if (blank && blank->doubt == KG_DOUBT_UNCOUNTED)
        return kg_arena_printf(arena, "%.300s has no %s", change->id, blank->name);
    return kg_arena_printf(arena, "%.300s: the machine was too busy", change->id);
}

const char *kg_undecided_missing(struct kg_comparison *comparison,
                                 const struct kg_case_change *first, size_t count)
{
    const char *words = missing_words(&comparison->arena, first);
    char more[48] = "";
    if (count > 1)
        snprintf(more, sizeof more, ", and %zu more", count - 1);
    if (!words)
        return NULL;
    return kg_arena_printf(&comparison->arena, "%zu %scase%s %s not %s: %s%s", count,
                           first->unpaired ? "" : "stored ", count == 1 ? "" : "s",
                           count == 1 ? "was" : "were",
                           kg_change_blank(first) ? "compared" : "measured", words, more);
}

const char *kg_undecided_unrecorded(struct kg_comparison *comparison, size_t count)
{
    enum { NAMED = 5 };
    struct kg_text text = {0};
    size_t named = 0;
    kg_text_append(&text, "NOT recorded: ");
    for (size_t i = 0; i < comparison->case_count && named < NAMED; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (!change->unrecorded || change->waived)
            continue;
        kg_text_printf(&text, "%s%.300s (%s)", named++ ? ", " : "", change->id,
                       change->change == KG_CHANGE_FAILED ? "it failed"
                       : comparison->complete             ? "the machine was too busy"
                                                          : "the run was interrupted");
    }
    if (count > named)
        kg_text_printf(&text, ", and %zu more", count - named);
    kg_text_printf(&text, "; run %s again", count == 1 ? "it" : "them");
    const char *copy =
        text.failed ? NULL : kg_arena_copy(&comparison->arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

const char *kg_undecided_device(struct kg_comparison *comparison, const struct kg_results *current,
                                const char *device)
{
    const char *reason = NULL;
    size_t count = 0;
    for (size_t i = 0; i < current->case_count; i++) {
        if (strcmp(current->cases[i].device, device) != 0)
            continue;
        count++;
        reason = reason ? reason : current->cases[i].reason;
    }
    return kg_arena_printf(&comparison->arena,
                           "no case on %s was measured: %zu skipped, the first because: %.200s "
                           "(`missing_device: undecided`)",
                           device, count, reason ? reason : "it gives no reason");
}

/* What settles a case, by its deciding metric's doubt. */
enum remedy {
    REMEDY_PAIRS,
    REMEDY_PROCESSES,
    REMEDY_REFRESH,
    REMEDY_FIGURE,
    REMEDY_QUIET,
    REMEDY_SEARCH
};

static enum remedy remedy_of(const struct kg_case_change *change)
{
    const struct kg_metric *metric = change->metrics;
    if (!change->metric_count || metric->doubt == KG_DOUBT_BUSY ||
        metric->doubt == KG_DOUBT_DISTURBED || metric->doubt == KG_DOUBT_ALL_DISTURBED)
        return REMEDY_QUIET; /* without a metric it is a pair that waited too much */
    if (metric->of_processes)
        return REMEDY_PROCESSES;
    if (metric->doubt == KG_DOUBT_UNCOUNTED || metric->doubt == KG_DOUBT_BUDGET_UNKNOWN)
        return REMEDY_FIGURE;
    if (metric->doubt == KG_DOUBT_UNSEEN || metric->doubt == KG_DOUBT_DRIFT)
        return REMEDY_SEARCH;
    return metric->doubt == KG_DOUBT_NOT_STORED ? REMEDY_REFRESH : REMEDY_PAIRS;
}

/* Whether the suite is UNDECIDED for want of figures alone, not for its intervals. */
static bool blanks_decide(const struct kg_decided *decided)
{
    return !decided->suspect && 2 * decided->undecided <= decided->measured;
}

/* The worst undecided case that pairs can settle, else the worst of all; NULL without any. If only
 * cases without figures leave the suite UNDECIDED: the worst of these. */
static const struct kg_case_change *worst_undecided(const struct kg_comparison *comparison,
                                                    const struct kg_decided *decided)
{
    const struct kg_case_change *worst = NULL;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (!is_undecided(change) || kg_change_not_worse(change) || change->waived ||
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

/* Of pairs, how many were measured and waited too long for a CPU to be judged, where that is most of them;
 * else 0. */
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

/* The option that gives more pairs, and what a reader has to fill in. */
struct more {
    char option[48]; /* "" if no option does */
    const char *fill_in;
};

/* Twice what there was: the budget, or the time that the fewest rounds took beyond it. */
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

/* How many pairs there may be is the suite's rounds.max, which results do not say. */
static struct more more_rounds(const struct kg_again *again)
{
    struct more more = {"--set rounds.max=N",
                        ", with N twice what the suite has (30 where it says nothing)"};
    if (!again)
        return more;
    snprintf(more.option, sizeof more.option, "--set rounds.max=%zu", 2 * again->rounds_most);
    more.fill_in = "";
    return more;
}

/* What ended the pairs decides what more of them takes: rounds.max, the budget, or the machine. */
static void pairs_append(const struct kg_case_change *worst, size_t undecided,
                         const struct kg_results *current, const struct kg_again *again,
                         struct kg_text *text)
{
    const bool paired = current->pair || worst->pairs; /* also those that a gate took by itself */
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
                       "%zu of %zu pairs of %.200s waited too long for a CPU and are not judged: "
                       "when less else runs on this machine, ",
                       disturbed, disturbed + worst->metrics[0].current_rounds, worst->id);
    kg_text_append(text, !paired     ? "settle it by pairs of both builds: "
                         : disturbed ? ""
                         : cut       ? "more pairs, which --budget left no time for: "
                                     : "more pairs: ");
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
    "measure again when less else runs on this machine (`kgate doctor` names the programs), or "
    "compare what a busy machine does not change (`metrics: [instructions]`), or judge every round "
    "(`disturbance: 100%`)";

/* Pairs of one code with itself would settle nothing. */
static void search_append(const struct kg_results *current, struct kg_text *text)
{
    kg_text_append(text, "measure again, or find out what else the case runs or reads");
    if (current->pair)
        return;
    kg_text_append(text, "; if it is the machine, ");
    refresh_append(current, text);
}

static void remedy_append(const struct kg_case_change *worst, size_t undecided,
                          const struct kg_results *current, const struct kg_again *again,
                          struct kg_text *text)
{
    switch (remedy_of(worst)) {
    case REMEDY_PAIRS:
        pairs_append(worst, undecided, current, again, text);
        return;
    case REMEDY_PROCESSES:
        kg_text_append(text, "record more processes of both, and join them with `cat`");
        return;
    case REMEDY_REFRESH:
        refresh_append(current, text);
        return;
    case REMEDY_FIGURE:
        kg_text_printf(text, "the case says what %s lacks: provide it, or take %s out of the suite",
                       worst->metrics[0].name, worst->metrics[0].name);
        return;
    case REMEDY_SEARCH:
        search_append(current, text);
        return;
    case REMEDY_QUIET:
        kg_text_append(text, QUIETER);
    }
}

/* Whether cases have rounds, and none that can be recorded or compared. */
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

/* Nothing was compared, or a stored case was not. */
static const char *nothing_next(const struct kg_comparison *comparison,
                                const struct kg_results *current)
{
    if (all_busy(current) || any_unrecorded(comparison))
        return QUIETER;
    if (any_unpaired(comparison))
        return "repair the build of the base, or find out why its program fails";
    if (kg_undecided_is_new_pair(comparison, current))
        return "these cases are new: they are compared once this change is merged";
    if (comparison->counts.removed && !comparison->counts.skipped)
        return "where that is meant, record what the suite is now: `kgate baseline record`";
    return comparison->counts.skipped && !comparison->counts.new_case
               ? "`kgate doctor` says what this machine has; each case says why it was skipped"
               : "`kgate baseline record` makes a baseline of five runs, `kgate gate "
                 "--update-missing` one of this run: the next one is compared with it";
}

static const char *next_make(struct kg_comparison *comparison, const struct kg_decided *decided,
                             const struct kg_results *current, const struct kg_again *again)
{
    const struct kg_case_change *worst = worst_undecided(comparison, decided);
    struct kg_text text = {0};
    if (!worst)
        return nothing_next(comparison, current);
    remedy_append(worst, decided->undecided, current, again, &text);
    const char *copy =
        text.failed ? NULL : kg_arena_copy(&comparison->arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

const char *kg_undecided_next(struct kg_comparison *comparison, const struct kg_decided *decided,
                              const struct kg_results *current)
{
    return next_make(comparison, decided, current, NULL);
}

bool kg_undecided_again(struct kg_comparison *comparison, const struct kg_results *current,
                        const struct kg_again *again)
{
    const struct kg_decided decided = kg_decided_count(comparison);
    if (comparison->verdict != KG_VERDICT_UNDECIDED || !comparison->complete)
        return true;
    comparison->next = next_make(comparison, &decided, current, again);
    return comparison->next != NULL;
}
