#include "why/rules/rule_parts.h"

/* --- Around the kernels: shares of a call by the host's clock --- */

/* A launch takes the host a few microseconds, about ten with many arguments. If it takes far
 * longer, the host does something else. */
static const double LAUNCH_MOST_NS = 50e3;

/* Host time spent on launching. If it was not measured: the whole overhead, as an upper bound. */
static double launching_ns(const struct kg_traits *traits)
{
    return kg_known(traits->launch_ns) ? fmin(traits->launch_ns, traits->overhead_ns)
                                       : traits->overhead_ns;
}

/* Launching time saved if one launch is left. */
static double launching_spared_ns(const struct kg_traits *traits)
{
    return launching_ns(traits) * (1 - 1 / traits->launches);
}

static bool launch_gaps_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    return kg_on_device(facts, "cuda") && kg_at_least(facts->traits.launches, 2) &&
           kg_known(facts->traits.overhead_ns) &&
           kg_at_least(launching_spared_ns(&facts->traits),
                       settings->gap_share * kg_facts_call_ns(facts));
}

static bool launch_gaps_doubtful(const struct kg_facts *facts,
                                 const struct kg_suggest_settings *settings)
{
    (void)settings;
    return !kg_under(launching_ns(&facts->traits), LAUNCH_MOST_NS * facts->traits.launches);
}

/* Launching a graph costs the host as much as launching one kernel. The device still needs a moment
 * between two kernels of the graph. */
static double launch_gaps_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
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

static bool pageable_transfers_applies(const struct kg_facts *facts,
                                       const struct kg_suggest_settings *settings)
{
    return transfers_matter(facts, settings) &&
           kg_at_least(pageable_share(&facts->traits), settings->bound_share);
}

/* The host copies pageable memory twice, once into a page-locked buffer (CUDA C++ Best Practices
 * Guide, "Pinned Memory"). Page-locked memory saves one copy, and its copies can overlap
 * kernels. */
static double pageable_transfers_estimate(const struct kg_facts *facts,
                                          const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double pinned_ns = traits->transfer_ns * (1 - fmin(pageable_share(traits), 1) / 2);
    (void)settings;
    return kg_facts_call_ns(facts) - traits->gpu_ns - traits->transfer_ns +
           fmax(traits->gpu_ns, pinned_ns);
}

static bool overlap_transfers_applies(const struct kg_facts *facts,
                                      const struct kg_suggest_settings *settings)
{
    return transfers_matter(facts, settings) && !pageable_transfers_applies(facts, settings);
}

/* If kernels hide some transfers already, the rest may be the first piece and the last. Nothing
 * can hide these. */
static bool overlap_transfers_doubtful(const struct kg_facts *facts,
                                       const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return !kg_under(traits->hidden_ns,
                     settings->gap_share * (traits->hidden_ns + traits->transfer_ns));
}

static double overlap_transfers_estimate(const struct kg_facts *facts,
                                         const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double idle_ns = fmax(traits->gpu_ns - kg_known_or_zero(traits->hidden_ns), 0);
    (void)settings;
    return kg_facts_call_ns(facts) - fmin(idle_ns, traits->transfer_ns);
}

/* --- Within the kernels: shares of the device's time --- */

/* Whether the kernels are known to stay far below the device's ceilings. */
static bool roofs_are_far(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_on_device(facts, "cuda") && kg_known(traits->gpu_ns) &&
           kg_known(traits->main_kernel_ns) && kg_known(traits->roof_ns) &&
           (kg_known(traits->bandwidth_share) || kg_known(traits->flops_share)) &&
           !kg_at_roof(facts, settings);
}

/* The case's time if its main kernel took only `share` of its time. The time of all kernels has
 * two lower limits: the roofline, and the time to launch them. */
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

static bool small_grid_applies(const struct kg_facts *facts,
                               const struct kg_suggest_settings *settings)
{
    return roofs_are_far(facts, settings) && kg_known(facts->traits.waves) &&
           kg_under(facts->traits.waves, 1);
}

static double small_grid_estimate(const struct kg_facts *facts,
                                  const struct kg_suggest_settings *settings)
{
    return main_kernel_shrunk(facts, settings, facts->traits.waves);
}

