#include "measure/cpu_ceilings_pass.h"

#include <sched.h>
#include <time.h>

#include "ceilings/ceilings.h"
#include "device/tree.h"
#include "measure/pass.h"
#include "measure/worker_ask.h"

/* About thirty times what it takes. The case's own time-out may be as short as its calls. */
static const double TIMEOUT_NS = 30e9;

static bool wanted(const struct kg_measurement *measurement, size_t index)
{
    return measurement->plan->cases[index].device == KGATE_DEVICE_CPU &&
           kg_pass_observes(measurement, index);
}

/* Takes what a worker measured, whole or in part: of this kgate, wherever the cases come from, and
 * on all CPUs, whatever one case is pinned to. */
static bool measure(struct kg_measurement *measurement, size_t index, struct kg_error *err)
{
    struct kg_results *results = &measurement->results;
    const struct kg_task_options options = {.task = KG_TASK_CPU_CEILINGS,
                                            .program = measurement->program,
                                            .threads = results->machine.cpu_count,
                                            .machine_ns = TIMEOUT_NS,
                                            .what = "measured what the CPU can do"};
    struct kg_answer answer;
    if (!kg_worker_ask(measurement, index, &options, &results->arena, &answer, err))
        return false;
    const bool sensible = kg_cpu_ceilings_good(&answer.response.cpu_ceilings);
    if (answer.whole && sensible)
        results->cpu_ceilings = answer.response.cpu_ceilings;
    if (answer.whole && !sensible)
        results->cpu_ceilings.reason = "what was measured makes no sense";
    else if (answer.reason)
        results->cpu_ceilings.reason = answer.reason;
    return true;
}

/* The CPUs that this process may use, "0-3", in `arena`; NULL where the system does not say. */
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
    const size_t first = kg_pass_first(measurement, wanted);
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
