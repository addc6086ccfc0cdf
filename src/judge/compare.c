#include <math.h>
#include <stdint.h>
#include <string.h>

#include "judge/code_words.h"
#include "judge/comparer.h"
#include "judge/overall.h"
#include "judge/ranking.h"
#include "judge/reasons.h"
#include "judge/unchanged_code.h"
#include "judge/verdict.h"

static const char *new_reason(struct kg_comparer *comparer, size_t known)
{
    struct kg_arena *arena = &comparer->comparison->arena;
    if (comparer->baseline->fingerprint && !comparer->same_machine)
        return kg_arena_printf(
            arena, "the baseline is from another machine: %s, this machine is %s",
            comparer->baseline->fingerprint, comparer->current->machine.fingerprint);
    if (comparer->current->pair)
        return "the baseline build does not have it; kgate compares it once it is merged";
    if (!comparer->index.any_run)
        return "no baseline for this suite on this machine";
    return known ? "the workload's definition changed" : "not in the baseline";
}

/* Fills the change of a case that kgate did not measure, because its code is the code of its reference. */
static void unchanged_compare(struct kg_comparer *comparer, const struct kg_case_result *result,
                              bool known, struct kg_case_change *change)
{
    struct kg_comparison *comparison = comparer->comparison;
    if (!kg_unchanged_holds(&comparer->index, comparer->current, result)) {
        change->change = KG_CHANGE_SKIPPED;
        change->missing = known;
        change->reason = "not measured: its code matched another baseline";
        return;
    }
    const char *code = kg_code_words(&comparison->arena, &result->code, &result->code);
    change->change = KG_CHANGE_NO_CHANGE;
    change->not_measured = true;
    comparison->not_measured++;
    change->reason = kg_arena_printf(&comparison->arena, "%s: not measured",
                                     code ? code : "the code is unchanged");
}

static void busy_find(struct kg_comparer *comparer, const struct kg_case_result *result)
{
    const struct kg_disturbance found = kg_disturbance_of(result);
    comparer->busy[0] = '\0';
    if (kg_disturbance_too_busy(&found))
        kg_disturbance_words(&found, comparer->busy);
}

/* Whether the case has rounds to judge it by, or would have them on a less busy machine. */
static bool is_measured(const struct kg_comparer *comparer, const struct kg_case_result *result)
{
    const bool busy = result->status == KG_STATUS_UNMEASURED && *comparer->busy;
    return result->round_count && (result->status == KG_STATUS_OK || busy);
}

/* Whether a gate that stores new cases does not store this one. A SKIPPED case has no device here. */
static bool is_unrecorded(const struct kg_comparer *comparer, const struct kg_case_result *result,
                          bool stored)
{
    return comparer->baseline->records && !stored &&
           (result->status == KG_STATUS_FAILED || result->status == KG_STATUS_UNMEASURED);
}

static void case_compare(struct kg_comparer *comparer, const struct kg_case_result *result,
                         struct kg_case_change *change)
{
    size_t known;
    const struct kg_reference_entry *entries =
        kg_reference_find(&comparer->index, result->id, &known);
    *change = (struct kg_case_change){.id = kg_comparer_keep(comparer, result->id),
                                      .workload = kg_comparer_keep(comparer, result->workload),
                                      .line = result->line,
                                      .device = kg_comparer_keep(comparer, result->device),
                                      .reason = kg_comparer_keep(comparer, result->reason),
                                      .order = (size_t)(result - comparer->current->cases),
                                      .instability = NAN,
                                      .rounds = result->round_count,
                                      .time_ns = result->summary.median_ns,
                                      .baseline_time_ns = NAN};
    for (size_t i = 0; i < result->round_count; i++)
        change->confirming_rounds += result->rounds[i].confirms;
    if (result->status == KG_STATUS_UNCHANGED) {
        unchanged_compare(comparer, result, comparer->same_machine && known, change);
        return;
    }
    busy_find(comparer, result);
    change->unrecorded = is_unrecorded(comparer, result, known > 0);
    if (!is_measured(comparer, result)) {
        change->change = result->status == KG_STATUS_FAILED ? KG_CHANGE_FAILED : KG_CHANGE_SKIPPED;
        change->unpaired = change->change == KG_CHANGE_SKIPPED && result->unpaired;
        change->missing = change->unpaired ||
                          (change->change == KG_CHANGE_SKIPPED && comparer->same_machine && known);
        change->stderr_tail = result->status == KG_STATUS_FAILED
                                  ? kg_comparer_keep(comparer, result->stderr_tail)
                                  : NULL;
        if (!change->reason)
            change->reason = "it was not measured";
        return;
    }
    kg_case_figures(&comparer->comparison->arena, result, &change->figures, &change->figure_count);
    kg_case_metrics_make(comparer, result, entries, known, change);
    if (change->change != KG_CHANGE_NEW)
        return;
    /* if a side of a pair waited too long, neither side is a reference */
    const bool busy = *comparer->busy;
    change->change = busy && comparer->current->pair ? KG_CHANGE_INCONCLUSIVE : KG_CHANGE_NEW;
    /* a run that waited too long is not recorded, so the reason must say so */
    change->reason =
        busy ? kg_comparer_keep(comparer, comparer->busy) : new_reason(comparer, known);
    change->redefined = !busy && comparer->same_machine && known;
}

