#include "model/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/code_fields.h"
#include "model/disturbance.h"
#include "model/series.h"
#include "model/stored_runs.h"
#include "model/stored_traits.h"

#define STRUCT kg_baseline_series
static const struct kg_field series_fields[] = {
    KG_FIELD(name, STRING,
             "metric, or counter that the workload reports; `pulse`: time of the clock probe, "
             "`mean_time`: mean of the samples, `call_cpu_time`: CPU time per call",
             KG_NOT_EMPTY),
    KG_FIELD(source, STRING, "tool that counted; kgate does not compare values of two tools"),
    KG_LIST(values, value_count, REALS, "one value per judged round, or per counting process",
            KG_NOT_EMPTY, KG_FROM_0),
};
static const struct kg_record series_record =
    KG_RECORD_OF(series_fields, "The values of one metric of a stored case.");
#undef STRUCT

#define STRUCT kg_baseline_case
static const struct kg_field case_fields[] = {
    KG_FIELD(id, STRING, "id of the case", KG_NOT_EMPTY),
    KG_FIELD(definition_hash, STRING, "hash of the case's definition", KG_PATTERN_HASH),
    KG_CODE_FIELDS,
    KG_FIELD(build, STRING, "SHA-256 of the measured file", KG_OPTIONAL, KG_PATTERN_SHA256),
    KG_FIELD(accepted, STRING,
             "time of the accepted change with which the case's history begins; kgate does not "
             "compare older runs of the case",
             KG_OPTIONAL, KG_PATTERN_TIME),
    KG_FIELD(batch, COUNT, "calls per sample; 0: not known", KG_OPTIONAL),
    KG_FIELD(round_ns, REAL,
             "measured time per round, if kgate chose it for the case; otherwise `min_time` of the "
             "suite, ns",
             KG_OPTIONAL, KG_FROM_0),
    KG_LIST(series, series_count, RECORDS, "values by metric; `time` is always there",
            KG_OF(series_record)),
    KG_LIST(
        traits, trait_count, REALS,
        "features of the case, in the order of trait_names; null, or missing at the end: not known",
        KG_OPTIONAL, KG_NULLABLE, KG_FROM_0),
    KG_FIELD(sampled, RECORD, "functions that took the time, in the newest run", KG_OPTIONAL,
             KG_OF(kg_sampled_record)),
    KG_FIELD(system_calls, RECORD, "number and bytes of system calls, in the newest run",
             KG_OPTIONAL, KG_OF(kg_system_calls_record)),
};
static const struct kg_record case_record = KG_RECORD_OF(case_fields, "One case of a stored run.");
#undef STRUCT

