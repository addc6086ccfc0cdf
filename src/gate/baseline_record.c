#include "gate/baseline_record.h"

#include "gate/plan_settings.h"
#include "gate/round_allocation.h"
#include "judge/baseline_store.h"
#include "judge/baseline_store_check.h"
#include "run/run.h"
#include "why/observe/observe.h"

struct storing {
    const struct kg_prepared_suite *what;
    const struct kg_store_runs_options *options;
    /* one for all runs, so that a stop between two runs also counts */
    struct kg_interrupt interrupt;
    int signal;
    size_t stored;
    size_t cases;
};

/* Whether no case failed and at least one was measured. A case on a busy machine or without a device is not stored. */
static bool is_storable(const struct kg_results *results, struct kg_error *err)
{
    const struct kg_case_result *missing = NULL;
    size_t measured = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        const struct kg_case_result *result = &results->cases[i];
        if (result->status == KG_STATUS_FAILED)
            return kg_error_set(err, KG_ERROR_MEASURE, "%.200s failed: %.300s", result->id,
                                result->reason);
        measured += result->status == KG_STATUS_OK;
        missing = missing || result->status == KG_STATUS_OK ? missing : result;
    }
    if (measured || !missing)
        return true;
    return kg_error_set(err, KG_ERROR_MEASURE, "no case was measured, first reason: %.300s",
                        missing->reason ? missing->reason : "none given");
}

/* Also profiles the cases. Later gates compare with these profiles to explain a change. */
static bool rounds_measure(struct storing *storing, struct kg_run *run,
                           const struct kg_planned_stored *before, struct kg_error *err)
{
    const bool good = kg_allocate_fewest(run, storing->what->plan, before->round_ns, err) &&
                      kg_run_judge(run, true, err);
    const struct kg_session session = kg_run_session(run);
    if (good)
        kg_observe(&session, NULL);
    storing->signal = kg_run_interrupted(run);
    kg_run_end(run);
    return good && (storing->signal || is_storable(&run->results, err));
}

static bool run_store(struct storing *storing, const struct kg_planned_stored *before,
                      struct kg_error *err)
{
    const struct kg_store_runs_options *options = storing->options;
    const struct kg_run_options measuring = {.batches = before->batches,
                                             .round_ns = before->round_ns,
                                             .interrupt = &storing->interrupt,
                                             .progress = options->progress};
    struct kg_run run;
    if (!kg_run_begin(&run, storing->what, &measuring, err))
        return false;
    bool good = rounds_measure(storing, &run, before, err);
    if (good && !storing->signal) {
        good = kg_baseline_update(options->directory, &run.results, &options->storing,
                                  &storing->cases, err);
        storing->stored += good;
    }
    kg_run_free(&run);
    return good;
}

static bool next_store(struct storing *storing, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_planned_stored before;
    const bool good =
        kg_planned_stored_find(&arena, storing->what, storing->options->directory, &before, err) &&
        run_store(storing, &before, err);
    kg_arena_free(&arena);
    return good;
}

bool kg_store_runs(const struct kg_prepared_suite *what,
                   const struct kg_store_runs_options *options, size_t *stored, size_t *cases,
                   int *signal, struct kg_error *err)
{
    struct storing storing = {.what = what, .options = options};
    bool good = kg_store_writable(options->directory, err);
    kg_interrupt_begin(&storing.interrupt);
    for (size_t i = 0; good && i < options->runs && !storing.signal; i++) {
        if (options->run_begins)
            options->run_begins(options->progress.user, i + 1, options->runs);
        good = next_store(&storing, err);
    }
    kg_interrupt_end(&storing.interrupt);
    *stored = storing.stored;
    *cases = storing.cases;
    *signal = storing.signal;
    return good;
}
