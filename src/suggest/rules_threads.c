#include "suggest/rule_parts.h"

static bool is_imbalanced(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->imbalance, 1 + settings->imbalance);
}

/* Whoever wants a CPU that is taken gets it for about so long, and the one before waits. */
static const double TIME_SLICE_NS = 3e6;

/* How often others took a CPU is counted; a few times in a long call take little of it. */
static bool took(const struct kg_facts *facts, double least_ns)
{
    const double preempted = facts->traits.preempted;
    return kg_at_least(preempted, 1) && kg_at_least(preempted * TIME_SLICE_NS, least_ns);
}

/* Whether all its threads are at work all the time: nobody else can have been for long. */
static bool has_all(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_at_least(traits->cores_busy, (1 - settings->min_gain / 2) * traits->threads);
}

/* A thread that does not wait is at work, too, but for what others take. */
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
           kg_applies_parallel_regions(facts, settings);
}

double kg_threads_do(const struct kg_facts *facts)
{
    return kg_at_least(facts->thread_scaling, 1)
               ? fmin(facts->thread_scaling, facts->traits.threads)
               : facts->traits.threads;
}

/* Whether the profile says that the threads do have work, though others may have their CPUs. */
static bool is_shared(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_at_least(facts->scope_threads, 2) &&
           kg_at_least(facts->thread_busy_ns,
                       settings->utilization * traits->threads * traits->time_ns);
}

/* Beyond the first: of serial code no other is busy at all. */
static bool are_idle(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_under(fmax(traits->cores_busy - 1, 0) / (traits->threads - 1), settings->utilization);
}

/* Threads that want the same memory at once have another cause for being slow: excluded where it is
 * known that they are far from its roof, or that their data lie in caches of their own. */
static bool memory_is_free(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return isnan(traits->bandwidth_share)
               ? kg_under(traits->level, KG_LEVEL_L3)
               : kg_under(traits->bandwidth_share, settings->bound_share);
}

/* Threads of OpenMP that have nothing to do look for work for a while, and are busy with it: then
 * one alone takes as long as all. So it does where memory is what all of them wait for. Were it
 * faster alone, they would be in each other's way, or others on their CPUs. */
static bool gain_little(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double gained = traits->alone_ns / traits->time_ns - 1;
    if (!kg_known(traits->alone_ns))
        return are_idle(facts, settings);
    return kg_at_least(gained, -settings->min_gain) &&
           kg_under(fmax(gained, 0) / (traits->threads - 1), settings->utilization) &&
           (are_idle(facts, settings) ||
            (memory_is_free(facts, settings) && !kg_at_roof(facts, settings)));
}

/* That the first is not kept busy either is another cause. */
KG_RULE_CONDITION(unused_cores)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_on_device(facts, "cpu") && kg_at_least(traits->threads, 2) &&
           kg_known(traits->cpu_ns) && kg_at_least(traits->cores_busy, settings->utilization) &&
           gain_little(facts, settings) && !is_shared(facts, settings) &&
           !is_imbalanced(facts, settings) && !kg_threads_wait(facts, settings) &&
           !kg_cpus_taken(facts, settings);
}

/* What there is to share is what one thread takes alone; where that is not known, the CPU time.
 * Where the first thread is not busy all the time, the others are no more than it is. */
KG_RULE_ESTIMATOR(unused_cores)
{
    const struct kg_traits *traits = &facts->traits;
    const double work_ns = kg_known(traits->alone_ns) ? traits->alone_ns : traits->cpu_ns;
    return fmax(fmax(work_ns, traits->time_ns) / kg_threads_do(facts),
                kg_attainable_ns(facts, settings));
}

/* A process that never gives up its CPU does not wait: others took it, as they did where that was
 * counted so often that it is most of what it is idle. */
KG_RULE_CONDITION(idle_cpu)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_on_device(facts, "cpu") && kg_known(traits->cpu_ns) && kg_known(traits->cores_busy) &&
           kg_under(traits->cores_busy, settings->utilization) && !kg_under(traits->waits, 1) &&
           !took(facts, (traits->time_ns - traits->cpu_ns) / 2) &&
           !kg_threads_wait(facts, settings);
}

/* Several waits may all be under way at once; during a single one, or an unknown number, other
 * calls may compute. */
KG_RULE_ESTIMATOR(idle_cpu)
{
    const struct kg_traits *traits = &facts->traits;
    const double idle_ns = traits->time_ns - traits->cpu_ns;
    (void)settings;
    return kg_at_least(traits->waits, 2) ? traits->cpu_ns + idle_ns / traits->waits
                                         : traits->cpu_ns;
}

double kg_shared_work_ns(const struct kg_facts *facts)
{
    return facts->traits.alone_ns * facts->traits.threads / kg_threads_do(facts);
}

