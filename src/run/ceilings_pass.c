#include "run/ceilings_pass.h"

#include <math.h>
#include <time.h>

#include "run/ceilings/ceilings_measure.h"
#include "run/pass.h"
#include "run/worker_ask.h"

static bool wanted(const struct kg_session *session, size_t index)
{
    return kg_case_on_stream(&session->plan->cases[index]) && kg_pass_observes(session, index);
}

/* Takes what a worker measured, whole or in part. */
static bool measure(const struct kg_session *session, size_t index, struct kg_error *err)
{
    const struct kg_task_options options = {
        .task = KG_TASK_CEILINGS, .patience = 1, .what = "measured what the device can do"};
    struct kg_results *results = session->results;
    struct kg_answer answer;
    if (!kg_worker_ask(session, index, &options, &results->arena, &answer, err))
        return false;
    if (answer.whole)
        results->ceilings = answer.response.ceilings;
    if (answer.reason)
        results->ceilings.reason = answer.reason;
    return true;
}

/* The highest clock of a round on the GPU; NaN where there is none. */
static double clock_seen(const struct kg_results *results)
{
    double highest = NAN;
    for (size_t i = 0; i < results->case_count; i++)
        for (size_t j = 0; j < results->cases[i].round_count; j++)
            highest = fmax(highest, results->cases[i].rounds[j].sm_clock_hz);
    return highest;
}

static bool known_take(struct kg_results *results, const char *directory,
                       const struct kg_ceilings_key *key)
{
    struct kg_ceilings stored;
    if (!directory || !kg_ceilings_cached(directory, key, &results->arena, &stored) ||
        !kg_ceilings_current(&stored, (int64_t)time(NULL), clock_seen(results)))
        return false;
    results->ceilings = stored;
    return true;
}

/* Whether an earlier pass of this run has measured them, and the rounds since ran at the same
 * clock. What could not be measured is not tried again. */
static bool found_before(const struct kg_results *results)
{
    const struct kg_ceilings *ceilings = &results->ceilings;
    return ceilings->uuid && (ceilings->reason || kg_ceilings_current(ceilings, (int64_t)time(NULL),
                                                                      clock_seen(results)));
}

bool kg_ceilings_pass(const struct kg_session *session, struct kg_error *err)
{
    struct kg_results *results = session->results;
    struct kg_arena *arena = &results->arena;
    const struct kg_gpu *gpu = kg_machine_gpu(&results->machine);
    const size_t first = kg_pass_first(session, wanted);
    if (!gpu || first == results->case_count || kg_interrupt_caught() || found_before(results))
        return true;
    const struct kg_ceilings_key key = {
        .uuid = gpu->uuid,
        .driver = results->machine.nvidia_driver ? results->machine.nvidia_driver
                                                 : results->machine.cuda_driver,
        .clock_limit_hz = gpu->sm_clock_hz,
    };
    const char *directory = kg_ceilings_directory(arena);
    struct kg_error unstored;
    if (known_take(results, directory, &key))
        return true;
    kg_session_progress(session, "what the device can do");
    if (!measure(session, first, err))
        return kg_error_wrap(err, "measuring what the device can do");
    if (kg_interrupt_caught())
        return true;
    results->ceilings.uuid = gpu->uuid;
    if (directory && !results->ceilings.reason && !results->ceilings.note)
        kg_ceilings_store(directory, &key, &results->ceilings, &unstored);
    return true;
}
