#include "baseline/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "baseline/stored_traits.h"
#include "results/throttle.h"

#define LIST(type, member, count, field_kind)                                                      \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .offset = offsetof(struct type, member),            \
        .count_offset = offsetof(struct type, count)                                               \
    }
#define OPTIONAL_REAL(type, member)                                                                \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_REAL, .optional = true,                                  \
        .offset = offsetof(struct type, member)                                                    \
    }
#define OPTIONAL(type, member)                                                                     \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_STRING, .optional = true,                                \
        .offset = offsetof(struct type, member)                                                    \
    }

static const struct kg_field counter_fields[] = {
    KG_FIELD(struct kg_baseline_counter, name, KG_FIELD_STRING),
    KG_FIELD(struct kg_baseline_counter, source, KG_FIELD_STRING),
    LIST(kg_baseline_counter, values, value_count, KG_FIELD_REALS),
};
static const struct kg_record counter_record =
    KG_RECORD_OF(struct kg_baseline_counter, counter_fields);

static const struct kg_field case_fields[] = {
    KG_FIELD(struct kg_baseline_case, id, KG_FIELD_STRING),
    KG_FIELD(struct kg_baseline_case, definition_hash, KG_FIELD_STRING),
    OPTIONAL(kg_baseline_case, code_hash),
    LIST(kg_baseline_case, round_medians_ns, round_count, KG_FIELD_REALS),
    LIST(kg_baseline_case, round_peak_bytes, peak_count, KG_FIELD_REALS),
    {.name = "round_pulses_ns",
     .kind = KG_FIELD_REALS,
     .optional = true,
     .offset = offsetof(struct kg_baseline_case, round_pulses_ns),
     .count_offset = offsetof(struct kg_baseline_case, pulse_count)},
    {.name = "round_means_ns",
     .kind = KG_FIELD_REALS,
     .optional = true,
     .offset = offsetof(struct kg_baseline_case, round_means_ns),
     .count_offset = offsetof(struct kg_baseline_case, mean_count)},
    {.name = "batch",
     .kind = KG_FIELD_COUNT,
     .optional = true,
     .offset = offsetof(struct kg_baseline_case, batch)},
    {.name = "counters",
     .kind = KG_FIELD_RECORDS,
     .optional = true,
     .offset = offsetof(struct kg_baseline_case, counters),
     .count_offset = offsetof(struct kg_baseline_case, counter_count),
     .record = &counter_record},
    {.name = "traits",
     .kind = KG_FIELD_REALS,
     .optional = true,
     .offset = offsetof(struct kg_baseline_case, traits),
     .count_offset = offsetof(struct kg_baseline_case, trait_count)},
};
static const struct kg_record case_record = KG_RECORD_OF(struct kg_baseline_case, case_fields);

static const struct kg_field run_fields[] = {
    KG_FIELD(struct kg_baseline_run, created, KG_FIELD_STRING),
    KG_FIELD(struct kg_baseline_run, suite, KG_FIELD_STRING),
    OPTIONAL(kg_baseline_run, pin),
    KG_FIELD(struct kg_baseline_run, kgate_version, KG_FIELD_STRING),
    OPTIONAL(kg_baseline_run, kernel),
    OPTIONAL(kg_baseline_run, governor),
    OPTIONAL(kg_baseline_run, vectors),
    OPTIONAL(kg_baseline_run, blas),
    OPTIONAL(kg_baseline_run, compiler),
    OPTIONAL(kg_baseline_run, nvidia_driver),
    OPTIONAL(kg_baseline_run, cuda_driver),
    OPTIONAL(kg_baseline_run, cuda_toolkit),
    OPTIONAL(kg_baseline_run, gpu_ecc),
    OPTIONAL(kg_baseline_run, gpu_mig),
    OPTIONAL_REAL(kg_baseline_run, gpu_sm_clock_hz),
    OPTIONAL_REAL(kg_baseline_run, gpu_memory_clock_hz),
    OPTIONAL(kg_baseline_run, pair),
    OPTIONAL_REAL(kg_baseline_run, pulse_ns),
    OPTIONAL_REAL(kg_baseline_run, bandwidth_bytes_per_s),
    OPTIONAL_REAL(kg_baseline_run, latency_ns),
    {.name = "trait_names",
     .kind = KG_FIELD_STRINGS,
     .optional = true,
     .offset = offsetof(struct kg_baseline_run, trait_names),
     .count_offset = offsetof(struct kg_baseline_run, trait_name_count)},
    {.name = "cases",
     .kind = KG_FIELD_RECORDS,
     .offset = offsetof(struct kg_baseline_run, cases),
     .count_offset = offsetof(struct kg_baseline_run, case_count),
     .record = &case_record},
};
static const struct kg_record run_record = KG_RECORD_OF(struct kg_baseline_run, run_fields);

