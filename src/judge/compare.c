#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "judge/budget.h"
#include "judge/code_words.h"
#include "judge/compare_parts.h"
#include "judge/environment_words.h"
#include "judge/evidence.h"
#include "judge/overall.h"
#include "judge/ranking.h"
#include "judge/reasons.h"
#include "judge/reference.h"
#include "judge/unchanged.h"
#include "judge/verdict.h"
#include "model/disturbance.h"

struct comparer {
    const struct kg_baseline *baseline;
    const struct kg_results *current;
    struct kg_comparison *comparison;
    struct kg_error *err;
    struct kg_reference_index index;
    bool same_machine;
    struct kg_metric_state ordinary; /* of the case's time against the ordinary runs */
    double bandwidth;                /* that the probe read */
    enum kg_stage stage;
    struct kg_evidence *evidence; /* one for each metric against a reference */
    size_t evidence_count;
    char busy[KG_DISTURBANCE_WORDS]; /* why the case's rounds say nothing; "" where they do */
    struct kg_budget_grounds budgets;
    struct kg_arena scratch;
    struct kg_evidence_room room; /* cleared after each case */
};

static const char *keep(struct comparer *comparer, const char *string)
{
    return string ? kg_arena_copy(&comparer->comparison->arena, string) : NULL;
}

/* The run that the references of a case are of, by the pin, or the newest ordinary one. */
static const struct kg_baseline_run *run_of(const struct comparer *comparer, const char *pin)
{
    const struct kg_baseline *baseline = comparer->baseline;
    for (size_t i = 0; i < baseline->run_count && pin; i++)
        if (baseline->runs[i].pin && !strcmp(baseline->runs[i].pin, pin) &&
            !strcmp(baseline->runs[i].suite, comparer->current->suite))
            return &baseline->runs[i];
    const size_t newest = comparer->index.newest;
    return pin || newest == SIZE_MAX ? NULL : &baseline->runs[newest];
}

/* Where the code is not known to have changed: what the environment did. */
static bool environment_compare(struct comparer *comparer, const struct kg_case_result *result,
                                const struct kg_reference *reference,
                                const struct kg_evidence *evidence)
{
    struct kg_arena *arena = &comparer->comparison->arena;
    struct kg_metric *metric = evidence->metric;
    const struct kg_baseline_run *run = run_of(comparer, kg_metric_pin(metric));
    /* other libraries may be those that LD_PRELOAD or LD_LIBRARY_PATH names */
    if (!run || evidence->code == KG_CODE_OTHER)
        return true;
    if (!kg_environment_words(arena, comparer->current, result, run, &metric->environment))
        return false;
    if (!metric->environment || metric->code || evidence->code == KG_CODE_UNKNOWN)
        return true;
    metric->code = kg_code_words(arena, &result->code, &reference->code);
    return metric->code != NULL;
}

/* Estimates one metric against a reference; `against` lives in the comparison. */
static bool metric_make(struct comparer *comparer, const struct kg_case_result *result,
                        const struct kg_reference *reference, const char *against,
                        const struct kg_series *series, struct kg_case_change *change)
{
    struct kg_metric *metric = &change->metrics[change->metric_count];
    struct kg_evidence *evidence = &comparer->evidence[comparer->evidence_count];
    if (!kg_evidence_make(&comparer->room, result, reference, series, KG_ROUNDS_DECIDING,
                          comparer->bandwidth, metric, evidence))
        return kg_error_memory(comparer->err);
    if (!evidence->metric)
        return true;
    metric->against = against;
    metric->name = keep(comparer, metric->name);
    if (metric->code && !(metric->code = keep(comparer, metric->code)))
        return kg_error_memory(comparer->err);
    if (!environment_compare(comparer, result, reference, evidence))
        return kg_error_memory(comparer->err);
    comparer->evidence_count++;
    change->metric_count++;
    return metric->name ? true : kg_error_memory(comparer->err);
}

