#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compare/budget.h"
#include "compare/metric.h"
#include "compare/ranking.h"
#include "compare/reference.h"
#include "compare/verdict.h"
#include "measure/case_result.h"
#include "stats/stats.h"

/* What a metric was judged on, until it is decided and its reason is written. */
struct evidence {
    struct kg_metric *metric;
    bool memory;
    size_t base_rounds;
    size_t current_rounds;
    bool code_unchanged; /* the very file that the reference's newest run had */
};

struct comparer {
    const struct kg_baseline *baseline;
    const struct kg_results *current;
    struct kg_comparison *comparison;
    struct kg_error *err;
    struct kg_reference_index index;
    bool same_machine;
    struct evidence *evidence; /* one for each metric against a reference */
    size_t evidence_count;
    struct kg_arena scratch;
};

static const char *keep(struct comparer *comparer, const char *string)
{
    return string ? kg_arena_copy(&comparer->comparison->arena, string) : NULL;
}

/* Gathers what a metric is judged on: the rounds of every stored run together, and each run's
 * median, which shows the noise between runs. */
static bool input_make(struct comparer *comparer, const struct kg_case_result *result,
                       const struct kg_reference *reference, bool memory,
                       struct kg_metric_input *input)
{
    const size_t rounds = result->round_count;
    const size_t total = memory ? reference->peak_count : reference->round_count;
    double *values =
        kg_arena_alloc(&comparer->scratch, total + rounds + reference->case_count, sizeof *values);
    if (!values)
        return kg_error_memory(comparer->err);
    *input = (struct kg_metric_input){
        .base = values,
        .current = values + total,
        .current_count = rounds,
        .run_medians = values + total + rounds,
        .threshold = memory ? result->memory_threshold : result->threshold,
        .min_effect = memory ? (double)result->min_memory_effect_bytes : result->min_effect_ns,
    };
    for (size_t i = 0; i < rounds; i++)
        input->current[i] =
            memory ? (double)result->rounds[i].peak_bytes : result->rounds[i].median_ns;
    for (size_t i = 0; i < reference->case_count; i++) {
        const struct kg_baseline_case *stored = reference->cases[i];
        const size_t count = memory ? stored->peak_count : stored->round_count;
        double *run = input->base + input->base_count;
        if (!count)
            continue;
        memcpy(run, memory ? stored->round_peak_bytes : stored->round_medians_ns,
               count * sizeof *run);
        kg_sort(run, count);
        input->run_medians[input->run_count++] = kg_median_sorted(run, count);
        input->base_count += count;
    }
    return true;
}

/* Estimates time, or peak memory, against a reference; `against` lives in the comparison. */
static bool metric_make(struct comparer *comparer, const struct kg_case_result *result,
                        const struct kg_reference *reference, const char *against, bool memory,
                        struct kg_case_change *change)
{
    struct kg_metric *metric = &change->metrics[change->metric_count];
    struct kg_metric_input input;
    if (!input_make(comparer, result, reference, memory, &input))
        return false;
    if (!input.base_count)
        return true;
    *metric = (struct kg_metric){.name = memory ? "peak_memory" : "time",
                                 .against = against,
                                 .unit = memory ? "bytes" : "ns"};
    kg_metric_estimate(&input, metric);
    change->metric_count++;
    comparer->evidence[comparer->evidence_count++] =
        (struct evidence){.metric = metric,
                          .memory = memory,
                          .base_rounds = input.base_count,
                          .current_rounds = input.current_count,
                          .code_unchanged = result->code_hash && reference->code_hash &&
                                            !strcmp(result->code_hash, reference->code_hash)};
    return true;
}

/* Time and memory against the ordinary runs (`pin` NULL) or a pinned one. */
static bool reference_compare(struct comparer *comparer, const struct kg_case_result *result,
                              const struct kg_reference_entry *entries, size_t count,
                              const char *pin, struct kg_case_change *change)
{
    struct kg_reference reference;
    if (!kg_reference_collect(&comparer->scratch, &comparer->index, entries, count,
                              result->definition_hash, pin, &reference))
        return kg_error_memory(comparer->err);
    if (!reference.case_count)
        return true;
    const char *against =
        pin ? kg_arena_printf(&comparer->comparison->arena, "pin %s", pin) : "baseline";
    if (!against)
        return kg_error_memory(comparer->err);
    return metric_make(comparer, result, &reference, against, false, change) &&
           metric_make(comparer, result, &reference, against, true, change);
}