/* Allocates the evidence of every case against every reference. */
static void evidence_start(struct kg_comparer *comparer)
{
    size_t most = 0;
    for (size_t i = 0; i < comparer->current->case_count; i++)
        most += kg_case_metrics_most(comparer, &comparer->current->cases[i]);
    comparer->evidence = kg_arena_alloc(&comparer->scratch, most, sizeof *comparer->evidence);
}

/* Whether a time decides the case, and confirming rounds did not find that time changed. */
static bool unconfirmed(const struct kg_case_change *change)
{
    const struct kg_metric *metric = change->metrics;
    return change->confirming_rounds && change->metric_count && metric->doubt != KG_DOUBT_BUSY &&
           kg_metric_kind_find(metric->name) == KG_METRIC_TIME &&
           kg_metric_against(metric) != KG_AGAINST_PIN && change->change != KG_CHANGE_REGRESSION &&
           change->change != KG_CHANGE_IMPROVEMENT && metric->doubt != KG_DOUBT_UNSEEN;
}

/* If `unconfirmed`: stores the ratio of the screening rounds, which made the case a suspect. Stores nothing if kgate
 * could judge no confirming round. */
static void screening_store(struct kg_comparer *comparer, const struct kg_case_result *result,
                            struct kg_case_change *change)
{
    struct kg_metric *metric = change->metrics, first;
    struct kg_evidence evidence;
    struct kg_reference reference;
    size_t count;
    if (!unconfirmed(change))
        return;
    const struct kg_reference_entry *entries =
        kg_reference_find(&comparer->index, result->id, &count);
    kg_reference_collect(&comparer->room.scratch, &comparer->index, entries, count, result,
                         comparer->current->pair, NULL, &reference);
    kg_evidence_make(&comparer->room, result, &reference, kg_case_series(result, KG_METRIC_TIME),
                     KG_ROUNDS_SCREENING, comparer->bandwidth, &first, &evidence);
    if (evidence.metric && !evidence.unbacked && kg_metric_large(&first)) {
        metric->screened_ratio = first.ratio;
        metric->screened_rounds = evidence.current_rounds;
    }
}

/* If both sides are one file, nothing changed, however much its rounds scatter. */
static void same_file_settle(const struct kg_comparer *comparer, struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count && comparer->current->is_base; m++) {
        struct kg_metric *metric = &change->metrics[m];
        if (kg_metric_against(metric) == KG_AGAINST_BUDGET || !isfinite(metric->ratio))
            continue;
        metric->change = KG_CHANGE_NO_CHANGE;
        metric->doubt = KG_DOUBT_SAME_FILE;
        metric->suspected = false;
    }
}

/* Decides the case and gives each of its metrics a reason. */
static void case_decide(struct kg_comparer *comparer, const struct kg_case_result *result,
                        struct kg_case_change *change)
{
    same_file_settle(comparer, change);
    kg_case_decide(change);
    if (!comparer->current->is_base)
        screening_store(comparer, result, change);
    for (size_t m = 0; m < change->metric_count; m++)
        kg_reason_make(&comparer->comparison->arena, &change->metrics[m]);
    if (change->metric_count && change->change != KG_CHANGE_NEW)
        change->reason = change->metrics[0].reason;
}