/* Fighting for a line takes CPU time: what threads spend without is their CPU given to others. */
double kg_threads_spend_ns(const struct kg_facts *facts)
{
    return kg_known(facts->traits.cpu_ns) ? fmin(facts->thread_busy_ns, facts->traits.cpu_ns)
                                          : facts->thread_busy_ns;
}

/* The work takes the threads together far more than one alone, and neither waiting, nor an uneven
 * share, nor cores that share their units explains it. */
KG_RULE_CONDITION(false_sharing)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_on_device(facts, "cpu") && kg_at_least(traits->threads, 2) &&
           kg_at_least(facts->scope_threads, 2) && kg_known(traits->alone_ns) &&
           kg_at_least(facts->thread_scaling, 1) && kg_known(facts->thread_busy_ns) &&
           kg_under(kg_shared_work_ns(facts), settings->utilization * kg_threads_spend_ns(facts)) &&
           memory_is_free(facts, settings) && !kg_threads_wait(facts, settings) &&
           !is_imbalanced(facts, settings) && !kg_cpus_taken(facts, settings);
}

/* The threads' part of the time shrinks to the work's part of what they spend. What is left besides
 * is told by a profile, which is not exact: less than min_gain is nothing. */
KG_RULE_ESTIMATOR(false_sharing)
{
    const struct kg_traits *traits = &facts->traits;
    const double all_ns = traits->threads * traits->time_ns;
    const double besides = fmax(1 - kg_threads_spend_ns(facts) / all_ns, 0);
    const double part = besides < settings->min_gain ? 1 : 1 - besides;
    const double work = kg_shared_work_ns(facts) / kg_threads_spend_ns(facts);
    return fmax(traits->time_ns * (1 - part + part * work), kg_attainable_ns(facts, settings));
}

KG_RULE_CONDITION(load_imbalance)
{
    return kg_at_least(facts->scope_threads, 2) && is_imbalanced(facts, settings) &&
           kg_known(facts->imbalance_ns) && !kg_cpus_taken(facts, settings);
}

KG_RULE_ESTIMATOR(load_imbalance)
{
    (void)settings;
    return facts->traits.time_ns - facts->imbalance_ns;
}

/* --- One element at a time --- */

/* A scalar instruction moves no more than one number; where more is moved, some are vectors. */
static bool moves_vectors(const struct kg_traits *traits)
{
    enum { SINGLE_BYTES = 4 };
    return kg_known(traits->bytes) && traits->bytes > SINGLE_BYTES * traits->instructions;
}

/* Of scalar loops over numbers: in others something else is done than computing. */
static const double LEAST_FLOPS_PER_INSTRUCTION = 0.1;

/* A loop in which each result needs the one before ends an instruction a cycle or fewer. */
static const double CHAINED_PER_CYCLE = 1.25;

/* A scalar instruction does a flop at the most, a multiply-add aside, and those that load, count
 * and jump do none. What vectors gain was measured of single precision alone. */
bool kg_is_scalar(const struct kg_facts *facts)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_known(traits->flops) && kg_known(traits->flops_ceiling_per_s) &&
           kg_under(traits->flops_per_instruction, 1) &&
           traits->flops_per_instruction >= LEAST_FLOPS_PER_INSTRUCTION &&
           facts->vector_lanes > 1 && isfinite(facts->vector_lanes) && !moves_vectors(traits);
}

/* Instructions are what limits where the core ends one after the other: where it
 * waits, for loads or for the result before, vectors would wait as well. Where data are not side by
 * side, that is to be mended before; and where threads wait, most instructions may be those that
 * look whether it is over. */
KG_RULE_CONDITION(unvectorised)
{
    return kg_on_device(facts, "cpu") && kg_is_scalar(facts) &&
           kg_at_least(kg_instructions_per_cycle(facts), CHAINED_PER_CYCLE) &&
           !kg_at_roof(facts, settings) && !kg_threads_wait(facts, settings) &&
           !kg_applies_access_pattern(facts, settings);
}

/* Compilers use 256 bits unless told otherwise, also where there are wider vectors (gcc's
 * -mprefer-vector-width). */
double kg_vectors_gain(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    enum { SINGLES_OF_256_BITS = 8 };
    return fmax(1, fmin(facts->vector_lanes, SINGLES_OF_256_BITS) * settings->attainable);
}

/* What is not spent on a CPU stays. */
KG_RULE_ESTIMATOR(unvectorised)
{
    const double saved =
        kg_running_share(facts, settings) * (1 - 1 / kg_vectors_gain(facts, settings));
    return fmax(facts->traits.time_ns * (1 - saved), kg_attainable_ns(facts, settings));
}
