/* ceilings_pass.c: the peaks of the run's GPU, stored by an earlier run or measured now in a process of its own.
 * Shares of the peak need them, and rates beyond them are impossible. */
#include "run/extra_passes.h"

#include <math.h>
#include <time.h>

#include "run/ceilings/ceilings_measure.h"
#include "run/worker_ask.h"

/* Takes the peaks that a worker measured: all, or some with a reason. */
static bool measure(const struct kg_session *session, size_t index, struct kg_error *err)
{
    const struct kg_task_options options = {
        .task = KG_TASK_CEILINGS, .patience = 1, .what = "measured the peaks of the GPU"};
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

/* The highest clock of a round on the GPU; NaN if no round has one. */
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

/* Whether the run has measured its peaks, and the rounds since ran at the same clock. A failed measurement is
 * not repeated. */
static bool found_before(const struct kg_results *results)
{
    const struct kg_ceilings *ceilings = &results->ceilings;
    return ceilings->uuid && (ceilings->reason || kg_ceilings_current(ceilings, (int64_t)time(NULL),
                                                                      clock_seen(results)));
}

static bool wanted(const struct kg_session *session, size_t index)
{
    return kg_case_on_stream(&session->plan->cases[index]) && kg_pass_finds_peaks(session, index) &&
           kg_machine_gpu(&session->results->machine) && !found_before(session->results);
}

static void store(const char *directory, const struct kg_ceilings_key *key,
                  const struct kg_ceilings *ceilings)
{
    struct kg_error unstored; /* the next run measures again */
    if (directory && !ceilings->reason && !ceilings->note)
        kg_ceilings_store(directory, key, ceilings, &unstored);
}

static bool each(const struct kg_session *session, size_t index, void *user, struct kg_error *err)
{
    struct kg_results *results = session->results;
    const struct kg_machine *machine = &results->machine;
    const struct kg_gpu *gpu = kg_machine_gpu(machine);
    const struct kg_ceilings_key key = {
        .uuid = gpu->uuid,
        .driver = machine->nvidia_driver ? machine->nvidia_driver : machine->cuda_driver,
        .clock_limit_hz = gpu->sm_clock_hz,
    };
    const char *directory = kg_ceilings_directory(&results->arena);
    (void)user;
    if (known_take(results, directory, &key))
        return true;
    const bool measured = measure(session, index, err);
    if (kg_interrupt_caught())
        return measured;
    results->ceilings.uuid = gpu->uuid;
    if (measured)
        store(directory, &key, &results->ceilings);
    else
        results->ceilings.reason = kg_arena_copy(&results->arena, err->message);
    return measured;
}

const struct kg_observer kg_ceilings_observer = {
    .pass = {.verb = "measuring the peaks of the GPU for", .wanted = wanted, .each = each}};