/* The newest stored median of the metric, whatever counted it; NaN: none is stored. */
static bool stored_median(struct comparer *comparer, const struct kg_reference *reference,
                          const char *name, double *median)
{
    *median = NAN;
    for (size_t i = reference->case_count; i-- > 0 && isnan(*median);) {
        const struct kg_baseline_case *stored = reference->cases[i];
        for (size_t s = 0; s < stored->series_count; s++) {
            const struct kg_baseline_series *series = &stored->series[s];
            if (strcmp(series->name, name) != 0)
                continue;
            double *room =
                kg_arena_alloc(&comparer->room.scratch, series->value_count, sizeof *room);
            if (!room)
                return kg_error_memory(comparer->err);
            *median = kg_median_of(series->values, series->value_count, room);
        }
    }
    return true;
}

/* A figure that was to be compared, but could not be had: of the results, or of the reference.
 * baseline  the reference's figure; NaN: not known */
static bool uncounted_add(struct comparer *comparer, const struct kg_series *series,
                          const char *against, double baseline, enum kg_doubt doubt,
                          const char *cause, struct kg_case_change *change)
{
    struct kg_metric *metric = &change->metrics[change->metric_count++];
    *metric = (struct kg_metric){.name = keep(comparer, series->name),
                                 .against = against,
                                 .unit = kg_series_unit(series),
                                 .baseline = baseline,
                                 .current = NAN,
                                 .ratio = NAN,
                                 KG_METRIC_NOT_ESTIMATED,
                                 .threshold = series->threshold,
                                 .min_effect = kg_series_min_effect(series),
                                 .better = series->better,
                                 .change = KG_CHANGE_INCONCLUSIVE,
                                 .doubt = doubt,
                                 .cause = keep(comparer, cause)};
    return metric->name && metric->cause ? true : kg_error_memory(comparer->err);
}

static const char *against_name(struct comparer *comparer, const struct kg_reference *reference,
                                const char *pin)
{
    if (pin)
        return kg_arena_printf(&comparer->comparison->arena, "%s %s",
                               kg_against_names[KG_AGAINST_PIN], pin);
    return kg_against_names[reference->paired ? KG_AGAINST_BASE : KG_AGAINST_BASELINE];
}

/* How runs of the case scatter is what the ordinary ones show: a pinned run is one. */
static void scatter_take(struct comparer *comparer, struct kg_evidence *evidence, const char *pin)
{
    struct kg_metric_state *state = &evidence->state;
    if (!evidence->row->timed)
        return;
    if (!pin) {
        comparer->ordinary = *state;
    } else {
        state->between = comparer->ordinary.between;
    }
}

/* Whether the machine was too busy to judge the series, and waiting for a CPU may be why it moved. The
 * same code on both sides needs no figure.
 * before  evidence that there was before the series'; one more where it has figures */
static bool is_refused(const struct comparer *comparer, const struct kg_series *series,
                       size_t before)
{
    const bool waits = kg_series_by_round(series) && kg_series_row(series)->proof == KG_PROOF_TEST;
    const struct kg_evidence *evidence =
        comparer->evidence_count > before ? &comparer->evidence[before] : NULL;
    return *comparer->busy && waits &&
           !(evidence && (evidence->beyond_waits || evidence->unchanged));
}

/* The newest metric keeps the figures that were measured, and is not judged. */
static bool busy_mark(struct comparer *comparer, struct kg_case_change *change)
{
    struct kg_metric *metric = &change->metrics[change->metric_count - 1];
    const struct kg_metric known = *metric;
    *metric = (struct kg_metric){.name = known.name,
                                 .against = known.against,
                                 .unit = known.unit,
                                 .baseline = known.baseline,
                                 .current = known.current,
                                 .ratio = known.ratio,
                                 KG_METRIC_NOT_ESTIMATED,
                                 .threshold = known.asked_threshold,
                                 .asked_threshold = known.asked_threshold,
                                 .min_effect = known.min_effect,
                                 .better = known.better,
                                 .change = KG_CHANGE_INCONCLUSIVE,
                                 .doubt = KG_DOUBT_BUSY,
                                 .cause = keep(comparer, comparer->busy)};
    comparer->evidence_count--;
    return metric->cause ? true : kg_error_memory(comparer->err);
}

