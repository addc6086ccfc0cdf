#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/metric.h"
#include "compare/ranking.h"
#include "compare/verdict.h"
#include "measure/case_result.h"
#include "stats/stats.h"

enum { RUN_MEDIANS_MOST = 1024 };

/* A case of a stored run, found by id. */
struct entry {
    const char *id;
    size_t run;
    const struct kg_baseline_case *stored;
};

struct comparer {
    const struct kg_baseline *baseline;
    const struct kg_results *current;
    struct kg_comparison *comparison;
    struct kg_error *err;
    struct entry *entries; /* of the runs of this suite, sorted by id, then by run */
    size_t entry_count;
    bool same_machine;
    bool any_run; /* the suite has a run on this machine */
    struct kg_arena scratch;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int by_id = strcmp(x->id, y->id);
    return by_id ? by_id : (x->run > y->run) - (x->run < y->run);
}

/* All stored cases of this suite, sorted, so that each id is found by bisection. */
static bool entries_make(struct comparer *comparer)
{
    const struct kg_baseline *baseline = comparer->baseline;
    size_t total = 0;
    for (size_t i = 0; i < baseline->run_count; i++)
        total += baseline->runs[i].case_count;
    comparer->entries = kg_arena_alloc(&comparer->scratch, total, sizeof *comparer->entries);
    if (!comparer->entries)
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < baseline->run_count; i++) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        if (strcmp(run->suite, comparer->current->suite) != 0)
            continue;
        comparer->any_run = true;
        for (size_t j = 0; j < run->case_count; j++)
            comparer->entries[comparer->entry_count++] =
                (struct entry){run->cases[j].id, i, &run->cases[j]};
    }
    qsort(comparer->entries, comparer->entry_count, sizeof *comparer->entries, compare_entries);
    return true;
}

/* The entries of one id: *count of them from the one returned. */
static const struct entry *entries_find(const struct comparer *comparer, const char *id,
                                        size_t *count)
{
    size_t low = 0, high = comparer->entry_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(comparer->entries[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < comparer->entry_count && !strcmp(comparer->entries[low + *count].id, id))
        ++*count;
    return &comparer->entries[low];
}

static const char *keep(struct comparer *comparer, const char *string)
{
    return string ? kg_arena_copy(&comparer->comparison->arena, string) : NULL;
}

/* The stored cases that one reference is made of: the ordinary runs, or one pinned run. */
struct reference {
    const struct kg_baseline_case **cases;
    size_t count;
    size_t rounds;
    const char *name; /* what the report says: "baseline", "pin NAME" */
};

static bool reference_collect(struct comparer *comparer, const struct entry *entries, size_t count,
                              const struct kg_case_result *result, const char *pin,
                              struct reference *reference)
{
    *reference = (struct reference){
        .cases = kg_arena_alloc(&comparer->scratch, count, sizeof *reference->cases),
        .name = pin ? kg_arena_printf(&comparer->comparison->arena, "pin %s", pin) : "baseline"};
    if (!reference->cases || !reference->name)
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < count; i++) {
        const char *run_pin = comparer->baseline->runs[entries[i].run].pin;
        const bool wanted = pin ? run_pin && !strcmp(run_pin, pin) : !run_pin;
        if (!wanted || strcmp(entries[i].stored->definition_hash, result->definition_hash) != 0)
            continue;
        reference->cases[reference->count++] = entries[i].stored;
        reference->rounds += entries[i].stored->round_count;
    }
    return true;
}

static const double *values_of(const struct kg_baseline_case *stored, bool memory)
{
    return memory ? stored->round_peak_bytes : stored->round_medians_ns;
}

