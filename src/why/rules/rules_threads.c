#include "why/rules/causes.h"
#include "why/rules/rule_parts.h"

static bool is_imbalanced(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->imbalance, 1 + settings->imbalance);
}

/* A preempting thread runs for about one time slice of Linux' scheduler. */
static const double TIME_SLICE_NS = 3e6;

/* Whether other programs took at least `least_ns` of a call. If the time spent waiting for a CPU
 * is unknown, the number of preemptions decides. A few preemptions in a long call cost little. */
static bool took(const struct kg_facts *facts, double least_ns)
{
    const double preempted = facts->traits.preempted;
    if (kg_known(facts->scheduler_wait_ns) && kg_at_least(facts->scheduler_wait_ns, least_ns))
        return true;
    return kg_at_least(preempted, 1) && kg_at_least(preempted * TIME_SLICE_NS, least_ns);
}

/* Whether all threads were busy all the time. If so, no other program took their CPUs for long. */
static bool has_all(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_at_least(traits->cores_busy, (1 - settings->min_gain / 2) * traits->threads);
}

/* A thread that never waits is busy except while it is preempted. So a lower busy share means
 * preemption. */
bool kg_cpus_taken(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const bool partly =
        kg_under(traits->waits, 1) && kg_under(traits->cores_busy, 1 - settings->min_gain);
    return kg_on_device(facts, "cpu") && !has_all(facts, settings) &&
           (partly || took(facts, settings->min_gain * traits->time_ns));
}

bool kg_threads_wait(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->wait_ns, settings->wait_share * facts->traits.time_ns) ||
           kg_parallel_regions_applies(facts, settings);
}

double kg_threads_do(const struct kg_facts *facts)
{
    return kg_at_least(facts->thread_scaling, 1)
               ? fmin(facts->thread_scaling, facts->traits.threads)
               : facts->traits.threads;
}

/* The work is shared if the other threads have at least this part of an even share. */
static const double SHARED_LEAST = 0.5;

/* Whether the other threads work. Either samples or the profile's scopes must show it. Scopes
 * count even if the threads were preempted. */
static bool is_shared(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return (facts->hot &&
            kg_at_least(kg_pool_share(facts->hot), SHARED_LEAST * (1 - 1 / traits->threads))) ||
           (kg_at_least(facts->scope_threads, 2) &&
            kg_at_least(facts->thread_busy_ns,
                        settings->utilization * traits->threads * traits->time_ns));
}

/* Whether the cores beyond the first are idle: serial code keeps only one busy. */
static bool are_idle(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_under(fmax(traits->cores_busy - 1, 0) / (traits->threads - 1), settings->utilization);
}

/* Threads that compete for memory bandwidth are slow for that reason. kgate excludes it if they
 * are far below the memory peak, or if their data lie in private caches. */
static bool memory_is_free(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return isnan(traits->bandwidth_share)
               ? kg_under(traits->level, KG_LEVEL_L3)
               : kg_under(traits->bandwidth_share, settings->bound_share);
}

/* Fewer busy cores mean that no second thread works. Then the time with one thread is the same
 * except for noise. */
static const double SERIAL_CORES = 1.1;

/* Idle OpenMP threads spin and look busy, but one thread alone matches the speed of all. One
 * thread also matches it if all threads wait for memory, so the last condition excludes memory.
 * If one thread is faster than all, the threads conflict or were preempted, and other rules
 * apply. */
static bool gain_little(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double gained = traits->alone_ns / traits->time_ns - 1;
    if (!kg_known(traits->alone_ns) || kg_under(traits->cores_busy, SERIAL_CORES))
        return are_idle(facts, settings);
    return kg_at_least(gained, -settings->min_gain) &&
           kg_under(fmax(gained, 0) / (traits->threads - 1), settings->utilization) &&
           (are_idle(facts, settings) ||
            (memory_is_free(facts, settings) && !kg_at_roof(facts, settings)));
}