/* One series against a reference, which may be older than the wish to compare it. */
static bool series_compare(struct comparer *comparer, const struct kg_case_result *result,
                           const struct kg_reference *reference, const char *against,
                           const char *pin, const struct kg_series *series,
                           struct kg_case_change *change)
{
    const size_t before = comparer->evidence_count;
    double stored;
    if (!stored_median(comparer, reference, series->name, &stored))
        return false;
    if (series->reason && !uncounted_add(comparer, series, against, stored, KG_DOUBT_UNCOUNTED,
                                         series->reason, change))
        return false;
    if (!kg_series_count(result, series))
        return true;
    if (!metric_make(comparer, result, reference, against, series, change))
        return false;
    if (is_refused(comparer, series, before))
        return comparer->evidence_count > before
                   ? busy_mark(comparer, change)
                   : uncounted_add(comparer, series, against, stored, KG_DOUBT_BUSY, comparer->busy,
                                   change);
    if (comparer->evidence_count == before)
        return uncounted_add(comparer, series, against, NAN, KG_DOUBT_NOT_STORED, series->source,
                             change);
    scatter_take(comparer, &comparer->evidence[before], pin);
    if (pin || comparer->evidence[before].row->timed) /* the case has the history of its time */
        return true;
    return kg_past_keep_metric(&comparer->comparison->arena, &comparer->room.scratch, reference,
                               series, &change->metrics[change->metric_count - 1])
               ? true
               : kg_error_memory(comparer->err);
}

/* Every metric against the ordinary runs (`pin` NULL) or a pinned one. */
static bool reference_compare(struct comparer *comparer, const struct kg_case_result *result,
                              const struct kg_reference_entry *entries, size_t count,
                              const char *pin, struct kg_case_change *change)
{
    struct kg_reference reference;
    if (!kg_reference_collect(&comparer->room.scratch, &comparer->index, entries, count, result,
                              comparer->current->pair, pin, &reference))
        return kg_error_memory(comparer->err);
    if (!reference.case_count)
        return true;
    reference.unchanged = kg_unchanged_since(comparer->current, result, &reference);
    const char *against = against_name(comparer, &reference, pin);
    if (!against || (!pin && !kg_past_keep(&comparer->comparison->arena, &comparer->room.scratch,
                                           &reference, change)))
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < result->series_count; i++) {
        const struct kg_series *series = &result->series[i];
        const size_t before = change->metric_count;
        if (!kg_series_compared(result, series))
            continue;
        if (!series_compare(comparer, result, &reference, against, pin, series, change))
            return false;
        for (size_t m = before; m < change->metric_count; m++)
            change->metrics[m].unasked = kg_series_unasked(result, series);
    }
    return true;
}

/* The most metrics that a case can have against references. */
static size_t metrics_most(const struct comparer *comparer, const struct kg_case_result *result)
{
    return 2 * result->series_count * (1 + comparer->comparison->pin_count);
}

/* Every metric against the ordinary runs and each pinned one, then the budgets. */
static bool metrics_make(struct comparer *comparer, const struct kg_case_result *result,
                         const struct kg_reference_entry *entries, size_t count,
                         struct kg_case_change *change)
{
    struct kg_comparison *comparison = comparer->comparison;
    comparer->ordinary = (struct kg_metric_state){0};
    change->metrics =
        kg_arena_alloc(&comparison->arena, metrics_most(comparer, result) + result->budget_count,
                       sizeof *change->metrics);
    if (!change->metrics)
        return kg_error_memory(comparer->err);
    for (size_t p = 0; p <= comparison->pin_count && comparer->same_machine; p++)
        if (!reference_compare(comparer, result, entries, count, p ? comparison->pins[p - 1] : NULL,
                               change))
            return false;
    change->change = change->metric_count ? KG_CHANGE_NO_CHANGE : KG_CHANGE_NEW;
    for (size_t b = 0; b < result->budget_count; b++)
        if (kg_budget_applies(result, &result->budgets[b]) &&
            !kg_budget_judge(&comparer->budgets, result, &result->budgets[b],
                             &change->metrics[change->metric_count++]))
            return kg_error_memory(comparer->err);
    return true;
}

