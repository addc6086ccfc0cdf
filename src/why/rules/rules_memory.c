#include "model/traits.h"
#include "why/rules/rule_parts.h"

/* Instructions retired per cycle. Cores of the last decade can retire four to eight. A core at
 * BUSY does not wait for memory. A core below STALLED waits most of the time. No core retires
 * MOST. */
static const double BUSY_PER_CYCLE = 2, STALLED_PER_CYCLE = 1, MOST_PER_CYCLE = 6;

/* A core at this rate has no time left to wait for memory. */
static const double FULL_PER_CYCLE = 3;

/* --- Memory traffic --- */

/* Lines from memory, if the data lie in memory and more lines came than the work needs; else lines
 * into the first level of cache. */
double kg_lines_brought(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double most = (1 + settings->line_waste) * traits->bytes;
    return traits->level == KG_LEVEL_MEMORY && kg_at_least(traits->memory_line_bytes, most)
               ? traits->memory_line_bytes
               : traits->line_bytes;
}

/* Share of the time in which the first CPU works for the case. */
static double busy_share(const struct kg_facts *facts)
{
    const double cores_busy = facts->traits.cores_busy;
    return kg_on_device(facts, "cpu") && kg_known(cores_busy) ? fmin(cores_busy, 1) : 1;
}

double kg_running_share(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_cpus_taken(facts, settings) ? 1 : busy_share(facts);
}

/* A process moves nothing while it waits or is preempted, so only its busy time counts. */
double kg_moving_share(const struct kg_facts *facts, double bytes)
{
    const struct kg_traits *traits = &facts->traits;
    const double busy_ns = traits->time_ns * busy_share(facts);
    return 1e9 * bytes / traits->bandwidth_ceiling_bytes_per_s / busy_ns;
}

double kg_instructions_per_cycle(const struct kg_facts *facts)
{
    const struct kg_traits *traits = &facts->traits;
    const double rate = kg_known(traits->instructions_per_cycle)
                            ? traits->instructions_per_cycle
                            : traits->instructions / (1e-9 * traits->alone_ns * facts->clock_hz);
    return kg_known(rate) && rate < MOST_PER_CYCLE ? rate : NAN;
}

/* Whether useless lines cost time. Moving them takes bandwidth. If the prefetcher cannot predict
 * them, the core waits for each, which costs far more. */
static bool is_waste_dear(const struct kg_facts *facts, double lines,
                          const struct kg_suggest_settings *settings)
{
    return kg_moving_share(facts, lines - facts->traits.bytes) >= settings->min_gain ||
           kg_under(kg_instructions_per_cycle(facts), STALLED_PER_CYCLE);
}

/* Blocked arithmetic moves many lines too. So the rule has three more conditions: moving takes
 * longer than computing; useless lines cost time; the core waits for lines. A core that retires
 * two instructions per cycle does not wait, unless moving takes most of its time. A core that
 * retires three never waits. Bytes that several passes move in turn are needed: they belong to
 * `fuse_passes`. */
bool kg_access_pattern_applies(const struct kg_facts *facts,
                               const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double lines = kg_lines_brought(facts, settings);
    const double needed = fmax(traits->bytes, kg_known_or_zero(facts->separate_bytes));
    const double rate = kg_instructions_per_cycle(facts);
    const double moving = kg_moving_share(facts, lines);
    if (!kg_known(traits->bytes) || !kg_known(traits->bandwidth_ceiling_bytes_per_s) ||
        !kg_known(traits->time_ns) || !kg_known(lines))
        return false;
    return lines >= (1 + settings->line_waste) * needed &&
           !kg_at_least(traits->flops_share, settings->bound_share) &&
           !kg_at_least(rate, moving >= settings->bound_share ? FULL_PER_CYCLE : BUSY_PER_CYCLE) &&
           moving > kg_known_or_zero(traits->flops_share) && is_waste_dear(facts, lines, settings);
}

/* The share of the time that shrinks with the lines. This is the time to move them, or the time
 * in which the core retires nothing, whichever is longer. In the second case the core waits for
 * one line after the other. */
static double lines_share(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const double rate = kg_instructions_per_cycle(facts);
    const double waiting = kg_known(rate) ? 1 - fmin(rate / KG_ISSUE_WIDTH, 1) : 0;
    const double moving = fmin(kg_moving_share(facts, kg_lines_brought(facts, settings)), 1);
    return fmax(waiting, moving) * kg_running_share(facts, settings);
}

/* If the case uses the same data many times, lines can shrink by more than time can. The
 * roofline limits the gain. If the arithmetic peak is unknown, the gain of vectors is the limit.
 * Scalar code with scattered data can use vectors once the data are contiguous. */
static double access_pattern_estimate(const struct kg_facts *facts,
                                      const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double gain = kg_at_least(facts->vector_lanes, 1) ? kg_vectors_gain(facts, settings) : 1;
    const double least =
        kg_known(traits->flops) && !kg_known(traits->flops_ceiling_per_s) ? 1 / gain : 0;
    const double left = fmax(traits->bytes / kg_lines_brought(facts, settings), least);
    const double lines = lines_share(facts, settings);
    const double rest = kg_is_scalar(facts) ? kg_running_share(facts, settings) - lines : 0;
    return fmax(traits->time_ns * (1 - lines * (1 - left) - fmax(rest, 0) * (1 - 1 / gain)),
                kg_attainable_ns(facts, settings));
}

static bool fuse_passes_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    (void)settings;
    return kg_at_least(facts->fusible_count, 2) && kg_known(facts->fusible_ns) &&
           kg_known(facts->fused_bytes) && kg_known(facts->separate_bytes) &&
           facts->fused_bytes < facts->separate_bytes;
}

