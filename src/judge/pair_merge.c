#include "judge/pair_merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "judge/comparison_notes.h"
#include "judge/overall.h"
#include "judge/ranking.h"
#include "judge/reasons.h"
#include "judge/verdict.h"

static bool undecided(const struct kg_metric *metric)
{
    return metric->suspected || metric->change == KG_CHANGE_SUSPECT ||
           metric->change == KG_CHANGE_INCONCLUSIVE;
}

/* Whether the metric has values that may decide. kgate shows values from a busy machine, but does not judge them. */
static bool is_judged(const struct kg_metric *metric)
{
    return isfinite(metric->ratio) && metric->doubt != KG_DOUBT_BUSY;
}

static bool is_stored(const struct kg_metric *metric)
{
    return kg_metric_against(metric) == KG_AGAINST_BASELINE && is_judged(metric);
}

static bool is_ignored(const struct kg_metric *metric)
{
    return metric->unasked && metric->change == KG_CHANGE_INCONCLUSIVE;
}

bool kg_change_open(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++)
        if (is_stored(&change->metrics[m]) && undecided(&change->metrics[m]) &&
            !is_ignored(&change->metrics[m]))
            return true;
    return false;
}

bool kg_change_settled(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++)
        if (kg_metric_against(&change->metrics[m]) == KG_AGAINST_BASE &&
            undecided(&change->metrics[m]) && !is_ignored(&change->metrics[m]))
            return false;
    return change->pairs && !kg_change_open(change);
}

/* Marks the case's undecided metrics. A longer --budget might have decided them. */
static void case_cut(struct kg_arena *arena, struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++) {
        struct kg_metric *metric = &change->metrics[m];
        if (!undecided(metric) || kg_metric_against(metric) == KG_AGAINST_BUDGET)
            continue;
        metric->out_of_budget = true;
        kg_reason_make(arena, metric);
    }
    if (change->metric_count && change->change != KG_CHANGE_NEW)
        change->reason = change->metrics[0].reason;
}

void kg_comparison_cut(struct kg_comparison *comparison, const struct kg_baseline *baseline,
                       const struct kg_results *current, const bool *cut)
{
    for (size_t i = 0; i < comparison->case_count; i++) {
        struct kg_case_change *change = &comparison->cases[i];
        if (change->order < current->case_count && change->change != KG_CHANGE_REMOVED &&
            cut[change->order])
            case_cut(&comparison->arena, change);
    }
    kg_verdict_again(baseline, current, comparison);
}

size_t kg_comparison_tests(const struct kg_comparison *comparison)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++)
        for (size_t m = 0; m < comparison->cases[i].metric_count; m++)
            count += isnan(comparison->cases[i].metrics[m].p_value) ? 0 : 1;
    return count;
}

static const struct kg_metric *metric_find(const struct kg_case_change *pair, const char *name)
{
    for (size_t m = 0; m < pair->metric_count; m++)
        if (kg_metric_against(&pair->metrics[m]) == KG_AGAINST_BASE &&
            is_judged(&pair->metrics[m]) && !strcmp(pair->metrics[m].name, name))
            return &pair->metrics[m];
    return NULL;
}

/* Makes "decided by 40 paired rounds against the baseline's build (stored runs alone: +12.3 %)", then the reason of the
 * pairs. */
static const char *reason_make(struct kg_arena *arena, const struct kg_metric *metric,
                               double stored_ratio, size_t pairs, const char *build)
{
    char stored[KG_UNIT_BYTES];
    return kg_arena_printf(arena, "%s by %zu paired round%s against %s (stored runs alone: %s)%s%s",
                           undecided(metric) ? "not decided" : "decided", pairs,
                           pairs == 1 ? "" : "s", build, kg_change_format(stored_ratio, stored),
                           metric->reason ? "; " : "", metric->reason ? metric->reason : "");
}

/* Replaces a metric by the metric of its pairs. Copies all strings. */
static void metric_take(struct kg_arena *arena, struct kg_metric *metric,
                        const struct kg_metric *pair, size_t pairs, const char *build)
{
    const struct kg_metric stored = *metric;
    *metric = *pair;
    metric->history = stored.history;
    metric->history_count = stored.history_count;
    metric->name = kg_arena_keep(arena, pair->name);
    metric->against = kg_against_names[KG_AGAINST_BASE];
    metric->unit = kg_arena_keep(arena, pair->unit);
    metric->code = kg_arena_keep(arena, pair->code);
    metric->environment = kg_arena_keep(arena, pair->environment);
    metric->cause = kg_arena_keep(arena, pair->cause);
    metric->reason = reason_make(arena, pair, stored.ratio, pairs, build);
}