static const struct kg_field baseline_fields[] = {
    KG_FIELD(struct kg_baseline, fingerprint, KG_FIELD_STRING),
    {.name = "machine",
     .kind = KG_FIELD_RECORD,
     .offset = offsetof(struct kg_baseline, machine),
     .record = &kg_machine_record},
    {.name = "runs",
     .kind = KG_FIELD_RECORDS,
     .offset = offsetof(struct kg_baseline, runs),
     .count_offset = offsetof(struct kg_baseline, run_count),
     .record = &run_record},
};
const struct kg_record kg_baseline_record = KG_RECORD_OF(struct kg_baseline, baseline_fields);

static bool counters_from_result(struct kg_arena *arena, const struct kg_case_result *result,
                                 struct kg_baseline_case *stored)
{
    stored->counters = kg_arena_alloc(arena, result->counter_count, sizeof *stored->counters);
    if (!stored->counters)
        return false;
    for (size_t i = 0; i < result->counter_count; i++)
        stored->counters[i] = (struct kg_baseline_counter){
            .name = result->counters[i].name,
            .source = result->counters[i].source,
            .values = result->counters[i].values,
            .value_count = result->counters[i].value_count,
        };
    stored->counter_count = result->counter_count;
    return true;
}

static bool case_from_result(struct kg_arena *arena, const struct kg_case_result *result,
                             struct kg_baseline_case *stored)
{
    *stored = (struct kg_baseline_case){
        .id = result->id,
        .definition_hash = result->definition_hash,
        .code_hash = result->code_hash,
        .round_means_ns = kg_arena_alloc(arena, result->round_count, sizeof(double)),
        .batch = result->round_count ? result->rounds[0].batch : 0,
        .round_medians_ns = kg_arena_alloc(arena, result->round_count, sizeof(double)),
        .round_peak_bytes = kg_arena_alloc(arena, result->round_count, sizeof(double)),
        .round_pulses_ns = kg_arena_alloc(arena, result->round_count, sizeof(double)),
    };
    if (!stored->round_medians_ns || !stored->round_peak_bytes || !stored->round_pulses_ns ||
        !stored->round_means_ns)
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < result->round_count; i++) {
        if (!kg_round_judged(result->rounds, result->round_count, i))
            continue;
        stored->round_medians_ns[kept] = result->rounds[i].median_ns;
        stored->round_peak_bytes[kept] = (double)result->rounds[i].peak_bytes;
        stored->round_means_ns[kept] = result->rounds[i].mean_ns;
        stored->round_pulses_ns[kept++] = result->rounds[i].pulse_ns;
        stored->pulse_count += result->rounds[i].pulse_ns > 0;
    }
    stored->round_count = stored->peak_count = stored->mean_count = kept;
    if (stored->pulse_count < kept)
        stored->pulse_count = 0; /* all or none */
    return counters_from_result(arena, result, stored);
}

bool kg_baseline_run_make(struct kg_arena *arena, const struct kg_results *results,
                          struct kg_baseline_run *run)
{
    const struct kg_gpu *gpu = kg_machine_gpu(&results->machine);
    *run = (struct kg_baseline_run){
        .created = results->created,
        .suite = results->suite,
        .kgate_version = results->kgate_version,
        .kernel = results->machine.kernel,
        .governor = results->machine.governor,
        .vectors = results->machine.vectors,
        .blas = results->machine.blas,
        .compiler = results->machine.compiler,
        .nvidia_driver = results->machine.nvidia_driver,
        .cuda_driver = results->machine.cuda_driver,
        .cuda_toolkit = results->machine.cuda_toolkit,
        .gpu_ecc = gpu ? gpu->ecc : NULL,
        .gpu_mig = gpu ? gpu->mig : NULL,
        .gpu_sm_clock_hz = gpu ? gpu->sm_clock_hz : NAN,
        .gpu_memory_clock_hz = gpu ? gpu->memory_clock_hz : NAN,
        .pair = results->pair,
        .cases = kg_arena_alloc(arena, results->case_count, sizeof *run->cases),
    };
    const struct kg_probe_reading usual = kg_results_probe(results);
    run->pulse_ns = usual.pulse_ns;
    run->bandwidth_bytes_per_s = usual.bandwidth_bytes_per_s;
    run->latency_ns = usual.latency_ns;
    if (!run->cases)
        return false;
    for (size_t i = 0; i < results->case_count; i++) {
        if (results->cases[i].status != KG_STATUS_OK)
            continue;
        if (!case_from_result(arena, &results->cases[i], &run->cases[run->case_count]))
            return false;
        run->case_count++;
    }
    return kg_stored_traits_make(arena, results, run);
}