static double fuse_passes_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->traits.time_ns -
           facts->fusible_ns * (1 - facts->fused_bytes / facts->separate_bytes);
}

/* --- Peak memory --- */

static bool holds_much(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_known(facts->traits.peak_bytes) &&
           facts->traits.peak_bytes > (double)settings->memory_bytes;
}

static bool memory_quadratic_applies(const struct kg_facts *facts,
                                     const struct kg_suggest_settings *settings)
{
    return holds_much(facts, settings) && kg_known(facts->traits.bytes) &&
           kg_at_least(facts->sweep_points, 3) && kg_at_least(facts->bytes_growth, 0) &&
           kg_at_least(facts->memory_growth, facts->bytes_growth + settings->growth);
}

static double memory_quadratic_estimate(const struct kg_facts *facts,
                                        const struct kg_suggest_settings *settings)
{
    (void)settings;
    return fmax(facts->traits.bytes, kg_known_or_zero(facts->linear_bytes));
}

/* Bytes allocated; resident bytes if that is unknown. */
static double asked_for(const struct kg_facts *facts)
{
    return kg_known(facts->traits.allocated_bytes) ? facts->traits.allocated_bytes
                                                   : facts->traits.peak_bytes;
}

static bool memory_workspace_applies(const struct kg_facts *facts,
                                     const struct kg_suggest_settings *settings)
{
    return holds_much(facts, settings) && !memory_quadratic_applies(facts, settings) &&
           kg_known(facts->traits.bytes) &&
           kg_at_least(asked_for(facts), (1 + settings->line_waste) * facts->traits.bytes);
}

static double memory_workspace_estimate(const struct kg_facts *facts,
                                        const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->traits.bytes;
}

/* --- The rules --- */

static const struct kg_rule rules[] = {
    {
        .name = "access_pattern",
        .applies = kg_access_pattern_applies,
        .estimate_ns = access_pattern_estimate,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .yields = true,
        .basis = KG_BASIS_MODELLED,
        .cause_words = "It goes through memory in steps that use little of each cache line.",
        .cause = KG_CAUSE_ACCESS_PATTERN,
        .bound = KG_BOUND_MEMORY,
        .before = "for (j...) for (i...) sum += a[i][j];",
        .after = "for (i...) for (j...) sum += a[i][j];",
        .description =
            "The work needs {bytes}, but far more came in cache lines, and it waits for them: "
            "lines come in several times, or only a part of each is used.",
        .hint = "If neighbours in memory are not used one after the other: swap the loops, or "
                "store the array the other way round (or an array per field instead of an array of "
                "structs). If the same data are read again and again: work in blocks that stay in "
                "a cache.",
        .evidence = {"bytes", "line_bytes", "memory_line_bytes", "level", "bandwidth_share",
                     "instructions_per_cycle"},
        .when =
            "counted cache lines are 1 + `line_waste` times the bytes of the work, and of a "
            "profile's consecutive passes; moving them takes longer than arithmetic at its peak; "
            "arithmetic is under `bound_share` of its peak; the core retires under two "
            "instructions per cycle (three, if moving takes `bound_share` of the time); useless "
            "lines take `min_gain` of the time at peak bandwidth, or the core retires under one",
        .assumes =
            "the time to move lines, or the time beyond its instructions (four per cycle), shrinks "
            "with the lines; other scalar arithmetic shrinks as in `unvectorised`; roofline",
    },
    {
        .name = "fuse_passes",
        .applies = fuse_passes_applies,
        .estimate_ns = fuse_passes_estimate,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .description = "{fusible_count} consecutive passes, each limited by memory, move "
                       "{separate_bytes}; the largest alone moves {fused_bytes}.",
        .hint = "Join the passes: one loop, or one kernel, that keeps intermediate values in "
                "registers for the next step.",
        .evidence = {"fusible_count", "fusible_ns", "separate_bytes", "fused_bytes", "intensity"},
        .when = "a profile shows two consecutive scopes with known bytes, each at `bound_share` of "
                "memory's peak",
        .assumes = "one pass moves the bytes of the largest, at the same rate",
    },
    {
        .name = "memory_quadratic",
        .applies = memory_quadratic_applies,
        .estimate_bytes = memory_quadratic_estimate,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .description = "Peak memory of {peak_bytes} grows with the power {memory_growth} of "
                       "`{sweep_parameter}`, the data with {bytes_growth}: an intermediate result "
                       "is larger than input and output.",
        .hint = "Compute it in blocks and use each before the next, as fused attention does with "
                "its scores.",
        .evidence = {"peak_bytes", "memory_growth", "bytes_growth", "linear_bytes", "bytes",
                     "sweep_points"},
        .when = "peak memory is over `memory`; over three sizes of a sweep its exponent exceeds "
                "that of the work's bytes by `growth`",
        .assumes = "the part that grows with the parameter's square goes; at least the work's "
                   "bytes are left",
    },
    {
        .name = "memory_workspace",
        .applies = memory_workspace_applies,
        .estimate_bytes = memory_workspace_estimate,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_MODELLED,
        .description = "It holds {peak_bytes} for work on {bytes}: the rest is workspace.",
        .hint = "Work in place or in blocks, share one buffer among steps that do not overlap, and "
                "free buffers after their last use.",
        .evidence = {"peak_bytes", "allocated_bytes", "bytes"},
        .when = "peak memory is over `memory`; the allocated memory is 1 + `line_waste` times the "
                "work's bytes",
        .assumes = "only the work's bytes are left",
    },
};
const struct kg_rule_family kg_rules_memory = {rules, sizeof rules / sizeof rules[0]};