#define STRUCT kg_baseline_run
static const struct kg_field run_fields[] = {
    KG_FIELD(created, STRING, "creation time, UTC", KG_PATTERN_TIME),
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD(commit, STRING, "commit of the measured checkout", KG_OPTIONAL),
    KG_FIELD(branch, STRING, "branch of the measured checkout", KG_OPTIONAL),
    KG_FIELD(pin, STRING, "name of a pinned run", KG_OPTIONAL),
    KG_FIELD(kgate_version, STRING, "version of kgate"),
    KG_FIELD(kernel, STRING, "operating system", KG_OPTIONAL),
    KG_FIELD(governor, STRING, "CPU frequency governor", KG_OPTIONAL),
    KG_FIELD(vectors, STRING, "widest vectors that kernels may use: AVX-512 or AVX2", KG_OPTIONAL),
    KG_FIELD(compiler, STRING, "compiler that built kgate", KG_OPTIONAL),
    KG_FIELD(nvidia_driver, STRING, "version of the NVIDIA driver", KG_OPTIONAL),
    KG_FIELD(cuda_driver, STRING, "CUDA version of the driver", KG_OPTIONAL),
    KG_FIELD(cuda_toolkit, STRING, "CUDA version that kgate was built with", KG_OPTIONAL),
    KG_FIELD(gpu_ecc, STRING, "ECC of the chosen GPU", KG_OPTIONAL, KG_WORDS("on", "off")),
    KG_FIELD(gpu_mig, STRING, "whether the device is a MIG instance of a GPU", KG_OPTIONAL,
             KG_WORDS("on", "off")),
    KG_FIELD(gpu_sm_clock_hz, REAL, "highest clock of the chosen GPU, Hz", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(gpu_memory_clock_hz, REAL, "highest memory clock of the chosen GPU, Hz", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(environment, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_environment_record)),
    KG_FIELD(pair, STRING, "key of an `ab`, equal in the files of both builds", KG_OPTIONAL),
    KG_FIELD(pulse_ns, REAL, "median time of the clock probe, ns", KG_OPTIONAL),
    KG_FIELD(bandwidth_bytes_per_s, REAL, "median memory bandwidth by the probe, bytes per second",
             KG_OPTIONAL),
    KG_FIELD(latency_ns, REAL, "median memory latency by the probe, ns", KG_OPTIONAL),
    KG_LIST(
        trait_names, trait_name_count, STRINGS,
        "names of the cases' features; among ordinary runs only the newest run of a suite has any",
        KG_OPTIONAL, KG_DISTINCT),
    KG_LIST(cases, case_count, RECORDS, "measured cases", KG_OF(case_record)),
};
static const struct kg_record run_record = KG_RECORD_OF(run_fields, "One stored run.");
#undef STRUCT

#define STRUCT kg_baseline
static const struct kg_field baseline_fields[] = {
    KG_FIELD(fingerprint, STRING, "fingerprint of the machine", KG_NOT_EMPTY),
    KG_FIELD(machine, RECORD, NULL, KG_OF(kg_machine_record)),
    KG_LIST(runs, run_count, RECORDS, "stored runs, oldest first", KG_OF(run_record)),
};

const struct kg_record kg_baseline_record =
    KG_RECORD_OF(baseline_fields, "The stored runs of one machine.");
#undef STRUCT

/* Values that a round has beside its metrics; NaN if unknown. */
static double pulse_of(const struct kg_round *round)
{
    return round->pulse_ns > 0 ? round->pulse_ns : NAN;
}

static double memory_clock_of(const struct kg_round *round)
{
    return round->memory_clock_hz;
}

static double power_of(const struct kg_round *round)
{
    return round->power_w;
}

static double mean_of(const struct kg_round *round)
{
    return round->mean_ns;
}

static double call_cpu_of(const struct kg_round *round)
{
    return round->cpu_ns;
}

/* Whether a round is kept: judged rounds only. Exception: if the machine was too busy for a case,
 * which only paired rounds have, all of its rounds are kept. */
static bool is_kept(const struct kg_case_result *result, size_t index)
{
    return result->status == KG_STATUS_UNMEASURED || kg_round_judged(result, index);
}

/* Keeps a series if all of its values are known. */
static void series_keep(struct kg_baseline_case *stored, const struct kg_baseline_series *series)
{
    for (size_t i = 0; i < series->value_count; i++)
        if (!isfinite(series->values[i]))
            return;
    if (series->value_count)
        stored->series[stored->series_count++] = *series;
}

static void series_from_result(struct kg_arena *arena, const struct kg_case_result *result,
                               const struct kg_series *from, struct kg_baseline_case *stored)
{
    const size_t count = kg_series_count(result, from);
    const bool by_round = kg_series_by_round(from) && count == result->round_count;
    struct kg_baseline_series series = {.name = from->name,
                                        .source = from->source,
                                        .values = kg_arena_alloc(arena, count, sizeof(double))};
    const double *values = kg_series_values(arena, result, from);
    for (size_t i = 0; i < count; i++)
        if (!by_round || is_kept(result, i))
            series.values[series.value_count++] = values[i];
    series_keep(stored, &series);
}

static void series_from_rounds(struct kg_arena *arena, const struct kg_case_result *result,
                               const char *name, double (*of)(const struct kg_round *round),
                               struct kg_baseline_case *stored)
{
    struct kg_baseline_series series = {
        .name = name,
        .source = KG_SERIES_OF_ROUNDS,
        .values = kg_arena_alloc(arena, result->round_count, sizeof(double))};
    for (size_t i = 0; i < result->round_count; i++)
        if (is_kept(result, i))
            series.values[series.value_count++] = of(&result->rounds[i]);
    series_keep(stored, &series);
}

static void case_from_result(struct kg_arena *arena, const struct kg_case_result *result,
                             struct kg_baseline_case *stored)
{
    enum { BESIDE = 6 };
    const bool busy = result->status == KG_STATUS_UNMEASURED;
    *stored = (struct kg_baseline_case){
        .id = result->id,
        .definition_hash = result->definition_hash,
        .code = result->code,
        .build = result->build,
        .batch = result->round_count ? result->rounds[0].batch : 0,
        .round_ns = result->round_ns,
        .series = kg_arena_alloc(arena, result->series_count + BESIDE, sizeof *stored->series),
    };
    for (size_t i = 0; i < result->series_count; i++)
        series_from_result(arena, result, &result->series[i], stored);
    series_from_rounds(arena, result, KG_SERIES_PULSE, pulse_of, stored);
    series_from_rounds(arena, result, KG_SERIES_MEAN, mean_of, stored);
    series_from_rounds(arena, result, KG_SERIES_CALL_CPU, call_cpu_of, stored);
    series_from_rounds(arena, result, KG_SERIES_MEMORY_CLOCK, memory_clock_of, stored);
    series_from_rounds(arena, result, KG_SERIES_POWER, power_of, stored);
    if (busy)
        series_from_rounds(arena, result, KG_SERIES_LEAST, kg_round_least_ns, stored);
}

const struct kg_baseline_series *kg_baseline_series_find(const struct kg_baseline_case *stored,
                                                         const char *name, const char *source)
{
    for (size_t i = 0; i < stored->series_count; i++)
        if (stored->series[i].value_count && !strcmp(stored->series[i].name, name) &&
            !strcmp(stored->series[i].source, source))
            return &stored->series[i];
    return NULL;
}

/* expected: the index of the case if both runs have the same cases */
static const struct kg_baseline_case *case_find(const struct kg_baseline_run *run, const char *id,
                                                size_t expected)
{
    if (expected < run->case_count && !strcmp(run->cases[expected].id, id))
        return &run->cases[expected];
    for (size_t i = 0; i < run->case_count; i++)
        if (!strcmp(run->cases[i].id, id))
            return &run->cases[i];
    return NULL;
}

size_t kg_baseline_code_changes(const struct kg_baseline *baseline, size_t run)
{
    const struct kg_baseline_run *of = &baseline->runs[run], *before = NULL;
    size_t changes = 0;
    for (size_t i = 0; i < run; i++)
        if (!strcmp(baseline->runs[i].suite, of->suite))
            before = &baseline->runs[i];
    for (size_t i = 0; before && i < of->case_count; i++) {
        const struct kg_baseline_case *stored = case_find(before, of->cases[i].id, i);
        const enum kg_code_match match =
            stored ? kg_code_match(&stored->code, &of->cases[i].code) : KG_CODE_UNKNOWN;
        changes += match == KG_CODE_OTHER || match == KG_CODE_OTHER_LIBRARIES;
    }
    return changes;
}

size_t kg_baseline_rounds(const struct kg_baseline_case *stored)
{
    const struct kg_baseline_series *time =
        kg_baseline_series_find(stored, kg_metric_kind_names[KG_METRIC_TIME], KG_SERIES_OF_ROUNDS);
    return time ? time->value_count : 0;
}

/* The measured cases of a run, or those for which the machine was too busy. */
static bool is_taken(const struct kg_case_result *result, bool busy)
{
    return busy ? result->status == KG_STATUS_UNMEASURED && result->round_count
                : result->status == KG_STATUS_OK;
}

/* with_busy  also takes the cases for which the machine was too busy, after the others */
static void run_make(struct kg_arena *arena, const struct kg_results *results, bool with_busy,
                     struct kg_baseline_run *run)
{
    const struct kg_gpu *gpu = kg_machine_gpu(&results->machine);
    *run = (struct kg_baseline_run){
        .created = results->created,
        .suite = results->suite,
        .commit = results->commit,
        .branch = results->branch,
        .kgate_version = results->kgate_version,
        .kernel = results->machine.kernel,
        .governor = results->machine.governor,
        .vectors = results->machine.vectors,
        .compiler = results->machine.compiler,
        .nvidia_driver = results->machine.nvidia_driver,
        .cuda_driver = results->machine.cuda_driver,
        .cuda_toolkit = results->machine.cuda_toolkit,
        .gpu_ecc = gpu ? gpu->ecc : NULL,
        .gpu_mig = gpu ? gpu->mig : NULL,
        .gpu_sm_clock_hz = gpu ? gpu->sm_clock_hz : NAN,
        .gpu_memory_clock_hz = gpu ? gpu->memory_clock_hz : NAN,
        .environment = results->environment,
        .pair = results->pair,
        .cases = kg_arena_alloc(arena, results->case_count, sizeof *run->cases),
    };
    const struct kg_probe_reading usual = kg_results_probe(results);
    run->pulse_ns = usual.pulse_ns;
    run->bandwidth_bytes_per_s = usual.bandwidth_bytes_per_s;
    run->latency_ns = usual.latency_ns;
    const struct kg_case_result **taken =
        kg_arena_alloc(arena, results->case_count, sizeof(void *));
    for (int busy = 0; busy <= with_busy; busy++)
        for (size_t i = 0; i < results->case_count; i++)
            if (is_taken(&results->cases[i], busy)) {
                case_from_result(arena, &results->cases[i], &run->cases[run->case_count]);
                taken[run->case_count++] = &results->cases[i];
            }
    kg_stored_traits_make(arena, results, taken, run);
}

void kg_baseline_run_make(struct kg_arena *arena, const struct kg_results *results,
                          struct kg_baseline_run *run)
{
    run_make(arena, results, false, run);
}

/* Paired rounds decide beside other programs, too. */
void kg_baseline_from_results(const struct kg_results *results, struct kg_baseline *baseline)
{
    *baseline = (struct kg_baseline){
        .fingerprint = results->machine.fingerprint, .machine = results->machine, .run_count = 1};
    baseline->runs = kg_arena_alloc(&baseline->arena, 1, sizeof *baseline->runs);
    run_make(&baseline->arena, results, results->pair, baseline->runs);
}

char *kg_baseline_path(struct kg_arena *arena, const char *directory, const char *fingerprint)
{
    return kg_arena_printf(arena, "%s/%s.json", directory, fingerprint);
}

/* Checks a series: times are above 0, and a series of rounds has one value per round. */
static bool series_validate(const struct kg_baseline_series *series, size_t rounds, bool time,
                            const char *place, struct kg_error *err)
{
    const bool of_rounds = !strcmp(series->source, KG_SERIES_OF_ROUNDS);
    for (size_t i = 0; i < series->value_count && time; i++)
        if (!(series->values[i] > 0))
            return kg_error_set(err, KG_ERROR_USAGE, "%s.values[%zu]: expected a time above 0",
                                place, i);
    return !of_rounds || series->value_count == rounds
               ? true
               : kg_error_set(err, KG_ERROR_USAGE, "%s.values: expected one value per round",
                              place);
}

static bool case_validate(const struct kg_baseline_case *stored, size_t run, size_t index,
                          struct kg_error *err)
{
    const size_t rounds = kg_baseline_rounds(stored);
    char place[96];
    if (!rounds)
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "runs[%zu].cases[%zu]: expected a series 'time' with one value per round", run, index);
    for (size_t i = 0; i < stored->series_count; i++) {
        const struct kg_baseline_series *series = &stored->series[i];
        const bool time = !strcmp(series->source, KG_SERIES_OF_ROUNDS) &&
                          (!strcmp(series->name, kg_metric_kind_names[KG_METRIC_TIME]) ||
                           !strcmp(series->name, KG_SERIES_PULSE));
        snprintf(place, sizeof place, "runs[%zu].cases[%zu].series[%zu]", run, index, i);
        if (!series_validate(series, rounds, time, place, err))
            return false;
    }
    return true;
}

