/* rules_profile.c: suggestions from the profile of a program alone. No case was measured on another device, and no
 * machine's peaks are known. So these rules name candidates, and rank below the others. */
#include "why/rules/rule_parts.h"

/* Time of one call. The outermost scope is a call of its own. */
static double call_of(const struct kg_facts *facts)
{
    return kg_known(facts->call_ns) ? facts->call_ns : facts->traits.time_ns;
}

static double whole_share(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->traits.time_ns / facts->whole_ns;
}

/* --- Devices --- */

static bool gpu_candidate_applies(const struct kg_facts *facts,
                                  const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_known(facts->leaf_calls) && kg_on_device(facts, "cpu") &&
           kg_at_least(call_of(facts), settings->large_call_ns) &&
           kg_known(kg_handing_over_ns(facts)) &&
           !kg_under(traits->cpu_ns, settings->utilization * traits->time_ns);
}

static double gpu_candidate_estimate(const struct kg_facts *facts,
                                     const struct kg_suggest_settings *settings)
{
    (void)settings;
    return kg_handing_over_ns(facts);
}

static bool cpu_candidate_applies(const struct kg_facts *facts,
                                  const struct kg_suggest_settings *settings)
{
    return kg_known(facts->leaf_calls) && kg_on_device(facts, "cuda") &&
           kg_under(call_of(facts), settings->small_call_ns);
}

/* --- Outliers --- */

/* The slowest call beyond the 99th percentile, as a share of the scope's time. */
static double outlier_share(const struct kg_facts *facts)
{
    return (facts->max_ns - facts->p99_ns) / (facts->leaf_calls * call_of(facts));
}

/* A call that waited for a CPU is no outlier of the program. */
static bool has_waited(const struct kg_facts *facts)
{
    const struct kg_traits *traits = &facts->traits;
    return isfinite(traits->cpu_ns) &&
           1 - traits->cpu_ns / traits->time_ns >= outlier_share(facts) / 2;
}

static bool outliers_applies(const struct kg_facts *facts,
                             const struct kg_suggest_settings *settings)
{
    static const double FAR = 10;
    return kg_at_least(facts->leaf_calls, (double)settings->cache_calls) &&
           kg_known(facts->p99_ns) && kg_at_least(facts->max_ns, FAR * facts->p99_ns) &&
           !has_waited(facts);
}

static double outliers_share(const struct kg_facts *facts,
                             const struct kg_suggest_settings *settings)
{
    return outlier_share(facts) * whole_share(facts, settings);
}

/* --- Memory --- */

static bool memory_held_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->held_bytes, (double)settings->memory_bytes) &&
           !kg_known(facts->traits.bytes);
}

static double memory_held_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    (void)facts;
    return (double)settings->memory_bytes;
}

/* --- The rules --- */

static const struct kg_rule rules[] = {
    {
        .name = "gpu_candidate",
        .applies = gpu_candidate_applies,
        .estimate_ns = gpu_candidate_estimate,
        .type = KG_TYPE_ROUTING,
        .priority = KG_PRIORITY_LOW,
        .basis = KG_BASIS_AT_MOST,
        .last = true,
        .anywhere = true,
        .description = "It computes for {time_ns} on the CPU and moves memory. Copying the memory "
                       "to a GPU may take less.",
        .hint = "If its work is parallel: measure it as a case on both devices (`devices: [cpu, "
                "cuda]`).",
        .evidence = {"time_ns", "bytes", "allocated_bytes", "peak_bytes"},
        .when = "profile: an innermost CPU scope takes `large_call`, moves or allocates memory, "
                "and computes (`utilization`)",
        .assumes = "copying the data over PCI Express 3.0; ranked last",
    },
    {
        .name = "cpu_candidate",
        .applies = cpu_candidate_applies,
        .share = whole_share,
        .type = KG_TYPE_ROUTING,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_AT_MOST,
        .anywhere = true,
        .description = "A call on the GPU is so short that launch and transfers may cost more than "
                       "the work.",
        .hint = "Measure the work as a case on both devices (`devices: [cpu, cuda]`), or give the "
                "GPU several calls' work at once.",
        .evidence = {"call_ns", "time_ns", "gpu_ns", "transfer_ns"},
        .when = "profile: a call of a GPU scope takes under `small_call`",
        .assumes = "none",
    },
    {
        .name = "outliers",
        .applies = outliers_applies,
        .share = outliers_share,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_AT_MOST,
        .anywhere = true,
        .description = "The slowest of {leaf_calls} calls takes {max_ns}, 99 % take at most "
                       "{p99_ns}.",
        .hint = "Find this call with `kgate report --format trace`. A first call pays for set-up: "
                "do it before. A later one may grow a buffer, or wait.",
        .evidence = {"max_ns", "p99_ns", "leaf_calls", "time_ns"},
        .when = "profile: the slowest of `cache_calls` calls takes ten times the 99th "
                "percentile, without waiting",
        .assumes = "none",
    },
    {
        .name = "memory_held",
        .applies = memory_held_applies,
        .estimate_bytes = memory_held_estimate,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_AT_MOST,
        .anywhere = true,
        .description = "It holds up to {held_bytes} at once.",
        .hint = "Work in blocks, use one buffer again, and free buffers after their last use.",
        .evidence = {"held_bytes", "allocated_bytes", "time_ns"},
        .when = "profile: a scope holds more than `memory`, and names no bytes",
        .assumes = "`memory` is enough",
    },
};
const struct kg_rule_family kg_rules_profile = {rules, sizeof rules / sizeof rules[0]};