bool kg_baseline_from_results(const struct kg_results *results, struct kg_baseline *baseline,
                              struct kg_error *err)
{
    *baseline = (struct kg_baseline){
        .fingerprint = results->machine.fingerprint, .machine = results->machine, .run_count = 1};
    baseline->runs = kg_arena_alloc(&baseline->arena, 1, sizeof *baseline->runs);
    if (baseline->runs && kg_baseline_run_make(&baseline->arena, results, baseline->runs))
        return true;
    kg_baseline_free(baseline);
    return kg_error_memory(err);
}

uint64_t kg_baseline_batch(const struct kg_baseline *baseline, const char *suite, const char *id,
                           const char *definition_hash)
{
    for (size_t r = baseline->run_count; r-- > 0;) {
        const struct kg_baseline_run *run = &baseline->runs[r];
        for (size_t c = 0; c < run->case_count && !run->pin && !strcmp(run->suite, suite); c++)
            if (!strcmp(run->cases[c].id, id) &&
                !strcmp(run->cases[c].definition_hash, definition_hash))
                return run->cases[c].batch;
    }
    return 0;
}

char *kg_baseline_path(struct kg_arena *arena, const char *directory, const char *fingerprint)
{
    return kg_arena_printf(arena, "%s/%s.json", directory, fingerprint);
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool run_validate(const struct kg_baseline_run *run, size_t index, struct kg_error *err)
{
    bool good = true;
    const char **ids = calloc(run->case_count + 1, sizeof *ids);
    if (!ids)
        return kg_error_memory(err);
    for (size_t i = 0; i < run->case_count && good; i++) {
        const struct kg_baseline_case *stored = &run->cases[i];
        ids[i] = stored->id;
        if (!stored->round_count || stored->peak_count != stored->round_count)
            good =
                kg_error_set(err, KG_ERROR_USAGE,
                             "runs[%zu].cases[%zu]: expected rounds, and as many peaks", index, i);
        for (size_t r = 0; r < stored->round_count && good; r++)
            if (!(stored->round_medians_ns[r] > 0) || !(stored->round_peak_bytes[r] >= 0))
                good = kg_error_set(err, KG_ERROR_USAGE,
                                    "runs[%zu].cases[%zu].round_medians_ns[%zu]: expected a time "
                                    "above 0 and a peak from 0 up",
                                    index, i, r);
        if (good && stored->pulse_count && stored->pulse_count != stored->round_count)
            good = kg_error_set(err, KG_ERROR_USAGE,
                                "runs[%zu].cases[%zu].round_pulses_ns: expected as many as rounds",
                                index, i);
        for (size_t r = 0; r < stored->pulse_count && good; r++)
            if (!(stored->round_pulses_ns[r] > 0))
                good = kg_error_set(err, KG_ERROR_USAGE,
                                    "runs[%zu].cases[%zu].round_pulses_ns[%zu]: expected a time "
                                    "above 0",
                                    index, i, r);
        for (size_t c = 0; c < stored->counter_count && good; c++)
            if (!kg_counter_values_good(stored->counters[c].values,
                                        stored->counters[c].value_count))
                good = kg_error_set(err, KG_ERROR_USAGE,
                                    "runs[%zu].cases[%zu].counters[%zu].values: expected numbers "
                                    "from 0 up, at least one",
                                    index, i, c);
    }
    if (good)
        qsort(ids, run->case_count, sizeof *ids, compare_strings);
    for (size_t i = 1; i < run->case_count && good; i++)
        if (!strcmp(ids[i], ids[i - 1]))
            good = kg_error_set(err, KG_ERROR_USAGE, "runs[%zu]: two cases have the id '%.200s'",
                                index, ids[i]);
    free(ids);
    return good;
}

static bool baseline_validate(const struct kg_baseline *baseline, struct kg_error *err)
{
    for (size_t i = 0; i < baseline->run_count; i++) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        if (!run_validate(run, i, err) || !kg_stored_traits_validate(run, i, err))
            return false;
        for (size_t j = 0; j < i; j++)
            if (run->pin && baseline->runs[j].pin && !strcmp(run->pin, baseline->runs[j].pin) &&
                !strcmp(run->suite, baseline->runs[j].suite))
                return kg_error_set(err, KG_ERROR_USAGE, "runs[%zu].pin: '%s' is there twice", i,
                                    run->pin);
    }
    return true;
}

bool kg_baseline_load(const char *path, struct kg_baseline *baseline, struct kg_error *err)
{
    *baseline = (struct kg_baseline){0};
    if (access(path, F_OK) != 0)
        return true;
    if (!kg_record_load(&kg_baseline_record, KG_BASELINE_SCHEMA, path, &baseline->arena, baseline,
                        err)) {
        kg_baseline_free(baseline);
        return false;
    }
    if (baseline_validate(baseline, err))
        return true;
    kg_baseline_free(baseline);
    return kg_error_wrap(err, "%s", path);
}

void kg_baseline_free(struct kg_baseline *baseline)
{
    kg_arena_free(&baseline->arena);
    *baseline = (struct kg_baseline){0};
}