/* If the grid does not fill the device once, the grid is the cause: `small_grid`. */
static bool low_occupancy_applies(const struct kg_facts *facts,
                                  const struct kg_suggest_settings *settings)
{
    return roofs_are_far(facts, settings) && kg_known(facts->traits.occupancy) &&
           kg_under(facts->traits.occupancy, settings->utilization) &&
           !small_grid_applies(facts, settings);
}

static double low_occupancy_estimate(const struct kg_facts *facts,
                                     const struct kg_suggest_settings *settings)
{
    return main_kernel_shrunk(facts, settings, facts->traits.occupancy / settings->utilization);
}

/* The last wave takes as long as a full one, even with few blocks. */
static double filled(const struct kg_facts *facts)
{
    return facts->traits.waves / ceil(facts->traits.waves);
}

static bool tail_effect_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    return roofs_are_far(facts, settings) && kg_at_least(facts->traits.waves, 1) &&
           kg_under(filled(facts), 1 - settings->gap_share) &&
           !low_occupancy_applies(facts, settings);
}

static double tail_effect_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    return main_kernel_shrunk(facts, settings, filled(facts));
}

/* --- The rules --- */

static const struct kg_rule rules[] = {
    {
        .name = "launch_gaps",
        .cause = KG_CAUSE_LAUNCH_GAPS,
        .bound = KG_BOUND_LAUNCH,
        .traced = true,
        .before = "for (i = 0; i < steps; i++) { update<<<g, b>>>(x); swap<<<g, b>>>(x); }",
        .after = "cudaGraphLaunch(steps_graph, stream);  /* captured once */",
        .applies = launch_gaps_applies,
        .estimate_ns = launch_gaps_estimate,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .current_ns = kg_facts_call_ns,
        .description = "A call launches {launches} kernels one by one. {overhead_ns} of the call "
                       "are neither kernels nor transfers.",
        .doubtful = launch_gaps_doubtful,
        .doubt = "That is far more than launches cost: the host is late with its launches, because "
                 "it works or waits. A graph helps only if the host can do so earlier.",
        .hint = "Capture the sequence once in a CUDA graph (cudaStreamBeginCapture, "
                "cudaGraphLaunch), or fuse consecutive kernels.",
        .evidence = {"launches", "overhead_ns", "launch_ns", "gap_ns", "gpu_ns", "gpu_launch_ns"},
        .when = "a call launches two kernels; the host's launch time beyond one launch, not hidden "
                "by kernels or transfers, is `gap_share` of the call by the host's clock; at most, "
                "if it is 50 us per kernel",
        .assumes = "one launch is left for the host; for the device, the measured gap between two "
                   "empty kernels",
    },
    {
        .name = "pageable_transfers",
        .cause = KG_CAUSE_PAGEABLE_TRANSFERS,
        .bound = KG_BOUND_TRANSFER,
        .traced = true,
        .before = "float *x = malloc(n); cudaMemcpy(d, x, n, cudaMemcpyHostToDevice);",
        .after = "cudaMallocHost(&x, n); cudaMemcpyAsync(d, x, n, cudaMemcpyHostToDevice, stream);",
        .applies = pageable_transfers_applies,
        .estimate_ns = pageable_transfers_estimate,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .current_ns = kg_facts_call_ns,
        .description =
            "{pageable_bytes} go to or from pageable memory of the host. Each such transfer copies "
            "twice, and nothing else runs meanwhile.",
        .hint = "Page-lock the host's buffers once (cudaMallocHost, cudaHostRegister). Copy with "
                "cudaMemcpyAsync in a stream of its own, while kernels work on the previous part.",
        .evidence = {"transfer_ns", "pageable_bytes", "to_device_bytes", "to_host_bytes", "gpu_ns"},
        .when = "transfers take `wait_share` of a call; `bound_share` of their bytes are pageable",
        .assumes = "page-locked memory is twice as fast; transfers and kernels overlap",
    },
    {
        .name = "overlap_transfers",
        .cause = KG_CAUSE_OVERLAP_TRANSFERS,
        .bound = KG_BOUND_TRANSFER,
        .traced = true,
        .before = "cudaMemcpy(d, x, n, cudaMemcpyHostToDevice); work<<<g, b>>>(d, n);",
        .after = "for (p = 0; p < 8; p++) { cudaMemcpyAsync(d + p * m, x + p * m, ..., s[p % 2]); "
                 "work<<<g, b, 0, s[p % 2]>>>(d + p * m, m); }",
        .applies = overlap_transfers_applies,
        .estimate_ns = overlap_transfers_estimate,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .current_ns = kg_facts_call_ns,
        .description = "Transfers of {transfer_ns} do not overlap with kernels; kernels take "
                       "{gpu_ns}.",
        .doubtful = overlap_transfers_doubtful,
        .doubt = "Other transfers overlap with kernels, or their overlap is unknown: the rest may "
                 "be the first piece and the last.",
        .hint = "Divide the data into pieces and use two streams: cudaMemcpyAsync of one piece "
                "while kernels work on the one before. Leave data on the device if the host does "
                "not need them.",
        .evidence = {"transfer_ns", "hidden_ns", "gpu_ns", "overhead_ns", "to_device_bytes",
                     "to_host_bytes"},
        .when = "transfers without overlap take `wait_share` of a call; no `pageable_transfers`; "
                "at most, if `gap_share` of all transfers overlap, or the overlap is unknown",
        .assumes =
            "the longer time hides the shorter: these transfers, and the kernels without overlap",
    },
    {
        .name = "small_grid",
        .cause = KG_CAUSE_SMALL_GRID,
        .bound = KG_BOUND_LATENCY,
        .traced = true,
        .of_kernel = true,
        .before = "sum<<<8, 256>>>(x, n);",
        .after = "sum<<<multiprocessors * 8, 256>>>(x, n, partial); sum<<<1, 256>>>(partial, ...);",
        .applies = small_grid_applies,
        .estimate_ns = small_grid_estimate,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description =
            "The main kernel's grid fills only {waves} of the blocks that the device holds at "
            "once.",
        .hint = "Launch more blocks: smaller ones, less work for each, or a split of the inner "
                "dimension with a second pass that adds up; or several such kernels at once in "
                "streams.",
        .evidence = {"waves", "occupancy", "main_kernel_ns", "gpu_ns", "bandwidth_share",
                     "flops_share"},
        .when = "the kernel with the most time (without times: the only one) launches fewer blocks "
                "than the device holds at once; both peaks are known to be far (`bound_share`)",
        .assumes = "that kernel gets faster as the device fills; roofline",
    },
    {
        .name = "low_occupancy",
        .cause = KG_CAUSE_LOW_OCCUPANCY,
        .bound = KG_BOUND_LATENCY,
        .traced = true,
        .of_kernel = true,
        .before = "__global__ void work(...)",
        .after = "__global__ void __launch_bounds__(256, 4) work(...)",
        .applies = low_occupancy_applies,
        .estimate_ns = low_occupancy_estimate,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .description = "Registers or shared memory limit the main kernel's occupancy to "
                       "{occupancy} of a multiprocessor's threads: too few to hide latency.",
        .hint = "Use fewer registers (__launch_bounds__, smaller tiles per thread), less shared "
                "memory per block, or blocks of another size; or give each thread more independent "
                "work.",
        .evidence = {"occupancy", "waves", "local_bytes", "main_kernel_ns", "gpu_ns",
                     "bandwidth_share", "flops_share"},
        .when = "occupancy of that kernel is under `utilization`; peaks as above; no `small_grid`",
        .assumes = "that kernel gets faster with its occupancy, up to `utilization`; roofline",
    },
    {
        .name = "tail_effect",
        .cause = KG_CAUSE_TAIL_EFFECT,
        .bound = KG_BOUND_LATENCY,
        .traced = true,
        .of_kernel = true,
        .before = "work<<<(n + 255) / 256, 256>>>(x, n);",
        .after = "work<<<resident, 256>>>(x, n);  /* for (i = thread; i < n; i += threads) */",
        .applies = tail_effect_applies,
        .estimate_ns = tail_effect_estimate,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_MODELLED,
        .description = "The main kernel's grid is {waves} times the blocks that the device holds "
                       "at once: the last blocks leave most of it idle.",
        .hint = "Choose a number of blocks just below a multiple of the device's capacity. Or "
                "launch exactly as many as fit, and let each take several pieces (a grid-stride "
                "loop).",
        .evidence = {"waves", "occupancy", "main_kernel_ns", "gpu_ns", "bandwidth_share",
                     "flops_share"},
        .when = "the last wave of that kernel's blocks leaves over `gap_share` of all waves empty; "
                "peaks as above; no `low_occupancy`",
        .assumes = "that kernel shrinks to its full waves; roofline",
    },
};
const struct kg_rule_family kg_rules_gpu = {rules, sizeof rules / sizeof rules[0]};
