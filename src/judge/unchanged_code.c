#include "judge/unchanged_code.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "judge/environment_words.h"
#include "model/series.h"

static bool text_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Whether two values are equal or both unknown. */
static bool figure_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Whether the properties outside the fingerprint are the same: all that the report notes, except kgate's compiler. The
 * code of kgate's kernels already reflects the compiler. */
static bool machine_same(const struct kg_baseline_run *run, const struct kg_machine *machine)
{
    return text_same(run->kernel, machine->kernel) && text_same(run->governor, machine->governor) &&
           text_same(run->vectors, machine->vectors);
}

/* Like machine_same, for a GPU case. */
static bool gpu_same(const struct kg_baseline_run *run, const struct kg_machine *machine)
{
    const struct kg_gpu *gpu = kg_machine_gpu(machine);
    return gpu && text_same(run->nvidia_driver, machine->nvidia_driver) &&
           text_same(run->cuda_driver, machine->cuda_driver) &&
           text_same(run->cuda_toolkit, machine->cuda_toolkit) &&
           text_same(run->gpu_ecc, gpu->ecc) && text_same(run->gpu_mig, gpu->mig) &&
           figure_same(run->gpu_sm_clock_hz, gpu->sm_clock_hz) &&
           figure_same(run->gpu_memory_clock_hz, gpu->memory_clock_hz);
}

static bool has_series(const struct kg_baseline_case *stored, const char *name)
{
    for (size_t i = 0; i < stored->series_count; i++)
        if (!strcmp(stored->series[i].name, name))
            return true;
    return false;
}

/* Whether the reference has every compared metric. Counts such as instructions get their series only once they are
 * counted. */
static bool metrics_known(const struct kg_case_result *result,
                          const struct kg_baseline_case *stored)
{
    for (int kind = 0; kind < KG_METRIC_KINDS; kind++)
        if (kg_metric_asked(result, (enum kg_metric_kind)kind) &&
            !has_series(stored, kg_metric_kind_names[kind]))
            return false;
    for (size_t i = 0; i < result->series_count; i++)
        if (!strcmp(result->series[i].source, KG_SERIES_OF_WORKLOAD) &&
            !has_series(stored, result->series[i].name))
            return false;
    return true;
}

struct search {
    const struct kg_baseline *baseline;
    const struct kg_results *results;
    struct kg_reference_index index;
};

/* Returns the case of the newest ordinary run with the result's definition; NULL if there is none.
 * pins_same  false if a pinned run has the case with other code */
static const struct kg_baseline_case *
newest_find(const struct search *search, const struct kg_case_result *result, bool *pins_same)
{
    const struct kg_baseline_case *newest = NULL;
    size_t count;
    const struct kg_reference_entry *entries =
        kg_reference_find(&search->index, result->id, &count);
    *pins_same = true;
    for (size_t i = 0; i < count; i++) {
        const struct kg_baseline_case *stored = entries[i].stored;
        if (strcmp(stored->definition_hash, result->definition_hash) != 0)
            continue;
        if (search->baseline->runs[entries[i].run].pin)
            *pins_same = *pins_same && kg_code_is_same(kg_code_match(&result->code, &stored->code));
        else if (entries[i].run == search->index.newest && kg_baseline_rounds(stored))
            newest = stored;
    }
    return newest;
}

static bool environment_same(const struct search *search, const struct kg_case_result *result,
                             const struct kg_baseline_run *run)
{
    struct kg_arena scratch = {0};
    const bool same = !kg_environment_words(&scratch, search->results, result, run);
    kg_arena_free(&scratch);
    return same;
}

static bool is_unchanged(const struct search *search, const struct kg_case_result *result)
{
    const struct kg_machine *machine = &search->results->machine;
    const bool on_gpu = !strcmp(result->device, kg_device_names[KGATE_DEVICE_CUDA]);
    bool pins_same;
    const struct kg_baseline_case *stored = newest_find(search, result, &pins_same);
    if (!stored || !pins_same || result->budget_count)
        return false;
    const struct kg_baseline_run *run = &search->baseline->runs[search->index.newest];
    return kg_code_is_same(kg_code_match(&result->code, &stored->code)) &&
           machine_same(run, machine) && environment_same(search, result, run) &&
           (!on_gpu || gpu_same(run, machine)) && metrics_known(result, stored);
}

static bool same_machine(const struct kg_baseline *baseline, const struct kg_results *results)
{
    return text_same(baseline->fingerprint, results->machine.fingerprint);
}

void kg_unchanged_mark(const struct kg_baseline *baseline, const bool *wanted,
                       struct kg_results *results)
{
    struct kg_arena scratch = {0};
    struct search search = {.baseline = baseline, .results = results};
    if (!same_machine(baseline, results))
        return;
    kg_reference_index_make(&scratch, baseline, results->suite, &search.index);
    for (size_t i = 0; i < results->case_count && search.index.newest != SIZE_MAX; i++) {
        struct kg_case_result *result = &results->cases[i];
        if (!wanted[i] || result->status != KG_STATUS_UNMEASURED || !is_unchanged(&search, result))
            continue;
        result->status = KG_STATUS_UNCHANGED;
        result->reason = KG_UNCHANGED_REASON;
    }
    kg_arena_free(&scratch);
}

bool kg_unchanged_holds(const struct kg_reference_index *index, const struct kg_results *results,
                        const struct kg_case_result *result)
{
    struct search search = {.baseline = index->baseline, .results = results, .index = *index};
    bool pins_same;
    if (results->pair)
        return true;
    if (!same_machine(index->baseline, results))
        return false;
    const struct kg_baseline_case *stored = newest_find(&search, result, &pins_same);
    return stored && kg_code_is_same(kg_code_match(&result->code, &stored->code));
}

/* Whether the case's inherited environment variables are known on both sides and equal. */
static bool variables_same(const struct kg_results *results, const struct kg_case_result *result,
                           const struct kg_baseline_run *run)
{
    const struct search search = {.results = results};
    return results->environment.known && run->environment.known &&
           environment_same(&search, result, run);
}

bool kg_unchanged_since(const struct kg_results *results, const struct kg_case_result *result,
                        const struct kg_reference *reference)
{
    const bool on_gpu = !strcmp(result->device, kg_device_names[KGATE_DEVICE_CUDA]);
    if (reference->paired)
        return result->same_as_base;
    for (size_t i = 0; i < reference->case_count; i++)
        if (kg_code_match(&result->code, &reference->cases[i]->code) != KG_CODE_SAME)
            return false;
    for (size_t i = 0; i < reference->case_count; i++)
        if (!machine_same(reference->runs[i], &results->machine) ||
            (on_gpu && !gpu_same(reference->runs[i], &results->machine)) ||
            !variables_same(results, result, reference->runs[i]))
            return false;
    return reference->case_count > 0;
}
