#include "judge/waivers_apply.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "base/statistics/stats.h"
#include "base/units.h"
#include "judge/comparison_notes.h"
#include "judge/ranking.h"
#include "judge/reference.h"
#include "judge/verdict.h"
#include "model/change.h"

enum {
    RUNS_LEAST = 3,
    RUNS_MOST = 100,
    DAY_LENGTH = 10,
    PROPOSED_MOST = 4,
    ENTRIES_NOTED_MOST = 3
};

struct waiver_pass {
    struct kg_comparison *comparison;
    const struct kg_baseline *baseline;
    const struct kg_results *current;
    const struct kg_waiving *waiving;
    /* whether entries exist, or enough runs for the instability of a case; else there is no index */
    bool any;
    struct kg_reference_index index;
    struct kg_arena scratch;
    size_t proposed;
};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double kg_instability(const double *medians, size_t count, double *room)
{
    double steps[RUNS_MOST];
    const size_t last = count < RUNS_MOST ? count : RUNS_MOST;
    if (last < RUNS_LEAST)
        return NAN;
    medians += count - last;
    const double middle = kg_median_of(medians, last, room);
    for (size_t i = 1; i < last; i++)
        steps[i - 1] = fabs(medians[i] - medians[i - 1]);
    qsort(steps, last - 1, sizeof *steps, by_value);
    return steps[(last - 2) / 2] / middle;
}

/* --- Stored runs ------------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* Medians of the case's time in the last `most` ordinary runs newer than `since` (NULL: all), oldest first. An accepted
 * change starts the case's history again, so earlier runs do not count. */
static void medians_find(struct waiver_pass *pass, const struct kg_case_result *result,
                         const char *since, size_t most, double *medians, size_t *count)
{
    size_t known;
    const struct kg_reference_entry *entries = kg_reference_find(&pass->index, result->id, &known);
    const char *accepted = known ? entries[known - 1].stored->accepted : NULL;
    *count = 0;
    for (size_t e = known; e-- > 0 && *count < most;) {
        const struct kg_baseline_run *run = &pass->baseline->runs[entries[e].run];
        const struct kg_baseline_case *stored = entries[e].stored;
        const struct kg_baseline_series *time = kg_baseline_series_find(
            stored, kg_metric_kind_names[KG_METRIC_TIME], KG_SERIES_OF_ROUNDS);
        if (run->pin || !time || !same_text(stored->accepted, accepted) ||
            strcmp(stored->definition_hash, result->definition_hash) != 0 ||
            (since && strcmp(run->created, since) <= 0))
            continue;
        double *room = kg_arena_alloc(&pass->scratch, time->value_count, sizeof *room);
        medians[(*count)++] = kg_median_of(time->values, time->value_count, room);
    }
    for (size_t i = 0; i < *count / 2; i++) {
        const double swapped = medians[i];
        medians[i] = medians[*count - 1 - i];
        medians[*count - 1 - i] = swapped;
    }
}

static size_t runs_asked(const struct kg_results_policy *policy)
{
    return policy->quarantine_runs > RUNS_MOST    ? RUNS_MOST
           : policy->quarantine_runs < RUNS_LEAST ? RUNS_LEAST
                                                  : (size_t)policy->quarantine_runs;
}

static void instability_find(struct waiver_pass *pass, const struct kg_case_result *result,
                             const char *since, double *instability, size_t *runs)
{
    double medians[RUNS_MOST], room[RUNS_MOST];
    medians_find(pass, result, since, runs_asked(&pass->comparison->policy), medians, runs);
    *instability = kg_instability(medians, *runs, room);
}

/* --- Acceptances ------------------------------------------------------------------------------ */