/* Time and memory against the ordinary runs and each pinned one, then the budgets. */
static bool metrics_make(struct comparer *comparer, const struct kg_case_result *result,
                         const struct kg_reference_entry *entries, size_t count,
                         struct kg_case_change *change)
{
    struct kg_comparison *comparison = comparer->comparison;
    change->metrics =
        kg_arena_alloc(&comparison->arena, 2 * (1 + comparison->pin_count) + result->budget_count,
                       sizeof *change->metrics);
    if (!change->metrics)
        return kg_error_memory(comparer->err);
    for (size_t p = 0; p <= comparison->pin_count && comparer->same_machine; p++)
        if (!reference_compare(comparer, result, entries, count, p ? comparison->pins[p - 1] : NULL,
                               change))
            return false;
    change->change = change->metric_count ? KG_CHANGE_NO_CHANGE : KG_CHANGE_NEW;
    for (size_t b = 0; b < result->budget_count; b++)
        if (!kg_budget_judge(&comparison->arena, result, &result->budgets[b],
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
    if (!comparer->index.any_run)
        return "no baseline for this suite on this machine";
    return known ? "the workload's definition changed" : "not in the baseline";
}

static bool case_compare(struct comparer *comparer, const struct kg_case_result *result,
                         struct kg_case_change *change)
{
    size_t known;
    const struct kg_reference_entry *entries =
        kg_reference_find(&comparer->index, result->id, &known);
    *change = (struct kg_case_change){.id = keep(comparer, result->id),
                                      .workload = keep(comparer, result->workload),
                                      .device = keep(comparer, result->device),
                                      .reason = keep(comparer, result->reason),
                                      .rounds = result->round_count,
                                      .time_ns = result->summary.median_ns};
    if (!change->id || !change->workload || !change->device)
        return kg_error_memory(comparer->err);
    if (result->status != KG_STATUS_OK || !result->round_count) {
        change->change = result->status == KG_STATUS_FAILED ? KG_CHANGE_FAILED : KG_CHANGE_SKIPPED;
        change->stderr_tail =
            result->status == KG_STATUS_FAILED ? keep(comparer, result->stderr_tail) : NULL;
        if (!change->reason)
            change->reason = "it was not measured";
        return true;
    }
    if (!metrics_make(comparer, result, entries, known, change))
        return false;
    if (change->change == KG_CHANGE_NEW)
        change->reason = new_reason(comparer, known);
    return true;
}

/* Room for the evidence of every case against every reference. */
static bool evidence_start(struct comparer *comparer)
{
    comparer->evidence =
        kg_arena_alloc(&comparer->scratch,
                       2 * (1 + comparer->comparison->pin_count) * comparer->current->case_count,
                       sizeof *comparer->evidence);
    return comparer->evidence ? true : kg_error_memory(comparer->err);
}

/* Adjusts the p-values of all time metrics together, then decides every metric. Peak memory repeats
 * to the page: a test would ask of five equal figures a proof that only more rounds can give. Its
 * interval decides, and it does not cost the times their power. */
static bool metrics_decide(struct comparer *comparer)
{
    const size_t count = comparer->evidence_count;
    double *p = kg_arena_alloc(&comparer->scratch, count, sizeof *p);
    if (!p)
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < count; i++)
        p[i] = comparer->evidence[i].memory ? NAN : comparer->evidence[i].metric->p_value;
    if (!kg_holm_adjust(p, count))
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < count; i++) {
        struct kg_metric *metric = comparer->evidence[i].metric;
        metric->p_value = p[i];
        kg_metric_classify(metric, comparer->evidence[i].memory
                                       ? kg_metric_outside(metric)
                                       : p[i] <= comparer->comparison->policy.alpha);
    }
    return true;
}

