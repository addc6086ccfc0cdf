/* metric_compare.c: the metrics of one case against its references: ordinary runs, pinned runs and budgets. If a metric
 * has no value, or the machine was too busy, the metric has a reason and no judgement. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "judge/code_words.h"
#include "judge/comparer.h"
#include "judge/environment_words.h"
#include "judge/unchanged_code.h"

/* Returns the run pinned as `pin`; the newest ordinary run if `pin` is NULL. */
static const struct kg_baseline_run *run_of(const struct kg_comparer *comparer, const char *pin)
{
    const struct kg_baseline *baseline = comparer->baseline;
    for (size_t i = 0; i < baseline->run_count && pin; i++)
        if (baseline->runs[i].pin && !strcmp(baseline->runs[i].pin, pin) &&
            !strcmp(baseline->runs[i].suite, comparer->current->suite))
            return &baseline->runs[i];
    const size_t newest = comparer->index.newest;
    return pin || newest == SIZE_MAX ? NULL : &baseline->runs[newest];
}

/* Sets the variables that differ, unless the code changed. */
static void environment_compare(struct kg_comparer *comparer, const struct kg_case_result *result,
                                const struct kg_reference *reference,
                                const struct kg_evidence *evidence)
{
    struct kg_arena *arena = &comparer->comparison->arena;
    struct kg_metric *metric = evidence->metric;
    const struct kg_baseline_run *run = run_of(comparer, kg_metric_pin(metric));
    /* LD_PRELOAD or LD_LIBRARY_PATH may explain other libraries */
    if (!run || evidence->code == KG_CODE_OTHER)
        return;
    metric->environment = kg_environment_words(arena, comparer->current, result, run);
    if (metric->environment && !metric->code && evidence->code != KG_CODE_UNKNOWN)
        metric->code = kg_code_words(arena, &result->code, &reference->code);
}

/* Estimates one metric against a reference. `against` lives in the comparison. */
static void metric_make(struct kg_comparer *comparer, const struct kg_case_result *result,
                        const struct kg_reference *reference, const char *against,
                        const struct kg_series *series, struct kg_case_change *change)
{
    struct kg_metric *metric = &change->metrics[change->metric_count];
    struct kg_evidence *evidence = &comparer->evidence[comparer->evidence_count];
    kg_evidence_make(&comparer->room, result, reference, series, KG_ROUNDS_DECIDING,
                     comparer->bandwidth, metric, evidence);
    if (!evidence->metric)
        return;
    metric->against = against;
    metric->name = kg_comparer_keep(comparer, metric->name);
    if (metric->code)
        metric->code = kg_comparer_keep(comparer, metric->code);
    environment_compare(comparer, result, reference, evidence);
    comparer->evidence_count++;
    change->metric_count++;
}

/* Returns the newest stored median of the metric, from any source; NaN if none is stored. */
static double stored_median(struct kg_comparer *comparer, const struct kg_reference *reference,
                            const char *name)
{
    double median = NAN;
    for (size_t i = reference->case_count; i-- > 0 && isnan(median);) {
        const struct kg_baseline_case *stored = reference->cases[i];
        for (size_t s = 0; s < stored->series_count; s++) {
            const struct kg_baseline_series *series = &stored->series[s];
            if (strcmp(series->name, name) != 0)
                continue;
            double *room =
                kg_arena_alloc(&comparer->room.scratch, series->value_count, sizeof *room);
            median = kg_median_of(series->values, series->value_count, room);
        }
    }
    return median;
}

/* Adds a metric that cannot be compared, because the results or the reference lack its value.
 * baseline  value of the reference; NaN: unknown */
static void uncounted_add(struct kg_comparer *comparer, const struct kg_series *series,
                          const char *against, double baseline, enum kg_doubt doubt,
                          const char *cause, struct kg_case_change *change)
{
    struct kg_metric *metric = &change->metrics[change->metric_count++];
    *metric = (struct kg_metric){.name = kg_comparer_keep(comparer, series->name),
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
                                 .cause = kg_comparer_keep(comparer, cause)};
}

static const char *against_name(struct kg_comparer *comparer, const struct kg_reference *reference,
                                const char *pin)
{
    if (pin)
        return kg_arena_printf(&comparer->comparison->arena, "%s %s",
                               kg_against_names[KG_AGAINST_PIN], pin);
    return kg_against_names[reference->paired ? KG_AGAINST_BASE : KG_AGAINST_BASELINE];
}

/* The ordinary runs show the scatter between runs. A pinned run is one run, so it takes their scatter. */
static void scatter_take(struct kg_comparer *comparer, struct kg_evidence *evidence,
                         const char *pin)
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

/* Takes the noise of the metric from the prior beside the baseline. */
static void prior_take(struct kg_comparer *comparer, const struct kg_case_result *result,
                       const struct kg_series *series, struct kg_metric_state *state)
{
    const struct kg_prior_series wanted = {.suite = comparer->current->suite,
                                           .id_of_case = result->id,
                                           .definition_hash = result->definition_hash,
                                           .metric = series->name,
                                           .source = series->source};
    const struct kg_prior_series *prior = kg_stored_prior_find(comparer->baseline->prior, &wanted);
    if (!prior || !state->tested || state->shifted || !(state->explained > 0))
        return;
    state->prior = (struct kg_metric_usual){prior->within, prior->between};
    comparer->prior_known = true;
    if (prior->runs > comparer->comparison->prior_runs)
        comparer->comparison->prior_runs = prior->runs;
}