/* Adds to the reason why the pairs did not settle the metric: too many pairs waited for a CPU, so no value exists. */
static void unsettled_add(struct kg_arena *arena, struct kg_metric *metric,
                          const struct kg_case_change *pair, const char *build)
{
    metric->reason =
        kg_arena_printf(arena, "%s%snot decided by %zu paired round%s against %s: %s",
                        metric->reason ? metric->reason : "", metric->reason ? "; " : "",
                        pair->rounds, pair->rounds == 1 ? "" : "s", build,
                        pair->reason ? pair->reason : "they have no value of this metric");
}

/* The workload failed beside the other build, which counts as a failure of this run. */
static void failure_take(struct kg_arena *arena, struct kg_case_change *change,
                         const struct kg_case_change *pair)
{
    change->change = KG_CHANGE_FAILED;
    change->metric_count = 0;
    change->stderr_tail = kg_arena_keep(arena, pair->stderr_tail);
    change->reason = kg_arena_printf(arena, "in paired rounds: %s", pair->reason);
}

/* Input of kg_comparison_settle. */
struct settlement {
    const struct kg_results *current;
    const struct kg_comparison *pairs;
    const char *build; /* other build of the pairs, in words */
};

/* A metric that differs from the stored runs, while the two builds do not differ. */
struct drift {
    size_t cases;
    const char *id;
    const char *metric;
    double ratio;
};

/* Whether the difference exceeds the threshold and the smallest effect that counts. */
static bool has_drifted(const struct kg_metric *stored, const struct kg_metric *pair)
{
    return pair->change == KG_CHANGE_NO_CHANGE &&
           fabs(log(stored->ratio)) > log1p(stored->asked_threshold) &&
           fabs(stored->current - stored->baseline) > stored->min_effect;
}

/* Counts the case. Keeps the data of the case farthest from the stored runs. */
static void drift_add(struct drift *drift, const struct drift *found)
{
    const size_t cases = drift->cases + 1;
    if (!drift->id || fabs(log(found->ratio)) > fabs(log(drift->ratio)))
        *drift = *found;
    drift->cases = cases;
}

static bool is_worse(const struct kg_metric *metric)
{
    return (metric->ratio > 1) == (metric->better == KG_BETTER_LOWER);
}

/* Whether the candidate's value in pairs is also worse than the stored runs. A burst of load that covered only the
 * gate's own rounds has ended by then. */
static bool lasts(const struct kg_metric *stored, const struct kg_metric *pair)
{
    const double above = 1 + stored->asked_threshold;
    return stored->better == KG_BETTER_LOWER ? pair->current > above * stored->baseline
                                             : above * pair->current < stored->baseline;
}

static bool is_accused(const struct kg_metric *metric)
{
    return (metric->change == KG_CHANGE_REGRESSION || metric->change == KG_CHANGE_SUSPECT) &&
           is_worse(metric);
}

/* Whether the stored runs accuse the metric and the pairs would let it pass. */
static bool is_hidden(const struct kg_metric *stored, const struct kg_metric *pair)
{
    return is_accused(stored) && !is_accused(pair) && lasts(stored, pair);
}

/* Whether the stored runs accuse the metric, and the pairs look worse without proof. */
static bool both_lean(const struct kg_metric *stored, const struct kg_metric *pair)
{
    return is_accused(stored) && pair->change == KG_CHANGE_INCONCLUSIVE && is_worse(pair) &&
           fabs(log(pair->ratio)) > log1p(pair->asked_threshold);
}

/* Whether kgate hashed all code that the case runs, so that pairs compare all of it. If code loads, starts or reads
 * more, both sides of a pair use today's files. */
static bool is_closed(const struct kg_case_result *result)
{
    return result->code.hash && result->code.scope == KG_CODE_WITH_LIBRARIES;
}

/* Keeps the stored values, because pairs cannot show why the values differ. */
static void hidden_add(struct kg_arena *arena, struct kg_metric *metric, size_t pairs,
                       const char *build)
{
    char ratio[KG_UNIT_BYTES];
    metric->cause = kg_arena_printf(
        arena,
        "%s against the stored runs, but not in %zu paired round%s against %s. Likely cause: the "
        "machine, the environment, or code or files that both builds load today",
        kg_change_format(metric->ratio, ratio), pairs, pairs == 1 ? "" : "s", build);
    metric->reason = metric->cause;
    metric->change = KG_CHANGE_SUSPECT;
    metric->doubt = KG_DOUBT_DRIFT;
    metric->suspected = false;
}