/* A call shorter than this number of thread starts is not worth sharing. START_LEAST_NS replaces
 * the measured time of an empty parallel region if that was shorter: real starts take longer. */
static const double STARTS_WORTH = 20, START_LEAST_NS = 1e3;

/* The least time of the call. The time of a short call is noisy. The count of instructions is
 * the same in each run, so it is preferred. */
static double least_ns(const struct kg_facts *facts)
{
    static const double PER_CYCLE = 3;
    const double ns = 1e9 * facts->traits.instructions / (PER_CYCLE * facts->clock_hz);
    return kg_known(ns) ? ns : facts->traits.time_ns;
}

/* Whether several threads are possible: kgate saw a second thread, or the case says how many it
 * may use. A command may be any program, even a serial one. */
static bool may_share(const struct kg_facts *facts)
{
    return !facts->threads_assumed || kg_at_least(facts->traits.cores_busy, SERIAL_CORES) ||
           kg_at_least(facts->scope_threads, 2) ||
           (facts->hot && kg_known(kg_pool_share(facts->hot)));
}

/* If even the first core is idle, the rule `idle_cpu` applies instead. */
static bool unused_cores_applies(const struct kg_facts *facts,
                                 const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_on_device(facts, "cpu") && kg_at_least(traits->threads, 2) && may_share(facts) &&
           !kg_under(least_ns(facts), STARTS_WORTH * fmax(START_LEAST_NS, facts->fork_join_ns)) &&
           kg_known(traits->cpu_ns) && kg_at_least(traits->cores_busy, settings->utilization) &&
           gain_little(facts, settings) && !is_shared(facts, settings) &&
           !is_imbalanced(facts, settings) && !kg_threads_wait(facts, settings) &&
           !kg_cpus_taken(facts, settings);
}

/* The work to share is the time of one thread alone, or the CPU time if that is unknown. It is
 * at least the call's time: sharing does not shorten the first thread's waits. */
static double unused_cores_estimate(const struct kg_facts *facts,
                                    const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const bool serial = kg_under(traits->cores_busy, SERIAL_CORES);
    const double work_ns =
        kg_known(traits->alone_ns) && !serial ? traits->alone_ns : traits->cpu_ns;
    return fmax(fmax(work_ns, traits->time_ns) / kg_threads_do(facts),
                kg_attainable_ns(facts, settings)) +
           kg_known_or_zero(facts->fork_join_ns);
}

double kg_idle_ns(const struct kg_facts *facts)
{
    return facts->traits.time_ns - facts->traits.cpu_ns -
           kg_known_or_zero(facts->scheduler_wait_ns);
}

/* Whether a CPU was idle for most of the time in which the case could use one. */
static bool is_idle(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double could_ns = traits->time_ns - kg_known_or_zero(facts->scheduler_wait_ns);
    return kg_under(traits->cores_busy, settings->utilization) &&
           kg_at_least(kg_idle_ns(facts), (1 - settings->utilization) * could_ns) &&
           kg_at_least(kg_idle_ns(facts), settings->min_gain * traits->time_ns);
}

/* A process that never gives up its CPU does not wait: it was preempted. The same holds if
 * preemptions explain most of its idle time. */
bool kg_idle_cpu_applies(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_on_device(facts, "cpu") && !facts->disturbed && kg_known(traits->cpu_ns) &&
           kg_known(traits->cores_busy) && is_idle(facts, settings) &&
           !kg_under(traits->waits, 1) && !took(facts, (traits->time_ns - traits->cpu_ns) / 2) &&
           !kg_threads_wait(facts, settings);
}

/* Several waits can overlap. If there is one wait, or an unknown number, other calls can compute
 * meanwhile. */
static double idle_cpu_estimate(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double idle_ns = kg_idle_ns(facts), busy_ns = traits->time_ns - idle_ns;
    (void)settings;
    return kg_at_least(traits->waits, 2) ? busy_ns + idle_ns / traits->waits : busy_ns;
}