static const char *new_reason(struct comparer *comparer, size_t known)
{
    struct kg_arena *arena = &comparer->comparison->arena;
    if (comparer->baseline->fingerprint && !comparer->same_machine)
        return kg_arena_printf(arena, "the baseline is of another machine: %s, this is %s",
                               comparer->baseline->fingerprint,
                               comparer->current->machine.fingerprint);
    if (comparer->current->pair)
        return "the base does not have it: first measured here, compared once it is merged";
    if (!comparer->index.any_run)
        return "no baseline for this suite on this machine";
    return known ? "the workload's definition changed" : "not in the baseline";
}

/* A case that was not measured because its code is its reference's. */
static bool unchanged_compare(struct comparer *comparer, const struct kg_case_result *result,
                              bool known, struct kg_case_change *change)
{
    struct kg_comparison *comparison = comparer->comparison;
    if (!kg_unchanged_holds(&comparer->index, comparer->current, result)) {
        change->change = KG_CHANGE_SKIPPED;
        change->missing = known;
        change->reason = "not measured: its code was that of another baseline";
        return true;
    }
    const char *code = kg_code_words(&comparison->arena, &result->code, &result->code);
    change->change = KG_CHANGE_NO_CHANGE;
    change->not_measured = true;
    comparison->not_measured++;
    change->reason = kg_arena_printf(&comparison->arena, "%s: not measured",
                                     code ? code : "the code is unchanged");
    return change->reason ? true : kg_error_memory(comparer->err);
}

static void busy_find(struct comparer *comparer, const struct kg_case_result *result)
{
    const struct kg_disturbance found = kg_disturbance_of(result);
    comparer->busy[0] = '\0';
    if (kg_disturbance_too_busy(&found))
        kg_disturbance_words(&found, comparer->busy);
}

/* Whether the case has rounds that it is judged by, or would be if the machine were less busy. */
static bool is_measured(const struct comparer *comparer, const struct kg_case_result *result)
{
    const bool busy = result->status == KG_STATUS_UNMEASURED && *comparer->busy;
    return result->round_count && (result->status == KG_STATUS_OK || busy);
}

/* Whether a gate that stores new cases leaves this one out. One that was SKIPPED has no device here. */
static bool is_unrecorded(const struct comparer *comparer, const struct kg_case_result *result,
                          bool stored)
{
    return comparer->baseline->records && !stored &&
           (result->status == KG_STATUS_FAILED || result->status == KG_STATUS_UNMEASURED);
}

static bool case_compare(struct comparer *comparer, const struct kg_case_result *result,
                         struct kg_case_change *change)
{
    size_t known;
    const struct kg_reference_entry *entries =
        kg_reference_find(&comparer->index, result->id, &known);
    *change = (struct kg_case_change){.id = keep(comparer, result->id),
                                      .workload = keep(comparer, result->workload),
                                      .line = result->line,
                                      .device = keep(comparer, result->device),
                                      .reason = keep(comparer, result->reason),
                                      .order = (size_t)(result - comparer->current->cases),
                                      .instability = NAN,
                                      .rounds = result->round_count,
                                      .time_ns = result->summary.median_ns};
    if (!change->id || !change->workload || !change->device)
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < result->round_count; i++)
        change->confirming_rounds += result->rounds[i].confirms;
    if (result->status == KG_STATUS_UNCHANGED)
        return unchanged_compare(comparer, result, comparer->same_machine && known, change);
    busy_find(comparer, result);
    change->unrecorded = is_unrecorded(comparer, result, known > 0);
    if (!is_measured(comparer, result)) {
        change->change = result->status == KG_STATUS_FAILED ? KG_CHANGE_FAILED : KG_CHANGE_SKIPPED;
        change->unpaired = change->change == KG_CHANGE_SKIPPED && result->unpaired;
        change->missing = change->unpaired ||
                          (change->change == KG_CHANGE_SKIPPED && comparer->same_machine && known);
        change->stderr_tail =
            result->status == KG_STATUS_FAILED ? keep(comparer, result->stderr_tail) : NULL;
        if (!change->reason)
            change->reason = "it was not measured";
        return true;
    }
    if (!kg_case_figures(&comparer->comparison->arena, result, &change->figures,
                         &change->figure_count))
        return kg_error_memory(comparer->err);
    if (!metrics_make(comparer, result, entries, known, change))
        return false;
    if (change->change != KG_CHANGE_NEW)
        return true;
    /* of a pair that waited too much neither side is a reference */
    const bool busy = *comparer->busy;
    change->change = busy && comparer->current->pair ? KG_CHANGE_INCONCLUSIVE : KG_CHANGE_NEW;
    /* what waited too much is not recorded either: the reason must say so */
    change->reason = busy ? keep(comparer, comparer->busy) : new_reason(comparer, known);
    return change->reason ? true : kg_error_memory(comparer->err);
}

