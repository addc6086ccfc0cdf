#include "run/cpu_ceilings_pass.h"

#include <sched.h>
#include <time.h>

#include "device/sysfs.h"
#include "run/ceilings/ceilings_measure.h"
#include "run/pass.h"
#include "run/worker_ask.h"

/* It takes a second or two, and tens of seconds on a slow, busy virtual machine. The case's own time-out may be as
 * short as its calls. */
static const double TIMEOUT_NS = 120e9;

static bool wanted(const struct kg_session *session, size_t index)
{
    return session->plan->cases[index].device == KGATE_DEVICE_CPU &&
           kg_pass_finds_peaks(session, index);
}

/* Takes a worker's measurements, even if incomplete. The worker is this kgate, even for cases
 * of another build. It uses all CPUs, even if a case is pinned to one. */
static bool measure(const struct kg_session *session, size_t index,
                    struct kg_cpu_ceilings *ceilings, struct kg_error *err)
{
    struct kg_results *results = session->results;
    const struct kg_task_options options = {.task = KG_TASK_CPU_CEILINGS,
                                            .program = session->launcher->program,
                                            .threads = results->machine.cpu_count,
                                            .machine_ns = TIMEOUT_NS,
                                            .what = "measured the peaks of the CPU"};
    struct kg_answer answer;
    *ceilings = (struct kg_cpu_ceilings)KG_CPU_CEILINGS_NONE;
    if (!kg_worker_ask(session, index, &options, &results->arena, &answer, err))
        return false;
    const bool sensible = kg_cpu_ceilings_good(&answer.response.cpu_ceilings);
    if (answer.whole && sensible)
        *ceilings = answer.response.cpu_ceilings;
    if (answer.whole && !sensible)
        ceilings->reason = "the measured peaks are impossible";
    else if (answer.reason)
        ceilings->reason = answer.reason;
    return true;
}

/* The CPUs that this process may use, "0-3", in `arena`; NULL if the system does not list them. */
static const char *cpus_words(struct kg_arena *arena)
{
    char list[KG_TREE_LINE];
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return NULL;
    kg_cpu_list_format(&set, list);
    return kg_arena_copy(arena, list);
}

/* The folder of stored ceilings, their key, and the machine's present speed. */
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

static bool cached(const struct kg_session *session, const struct cache *cache,
                   struct kg_cpu_ceilings *ceilings)
{
    return cache->directory &&
           kg_cpu_ceilings_cached(cache->directory, &cache->key, &cache->pace, (int64_t)time(NULL),
                                  &session->results->arena, ceilings);
}

static bool measure_and_store(const struct kg_session *session, size_t index,
                              const struct cache *cache, struct kg_cpu_ceilings *ceilings,
                              struct kg_error *err)
{
    struct kg_error unstored;
    kg_session_progress(session, "the peaks of the CPU");
    if (!measure(session, index, ceilings, err))
        return kg_error_wrap(err, "measuring the peaks of the CPU");
    if (cache->directory && ceilings->measured && !ceilings->reason)
        kg_cpu_ceilings_store(cache->directory, &cache->key, &cache->pace, ceilings, &unstored);
    return true;
}

bool kg_cpu_ceilings_pass(const struct kg_session *session, struct kg_error *err)
{
    struct kg_results *results = session->results;
    const size_t first = kg_pass_first(session, wanted);
    if (first == results->case_count || kg_interrupt_caught() || results->cpu_ceilings.measured)
        return true;
    const struct cache cache = cache_of(results);
    session->results->cpu_ceilings_kept = cached(session, &cache, &results->cpu_ceilings);
    return session->results->cpu_ceilings_kept ||
           measure_and_store(session, first, &cache, &results->cpu_ceilings, err);
}

/* About 2.6 times the peak of one thread of the fastest CPUs. Such a thread does two 512-bit
 * multiply-adds, two loads and one store per cycle, at 6e9 cycles per second. */
static void unreached(const struct kg_results *results, struct kg_cpu_ceilings *ceilings)
{
    static const double FLOPS = 1e12, BYTES = 3e12;
    const double threads = (double)results->machine.cpu_count;
    *ceilings = (struct kg_cpu_ceilings)KG_CPU_CEILINGS_NONE;
    ceilings->one.threads = 1;
    ceilings->one.vector_flops_per_s = FLOPS;
    ceilings->one.l1_bytes_per_s = BYTES;
    ceilings->all = ceilings->one;
    ceilings->all.threads = threads;
    ceilings->all.vector_flops_per_s = threads * FLOPS;
    ceilings->all.l1_bytes_per_s = threads * BYTES;
    ceilings->measured = "";
}

void kg_cpu_ceilings_known(const struct kg_session *session, struct kg_cpu_ceilings *ceilings)
{
    const struct kg_results *results = session->results;
    if (results->cpu_ceilings.measured) {
        *ceilings = results->cpu_ceilings;
        return;
    }
    const struct cache cache = cache_of(session->results);
    if (!cached(session, &cache, ceilings))
        unreached(results, ceilings);
}

bool kg_cpu_ceilings_renew(const struct kg_session *session, size_t index,
                           struct kg_cpu_ceilings *ceilings, struct kg_error *err)
{
    struct kg_results *results = session->results;
    const struct cache cache = cache_of(results);
    *ceilings = results->cpu_ceilings;
    if (ceilings->measured && !session->results->cpu_ceilings_kept)
        return true;
    if (!measure_and_store(session, index, &cache, ceilings, err))
        return false;
    if (results->cpu_ceilings.measured)
        results->cpu_ceilings = *ceilings;
    session->results->cpu_ceilings_kept = false;
    if (!ceilings->measured)
        unreached(results, ceilings);
    return true;
}