double kg_shared_work_ns(const struct kg_facts *facts)
{
    return facts->traits.alone_ns * facts->traits.threads / kg_threads_do(facts);
}

/* Contention for a cache line takes CPU time. So time in scopes beyond the CPU time was
 * preemption. */
double kg_threads_spend_ns(const struct kg_facts *facts)
{
    return kg_known(facts->traits.cpu_ns) ? fmin(facts->thread_busy_ns, facts->traits.cpu_ns)
                                          : facts->thread_busy_ns;
}

/* All threads together take far longer for the work than one thread alone. Nothing else explains
 * it: no waiting, no uneven share, no cores that share their units. */
bool kg_false_sharing_applies(const struct kg_facts *facts,
                              const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_on_device(facts, "cpu") && kg_at_least(traits->threads, 2) &&
           kg_at_least(facts->scope_threads, 2) && kg_known(traits->alone_ns) &&
           kg_at_least(facts->thread_scaling, 1) && kg_known(facts->thread_busy_ns) &&
           kg_under(kg_shared_work_ns(facts), settings->utilization * kg_threads_spend_ns(facts)) &&
           memory_is_free(facts, settings) && !kg_threads_wait(facts, settings) &&
           !is_imbalanced(facts, settings) && !kg_cpus_taken(facts, settings);
}

/* The time in threads shrinks to the work of one thread. The rest of the time stays. The profile
 * measures the rest inexactly, so a rest below min_gain counts as zero. */
static double false_sharing_estimate(const struct kg_facts *facts,
                                     const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double all_ns = traits->threads * traits->time_ns;
    const double besides = fmax(1 - kg_threads_spend_ns(facts) / all_ns, 0);
    const double part = besides < settings->min_gain ? 1 : 1 - besides;
    const double work = kg_shared_work_ns(facts) / kg_threads_spend_ns(facts);
    return fmax(traits->time_ns * (1 - part + part * work), kg_attainable_ns(facts, settings));
}

bool kg_load_imbalance_applies(const struct kg_facts *facts,
                               const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->scope_threads, 2) && is_imbalanced(facts, settings) &&
           kg_known(facts->imbalance_ns) && !kg_cpus_taken(facts, settings);
}

static double load_imbalance_estimate(const struct kg_facts *facts,
                                      const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->traits.time_ns - facts->imbalance_ns;
}

/* --- The rules --- */