/* Room for the evidence of every case against every reference. */
static bool evidence_start(struct comparer *comparer)
{
    size_t most = 0;
    for (size_t i = 0; i < comparer->current->case_count; i++)
        most += metrics_most(comparer, &comparer->current->cases[i]);
    comparer->evidence = kg_arena_alloc(&comparer->scratch, most, sizeof *comparer->evidence);
    return comparer->evidence ? true : kg_error_memory(comparer->err);
}

/* Whether the case is decided by a time that confirming rounds did not find changed. */
static bool unconfirmed(const struct kg_case_change *change)
{
    const struct kg_metric *metric = change->metrics;
    return change->confirming_rounds && change->metric_count && metric->doubt != KG_DOUBT_BUSY &&
           kg_metric_kind_find(metric->name) == KG_METRIC_TIME &&
           kg_metric_against(metric) != KG_AGAINST_PIN && change->change != KG_CHANGE_REGRESSION &&
           change->change != KG_CHANGE_IMPROVEMENT && metric->doubt != KG_DOUBT_UNSEEN;
}

/* Of such a case: keeps what had made it suspect, unless that is all that could be judged. */
static bool screening_store(struct comparer *comparer, const struct kg_case_result *result,
                            struct kg_case_change *change)
{
    struct kg_metric *metric = change->metrics, first;
    struct kg_evidence evidence;
    struct kg_reference reference;
    size_t count;
    if (!unconfirmed(change))
        return true;
    const struct kg_reference_entry *entries =
        kg_reference_find(&comparer->index, result->id, &count);
    if (!kg_reference_collect(&comparer->room.scratch, &comparer->index, entries, count, result,
                              comparer->current->pair, NULL, &reference) ||
        !kg_evidence_make(&comparer->room, result, &reference,
                          kg_case_series(result, KG_METRIC_TIME), KG_ROUNDS_SCREENING,
                          comparer->bandwidth, &first, &evidence))
        return kg_error_memory(comparer->err);
    if (evidence.metric && !evidence.unbacked && kg_metric_large(&first)) {
        metric->screened_ratio = first.ratio;
        metric->screened_rounds = evidence.current_rounds;
    }
    return true;
}

/* What decides the case, and why each of its metrics is judged as it is. */
static bool case_decide(struct comparer *comparer, const struct kg_case_result *result,
                        struct kg_case_change *change)
{
    kg_case_decide(change);
    if (!screening_store(comparer, result, change))
        return false;
    for (size_t m = 0; m < change->metric_count; m++)
        if (!kg_reason_make(&comparer->comparison->arena, &change->metrics[m]))
            return kg_error_memory(comparer->err);
    if (change->metric_count && change->change != KG_CHANGE_NEW)
        change->reason = change->metrics[0].reason;
    return true;
}

/* Every case of these results, and every one that may turn out to be removed. */
static size_t cases_most(const struct comparer *comparer)
{
    const size_t newest = comparer->index.newest;
    return comparer->current->case_count +
           (newest == SIZE_MAX ? 0 : comparer->baseline->runs[newest].case_count);
}