/* Whether the metric is no worse than accepted. The better end of the interval decides. */
static bool covers(const struct kg_waiver *waiver, const struct kg_metric *metric)
{
    static const double ROUNDING = 1e-9;
    const double limit = 1 + waiver->change;
    const bool higher = metric->better == KG_BETTER_HIGHER;
    const double bound = higher ? metric->interval_high : metric->interval_low;
    const double seen = isfinite(bound) ? bound : metric->ratio;
    if (kg_metric_against(metric) == KG_AGAINST_BUDGET)
        return false;
    return higher ? seen >= limit - ROUNDING : seen <= limit + ROUNDING;
}

/* metric  NULL for KG_WAIVER_QUARANTINED */
static const struct kg_waiver *waiver_find(const struct kg_waivers *waivers,
                                           enum kg_waiver_kind kind, const char *id,
                                           const char *metric)
{
    size_t count = 0;
    const struct kg_waiver *those = waivers ? kg_waivers_of(waivers, kind, id, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (!metric || !strcmp(those[i].metric, metric))
            return &those[i];
    return NULL;
}

/* A waiver still applies on its last day. */
static bool is_over(const struct waiver_pass *pass, const struct kg_waiver *waiver)
{
    return waiver->until && strncmp(pass->waiving->today, waiver->until, DAY_LENGTH) > 0;
}

/* "accepted up to +12.0 %, until 2026-01-31: because" */
static const char *words_make(struct waiver_pass *pass, const struct kg_waiver *waiver,
                              const char *but)
{
    char change[KG_UNIT_BYTES] = "";
    if (waiver->kind == KG_WAIVER_ACCEPTED)
        kg_change_format(1 + waiver->change, change);
    return kg_arena_printf(&pass->comparison->arena, "%s%s%s%s%s%s: %s",
                           waiver->kind == KG_WAIVER_ACCEPTED ? "accepted up to " : "in quarantine",
                           change, waiver->until ? ", until " : "",
                           waiver->until ? waiver->until : "", *but ? "; " : "", but,
                           waiver->because);
}

static void waiver_set(struct waiver_pass *pass, struct kg_case_change *change,
                       const struct kg_waiver *waiver, enum kg_waiver_kind waived, const char *but)
{
    change->waived = waived;
    change->waiver = words_make(pass, waiver, but);
}

/* Whether the case's stored runs already begin with the accepted change. The change is then part of the baseline and
 * must not apply twice. */
static bool is_spent(const struct waiver_pass *pass, const char *id, const struct kg_waiver *waiver)
{
    size_t known;
    const struct kg_reference_entry *entries = kg_reference_find(&pass->index, id, &known);
    const char *begins = known ? entries[known - 1].stored->accepted : NULL;
    return begins && strcmp(begins, waiver->since) >= 0;
}

static void accepted_apply(struct waiver_pass *pass, struct kg_case_change *change)
{
    const struct kg_waivers *waivers = pass->waiving->waivers;
    const struct kg_waiver *last = NULL;
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        if (!kg_changes[metric->change].waivable)
            continue;
        const struct kg_waiver *waiver =
            waiver_find(waivers, KG_WAIVER_ACCEPTED, change->id, metric->name);
        if (waiver && is_over(pass, waiver)) {
            waiver_set(pass, change, waiver, KG_WAIVER_NONE, "that day is over");
            return;
        }
        if (waiver && is_spent(pass, change->id, waiver)) {
            waiver_set(pass, change, waiver, KG_WAIVER_NONE, "the baseline begins with it already");
            return;
        }
        if (waiver && !covers(waiver, metric)) {
            waiver_set(pass, change, waiver, KG_WAIVER_NONE,
                       kg_metric_against(metric) == KG_AGAINST_BUDGET
                           ? "an acceptance does not cover a budget: change it in the suite"
                           : "the change is larger than that");
            return;
        }
        if (!waiver)
            return;
        last = waiver;
    }
    if (last)
        waiver_set(pass, change, last, KG_WAIVER_ACCEPTED, "");
}

/* --- Quarantine ------------------------------------------------------------------------------- */

