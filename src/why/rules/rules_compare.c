#include "why/evidence/growth.h"
#include "why/rules/rule_parts.h"

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

static bool cpu_instead_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    return kg_on_device(facts, "cuda") && kg_known(facts->other_device_ns) &&
           kg_under(kg_facts_call_ns(facts), settings->small_call_ns);
}

static double cpu_instead_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->other_device_ns;
}

static bool gpu_instead_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    return suits_gpu(facts, settings) && kg_known(facts->other_device_ns);
}

static bool gpu_instead_doubtful(const struct kg_facts *facts,
                                 const struct kg_suggest_settings *settings)
{
    (void)settings;
    return !kg_known(facts->other_transfer_ns);
}

static double gpu_instead_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->other_device_ns;
}

static bool gpu_untried_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    return suits_gpu(facts, settings) && !kg_known(facts->other_device_ns) &&
           kg_known(facts->gpu_roof_ns) &&
           !kg_under(facts->traits.cores_busy, settings->utilization);
}

/* The link between host and GPU is not measured: PCI Express 3.0 with 16 lanes is assumed. */
static const double LINK_BYTES_PER_S = 15.75e9;

/* Bytes to copy to the GPU: no more than the case holds, and no more than it moves. */
static double handed_over_bytes(const struct kg_traits *traits)
{
    double least = INFINITY;
    const double bytes[] = {traits->bytes, traits->working_set_bytes, traits->allocated_bytes};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        if (kg_known(bytes[i]))
            least = fmin(least, bytes[i]);
    return isfinite(least) ? least : kg_known_or_zero(traits->peak_bytes);
}

static double gpu_untried_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    return fmax(facts->gpu_roof_ns / settings->attainable, kg_known_or_zero(facts->gpu_launch_ns)) +
           1e9 * handed_over_bytes(&facts->traits) / LINK_BYTES_PER_S;
}

/* --- Versions and sweeps --- */

static bool slower_version_applies(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    (void)settings;
    return kg_known(facts->faster_version_ns);
}

static double slower_version_estimate(const struct kg_facts *facts,
                                      const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->faster_version_ns;
}

static bool superlinear_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->sweep_points, 3) && kg_known(facts->linear_ns) &&
           kg_at_least(facts->log_growth, 0) &&
           kg_at_least(facts->time_growth, facts->log_growth + settings->growth);
}

/* If the parameter is the side of a matrix, a call does more work than its items or bytes show.
 * FLOPs are exact. */
static bool superlinear_doubtful(const struct kg_facts *facts,
                                 const struct kg_suggest_settings *settings)
{
    const char *measure = facts->sweep_measure;
    if (!measure || !strcmp(measure, KG_SWEEP_PARAMETER))
        return true;
    return strcmp(measure, KG_SWEEP_FLOPS) != 0 &&
           !kg_under(facts->work_growth, 1 + settings->growth);
}

static double superlinear_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    return fmax(facts->linear_ns, kg_attainable_ns(facts, settings));
}

static bool batch_small_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    return kg_known(facts->fixed_ns) && kg_under(facts->traits.time_ns, settings->small_call_ns) &&
           kg_at_least(facts->fixed_ns, settings->gap_share * facts->traits.time_ns);
}

static double batch_small_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    return fmax(facts->traits.time_ns - facts->fixed_ns, kg_attainable_ns(facts, settings));
}

/* --- The rules --- */

