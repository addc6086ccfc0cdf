#include "suggest/rule_parts.h"

/* --- Calls of a scope --- */

/* What is between the calls is in no scope, so not in their time. */
double kg_batch_calls_current(const struct kg_facts *facts)
{
    return facts->traits.time_ns + facts->between_ns;
}

KG_RULE_CONDITION(batch_calls)
{
    return kg_at_least(facts->calls, (double)settings->batch_calls) &&
           kg_known(facts->between_ns) &&
           kg_at_least(facts->between_ns, settings->gap_share * kg_batch_calls_current(facts));
}

KG_RULE_ESTIMATOR(batch_calls)
{
    (void)settings;
    return facts->traits.time_ns + facts->between_ns / facts->calls;
}

/* That what goes in repeats, no measurement shows. What moves data of its own, or is one thread's
 * part of many, does something else in each call; and what waits computes nothing. */
KG_RULE_CONDITION(cache_results)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_at_least(facts->calls, (double)settings->cache_calls) && kg_known(facts->call_ns) &&
           kg_under(facts->call_ns, settings->small_call_ns) && !kg_known(traits->bytes) &&
           !kg_at_least(facts->scope_threads, 2) &&
           !kg_under(traits->cpu_ns, settings->utilization * traits->time_ns) &&
           !kg_under(facts->whole_cores_busy, settings->utilization);
}

KG_RULE_ESTIMATOR(cache_results)
{
    (void)settings;
    return facts->traits.time_ns / facts->calls;
}

/* --- Threads that start, and wait --- */

KG_RULE_CONDITION(parallel_regions)
{
    return kg_at_least(facts->parallel_count, (double)settings->batch_calls) &&
           kg_known(facts->parallel_ns) &&
           kg_at_least(facts->parallel_ns, settings->gap_share * facts->traits.time_ns);
}

KG_RULE_ESTIMATOR(parallel_regions)
{
    (void)settings;
    return facts->traits.time_ns - facts->parallel_ns * (1 - 1 / facts->parallel_count);
}

/* What is waited for because others have more to do, fewer waits would not save. */
static double idle_waiting(const struct kg_facts *facts)
{
    return facts->wait_ns - kg_known_or_zero(facts->imbalance_ns);
}

KG_RULE_CONDITION(synchronisation)
{
    return kg_at_least(facts->wait_count, (double)settings->batch_calls) &&
           kg_known(idle_waiting(facts)) &&
           kg_at_least(idle_waiting(facts), settings->wait_share * facts->traits.time_ns);
}

KG_RULE_ESTIMATOR(synchronisation)
{
    (void)settings;
    return facts->traits.time_ns - idle_waiting(facts) * (1 - 1 / facts->wait_count);
}

/* --- Fresh memory --- */

/* Threads that touch fresh pages do so at the same time. */
double kg_faulting_ns(const struct kg_facts *facts)
{
    const double cores = facts->traits.cores_busy;
    return facts->traits.page_faults * facts->page_fault_ns / (kg_at_least(cores, 1) ? cores : 1);
}

KG_RULE_CONDITION(page_faults)
{
    return kg_on_device(facts, "cpu") && kg_known(facts->traits.page_faults) &&
           kg_known(facts->page_fault_ns) && kg_known(kg_faulting_ns(facts)) &&
           kg_at_least(kg_faulting_ns(facts), settings->min_gain * facts->traits.time_ns);
}

/* What a fault costs differs by so much that the product may be more than all there is: something
 * is left in any case. */
KG_RULE_ESTIMATOR(page_faults)
{
    const double time_ns = facts->traits.time_ns;
    return fmax(fmax(time_ns - kg_faulting_ns(facts), settings->min_gain * time_ns),
                kg_attainable_ns(facts, settings));
}