/* Upper bound for the number of cases: all cases of the results, plus the cases that may be removed. */
static size_t cases_most(const struct kg_comparer *comparer)
{
    const size_t newest = comparer->index.newest;
    return comparer->current->case_count +
           (newest == SIZE_MAX ? 0 : comparer->baseline->runs[newest].case_count);
}

static void cases_compare(struct kg_comparer *comparer)
{
    struct kg_comparison *comparison = comparer->comparison;
    const struct kg_results *current = comparer->current;
    comparison->cases =
        kg_arena_alloc(&comparison->arena, cases_most(comparer), sizeof *comparison->cases);
    for (size_t i = 0; i < current->case_count; i++) {
        case_compare(comparer, &current->cases[i], &comparison->cases[i]);
        kg_arena_clear(&comparer->room.scratch);
    }
    comparison->case_count = current->case_count;
    kg_evidence_decide(&comparer->scratch, comparer->evidence, comparer->evidence_count,
                       comparer->stage, current->tests, comparison->policy.alpha,
                       &comparer->room.points);
    for (size_t i = 0; i < current->case_count; i++) {
        case_decide(comparer, &current->cases[i], &comparison->cases[i]);
        kg_arena_clear(&comparer->room.scratch);
    }
    const bool profile = comparer->stage == KG_STAGE_PROFILE;
    const bool whole = comparer->same_machine && comparer->index.newest != SIZE_MAX;
    if (whole)
        kg_removed_append(&comparer->baseline->runs[comparer->index.newest], current, !profile,
                          &comparer->scratch, comparison);
}

/* Copies pins, times and commits of the reference runs into the comparison. */
static void references_describe(struct kg_comparer *comparer)
{
    struct kg_comparison *comparison = comparer->comparison;
    const struct kg_baseline *baseline = comparer->baseline;
    comparison->pins =
        kg_arena_alloc(&comparison->arena, baseline->run_count, sizeof *comparison->pins);
    for (size_t i = 0; i < baseline->run_count && comparer->same_machine; i++) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        if (strcmp(run->suite, comparer->current->suite) != 0)
            continue;
        const char *kept = kg_comparer_keep(comparer, run->pin ? run->pin : run->created);
        if (run->pin) {
            comparison->pins[comparison->pin_count++] = kept;
        } else {
            comparison->baseline_runs++;
            comparison->baseline_created = kept;
            comparison->baseline_commit = kg_comparer_keep(comparer, run->commit);
            comparison->baseline_branch = kg_comparer_keep(comparer, run->branch);
        }
    }
}

static void comparison_start(struct kg_comparer *comparer)
{
    struct kg_comparison *comparison = comparer->comparison;
    const struct kg_results *current = comparer->current;
    comparison->created = kg_timestamp(&comparison->arena);
    comparison->kgate_version = KGATE_VERSION;
    comparison->suite = kg_comparer_keep(comparer, current->suite);
    comparison->suite_path = kg_comparer_keep(comparer, current->suite_path);
    comparison->commit = kg_comparer_keep(comparer, current->commit);
    comparison->branch = kg_comparer_keep(comparer, current->branch);
    comparison->policy = current->policy;
    comparison->complete = current->complete;
    kg_machine_copy(&comparison->arena, &current->machine, &comparison->machine);
    references_describe(comparer);
}

void kg_compare(const struct kg_baseline *baseline, const struct kg_results *current,
                enum kg_stage stage, struct kg_comparison *comparison)
{
    struct kg_comparer comparer = {
        .baseline = baseline, .current = current, .comparison = comparison, .stage = stage};
    *comparison = (struct kg_comparison){0};
    comparer.same_machine =
        baseline->fingerprint && !strcmp(baseline->fingerprint, current->machine.fingerprint);
    comparer.bandwidth = kg_results_probe(current).bandwidth_bytes_per_s;
    kg_reference_index_make(&comparer.scratch, baseline, current->suite, &comparer.index);
    kg_budget_grounds_start(&comparer.budgets, &comparison->arena, &comparer.scratch, current);
    comparison_start(&comparer);
    evidence_start(&comparer);
    cases_compare(&comparer);
    kg_cases_rank(comparison);
    kg_verdict_decide(baseline, current, comparison);
    /* a profile's paths contain each other, so they have no overall ratio */
    if (stage != KG_STAGE_PROFILE)
        kg_overall_make(comparison);
    kg_arena_free(&comparer.scratch);
    kg_arena_free(&comparer.room.scratch);
}