/* Estimates time, or peak memory, against a reference. */
static bool metric_make(struct comparer *comparer, const struct kg_case_result *result,
                        const struct reference *reference, bool memory, struct kg_metric *metric)
{
    double medians[RUN_MEDIANS_MOST];
    const size_t rounds = result->round_count;
    struct kg_metric_input input = {
        .base = kg_arena_alloc(&comparer->scratch, reference->rounds, sizeof(double)),
        .current = kg_arena_alloc(&comparer->scratch, rounds, sizeof(double)),
        .current_count = rounds,
        .run_medians = medians,
        .threshold = memory ? result->memory_threshold : result->threshold,
        .min_effect = memory ? (double)result->min_memory_effect_bytes : result->min_effect_ns,
    };
    if (!input.base || !input.current)
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < rounds; i++)
        input.current[i] =
            memory ? (double)result->rounds[i].peak_bytes : result->rounds[i].median_ns;
    for (size_t i = 0; i < reference->count; i++) {
        const struct kg_baseline_case *stored = reference->cases[i];
        double *start = input.base + input.base_count;
        memcpy(start, values_of(stored, memory), stored->round_count * sizeof(double));
        kg_sort(start, stored->round_count);
        if (!memory && input.run_count < RUN_MEDIANS_MOST)
            medians[input.run_count++] = kg_median_sorted(start, stored->round_count);
        input.base_count += stored->round_count;
    }
    *metric = (struct kg_metric){.name = memory ? "peak_memory" : "time",
                                 .against = reference->name,
                                 .unit = memory ? "bytes" : "ns"};
    kg_metric_estimate(&input, metric);
    return true;
}

static double budget_value(const struct kg_case_result *result, const char *metric)
{
    const struct {
        const char *name;
        double value;
    } values[] = {{"time", result->summary.median_ns},
                  {"peak_memory", (double)result->memory.peak_bytes},
                  {"items_per_second", result->work.items_per_second},
                  {"bytes_per_second", result->work.bytes_per_second},
                  {"flops_per_second", result->work.flops_per_second}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!strcmp(values[i].name, metric))
            return values[i].value;
    return NAN;
}

static bool budget_judge(struct comparer *comparer, const struct kg_case_result *result,
                         const struct kg_limit *budget, struct kg_metric *metric)
{
    struct kg_arena *arena = &comparer->comparison->arena;
    const double value = budget_value(result, budget->metric);
    const bool at_least = !strcmp(budget->relation, ">=");
    *metric = (struct kg_metric){
        .name = keep(comparer, budget->metric),
        .against = "budget",
        .unit = !strcmp(budget->metric, "time")          ? "ns"
                : !strcmp(budget->metric, "peak_memory") ? "bytes"
                                                         : "1/s",
        .baseline = budget->limit,
        .current = value,
        .ratio = value / budget->limit,
        .interval_low = NAN,
        .interval_high = NAN,
        .p_value = NAN,
        .noise_floor = NAN,
        .change = KG_CHANGE_NO_CHANGE,
    };
    if (isnan(value)) {
        metric->change = KG_CHANGE_INCONCLUSIVE;
        metric->reason = kg_arena_printf(
            arena, "the workload does not say its %s, which the budget limits", budget->metric);
    } else if (at_least ? value < budget->limit : value > budget->limit) {
        metric->change = KG_CHANGE_REGRESSION;
        metric->reason =
            kg_arena_printf(arena, "%s is %.3g, %s the budget of %s %.3g", budget->metric, value,
                            at_least ? "below" : "above", budget->relation, budget->limit);
    }
    const bool worded = metric->change == KG_CHANGE_NO_CHANGE || metric->reason;
    return metric->name && worded ? true : kg_error_memory(comparer->err);
}

/* Time and memory against the ordinary runs and each pinned one, then the budgets. */
static bool metrics_make(struct comparer *comparer, const struct kg_case_result *result,
                         const struct entry *entries, size_t count, struct kg_case_change *change)
{
    const struct kg_comparison *comparison = comparer->comparison;
    change->metrics = kg_arena_alloc(&comparer->comparison->arena,
                                     2 * (1 + comparison->pin_count) + result->budget_count,
                                     sizeof *change->metrics);
    if (!change->metrics)
        return kg_error_memory(comparer->err);
    for (size_t p = 0; p <= comparison->pin_count && comparer->same_machine; p++) {
        struct reference reference;
        if (!reference_collect(comparer, entries, count, result, p ? comparison->pins[p - 1] : NULL,
                               &reference))
            return false;
        for (int memory = 0; memory < 2 && reference.count; memory++)
            if (!metric_make(comparer, result, &reference, memory,
                             &change->metrics[change->metric_count++]))
                return false;
    }
    change->change = change->metric_count ? KG_CHANGE_NO_CHANGE : KG_CHANGE_NEW;
    for (size_t b = 0; b < result->budget_count; b++)
        if (!budget_judge(comparer, result, &result->budgets[b],
                          &change->metrics[change->metric_count++]))
            return false;
    return true;
}

