#include "measure/ceilings_pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ceilings/ceilings.h"
#include "measure/case_worker.h"
#include "measure/supervise.h"

/* Under a memory checker, say, nobody wants to know, and what was measured must not be kept. */
static bool wanted(const struct kg_measurement *measurement, size_t index)
{
    const struct kg_case *planned = &measurement->plan->cases[index];
    return kg_case_on_stream(planned) && planned->spec->settings.trace == KG_TRACING_YES &&
           kg_case_measurable(&measurement->results.cases[index]);
}

/* The first case of the GPU whose share of it is wanted; case_count where there is none. */
static size_t first_find(const struct kg_measurement *measurement)
{
    size_t i = 0;
    while (i < measurement->results.case_count && !wanted(measurement, i))
        i++;
    return i;
}

static bool reason_set(struct kg_measurement *measurement, const char *reason, struct kg_error *err)
{
    struct kg_results *results = &measurement->results;
    results->ceilings.reason = kg_arena_copy(&results->arena, reason);
    return results->ceilings.reason ? true : kg_error_memory(err);
}

/* Takes what the process answered, whole or in part. */
static bool answer_take(struct kg_measurement *measurement, const struct kg_outcome *outcome,
                        struct kg_error *err)
{
    struct kg_results *results = &measurement->results;
    struct kg_response response = {0};
    struct kg_error unread;
    if (!kg_record_parse(&kg_response_record, KG_RESPONSE_SCHEMA, "response",
                         kg_text_string(&outcome->response), outcome->response.length,
                         &results->arena, &response, &unread))
        return reason_set(measurement,
                          outcome->ending == KG_ENDED_TIMEOUT
                              ? "the process that measured what the device can do timed out"
                              : "the process that measured what the device can do crashed",
                          err);
    results->ceilings = response.ceilings;
    return response.good ||
           reason_set(measurement, response.message ? response.message : "no reason was given",
                      err);
}

static bool measure(struct kg_measurement *measurement, size_t index, struct kg_error *err)
{
    const struct kg_task_options options = {.task = KG_TASK_CEILINGS, .patience = 1};
    struct kg_launch launch;
    struct kg_outcome outcome;
    if (!kg_case_launch_make(measurement, index, &options, &launch, err))
        return false;
    bool good = kg_supervise(&launch, &outcome, err);
    free((char *)launch.request);
    if (!good)
        return false;
    if (outcome.ending != KG_ENDED_INTERRUPT)
        good = answer_take(measurement, &outcome, err);
    kg_outcome_free(&outcome);
    return good;
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

/* Whether an earlier pass of this run found them, and the rounds since ran at the clock that they
 * are of. What could not be measured is not tried again. */
static bool found_before(const struct kg_results *results)
{
    const struct kg_ceilings *ceilings = &results->ceilings;
    return ceilings->uuid && (ceilings->reason || kg_ceilings_current(ceilings, (int64_t)time(NULL),
                                                                      clock_seen(results)));
}

bool kg_ceilings_pass(struct kg_measurement *measurement, struct kg_error *err)
{
    struct kg_results *results = &measurement->results;
    struct kg_arena *arena = &results->arena;
    const struct kg_gpu *gpu = kg_machine_gpu(&results->machine);
    const size_t first = first_find(measurement);
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
    kg_measurement_progress(measurement, "what the device can do");
    if (!measure(measurement, first, err))
        return kg_error_wrap(err, "measuring what the device can do");
    if (kg_interrupt_caught())
        return true;
    results->ceilings.uuid = gpu->uuid;
    if (directory && !results->ceilings.reason && !results->ceilings.note)
        kg_ceilings_store(directory, &key, &results->ceilings, &unstored);
    return true;
}