/* Whether the machine was too busy to judge the series, and waits for a CPU may explain its change. If both sides have
 * the same code, the judgement needs no value.
 * before  number of evidence entries before the series; the series adds one if it has values */
static bool is_refused(const struct kg_comparer *comparer, const struct kg_series *series,
                       size_t before)
{
    const bool waits = kg_series_by_round(series) && kg_series_row(series)->proof == KG_PROOF_TEST;
    const struct kg_evidence *evidence =
        comparer->evidence_count > before ? &comparer->evidence[before] : NULL;
    return *comparer->busy && waits &&
           !(evidence && (evidence->beyond_waits || evidence->unchanged));
}

/* Marks the newest metric as not judged. The metric keeps its measured values. */
static void busy_mark(struct kg_comparer *comparer, struct kg_case_change *change)
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
                                 .cause = kg_comparer_keep(comparer, comparer->busy)};
    comparer->evidence_count--;
}

/* Compares one series with a reference. An older reference may lack the series. */
static void series_compare(struct kg_comparer *comparer, const struct kg_case_result *result,
                           const struct kg_reference *reference, const char *against,
                           const char *pin, const struct kg_series *series,
                           struct kg_case_change *change)
{
    const size_t before = comparer->evidence_count;
    const double stored = stored_median(comparer, reference, series->name);
    if (series->reason)
        uncounted_add(comparer, series, against, stored, KG_DOUBT_UNCOUNTED, series->reason,
                      change);
    if (!kg_series_count(result, series))
        return;
    metric_make(comparer, result, reference, against, series, change);
    if (is_refused(comparer, series, before)) {
        if (comparer->evidence_count > before)
            busy_mark(comparer, change);
        else
            uncounted_add(comparer, series, against, stored, KG_DOUBT_BUSY, comparer->busy, change);
        return;
    }
    if (comparer->evidence_count == before) {
        uncounted_add(comparer, series, against, NAN, KG_DOUBT_NOT_STORED, series->source, change);
        return;
    }
    scatter_take(comparer, &comparer->evidence[before], pin);
    prior_take(comparer, result, series, &comparer->evidence[before].state);
    if (pin || comparer->evidence[before].row->timed) /* the case stores the history of its time */
        return;
    kg_past_keep_metric(&comparer->comparison->arena, &comparer->room.scratch, reference, series,
                        &change->metrics[change->metric_count - 1]);
}

/* Compares every metric with the ordinary runs (`pin` NULL) or with a pinned run. */
static void reference_compare(struct kg_comparer *comparer, const struct kg_case_result *result,
                              const struct kg_reference_entry *entries, size_t count,
                              const char *pin, struct kg_case_change *change)
{
    struct kg_reference reference;
    kg_reference_collect(&comparer->room.scratch, &comparer->index, entries, count, result,
                         comparer->current->pair, pin, &reference);
    if (!reference.case_count)
        return;
    reference.unchanged = kg_unchanged_since(comparer->current, result, &reference);
    const char *against = against_name(comparer, &reference, pin);
    if (!pin)
        kg_past_keep(&comparer->comparison->arena, &comparer->room.scratch, &reference, change);
    for (size_t i = 0; i < result->series_count; i++) {
        const struct kg_series *series = &result->series[i];
        const size_t before = change->metric_count;
        if (!kg_series_compared(result, series))
            continue;
        series_compare(comparer, result, &reference, against, pin, series, change);
        for (size_t m = before; m < change->metric_count; m++)
            change->metrics[m].unasked = kg_series_unasked(result, series);
    }
}

size_t kg_case_metrics_most(const struct kg_comparer *comparer, const struct kg_case_result *result)
{
    return 2 * result->series_count * (1 + comparer->comparison->pin_count);
}

void kg_case_metrics_make(struct kg_comparer *comparer, const struct kg_case_result *result,
                          const struct kg_reference_entry *entries, size_t count,
                          struct kg_case_change *change)
{
    struct kg_comparison *comparison = comparer->comparison;
    comparer->ordinary = (struct kg_metric_state){0};
    comparer->prior_known = false;
    change->metrics = kg_arena_alloc(&comparison->arena,
                                     kg_case_metrics_most(comparer, result) + result->budget_count,
                                     sizeof *change->metrics);
    for (size_t p = 0; p <= comparison->pin_count && comparer->same_machine; p++)
        reference_compare(comparer, result, entries, count, p ? comparison->pins[p - 1] : NULL,
                          change);
    comparison->prior_cases += comparer->prior_known;
    change->change = change->metric_count ? KG_CHANGE_NO_CHANGE : KG_CHANGE_NEW;
    for (size_t b = 0; b < result->budget_count; b++)
        if (kg_budget_applies(result, &result->budgets[b]))
            kg_budget_judge(&comparer->budgets, result, &result->budgets[b],
                            &change->metrics[change->metric_count++]);
}