static const char *new_reason(struct comparer *comparer, size_t known)
{
    struct kg_arena *arena = &comparer->comparison->arena;
    if (comparer->baseline->fingerprint && !comparer->same_machine)
        return kg_arena_printf(arena, "the baseline is of another machine: %s, this is %s",
                               comparer->baseline->fingerprint,
                               comparer->current->machine.fingerprint);
    if (!comparer->any_run)
        return "no baseline for this suite on this machine";
    return known ? "the workload's definition changed" : "not in the baseline";
}

static bool case_compare(struct comparer *comparer, const struct kg_case_result *result,
                         struct kg_case_change *change)
{
    size_t known;
    const struct entry *entries = entries_find(comparer, result->id, &known);
    *change = (struct kg_case_change){.id = keep(comparer, result->id),
                                      .workload = keep(comparer, result->workload),
                                      .device = keep(comparer, result->device),
                                      .reason = keep(comparer, result->reason),
                                      .rounds = result->round_count,
                                      .time_ns = result->summary.median_ns};
    if (!change->id || !change->workload || !change->device)
        return kg_error_memory(comparer->err);
    if (result->status != KG_STATUS_OK) {
        change->change = result->status == KG_STATUS_FAILED ? KG_CHANGE_FAILED : KG_CHANGE_SKIPPED;
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

/* Adjusts the p-values of all time metrics together, then decides every metric. */
static bool metrics_decide(struct comparer *comparer)
{
    struct kg_comparison *comparison = comparer->comparison;
    size_t total = 0, k = 0;
    for (size_t i = 0; i < comparison->case_count; i++)
        total += comparison->cases[i].metric_count;
    double *p = kg_arena_alloc(&comparer->scratch, total, sizeof *p);
    if (!p)
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < comparison->case_count; i++)
        for (size_t m = 0; m < comparison->cases[i].metric_count; m++) {
            const struct kg_metric *metric = &comparison->cases[i].metrics[m];
            p[k++] = strcmp(metric->name, "time") == 0 ? metric->p_value : NAN;
        }
    if (!kg_holm_adjust(p, total))
        return kg_error_memory(comparer->err);
    k = 0;
    for (size_t i = 0; i < comparison->case_count; i++)
        for (size_t m = 0; m < comparison->cases[i].metric_count; m++, k++) {
            struct kg_metric *metric = &comparison->cases[i].metrics[m];
            if (!strcmp(metric->against, "budget"))
                continue;
            /* Memory repeats to the page; its interval decides, without a test. */
            const bool memory = strcmp(metric->name, "time") != 0;
            const bool outside = metric->interval_low > 1 + metric->threshold ||
                                 metric->interval_high < 1 / (1 + metric->threshold);
            metric->p_value = p[k];
            kg_metric_classify(metric, memory ? outside : p[k] <= comparison->policy.alpha);
        }
    return true;
}

static size_t rounds_of(const struct comparer *comparer, const struct kg_case_result *result)
{
    size_t known, rounds = 0;
    const struct entry *entries = entries_find(comparer, result->id, &known);
    for (size_t i = 0; i < known; i++)
        if (!comparer->baseline->runs[entries[i].run].pin)
            rounds += entries[i].stored->round_count;
    return rounds;
}

/* Whether the code is the very file that the newest stored run of this case had. */
static bool code_unchanged(const struct comparer *comparer, const struct kg_case_result *result)
{
    size_t known;
    const struct entry *entries = entries_find(comparer, result->id, &known);
    const char *hash = known ? entries[known - 1].stored->code_hash : NULL;
    return hash && result->code_hash && !strcmp(hash, result->code_hash);
}

/* Reasons for doubt, and for a moved time of unmoved code. */
static bool reasons_add(struct comparer *comparer, const struct kg_case_result *result,
                        struct kg_case_change *change)
{
    struct kg_arena *arena = &comparer->comparison->arena;
    for (size_t m = 0; m < change->metric_count; m++) {
        struct kg_metric *metric = &change->metrics[m];
        if (!strcmp(metric->against, "budget"))
            continue;
        if (metric->change == KG_CHANGE_INCONCLUSIVE)
            metric->reason =
                kg_metric_doubt(arena, metric, rounds_of(comparer, result), result->round_count,
                                comparer->comparison->policy.alpha);
        const bool moved =
            metric->change == KG_CHANGE_REGRESSION || metric->change == KG_CHANGE_IMPROVEMENT;
        if (moved && !strcmp(metric->name, "time") && code_unchanged(comparer, result))
            metric->reason = "the code is unchanged (same binary): the machine moved";
        if (metric->change == KG_CHANGE_INCONCLUSIVE && !metric->reason)
            return kg_error_memory(comparer->err);
    }
    return true;
}

/* Ids that the newest ordinary run has and these results have not. Marks them by a bit per entry.
 */
static bool removed_append(struct comparer *comparer, size_t *count)
{
    struct kg_comparison *comparison = comparer->comparison;
    size_t newest = SIZE_MAX;
    const struct kg_baseline *baseline = comparer->baseline;
    for (size_t i = 0; i < baseline->run_count; i++)
        if (!baseline->runs[i].pin && !strcmp(baseline->runs[i].suite, comparer->current->suite))
            newest = i;
    if (newest == SIZE_MAX || !comparer->same_machine || comparer->current->filter ||
        !comparer->current->complete)
        return true;
    const char **ids =
        kg_arena_alloc(&comparer->scratch, comparer->current->case_count, sizeof *ids);
    if (!ids)
        return kg_error_memory(comparer->err);
    for (size_t i = 0; i < comparer->current->case_count; i++)
        ids[i] = comparer->current->cases[i].id;
    qsort(ids, comparer->current->case_count, sizeof *ids, kg_compare_ids);
    for (size_t j = 0; j < baseline->runs[newest].case_count; j++) {
        const char *id = baseline->runs[newest].cases[j].id;
        if (bsearch(&id, ids, comparer->current->case_count, sizeof *ids, kg_compare_ids))
            continue;
        struct kg_case_change *change = &comparison->cases[(*count)++];
        const char *slash = strchr(id, '/'), *last = strrchr(id, '/');
        *change = (struct kg_case_change){
            .id = keep(comparer, id),
            .workload = kg_arena_copy_bytes(&comparison->arena, id,
                                            slash ? (size_t)(slash - id) : strlen(id)),
            .device = keep(comparer, last ? last + 1 : ""),
            .change = KG_CHANGE_REMOVED,
            .reason = "in the baseline, but no longer in the suite",
            .time_ns = NAN};
        if (!change->id || !change->workload || !change->device)
            return kg_error_memory(comparer->err);
    }
    return true;
}

static size_t cases_most(const struct comparer *comparer)
{
    size_t most = comparer->current->case_count;
    for (size_t i = 0; i < comparer->baseline->run_count; i++)
        most += comparer->baseline->runs[i].case_count;
    return most;
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
    if (!metrics_decide(comparer))
        return false;
    for (size_t i = 0; i < current->case_count; i++) {
        if (!reasons_add(comparer, &current->cases[i], &comparison->cases[i]))
            return false;
        kg_case_decide(&comparison->cases[i]);
    }
    return removed_append(comparer, &comparison->case_count);
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
    const bool good = entries_make(&comparer) && comparison_start(&comparer) &&
                      cases_compare(&comparer) && kg_cases_rank(comparison, err) &&
                      kg_verdict_decide(baseline, current, comparison, err);
    kg_arena_free(&comparer.scratch);
    if (!good)
        kg_comparison_free(comparison);
    return good;
}
