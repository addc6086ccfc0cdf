#include "measure/cpu_ceilings_pass.h"

#include <math.h>
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

/* Where they are kept, what they hold for, and what the machine's speed is now. */
struct cache {
    const char *directory; /* NULL: nowhere */
    struct kg_cpu_ceilings_key key;
    struct kg_cpu_pace pace;
};

static struct cache cache_of(struct kg_results *results)
{
    const struct kg_machine *machine = &results->machine;
    const struct kg_probe_reading probe = kg_results_probe(results);
    return (struct cache){
        .directory = kg_ceilings_directory(&results->arena),
        .key = {.fingerprint = machine->fingerprint,
                .cpu_count = machine->cpu_count,
                .cpus = cpus_words(&results->arena),
                .vectors = machine->vectors,
                .quota_cpus = kg_tree_quota_cpus("")},
        .pace = {probe.pulse_ns, probe.bandwidth_bytes_per_s},
    };
}

static bool measure_and_store(struct kg_measurement *measurement, const struct cache *cache,
                              struct kg_error *err)
{
    const struct kg_cpu_ceilings *ceilings = &measurement->results.cpu_ceilings;
    struct kg_error unstored;
    kg_measurement_progress(measurement, "what the CPU can do");
    if (!measure(measurement, kg_pass_first(measurement, wanted), err))
        return kg_error_wrap(err, "measuring what the CPU can do");
    if (cache->directory && ceilings->measured && !ceilings->reason)
        kg_cpu_ceilings_store(cache->directory, &cache->key, &cache->pace, ceilings, &unstored);
    return true;
}

bool kg_cpu_ceilings_pass(struct kg_measurement *measurement, struct kg_error *err)
{
    struct kg_results *results = &measurement->results;
    if (kg_pass_first(measurement, wanted) == results->case_count || kg_interrupt_caught() ||
        results->cpu_ceilings.measured)
        return true;
    const struct cache cache = cache_of(results);
    measurement->cpu_ceilings_kept =
        cache.directory &&
        kg_cpu_ceilings_cached(cache.directory, &cache.key, &cache.pace, (int64_t)time(NULL),
                               &results->arena, &results->cpu_ceilings);
    return measurement->cpu_ceilings_kept || measure_and_store(measurement, &cache, err);
}

bool kg_cpu_ceilings_renew(struct kg_measurement *measurement, struct kg_error *err)
{
    struct kg_results *results = &measurement->results;
    if (!measurement->cpu_ceilings_kept || kg_interrupt_caught() ||
        kg_pass_first(measurement, wanted) == results->case_count)
        return true;
    const struct cache cache = cache_of(results);
    measurement->cpu_ceilings_kept = false;
    results->cpu_ceilings = (struct kg_cpu_ceilings)KG_CPU_CEILINGS_NONE;
    return measure_and_store(measurement, &cache, err);
}