/* Reasons for doubt, and for a moved time of unmoved code. */
static bool reasons_add(struct comparer *comparer)
{
    struct kg_arena *arena = &comparer->comparison->arena;
    for (size_t i = 0; i < comparer->evidence_count; i++) {
        const struct evidence *evidence = &comparer->evidence[i];
        struct kg_metric *metric = evidence->metric;
        const bool unchanged = evidence->code_unchanged && !evidence->memory;
        if (metric->change == KG_CHANGE_INCONCLUSIVE) {
            metric->reason =
                kg_metric_doubt(arena, metric, evidence->base_rounds, evidence->current_rounds,
                                comparer->comparison->policy.alpha);
            if (metric->reason && unchanged)
                metric->reason = kg_arena_printf(arena, "%s; the code is unchanged (same binary)",
                                                 metric->reason);
            if (!metric->reason)
                return kg_error_memory(comparer->err);
        } else if (metric->change != KG_CHANGE_NO_CHANGE && unchanged) {
            metric->reason = "the code is unchanged (same binary): the machine moved";
        }
    }
    return true;
}

static bool removed_make(struct comparer *comparer, const char *id, struct kg_case_change *change)
{
    const char *slash = strchr(id, '/'), *last = strrchr(id, '/');
    *change = (struct kg_case_change){
        .id = keep(comparer, id),
        .workload = kg_arena_copy_bytes(&comparer->comparison->arena, id,
                                        slash ? (size_t)(slash - id) : strlen(id)),
        .device = keep(comparer, last ? last + 1 : ""),
        .change = KG_CHANGE_REMOVED,
        .reason = "in the baseline, but no longer in the suite",
        .time_ns = NAN};
    return change->id && change->workload && change->device ? true : kg_error_memory(comparer->err);
}

/* Ids that the newest ordinary run has and these results have not. A part of the suite, or of the
 * run, says nothing about what is not in it. */
static bool removed_append(struct comparer *comparer)
{
    struct kg_comparison *comparison = comparer->comparison;
    const struct kg_results *current = comparer->current;
    if (comparer->index.newest == SIZE_MAX || !comparer->same_machine || current->filter ||
        !current->complete)
        return true;
    const char **ids = kg_arena_alloc(&comparer->scratch, current->case_count, sizeof *ids);
    if (!ids)
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < current->case_count; i++)
        ids[i] = current->cases[i].id;
    qsort(ids, current->case_count, sizeof *ids, kg_compare_ids);
    const struct kg_baseline_run *run = &comparer->baseline->runs[comparer->index.newest];
    for (size_t j = 0; j < run->case_count; j++) {
        const char *id = run->cases[j].id;
        if (!bsearch(&id, ids, current->case_count, sizeof *ids, kg_compare_ids) &&
            !removed_make(comparer, id, &comparison->cases[comparison->case_count++]))
            return false;
    }
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
    for (size_t i = 0; i < current->case_count; i++)
        if (!case_compare(comparer, &current->cases[i], &comparison->cases[i]))
            return false;
    comparison->case_count = current->case_count;
    if (!metrics_decide(comparer) || !reasons_add(comparer))
        return false;
    for (size_t i = 0; i < current->case_count; i++)
        kg_case_decide(&comparison->cases[i]);
    return removed_append(comparer);
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
    comparison->policy = current->policy;
    comparison->complete = current->complete;
    if (!comparison->created || !comparison->suite ||
        !kg_machine_copy(&comparison->arena, &current->machine, &comparison->machine))
        return kg_error_memory(comparer->err);
    return references_describe(comparer);
}

bool kg_compare(const struct kg_baseline *baseline, const struct kg_results *current,
                struct kg_comparison *comparison, struct kg_error *err)
{
    struct comparer comparer = {
        .baseline = baseline, .current = current, .comparison = comparison, .err = err};
    *comparison = (struct kg_comparison){0};
    comparer.same_machine =
        baseline->fingerprint && !strcmp(baseline->fingerprint, current->machine.fingerprint);
    bool good =
        kg_reference_index_make(&comparer.scratch, baseline, current->suite, &comparer.index)
            ? true
            : kg_error_memory(err);
    good = good && comparison_start(&comparer) && evidence_start(&comparer) &&
           cases_compare(&comparer) && kg_cases_rank(comparison, err) &&
           kg_verdict_decide(baseline, current, comparison, err);
    kg_arena_free(&comparer.scratch);
    if (!good)
        kg_comparison_free(comparison);
    return good;
}
