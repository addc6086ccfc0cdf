#include "suggest/rule_parts.h"

static bool is_imbalanced(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->imbalance, 1 + settings->imbalance);
}

/* Whether the profile says that the threads wait for each other. */
static bool is_waiting(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const double time_ns = facts->traits.time_ns;
    return kg_at_least(facts->wait_ns, settings->wait_share * time_ns) ||
           kg_at_least(facts->parallel_ns, settings->gap_share * time_ns);
}

double kg_threads_do(const struct kg_facts *facts)
{
    return kg_at_least(facts->thread_scaling, 1)
               ? fmin(facts->thread_scaling, facts->traits.threads)
               : facts->traits.threads;
}

/* Beyond the first: of serial code no other is busy at all. That one is not kept busy either is
 * another cause. */
KG_RULE_CONDITION(unused_cores)
{
    const struct kg_traits *traits = &facts->traits;
    const double busy = fmax(traits->cores_busy - 1, 0) / (traits->threads - 1);
    return kg_on_device(facts, "cpu") && kg_at_least(traits->threads, 2) &&
           kg_known(traits->cpu_ns) && kg_at_least(traits->cores_busy, settings->utilization) &&
           kg_under(busy, settings->utilization) && !is_imbalanced(facts, settings) &&
           !is_waiting(facts, settings);
}

KG_RULE_ESTIMATOR(unused_cores)
{
    return fmax(facts->traits.cpu_ns / kg_threads_do(facts), kg_attainable_ns(facts, settings));
}

KG_RULE_CONDITION(idle_cpu)
{
    return kg_on_device(facts, "cpu") && kg_known(facts->traits.cpu_ns) &&
           kg_known(facts->traits.cores_busy) &&
           kg_under(facts->traits.cores_busy, settings->utilization) &&
           !is_waiting(facts, settings);
}

/* Several waits may all be under way at once; a single one, or an unknown number, may be while
 * there is something to compute. */
KG_RULE_ESTIMATOR(idle_cpu)
{
    const struct kg_traits *traits = &facts->traits;
    const double idle_ns = traits->time_ns - traits->cpu_ns;
    (void)settings;
    return kg_at_least(traits->waits, 2) ? traits->cpu_ns + idle_ns / traits->waits
                                         : fmax(traits->cpu_ns, idle_ns);
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

/* The same work takes the threads together more than one alone, and neither waiting, nor an uneven
 * share, nor cores that share their units explains it. */
KG_RULE_CONDITION(false_sharing)
{
    const struct kg_traits *traits = &facts->traits;
    if (!kg_on_device(facts, "cpu") || !kg_at_least(traits->threads, 2) ||
        !kg_at_least(facts->scope_threads, 2) || !kg_known(traits->alone_ns) ||
        !kg_at_least(facts->thread_scaling, 1))
        return false;
    const double expected_ns = traits->alone_ns * traits->threads / kg_threads_do(facts);
    return kg_at_least(facts->thread_busy_ns, (1 + settings->imbalance) * expected_ns) &&
           memory_is_free(facts, settings) && !is_waiting(facts, settings) &&
           !is_imbalanced(facts, settings);
}

KG_RULE_ESTIMATOR(false_sharing)
{
    return fmax(facts->traits.alone_ns / kg_threads_do(facts), kg_attainable_ns(facts, settings));
}

KG_RULE_CONDITION(load_imbalance)
{
    return kg_at_least(facts->scope_threads, 2) && is_imbalanced(facts, settings) &&
           kg_known(facts->imbalance_ns);
}

KG_RULE_ESTIMATOR(load_imbalance)
{
    (void)settings;
    return facts->traits.time_ns - facts->imbalance_ns;
}

/* A scalar instruction does a flop at the most, a multiply-add aside, and those that load, count
 * and jump do none. Where data are not side by side, that is to be mended before. */
KG_RULE_CONDITION(unvectorised)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_on_device(facts, "cpu") && kg_known(traits->flops) &&
           kg_known(traits->flops_per_instruction) && kg_under(traits->flops_per_instruction, 1) &&
           facts->vector_lanes > 1 && isfinite(facts->vector_lanes) &&
           !kg_at_roof(facts, settings) && !kg_applies_access_pattern(facts, settings);
}

KG_RULE_ESTIMATOR(unvectorised)
{
    return fmax(facts->traits.time_ns / facts->vector_lanes, kg_attainable_ns(facts, settings));
}