static bool cases_compare(struct comparer *comparer)
{
    struct kg_comparison *comparison = comparer->comparison;
    const struct kg_results *current = comparer->current;
    comparison->cases =
        kg_arena_alloc(&comparison->arena, cases_most(comparer), sizeof *comparison->cases);
    if (!comparison->cases)
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < current->case_count; i++) {
        if (!case_compare(comparer, &current->cases[i], &comparison->cases[i]))
            return false;
        kg_arena_clear(&comparer->room.scratch);
    }
    comparison->case_count = current->case_count;
    if (!kg_evidence_decide(&comparer->scratch, comparer->evidence, comparer->evidence_count,
                            comparer->stage, current->tests, comparison->policy.alpha,
                            &comparer->room.points))
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < current->case_count; i++) {
        if (!case_decide(comparer, &current->cases[i], &comparison->cases[i]))
            return false;
        kg_arena_clear(&comparer->room.scratch);
    }
    const bool profile = comparer->stage == KG_STAGE_PROFILE;
    const bool whole = comparer->same_machine && comparer->index.newest != SIZE_MAX;
    return !whole || kg_removed_append(&comparer->baseline->runs[comparer->index.newest], current,
                                       !profile, &comparer->scratch, comparison, comparer->err);
}

/* Facts about the runs that are compared with. */
static bool references_describe(struct comparer *comparer)
{
    struct kg_comparison *comparison = comparer->comparison;
    const struct kg_baseline *baseline = comparer->baseline;
    comparison->pins =
        kg_arena_alloc(&comparison->arena, baseline->run_count, sizeof *comparison->pins);
    if (!comparison->pins)
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < baseline->run_count && comparer->same_machine; i++) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        if (strcmp(run->suite, comparer->current->suite) != 0)
            continue;
        const char *kept = keep(comparer, run->pin ? run->pin : run->created);
        if (!kept)
            return kg_error_memory(comparer->err);
        if (run->pin) {
            comparison->pins[comparison->pin_count++] = kept;
        } else {
            comparison->baseline_runs++;
            comparison->baseline_created = kept;
            comparison->baseline_commit = keep(comparer, run->commit);
            comparison->baseline_branch = keep(comparer, run->branch);
        }
    }
    return true;
}

static bool comparison_start(struct comparer *comparer)
{
    struct kg_comparison *comparison = comparer->comparison;
    const struct kg_results *current = comparer->current;
    comparison->created = kg_timestamp(&comparison->arena);
    comparison->kgate_version = KGATE_VERSION;
    comparison->suite = keep(comparer, current->suite);
    comparison->suite_path = keep(comparer, current->suite_path);
    comparison->commit = keep(comparer, current->commit);
    comparison->branch = keep(comparer, current->branch);
    comparison->policy = current->policy;
    comparison->complete = current->complete;
    if (!comparison->created || !comparison->suite ||
        !kg_machine_copy(&comparison->arena, &current->machine, &comparison->machine))
        return kg_error_memory(comparer->err);
    return references_describe(comparer);
}

bool kg_compare(const struct kg_baseline *baseline, const struct kg_results *current,
                enum kg_stage stage, struct kg_comparison *comparison, struct kg_error *err)
{
    struct comparer comparer = {.baseline = baseline,
                                .current = current,
                                .comparison = comparison,
                                .stage = stage,
                                .err = err};
    *comparison = (struct kg_comparison){0};
    comparer.same_machine =
        baseline->fingerprint && !strcmp(baseline->fingerprint, current->machine.fingerprint);
    comparer.bandwidth = kg_results_probe(current).bandwidth_bytes_per_s;
    bool good =
        kg_reference_index_make(&comparer.scratch, baseline, current->suite, &comparer.index) &&
                kg_budget_grounds_start(&comparer.budgets, &comparison->arena, &comparer.scratch,
                                        current)
            ? true
            : kg_error_memory(err);
    good = good && comparison_start(&comparer) && evidence_start(&comparer) &&
           cases_compare(&comparer) && kg_cases_rank(comparison, err) &&
           kg_verdict_decide(baseline, current, comparison, err) &&
           /* the paths of a profile are inside each other */
           (stage == KG_STAGE_PROFILE || kg_overall_make(comparison, err));
    kg_arena_free(&comparer.scratch);
    kg_arena_free(&comparer.room.scratch);
    if (!good)
        kg_comparison_free(comparison);
    return good;
}