static bool run_validate(const struct kg_baseline_run *run, size_t index, struct kg_error *err)
{
    bool good = true;
    const char **ids = kg_alloc(run->case_count + 1, sizeof *ids);
    for (size_t i = 0; i < run->case_count && good; i++) {
        const struct kg_baseline_case *stored = &run->cases[i];
        ids[i] = stored->id;
        good = case_validate(stored, index, i, err);
    }
    const char *repeated = good ? kg_strings_repeated(ids, run->case_count) : NULL;
    free(ids);
    if (repeated)
        return kg_error_set(err, KG_ERROR_USAGE, "runs[%zu]: two cases have the id '%.200s'", index,
                            repeated);
    return good;
}

bool kg_baseline_validate(const struct kg_baseline *baseline, struct kg_error *err)
{
    if (!kg_fingerprint_check("fingerprint", baseline->fingerprint, err))
        return false;
    for (size_t i = 0; i < baseline->run_count; i++) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        if (!run_validate(run, i, err) || !kg_stored_traits_validate(run, i, err))
            return false;
        for (size_t j = 0; j < i; j++)
            if (run->pin && baseline->runs[j].pin && !strcmp(run->pin, baseline->runs[j].pin) &&
                !strcmp(run->suite, baseline->runs[j].suite))
                return kg_error_set(err, KG_ERROR_USAGE,
                                    "runs[%zu].pin: two runs have the pin '%s'", i, run->pin);
    }
    return true;
}