/* Notes cases that pass although something became slower: the two builds are alike. */
static void drift_note_add(struct kg_comparison *comparison, const struct drift *drift,
                           const char *build)
{
    char ratio[KG_UNIT_BYTES], more[48] = "";
    if (!drift->cases)
        return;
    if (drift->cases > 1)
        snprintf(more, sizeof more, " and %zu more case%s", drift->cases - 1,
                 drift->cases == 2 ? "" : "s");
    const char *note =
        kg_arena_printf(&comparison->arena,
                        "%.200s (%s %s)%s differ%s from the stored runs, but not from %s in paired "
                        "rounds. Likely cause: the machine, or files that the program reads",
                        drift->id, drift->metric, kg_change_format(drift->ratio, ratio), more,
                        drift->cases == 1 ? "s" : "", build);
    kg_comparison_note(comparison, note);
}

static void case_settle(struct kg_arena *arena, struct kg_case_change *change,
                        const struct kg_case_change *pair, const struct settlement *settlement,
                        struct drift *drift)
{
    const char *build = settlement->build;
    const bool closed = is_closed(&settlement->current->cases[change->order]);
    struct drift found = {.id = NULL};
    if (pair->change == KG_CHANGE_FAILED) {
        failure_take(arena, change, pair);
        return;
    }
    if (pair->change == KG_CHANGE_SKIPPED || !pair->rounds)
        return;
    for (size_t m = 0; m < change->metric_count; m++) {
        struct kg_metric *metric = &change->metrics[m];
        if (!is_stored(metric))
            continue;
        const struct kg_metric *other = metric_find(pair, metric->name);
        if (!undecided(metric) && (!other || undecided(other)))
            continue;
        if (other && !closed && is_hidden(metric, other)) {
            hidden_add(arena, metric, pair->rounds, build);
            continue;
        }
        if (other && !found.id && has_drifted(metric, other))
            found =
                (struct drift){.id = change->id, .metric = metric->name, .ratio = metric->ratio};
        const bool suspect = other && both_lean(metric, other);
        if (other)
            metric_take(arena, metric, other, pair->rounds, build);
        else
            unsettled_add(arena, metric, pair, build);
        if (suspect)
            metric->change = KG_CHANGE_SUSPECT;
    }
    if (found.id)
        drift_add(drift, &found);
    change->pairs = pair->rounds;
    kg_case_decide(change);
    change->reason = change->metrics[0].reason;
}

static int by_id(const void *a, const void *b)
{
    return strcmp((*(struct kg_case_change *const *)a)->id,
                  (*(struct kg_case_change *const *)b)->id);
}

static void cases_settle(struct kg_comparison *comparison, const struct settlement *settlement,
                         struct drift *drift)
{
    const struct kg_comparison *pairs = settlement->pairs;
    const size_t count = comparison->case_count;
    struct kg_case_change **sorted = kg_alloc(count + 1, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &comparison->cases[i];
    qsort(sorted, count, sizeof *sorted, by_id);
    for (size_t i = 0; i < pairs->case_count; i++) {
        const struct kg_case_change *pair = &pairs->cases[i];
        struct kg_case_change **found = bsearch(&pair, sorted, count, sizeof *sorted, by_id);
        if (found)
            case_settle(&comparison->arena, *found, pair, settlement, drift);
    }
    free(sorted);
}

/* kg_verdict_decide expects a comparison without a verdict. */
static void verdict_clear(struct kg_comparison *comparison)
{
    comparison->verdict = KG_VERDICT_PASS;
    comparison->exit_status = KG_EXIT_PASS;
    comparison->verdict_reason_count = 0;
    comparison->note_count = 0;
    comparison->next = NULL;
}

void kg_comparison_settle(struct kg_comparison *comparison, const struct kg_baseline *baseline,
                          const struct kg_results *current, const struct kg_comparison *pairs,
                          const char *build)
{
    const struct settlement settlement = {current, pairs, build};
    struct drift drift = {0};
    cases_settle(comparison, &settlement, &drift);
    verdict_clear(comparison);
    kg_cases_rank(comparison);
    kg_verdict_decide(baseline, current, comparison);
    drift_note_add(comparison, &drift, build);
    kg_overall_make(comparison);
}
