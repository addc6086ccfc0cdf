#include "measure/cpu_ceilings_pass.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "ceilings/ceilings.h"
#include "device/tree.h"
#include "measure/case_worker.h"
#include "measure/supervise.h"

/* Some thirty times what it takes: the time-out of a case may be as short as its calls. */
static const double TIMEOUT_NS = 30e9;

/* Under a memory checker, say, nobody wants to know, and what was measured must not be kept. */
static bool wanted(const struct kg_measurement *measurement, size_t index)
{
    const struct kg_case *planned = &measurement->plan->cases[index];
    return planned->device == KGATE_DEVICE_CPU && planned->spec->settings.trace == KG_TRACING_YES &&
           kg_case_measurable(&measurement->results.cases[index]);
}

/* The first case that wants them; case_count where there is none. */
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
    results->cpu_ceilings.reason = kg_arena_copy(&results->arena, reason);
    return results->cpu_ceilings.reason ? true : kg_error_memory(err);
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
                              ? "the process that measured what the CPU can do timed out"
                              : "the process that measured what the CPU can do crashed",
                          err);
    if (!kg_cpu_ceilings_good(&response.cpu_ceilings))
        return reason_set(measurement, "what was measured makes no sense", err);
    results->cpu_ceilings = response.cpu_ceilings;
    return response.good ||
           reason_set(measurement, response.message ? response.message : "no reason was given",
                      err);
}

/* By this kgate, wherever the cases come from, and on all CPUs, whatever one case is pinned to. */
static bool measure(struct kg_measurement *measurement, size_t index, struct kg_error *err)
{
    const struct kg_task_options options = {
        .task = KG_TASK_CPU_CEILINGS, .patience = 1, .program = measurement->program};
    struct kg_launch launch;
    struct kg_outcome outcome;
    if (!kg_case_launch_make(measurement, index, &options, &launch, err))
        return false;
    launch.directory = NULL;
    launch.threads = measurement->results.machine.cpu_count;
    launch.pin = -1;
    launch.timeout_ns = TIMEOUT_NS;
    bool good = kg_supervise(&launch, &outcome, err);
    free((char *)launch.request);
    if (!good)
        return false;
    if (outcome.ending != KG_ENDED_INTERRUPT)
        good = answer_take(measurement, &outcome, err);
    kg_outcome_free(&outcome);
    return good;
}

/* Which CPUs this process may use, in `arena`; NULL where that is not told. */
static const char *cpus_words(struct kg_arena *arena)
{
    char list[KG_TREE_LINE];
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return NULL;
    kg_cpu_list_format(&set, list);
    return kg_arena_copy(arena, list);
}

bool kg_cpu_ceilings_pass(struct kg_measurement *measurement, struct kg_error *err)
{
    struct kg_results *results = &measurement->results;
    struct kg_arena *arena = &results->arena;
    const size_t first = first_find(measurement);
    if (first == results->case_count || kg_interrupt_caught() || results->cpu_ceilings.measured)
        return true;
    const struct kg_machine *machine = &results->machine;
    const struct kg_cpu_ceilings_key key = {.fingerprint = machine->fingerprint,
                                            .cpu_count = machine->cpu_count,
                                            .cpus = cpus_words(arena),
                                            .vectors = machine->vectors,
                                            .quota_cpus = kg_tree_quota_cpus("")};
    const struct kg_probe_reading probe = kg_results_probe(results);
    const struct kg_cpu_pace pace = {probe.pulse_ns, probe.bandwidth_bytes_per_s};
    const char *directory = kg_ceilings_directory(arena);
    struct kg_error unstored;
    if (directory && kg_cpu_ceilings_cached(directory, &key, &pace, (int64_t)time(NULL), arena,
                                            &results->cpu_ceilings))
        return true;
    kg_measurement_progress(measurement, "what the CPU can do");
    if (!measure(measurement, first, err))
        return kg_error_wrap(err, "measuring what the CPU can do");
    if (directory && results->cpu_ceilings.measured && !results->cpu_ceilings.reason)
        kg_cpu_ceilings_store(directory, &key, &pace, &results->cpu_ceilings, &unstored);
    return true;
}