bool kg_baseline_load(const char *path, struct kg_baseline *baseline, struct kg_error *err)
{
    *baseline = (struct kg_baseline){0};
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    if (!kg_record_load(&kg_baseline_record, KG_BASELINE_SCHEMA, path, &baseline->arena, baseline,
                        err)) {
        kg_baseline_free(baseline);
        return false;
    }
    if (kg_baseline_validate(baseline, err) && kg_stored_runs_settle(baseline, err))
        return true;
    kg_baseline_free(baseline);
    return kg_error_wrap(err, "%s", path);
}

bool kg_baseline_parse(const char *path, const char *bytes, size_t length,
                       struct kg_baseline *baseline, struct kg_error *err)
{
    *baseline = (struct kg_baseline){0};
    if (kg_record_parse(&kg_baseline_record, KG_BASELINE_SCHEMA, path, bytes, length,
                        &baseline->arena, baseline, err) &&
        ((kg_baseline_validate(baseline, err) && kg_stored_runs_settle(baseline, err)) ||
         kg_error_wrap(err, "%s", path)))
        return true;
    kg_baseline_free(baseline);
    return false;
}

void kg_baseline_free(struct kg_baseline *baseline)
{
    kg_arena_free(&baseline->arena);
    *baseline = (struct kg_baseline){0};
}
