#include "suggest/growth.h"
#include "suggest/rule_parts.h"

/* --- Devices --- */

/* Whether the case is long enough for the GPU, and its memory fits there. */
static bool suits_gpu(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double held = fmax(kg_known_or_zero(traits->peak_bytes),
                             fmax(kg_known_or_zero(traits->allocated_bytes),
                                  kg_known_or_zero(traits->working_set_bytes)));
    return kg_on_device(facts, "cpu") && kg_at_least(traits->time_ns, settings->large_call_ns) &&
           kg_known(held) && kg_known(facts->gpu_memory_bytes) && held < facts->gpu_memory_bytes;
}

KG_RULE_CONDITION(cpu_instead)
{
    return kg_on_device(facts, "cuda") && kg_known(facts->other_device_ns) &&
           kg_under(kg_facts_call_ns(facts), settings->small_call_ns);
}

KG_RULE_ESTIMATOR(cpu_instead)
{
    (void)settings;
    return facts->other_device_ns;
}

KG_RULE_CONDITION(gpu_instead)
{
    return suits_gpu(facts, settings) && kg_known(facts->other_device_ns);
}

KG_RULE_DOUBT(gpu_instead)
{
    (void)settings;
    return !kg_known(facts->other_transfer_ns);
}

KG_RULE_ESTIMATOR(gpu_instead)
{
    (void)settings;
    return facts->other_device_ns;
}

KG_RULE_CONDITION(gpu_untried)
{
    return suits_gpu(facts, settings) && !kg_known(facts->other_device_ns) &&
           kg_known(facts->gpu_roof_ns) &&
           !kg_under(facts->traits.cores_busy, settings->utilization);
}

/* What is between host and GPU nobody measured: as fast as PCI Express 3.0 with 16 lanes. */
static const double LINK_BYTES_PER_S = 15.75e9;

/* No more than the case has, nor than it moves. */
static double handed_over_bytes(const struct kg_traits *traits)
{
    double least = INFINITY;
    const double bytes[] = {traits->bytes, traits->working_set_bytes, traits->allocated_bytes};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        if (kg_known(bytes[i]))
            least = fmin(least, bytes[i]);
    return isfinite(least) ? least : kg_known_or_zero(traits->peak_bytes);
}

KG_RULE_ESTIMATOR(gpu_untried)
{
    return fmax(facts->gpu_roof_ns / settings->attainable, kg_known_or_zero(facts->gpu_launch_ns)) +
           1e9 * handed_over_bytes(&facts->traits) / LINK_BYTES_PER_S;
}

/* --- Versions and sweeps --- */

KG_RULE_CONDITION(slower_version)
{
    (void)settings;
    return kg_known(facts->faster_version_ns);
}

KG_RULE_ESTIMATOR(slower_version)
{
    (void)settings;
    return facts->faster_version_ns;
}

KG_RULE_CONDITION(superlinear)
{
    return kg_at_least(facts->sweep_points, 3) && kg_known(facts->linear_ns) &&
           kg_at_least(facts->log_growth, 0) &&
           kg_at_least(facts->time_growth, facts->log_growth + settings->growth);
}

/* Where the parameter is the side of a matrix, a call has more to do than its items or bytes say;
 * of flops that is known. */
KG_RULE_DOUBT(superlinear)
{
    const char *measure = facts->sweep_measure;
    if (!measure || !strcmp(measure, KG_SWEEP_PARAMETER))
        return true;
    return strcmp(measure, KG_SWEEP_FLOPS) != 0 &&
           !kg_under(facts->work_growth, 1 + settings->growth);
}

KG_RULE_ESTIMATOR(superlinear)
{
    return fmax(facts->linear_ns, kg_attainable_ns(facts, settings));
}

KG_RULE_CONDITION(batch_small)
{
    return kg_known(facts->fixed_ns) && kg_under(facts->traits.time_ns, settings->small_call_ns) &&
           kg_at_least(facts->fixed_ns, settings->gap_share * facts->traits.time_ns);
}

KG_RULE_ESTIMATOR(batch_small)
{
    return fmax(facts->traits.time_ns - facts->fixed_ns, kg_attainable_ns(facts, settings));
}
