#include "gate/calibrate.h"

#include "gate/plan_settings.h"
#include "run/run.h"

enum { RUNS_LEAST = 2 };

struct runs {
    const struct kg_prepared_suite *what;
    const struct kg_calibrate_options *options;
    struct kg_run *runs;
    size_t count; /* number of runs begun */
    struct kg_round_limits *limits;
    size_t *wanted; /* wanted rounds, per case */
    int signal;
    /* one for all runs, so that a stop between two runs also counts */
    struct kg_interrupt interrupt;
    struct kg_arena arena;
    struct kg_error *err;
};

/* Number of screening rounds that a doubtful case has after two interim analyses. */
static size_t rounds_recorded(const struct kg_round_limits *limits)
{
    const size_t next = kg_sequence_next(limits->least, (double)limits->least, limits->most);
    return kg_sequence_next(next, (double)next, limits->most);
}

/* Takes screening rounds, then as many confirming rounds. */
static bool rounds_measure(struct runs *runs, struct kg_run *run)
{
    const size_t count = runs->what->plan->case_count;
    for (size_t i = 0; i < count; i++)
        runs->wanted[i] = rounds_recorded(&runs->limits[i]);
    if (!kg_run_rounds(run, runs->wanted, false, runs->err))
        return false;
    for (size_t i = 0; i < count; i++)
        runs->wanted[i] *= 2;
    return kg_run_rounds(run, runs->wanted, true, runs->err);
}

static bool run_measure(struct runs *runs)
{
    struct kg_run *run = &runs->runs[runs->count];
    const struct kg_run_options options = {.filter = runs->options->left_out,
                                           .batches =
                                               runs->count ? runs->runs[0].launcher.batch : NULL,
                                           .interrupt = &runs->interrupt,
                                           .progress = runs->options->progress};
    if (!kg_run_begin(run, runs->what, &options, runs->err))
        return false;
    runs->count++;
    const bool good = rounds_measure(runs, run);
    runs->signal = kg_run_interrupted(run);
    kg_run_end(run);
    return good;
}

static bool none_failed(const struct kg_results *results, struct kg_error *err)
{
    for (size_t i = 0; i < results->case_count; i++)
        if (results->cases[i].status == KG_STATUS_FAILED)
            return kg_error_set(err, KG_ERROR_MEASURE, "%.200s failed: %.300s",
                                results->cases[i].id, results->cases[i].reason);
    return true;
}

static bool runs_measure(struct runs *runs)
{
    const struct kg_calibrate_options *options = runs->options;
    while (runs->count < options->runs && !runs->signal) {
        if (options->run_begins)
            options->run_begins(options->progress.user, runs->count + 1, options->runs);
        if (!run_measure(runs) || !none_failed(&runs->runs[runs->count - 1].results, runs->err))
            return false;
    }
    return true;
}

static bool conclude(struct runs *runs, struct kg_calibration *calibration)
{
    const size_t whole = runs->count - (runs->signal ? 1 : 0); /* the signal stopped the last run */
    struct kg_results *results = kg_arena_alloc(&runs->arena, whole, sizeof *results);
    for (size_t i = 0; i < whole; i++)
        results[i] = runs->runs[i].results;
    return whole < RUNS_LEAST || kg_calibrate(results, whole, runs->limits, calibration, runs->err);
}

bool kg_calibrate_suite(const struct kg_prepared_suite *what,
                        const struct kg_calibrate_options *options,
                        struct kg_calibration *calibration, int *signal, struct kg_error *err)
{
    struct runs runs = {.what = what, .options = options, .err = err};
    const size_t cases = what->plan->case_count;
    *calibration = (struct kg_calibration){0};
    runs.runs = kg_arena_alloc(&runs.arena, options->runs, sizeof *runs.runs);
    runs.wanted = kg_arena_alloc(&runs.arena, cases, sizeof *runs.wanted);
    runs.limits = kg_planned_limits(&runs.arena, what->plan);
    kg_interrupt_begin(&runs.interrupt);
    bool good = runs_measure(&runs);
    kg_interrupt_end(&runs.interrupt);
    *signal = runs.signal;
    if (good)
        good = conclude(&runs, calibration);
    for (size_t i = 0; i < runs.count; i++)
        kg_run_free(&runs.runs[i]);
    kg_arena_free(&runs.arena);
    return good;
}