static void quarantine_apply(struct waiver_pass *pass, const struct kg_case_result *result,
                             const struct kg_waiver *waiver, struct kg_case_change *change)
{
    const struct kg_results_policy *policy = &pass->comparison->policy;
    double since;
    size_t runs;
    if (is_over(pass, waiver)) {
        waiver_set(pass, change, waiver, KG_WAIVER_NONE, "that day is over");
        return;
    }
    instability_find(pass, result, waiver->since, &since, &runs);
    if (runs < runs_asked(policy) || !(since <= policy->quarantine_instability)) {
        waiver_set(pass, change, waiver,
                   kg_changes[change->change].waivable ? KG_WAIVER_QUARANTINED : KG_WAIVER_NONE,
                   "");
        return;
    }
    struct kg_text but = {0};
    kg_text_printf(
        &but, "stable again in %zu stored runs, so it is judged: remove it with `kgate quarantine ",
        runs);
    kg_shell_quote(&but, change->id);
    kg_text_append(&but, " --remove`");
    waiver_set(pass, change, waiver, KG_WAIVER_NONE, kg_text_string(&but));
    kg_text_free(&but);
}

/* Proposes a quarantine for a case whose runs differ by more than the policy allows. */
static void quarantine_propose(struct waiver_pass *pass, const struct kg_case_change *change)
{
    struct kg_text text = {0};
    if (pass->proposed++ >= PROPOSED_MOST)
        return;
    kg_text_printf(&text,
                   "%.200s: its stored runs differ by %.0f %% from one to the next, more "
                   "than %.0f %% (quarantine.instability): `kgate quarantine ",
                   change->id, 100 * change->instability,
                   100 * pass->comparison->policy.quarantine_instability);
    kg_shell_quote(&text, change->id);
    kg_text_append(&text, " --because TEXT`, or make it more stable");
    kg_comparison_note(pass->comparison, kg_text_string(&text));
    kg_text_free(&text);
}

/* --- Entries without effect ------------------------------------------------------------------- */

static void entry_note(struct waiver_pass *pass, const char *words)
{
    kg_comparison_note(pass->comparison, words);
}

static void unmatched_note(struct waiver_pass *pass, const struct kg_waiver *waiver,
                           const char *const *ids)
{
    char meant[KG_MEANT_BYTES];
    kg_meant(meant, waiver->id, ids, pass->current->case_count);
    entry_note(pass, kg_arena_printf(&pass->scratch, "%s entry of '%.200s' matches no case%s",
                                     kg_waiver_names[waiver->kind], waiver->id, meant));
}

static void future_note(struct waiver_pass *pass, const struct kg_waiver *waiver)
{
    entry_note(pass, kg_arena_printf(&pass->scratch,
                                     "%s entry of '%.200s' is since %s, which is in the future: %s",
                                     kg_waiver_names[waiver->kind], waiver->id, waiver->since,
                                     waiver->kind == KG_WAIVER_ACCEPTED
                                         ? "no run before that renews the baseline"
                                         : "stored runs before that do not end it"));
}

static bool is_future(const struct waiver_pass *pass, const struct kg_waiver *waiver)
{
    const char *today = pass->waiving->today;
    return strncmp(waiver->since, today, strlen(today)) > 0;
}

