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

/* PCI Express 3.0 with 16 lanes. */
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

double kg_handing_over_ns(const struct kg_facts *facts)
{
    const double bytes = handed_over_bytes(&facts->traits);
    return bytes > 0 ? 1e9 * bytes / LINK_BYTES_PER_S : NAN;
}

static double gpu_untried_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    return fmax(facts->gpu_roof_ns / settings->attainable, kg_known_or_zero(facts->gpu_launch_ns)) +
           kg_known_or_zero(kg_handing_over_ns(facts));
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

/* If the fixed part is small at the largest size, the suite measures the small sizes to show that part. */
static bool batch_small_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    return kg_known(facts->fixed_ns) && kg_under(facts->traits.time_ns, settings->small_call_ns) &&
           kg_at_least(facts->fixed_ns, settings->gap_share * facts->traits.time_ns) &&
           kg_known(facts->largest_ns) &&
           kg_at_least(facts->fixed_ns, settings->gap_share * facts->largest_ns);
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
            "A call takes {other_device_ns} on the GPU by the host's clock, and {time_ns} on the "
            "CPU.",
        .doubtful = gpu_instead_doubtful,
        .doubt = "kgate saw no transfers there: if the data are not on the GPU already, add their "
                 "transfers.",
        .hint = "Send calls of this size to the GPU, as `{other_device_id}` does.",
        .evidence = {"time_ns", "other_device_ns", "other_transfer_ns", "peak_bytes",
                     "gpu_memory_bytes"},
        .when = "a case on the CPU takes `large_call`; its memory fits into the GPU's; the same "
                "work took less time there; at most, if no transfers were seen",
        .assumes = "the GPU's time by the host's clock; if known, with data outside of the cache",
    },
    {
        .name = "cpu_instead",
        .applies = cpu_instead_applies,
        .estimate_ns = cpu_instead_estimate,
        .type = KG_TYPE_ROUTING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MEASURED,
        .current_ns = kg_facts_call_ns,
        .description = "A call on the GPU, with launch and transfers, takes longer than the "
                       "{other_device_ns} of the CPU for the same work.",
        .hint = "Send calls of this size to the CPU, as `{other_device_id}` does, and keep the GPU "
                "for larger ones.",
        .evidence = {"other_device_ns", "gpu_ns", "transfer_ns", "overhead_ns"},
        .when =
            "a call on the GPU takes under `small_call`; the same work took less time on the CPU",
        .assumes = "the CPU's time, against a call by the host's clock",
    },
    {
        .name = "gpu_untried",
        .applies = gpu_untried_applies,
        .estimate_ns = gpu_untried_estimate,
        .type = KG_TYPE_ROUTING,
        .priority = KG_PRIORITY_LOW,
        .basis = KG_BASIS_AT_MOST,
        .last = true,
        .description = "It takes {time_ns} on the CPU and was not measured on the GPU. The GPU's "
                       "peaks allow {gpu_roof_ns} for the same work; transfers, at an unknown "
                       "rate, come on top.",
        .hint = "Measure a version for the GPU (`devices: [cpu, cuda]`), with its transfers.",
        .evidence = {"time_ns", "gpu_roof_ns", "gpu_launch_ns", "cores_busy", "peak_bytes",
                     "gpu_memory_bytes"},
        .when = "as `gpu_instead`, without a measurement on the GPU, but with its peaks; "
                "`utilization` of a CPU is busy",
        .assumes = "`attainable` of the GPU's peaks, at least one launch, and the data over PCI "
                   "Express 3.0 (16 lanes); ranked last",
    },
    {
        .name = KG_RULE_SLOWER_VERSION,
        .applies = slower_version_applies,
        .estimate_ns = slower_version_estimate,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MEASURED,
        .description = "Another version takes {faster_version_ns}, this one {time_ns}.",
        .hint = "Use `{faster_version_id}`, or adopt its method.",
        .evidence = {"time_ns", "faster_version_ns"},
        .when = "another value of `version`, with all else equal, is faster by more than the "
                "case's threshold",
        .assumes = "the fastest version's time",
    },
    {
        .name = "superlinear",
        .applies = superlinear_applies,
        .estimate_ns = superlinear_estimate,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Over the sweep of `{sweep_parameter}`, time grows with the power "
                       "{time_growth} of {sweep_measure}.",
        .doubtful = superlinear_doubtful,
        .doubt = "The work itself may grow as fast, as in a product of matrices by their side. To "
                 "find out, let the workload state its flops.",
        .hint =
            "Look for work that is repeated for each element: a search inside a loop, an insertion "
            "that moves the rest, a comparison of all pairs. Sorting first, a hash table or a tree "
            "make it close to linear. If the work is linear by its nature, work in blocks that "
            "stay in a cache.",
        .evidence = {"time_growth", "log_growth", "sweep_points", "time_ns", "linear_ns"},
        .when = "over three sizes of a sweep, time's exponent over work exceeds that of n log n by "
                "`growth`; work is flops, else items, else bytes, else the parameter; at most, if "
                "it is the parameter (perhaps a matrix's side), or items or bytes that grow by 1 + "
                "`growth` over the parameter",
        .assumes = "time grows as n log n from the smallest size on; roofline",
    },
    {
        .name = "batch_small",
        .applies = batch_small_applies,
        .estimate_ns = batch_small_estimate,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .description = "Of the {time_ns} of a call, {fixed_ns} are a fixed cost, even for the "
                       "smallest work (sweep of `{sweep_parameter}`).",
        .hint = "Collect work and do more of it per call: then the fixed cost is paid once. The "
                "estimate is this call's share of a large one.",
        .evidence = {"fixed_ns", "time_ns", "sweep_points", "items"},
        .when = "a call takes under `small_call`; by the sweep's smallest sizes `gap_share` of it, "
                "and of a call of the largest size, is a fixed part",
        .assumes = "nothing of the fixed part is left: a large call pays it once; roofline",
    },
};
const struct kg_rule_family kg_rules_compare = {rules, sizeof rules / sizeof rules[0]};