static const struct kg_rule rules[] = {
    {
        .name = "gpu_instead",
        .applies = gpu_instead_applies,
        .estimate_ns = gpu_instead_estimate,
        .type = KG_TYPE_ROUTING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MEASURED,
        .description =
            "A call on the GPU takes {other_device_ns} by the host's clock, where the CPU "
            "takes {time_ns}.",
        .doubtful = gpu_instead_doubtful,
        .doubt = "No transfers were seen in it: where the data are not on the GPU already, theirs "
                 "come on top.",
        .hint = "Send calls of this size to the GPU, as `{other_device_id}` does.",
        .evidence = {"time_ns", "other_device_ns", "other_transfer_ns", "peak_bytes",
                     "gpu_memory_bytes"},
        .when = "a case on the CPU takes `large_call` or more, its memory fits into the GPU's, and "
                "the same was measured there and took less; at most, where no transfers were seen",
        .assumes = "what was measured on the GPU by the host's clock, where its data were not in "
                   "the cache, if that was measured",
        .settings = "large_call",
    },
    {
        .name = "cpu_instead",
        .applies = cpu_instead_applies,
        .estimate_ns = cpu_instead_estimate,
        .type = KG_TYPE_ROUTING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MEASURED,
        .current_ns = kg_facts_call_ns,
        .description = "A call on the GPU, launch and transfers included, takes longer than the "
                       "{other_device_ns} that the CPU needs for the same.",
        .hint = "Send calls of this size to the CPU, as `{other_device_id}` does, and keep the GPU "
                "for larger ones.",
        .evidence = {"other_device_ns", "gpu_ns", "transfer_ns", "overhead_ns"},
        .when = "a call on the GPU takes less than `small_call`, and the same was measured on the "
                "CPU and took less",
        .assumes = "what was measured on the CPU, against a call by the host's clock",
        .settings = "small_call",
    },
    {
        .name = "gpu_untried",
        .applies = gpu_untried_applies,
        .estimate_ns = gpu_untried_estimate,
        .type = KG_TYPE_ROUTING,
        .priority = KG_PRIORITY_LOW,
        .basis = KG_BASIS_AT_MOST,
        .last = true,
        .description = "This takes {time_ns} on the CPU and was not measured on the GPU, whose "
                       "roofs allow {gpu_roof_ns} for the same work; transfers come on top, at a "
                       "rate that is not known.",
        .hint = "Measure a version for the GPU (`devices: [cpu, cuda]`), with its transfers.",
        .evidence = {"time_ns", "gpu_roof_ns", "gpu_launch_ns", "cores_busy", "peak_bytes",
                     "gpu_memory_bytes"},
        .when = "as `gpu_instead`, but the same was not measured on the GPU, whose ceilings are "
                "known; and `utilization` of a CPU or more is busy",
        .assumes = "`attainable` of the GPU's roofs, no less than a launch, and its data over a "
                   "PCI Express 3.0 link of 16 lanes; ranked last",
        .settings = "large_call,utilization,attainable",
    },
    {
        .name = KG_RULE_SLOWER_VERSION,
        .applies = slower_version_applies,
        .estimate_ns = slower_version_estimate,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MEASURED,
        .description = "Another version of the same takes {faster_version_ns} where this one takes "
                       "{time_ns}.",
        .hint = "Use `{faster_version_id}`, or do as it does.",
        .evidence = {"time_ns", "faster_version_ns"},
        .when = "another value of the parameter `version` with all else equal took less, by more "
                "than the case's own threshold",
        .assumes = "what was measured of the fastest version",
    },
    {
        .name = "superlinear",
        .applies = superlinear_applies,
        .estimate_ns = superlinear_estimate,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Over the sweep of `{sweep_parameter}` time grows with the power "
                       "{time_growth} of {sweep_measure}.",
        .doubtful = superlinear_doubtful,
        .doubt = "There may be as much more to do, as in a product of matrices by their side: let "
                 "the workload tell its flops to know.",
        .hint =
            "Look for what is done again for each element: a search inside a loop, an insertion "
            "that moves all that follows, a comparison of all pairs. Sorting first, a hash "
            "table or a tree make it close to linear. Where the work is linear by its nature, "
            "work in blocks that stay in a cache.",
        .evidence = {"time_growth", "log_growth", "sweep_points", "time_ns", "linear_ns"},
        .when = "over a sweep of three or more sizes the exponent of time over what a call does "
                "(flops, else items, else bytes, else the parameter) is that of n log n + `growth` "
                "or more; at most, where that is the parameter itself, or items or bytes that "
                "grow by 1 + `growth` or more over it: it may be a matrix's side",
        .assumes = "time grew as n log n from the smallest size on; not under the roofs",
        .settings = "growth,attainable",
    },
    {
        .name = "batch_small",
        .applies = batch_small_applies,
        .estimate_ns = batch_small_estimate,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .description = "Of the {time_ns} that a call takes, {fixed_ns} are spent however little "
                       "there is to do (sweep of `{sweep_parameter}`).",
        .hint = "Collect work and do more of it in one call: the fixed part is then paid once. The "
                "estimate is this call's share of a large one.",
        .evidence = {"fixed_ns", "time_ns", "sweep_points", "items"},
        .when =
            "a call takes less than `small_call`, and the sweep's smallest sizes show a fixed part "
            "of `gap_share` of it or more",
        .assumes = "time is a fixed part and one that grows with the work, and the fixed part is "
                   "spread over so many that nothing is left of it; not under the roofs",
        .settings = "small_call,gap_share,attainable",
    },
};
const struct kg_rule_family kg_rules_compare = {rules, sizeof rules / sizeof rules[0]};
