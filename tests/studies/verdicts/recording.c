#include "recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "run/run.h"

const char *const workload_names[WORKLOADS] = {"compute", "memory", "short", "heavy_tail"};
const double slowdowns[SLOWDOWNS] = {2, 5, 10, 20};

const size_t recorded_rounds[WORKLOADS] = {16, 32, 16, ROUNDS_MOST};

size_t recorded_workload(size_t index)
{
    return index < CASES ? index / SCALES : (index - CASES) / SLOWDOWNS;
}

size_t recorded_plain(size_t w)
{
    return w * SCALES;
}

size_t recorded_slow(size_t w, size_t slowdown)
{
    return CASES + w * SLOWDOWNS + slowdown;
}

static void suite_head(struct kg_text *text, const char *min_time, size_t least, size_t most,
                       double threshold)
{
    kg_text_printf(text,
                   "version: 1\nsuite: verdicts\n"
                   "defaults: {threshold: %g%%, rounds: {min: %zu, max: %zu}, min_time: %s, "
                   "threads: 1, pin: auto, metrics: [time]}\nworkloads:\n",
                   100 * threshold, least, most, min_time);
}

static void suite_make(struct kg_text *text, const char *directory)
{
    suite_head(text, "30ms", ROUNDS_LEAST, ROUNDS_MOST, 0.05);
    for (size_t w = 0; w < WORKLOADS; w++)
        kg_text_printf(text,
                       "  - {name: %s, plugin: '%s/libverdicts_0.so', "
                       "matrix: {scale: [1, 0.5, 0.6, 0.7, 0.85]}}\n",
                       workload_names[w], directory);
    for (size_t w = 0; w < WORKLOADS; w++)
        for (size_t s = 0; s < SLOWDOWNS; s++)
            kg_text_printf(text,
                           "  - {name: %s_%g, workload: %s, plugin: '%s/libverdicts_%g.so', "
                           "params: {scale: 1}}\n",
                           workload_names[w], slowdowns[s], workload_names[w], directory,
                           slowdowns[s]);
}

struct prepared {
    struct kg_arena arena;
    struct kg_suite suite;
    struct kg_machine machine;
    struct kg_plan plan;
};

static bool prepare(struct prepared *prepared, const struct kg_text *text, struct kg_error *err)
{
    const struct kg_plan_options options = {0};
    *prepared = (struct prepared){0};
    return kg_machine_read(&prepared->arena, NULL, &prepared->machine, err) &&
           kg_suite_parse("verdicts", kg_text_string(text), text->length, NULL, 0, &prepared->suite,
                          err) &&
           kg_plan_make(&prepared->suite, &prepared->machine, &options, &prepared->plan, err);
}

static void prepared_free(struct prepared *prepared)
{
    kg_plan_free(&prepared->plan);
    kg_suite_free(&prepared->suite);
    kg_arena_free(&prepared->arena);
}

static bool interrupted(const struct kg_run *run, struct kg_error *err)
{
    return kg_run_interrupted(run) ? !kg_error_set(err, KG_ERROR_SYSTEM, "interrupted") : false;
}

static bool all_good(const struct kg_results *results, struct kg_error *err)
{
    for (size_t i = 0; i < results->case_count; i++)
        if (results->cases[i].status != KG_STATUS_OK)
            return kg_error_set(err, KG_ERROR_MEASURE, "%s: %s", results->cases[i].id,
                                results->cases[i].reason);
    return true;
}

/* One run: screening rounds of every case, and later confirming ones. */
static bool run_measure(const struct prepared *prepared, const uint64_t *batches,
                        struct kg_run *run, double *round_ns, struct kg_error *err)
{
    const struct kg_prepared_suite what = {
        .suite = &prepared->suite, .plan = &prepared->plan, .machine = &prepared->machine};
    const struct kg_run_options options = {.batches = batches};
    size_t wanted[CASES + WORKLOADS * SLOWDOWNS];
    if (!kg_run_begin(run, &what, &options, err))
        return false;
    const size_t count = prepared->plan.case_count;
    size_t rounds = 0;
    for (size_t i = 0; i < count; i++)
        rounds += wanted[i] = recorded_rounds[recorded_workload(i)];
    const double start = kg_run_elapsed_ns(run);
    bool good = kg_run_rounds(run, wanted, false, err);
    *round_ns = (kg_run_elapsed_ns(run) - start) / (double)rounds;
    for (size_t i = 0; i < count; i++)
        wanted[i] *= 2;
    good = good && kg_run_rounds(run, wanted, true, err) && !interrupted(run, err);
    kg_run_end(run);
    return good && all_good(&run->results, err);
}

