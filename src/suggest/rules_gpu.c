#include "suggest/rule_parts.h"

/* --- Around the kernels: of a call by the host's clock --- */

/* A launch takes the host a few microseconds, up to some ten with many arguments. Where it takes so
 * much more, the host does something else. */
static const double LAUNCH_MOST_NS = 50e3;

/* What of the host's time launching is, where that was measured; else it may be all. */
static double launching_ns(const struct kg_traits *traits)
{
    return kg_known(traits->launch_ns) ? fmin(traits->launch_ns, traits->overhead_ns)
                                       : traits->overhead_ns;
}

/* That of all launches but one. */
static double launching_spared_ns(const struct kg_traits *traits)
{
    return launching_ns(traits) * (1 - 1 / traits->launches);
}

KG_RULE_CONDITION(launch_gaps)
{
    return kg_on_device(facts, "cuda") && kg_at_least(facts->traits.launches, 2) &&
           kg_known(facts->traits.overhead_ns) &&
           kg_at_least(launching_spared_ns(&facts->traits),
                       settings->gap_share * kg_facts_call_ns(facts));
}

KG_RULE_DOUBT(launch_gaps)
{
    (void)settings;
    return !kg_under(launching_ns(&facts->traits), LAUNCH_MOST_NS * facts->traits.launches);
}

/* One launch of a graph costs the host what one of a kernel does; the device still needs a moment
 * from each of its kernels to the next. */
KG_RULE_ESTIMATOR(launch_gaps)
{
    const struct kg_traits *traits = &facts->traits;
    (void)settings;
    return kg_facts_call_ns(facts) - launching_spared_ns(traits) +
           (traits->launches - 1) * kg_known_or_zero(facts->gpu_launch_ns);
}

static double pageable_share(const struct kg_traits *traits)
{
    return traits->pageable_bytes /
           (kg_known_or_zero(traits->to_device_bytes) + kg_known_or_zero(traits->to_host_bytes));
}

static bool transfers_matter(const struct kg_facts *facts,
                             const struct kg_suggest_settings *settings)
{
    return kg_on_device(facts, "cuda") && kg_known(facts->traits.gpu_ns) &&
           kg_known(facts->traits.transfer_ns) &&
           kg_at_least(facts->traits.transfer_ns, settings->wait_share * kg_facts_call_ns(facts));
}

KG_RULE_CONDITION(pageable_transfers)
{
    return transfers_matter(facts, settings) &&
           kg_at_least(pageable_share(&facts->traits), settings->bound_share);
}

/* Pageable memory is copied twice, once by the host into a page-locked buffer (CUDA C++ Best
 * Practices Guide, "Pinned Memory"): half of the way is saved. Then copies can be under way while
 * kernels run. */
KG_RULE_ESTIMATOR(pageable_transfers)
{
    const struct kg_traits *traits = &facts->traits;
    const double pinned_ns = traits->transfer_ns * (1 - fmin(pageable_share(traits), 1) / 2);
    (void)settings;
    return kg_facts_call_ns(facts) - traits->gpu_ns - traits->transfer_ns +
           fmax(traits->gpu_ns, pinned_ns);
}

KG_RULE_CONDITION(overlap_transfers)
{
    return transfers_matter(facts, settings) && !kg_applies_pageable_transfers(facts, settings);
}

/* Where kernels hide some already, what is left may be the first piece and the last. */
KG_RULE_DOUBT(overlap_transfers)
{
    const struct kg_traits *traits = &facts->traits;
    return !kg_under(traits->hidden_ns,
                     settings->gap_share * (traits->hidden_ns + traits->transfer_ns));
}

KG_RULE_ESTIMATOR(overlap_transfers)
{
    const struct kg_traits *traits = &facts->traits;
    const double idle_ns = fmax(traits->gpu_ns - kg_known_or_zero(traits->hidden_ns), 0);
    (void)settings;
    return kg_facts_call_ns(facts) - fmin(idle_ns, traits->transfer_ns);
}

/* --- Within the kernels: of the device's time --- */

/* Whether it is known that the kernels do far less than the device could. */
static bool roofs_are_far(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_on_device(facts, "cuda") && kg_known(traits->gpu_ns) &&
           kg_known(traits->main_kernel_ns) && kg_known(traits->roof_ns) &&
           (kg_known(traits->bandwidth_share) || kg_known(traits->flops_share)) &&
           !kg_at_roof(facts, settings);
}

/* The case's time, were its main kernel to take `share` of what it does; the kernels together not
 * under the roofs, nor under what it takes to start them. */
static double main_kernel_shrunk(const struct kg_facts *facts,
                                 const struct kg_suggest_settings *settings, double share)
{
    const struct kg_traits *traits = &facts->traits;
    const double kernel_ns = fmin(traits->gpu_ns, traits->time_ns);
    const double starting_ns =
        kg_known_or_zero(traits->launches) * kg_known_or_zero(facts->gpu_launch_ns);
    const double saved_ns = fmin(traits->main_kernel_ns, kernel_ns) * (1 - share);
    const double shrunk_ns =
        fmax(kernel_ns - saved_ns, fmax(kg_attainable_ns(facts, settings), starting_ns));
    return traits->time_ns - kernel_ns + shrunk_ns;
}

KG_RULE_CONDITION(small_grid)
{
    return roofs_are_far(facts, settings) && kg_known(facts->traits.waves) &&
           kg_under(facts->traits.waves, 1);
}

KG_RULE_ESTIMATOR(small_grid)
{
    return main_kernel_shrunk(facts, settings, facts->traits.waves);
}

/* A grid that does not fill the device once is a matter of the grid. */
KG_RULE_CONDITION(low_occupancy)
{
    return roofs_are_far(facts, settings) && kg_known(facts->traits.occupancy) &&
           kg_under(facts->traits.occupancy, settings->utilization) &&
           !kg_applies_small_grid(facts, settings);
}

KG_RULE_ESTIMATOR(low_occupancy)
{
    return main_kernel_shrunk(facts, settings, facts->traits.occupancy / settings->utilization);
}

/* The last wave holds the device as long as a full one. */
static double filled(const struct kg_facts *facts)
{
    return facts->traits.waves / ceil(facts->traits.waves);
}

KG_RULE_CONDITION(tail_effect)
{
    return roofs_are_far(facts, settings) && kg_at_least(facts->traits.waves, 1) &&
           kg_under(filled(facts), 1 - settings->gap_share) &&
           !kg_applies_low_occupancy(facts, settings);
}

KG_RULE_ESTIMATOR(tail_effect)
{
    return main_kernel_shrunk(facts, settings, filled(facts));
}