/* Notes entries without a case. Results of a part of the suite cannot show which cases the suite has. */
static void entries_check(struct waiver_pass *pass)
{
    const struct kg_results *current = pass->current;
    const struct kg_waivers *waivers = pass->waiving->waivers;
    const bool whole = !current->filter && current->complete;
    size_t noted = 0, more = 0;
    if (!waivers || !waivers->count)
        return;
    const char **ids = kg_arena_alloc(&pass->scratch, current->case_count, sizeof *ids);
    for (size_t i = 0; i < current->case_count; i++)
        ids[i] = current->cases[i].id;
    qsort(ids, current->case_count, sizeof *ids, kg_compare_ids);
    for (size_t i = 0; i < waivers->count; i++) {
        const struct kg_waiver *waiver = &waivers->waivers[i];
        const bool matched =
            !whole || bsearch(&waiver->id, ids, current->case_count, sizeof *ids, kg_compare_ids);
        const bool again = i && waiver->kind == waivers->waivers[i - 1].kind &&
                           !strcmp(waiver->id, waivers->waivers[i - 1].id);
        if (again || (matched && !is_future(pass, waiver)))
            continue;
        if (noted++ >= ENTRIES_NOTED_MOST)
            more++;
        else if (matched)
            future_note(pass, waiver);
        else
            unmatched_note(pass, waiver, ids);
    }
    if (more)
        entry_note(pass, kg_arena_printf(&pass->scratch,
                                         "%zu more entr%s of '%.300s' match%s no case, or begin%s "
                                         "in the future",
                                         more, more == 1 ? "y" : "ies", waivers->path,
                                         more == 1 ? "es" : "", more == 1 ? "s" : ""));
}

/* --- All cases -------------------------------------------------------------------------------- */

static void case_waive(struct waiver_pass *pass, struct kg_case_change *change)
{
    const struct kg_results *current = pass->current;
    const struct kg_case_result *result =
        change->order < current->case_count ? &current->cases[change->order] : NULL;
    size_t runs;
    change->waived = KG_WAIVER_NONE;
    change->waiver = NULL;
    change->instability = NAN;
    if (kg_word_is_among(change->workload, pass->waiving->untrusted,
                         pass->waiving->untrusted_count)) {
        change->waived = KG_WAIVER_UNTRUSTED;
        change->waiver = "the trusted suite lacks its workload: shown, not judged";
        return;
    }
    if (!pass->any || !result || strcmp(result->id, change->id) != 0)
        return;
    instability_find(pass, result, NULL, &change->instability, &runs);
    const struct kg_waiver *quarantine =
        waiver_find(pass->waiving->waivers, KG_WAIVER_QUARANTINED, change->id, NULL);
    if (kg_changes[change->change].waivable)
        accepted_apply(pass, change);
    if (change->waived == KG_WAIVER_NONE && quarantine) {
        quarantine_apply(pass, result, quarantine, change);
        return;
    }
    const double limit = pass->comparison->policy.quarantine_instability;
    if (change->instability > limit && !quarantine)
        quarantine_propose(pass, change);
}

static void trust_keep(struct kg_comparison *comparison, const struct kg_waiving *waiving)
{
    comparison->trust = kg_arena_keep(&comparison->arena, waiving->trust);
    comparison->edits =
        kg_arena_alloc(&comparison->arena, waiving->edit_count, sizeof *comparison->edits);
    comparison->edit_count = 0;
    for (size_t i = 0; i < waiving->edit_count; i++)
        comparison->edits[comparison->edit_count++] =
            kg_arena_keep(&comparison->arena, waiving->edits[i]);
}

void kg_comparison_waive(struct kg_comparison *comparison, const struct kg_baseline *baseline,
                         const struct kg_results *current, const struct kg_waiving *waiving)
{
    struct waiver_pass pass = {.comparison = comparison,
                               .baseline = baseline,
                               .current = current,
                               .waiving = waiving,
                               .any = baseline->run_count >= RUNS_LEAST ||
                                      (waiving->waivers && waiving->waivers->count)};
    if (pass.any)
        kg_reference_index_make(&pass.scratch, baseline, current->suite, &pass.index);
    trust_keep(comparison, waiving);
    if (waiving->uncovered)
        kg_comparison_note(comparison, waiving->uncovered);
    for (size_t i = 0; i < comparison->case_count; i++)
        case_waive(&pass, &comparison->cases[i]);
    entries_check(&pass);
    kg_arena_free(&pass.scratch);
    kg_verdict_again(baseline, current, comparison);
}