static bool run_save(const struct kg_results *results, const char *output, const char *state,
                     size_t index, struct kg_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/%s-%zu.json", output, state, index);
    return kg_results_write(results, path, err);
}

/* Calls per sample of every case. A slowed case takes the number of its plain case, as a gate takes
 * it from its baseline. */
static bool batches_find(const struct prepared *prepared, uint64_t *batches, struct kg_error *err)
{
    const struct kg_prepared_suite what = {
        .suite = &prepared->suite, .plan = &prepared->plan, .machine = &prepared->machine};
    const struct kg_run_options options = {0};
    struct kg_run run;
    if (!kg_run_begin(&run, &what, &options, err))
        return false;
    memcpy(batches, run.launcher.batch, CASES * sizeof *batches);
    for (size_t w = 0; w < WORKLOADS; w++)
        for (size_t s = 0; s < SLOWDOWNS; s++)
            batches[recorded_slow(w, s)] = batches[recorded_plain(w)];
    kg_run_end(&run);
    kg_run_free(&run);
    return true;
}

bool recording_make(struct recording *recording, const char *directory, const char *output,
                    const char *state, size_t count, struct kg_error *err)
{
    uint64_t batches[CASES + WORKLOADS * SLOWDOWNS] = {0};
    struct kg_text text = {0};
    struct prepared prepared;
    *recording = (struct recording){0};
    suite_make(&text, directory);
    bool good = prepare(&prepared, &text, err) && batches_find(&prepared, batches, err);
    recording->runs = calloc(count, sizeof *recording->runs);
    good = good && (recording->runs || kg_error_memory(err));
    for (size_t r = 0; r < count && good; r++) {
        struct kg_run run = {0};
        double round_ns = 0;
        fprintf(stderr, "run %zu of %zu\n", r + 1, count);
        good = run_measure(&prepared, batches, &run, &round_ns, err);
        /* keeps the results' arena; the rest of the run is freed */
        recording->runs[r] = run.results;
        recording->run_count++;
        recording->round_seconds += round_ns / 1e9 / (double)count;
        good = good && run_save(&recording->runs[r], output, state, r, err);
        run.results = (struct kg_results){0};
        kg_run_free(&run);
    }
    kg_text_free(&text);
    prepared_free(&prepared);
    if (!good)
        recording_free(recording);
    return good;
}

bool recording_load(struct recording *recording, const char *directory, const char *state,
                    struct kg_error *err)
{
    enum { RUNS_MOST = 1000 };
    double elapsed = 0;
    size_t rounds = 0;
    *recording = (struct recording){.runs = calloc(RUNS_MOST, sizeof *recording->runs)};
    if (!recording->runs)
        return kg_error_memory(err);
    for (; recording->run_count < RUNS_MOST; recording->run_count++) {
        struct kg_results *run = &recording->runs[recording->run_count];
        char path[4096];
        snprintf(path, sizeof path, "%.3900s/%s-%zu.json", directory, state, recording->run_count);
        if (access(path, F_OK) != 0)
            break;
        if (!kg_results_load(path, run, err))
            return false;
        for (size_t i = 0; i < run->case_count; i++)
            rounds += run->cases[i].round_count;
        elapsed += run->elapsed_ns;
    }
    recording->round_seconds = rounds ? elapsed / 1e9 / (double)rounds : 0;
    return recording->run_count > 1
               ? true
               : kg_error_set(err, KG_ERROR_USAGE, "no recorded runs in '%.200s'", directory);
}

void recording_free(struct recording *recording)
{
    for (size_t r = 0; r < recording->run_count; r++)
        kg_results_free(&recording->runs[r]);
    free(recording->runs);
    *recording = (struct recording){0};
}