static const struct kg_rule rules[] = {
    {
        .name = "unused_cores",
        .applies = unused_cores_applies,
        .estimate_ns = unused_cores_estimate,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_AT_MOST,
        .yields = true,
        .description = "It may use {threads} threads, but is hardly faster than one thread. "
                       "{cores_busy} cores are busy; threads that spin for work count as busy.",
        .hint = "Share the outermost loop among threads (`#pragma omp parallel for`); the serial "
                "parts that are left then set the limit. If it is meant to be serial, set "
                "`threads: 1`.",
        .evidence = {"cores_busy", "threads", "time_ns", "alone_ns", "thread_scaling", "roof_ns"},
        .when = "a call takes longer than twenty empty parallel regions and 20 us (counted "
                "instructions: three per cycle); the first CPU is busy and not preempted; no "
                "second CPU is busy, or one thread takes about as long as all (under `utilization` "
                "of the possible gain); if so, peaks are far (`bound_share`) or other CPUs idle; "
                "without a time of one thread: under `utilization` of the other CPUs is busy; no "
                "profile shows threads at work, waits or `imbalance`; a command gives `threads` or "
                "`OMP_NUM_THREADS`, or has a second thread",
        .assumes =
            "threads share all of the work, with their measured combined throughput; roofline",
    },
    {
        .name = "idle_cpu",
        .applies = kg_idle_cpu_applies,
        .estimate_ns = idle_cpu_estimate,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_MEDIUM,
        .yields = true,
        .basis = KG_BASIS_AT_MOST,
        .description = "Only {cpu_ns} of {time_ns} is on a CPU. The rest is waiting: for files, "
                       "the network, locks or a sleep.",
        .hint = "Keep several requests in flight (threads, io_uring, asynchronous calls), and "
                "compute while waiting. `perf trace -s` and `strace -c -f` show the system calls "
                "that wait.",
        .evidence = {"cpu_ns", "time_ns", "cores_busy", "waits", "scheduler_wait_ns"},
        .when =
            "under `utilization` of one CPU is busy, even without time waiting for a CPU; every "
            "call gives up its CPU, if counted; preemptions explain less than half of the rest; "
            "threads do not wait for each other",
        .assumes = "all waits of a call overlap; for one wait, or an unknown number, other calls "
                   "compute meanwhile",
    },
    {
        .name = "false_sharing",
        .applies = kg_false_sharing_applies,
        .estimate_ns = false_sharing_estimate,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .cause_words = "Threads write to the same cache line alternately.",
        .cause = KG_CAUSE_FALSE_SHARING,
        .bound = KG_BOUND_SYNCHRONISATION,
        .before = "struct { long count; } of[THREADS];",
        .after = "struct { alignas(64) long count; } of[THREADS];",
        .description = "The threads together take {thread_busy_ns} for work that one thread does "
                       "in {alone_ns}. They hinder each other: by shared cache lines, an atomic "
                       "counter, or a lock.",
        .hint = "`perf c2c` names such lines, `perf lock` such locks. Give each thread its own "
                "memory: pad its data to a whole cache line (`alignas(64)`). Sum up in a local "
                "variable, and add the sums at the end (`reduction(+: …)`).",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_OPENMP, NULL, NULL,
                 "#pragma omp parallel for ... sum[omp_get_thread_num()] += a[i];",
                 "#pragma omp parallel for reduction(+ : total) ... total += a[i];"},
                {0}},
        .evidence = {"thread_busy_ns", "alone_ns", "threads", "waits", "thread_scaling",
                     "bandwidth_share", "imbalance"},
        .when = "the work of one thread, on a machine with all cores busy, is under `utilization` "
                "of the summed time in scopes of all threads; waits, imbalance, memory bandwidth "
                "and preemption do not explain it",
        .assumes = "the time beyond the work of one thread is saved; roofline",
    },
    {
        .name = "load_imbalance",
        .applies = kg_load_imbalance_applies,
        .estimate_ns = load_imbalance_estimate,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .cause_words = "Threads wait at the end of the work for the thread with the most work.",
        .cause = KG_CAUSE_LOAD_IMBALANCE,
        .bound = KG_BOUND_SYNCHRONISATION,
        .before = "#pragma omp parallel for",
        .after = "#pragma omp parallel for schedule(dynamic)",
        .description =
            "The busiest of {scope_threads} threads has {imbalance} times an even share; "
            "the others wait for it.",
        .hint = "Hand out smaller pieces as threads get free (`schedule(dynamic)`, tasks), the "
                "largest first, or divide by work rather than by count.",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_THREADS, NULL,
                 "Let threads take the next piece when they are free, the largest first, or divide "
                 "by work rather than by count.",
                 "for (i = me * n / threads; i < (me + 1) * n / threads; i++) work(i);",
                 "while ((i = atomic_fetch_add(&next, 1)) < n) work(i);"},
                {0}},
        .evidence = {"imbalance", "imbalance_ns", "scope_threads", "time_ns", "cores_busy"},
        .when = "a profile shows the busiest thread with 1 + `imbalance` times an even share; not "
                "preempted",
        .assumes = "all threads have the same share",
    },
};
const struct kg_rule_family kg_rules_threads = {rules, sizeof rules / sizeof rules[0]};
