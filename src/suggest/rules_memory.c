#include "results/traits.h"
#include "suggest/rule_parts.h"

/* Of the four to eight that cores of the last decade can end in a cycle: one that ends so many does
 * not wait for memory, and one that ends fewer than the second waits most of the time. The last are
 * more than any can. */
static const double BUSY_PER_CYCLE = 2, STALLED_PER_CYCLE = 1, MOST_PER_CYCLE = 10;

/* Such a one has no time left to wait in, whatever is moved. */
static const double FULL_PER_CYCLE = 3;

/* --- What is moved --- */

/* Where the data lie in memory these are memory's lines, unless they are no more than it needs;
 * else those of the first level. */
double kg_lines_brought(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double most = (1 + settings->line_waste) * traits->bytes;
    return traits->level == KG_LEVEL_MEMORY && kg_at_least(traits->memory_line_bytes, most)
               ? traits->memory_line_bytes
               : traits->line_bytes;
}

/* Of the time the first CPU is at work for the case. */
static double busy_share(const struct kg_facts *facts)
{
    const double cores_busy = facts->traits.cores_busy;
    return kg_on_device(facts, "cpu") && kg_known(cores_busy) ? fmin(cores_busy, 1) : 1;
}

double kg_running_share(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_cpus_taken(facts, settings) ? 1 : busy_share(facts);
}

/* A process that waits, or whose CPU others took, moves nothing meanwhile. */
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

/* Whether the lines that are of no use cost something: what moving them takes, at the least; and
 * where each is waited for, as those are that nothing foretells, far more. */
static bool is_waste_dear(const struct kg_facts *facts, double lines,
                          const struct kg_suggest_settings *settings)
{
    return kg_moving_share(facts, lines - facts->traits.bytes) >= settings->min_gain ||
           kg_under(kg_instructions_per_cycle(facts), STALLED_PER_CYCLE);
}

/* Lines come and go in blocked arithmetic too: it is about them only where moving them takes more
 * of the time than computing does, where those that are of no use cost something, and where the
 * core waits for them: one that ends two instructions a cycle does not, unless moving them is most
 * of its time, and one that ends three never. What several passes over the same data move in turn
 * is a matter of the passes. */
KG_RULE_CONDITION(access_pattern)
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

/* The share of the time that goes with the lines: that of moving them, at the least; and what the
 * core's instructions do not explain of its time it waits, for one line after the other. */
static double lines_share(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    const double rate = kg_instructions_per_cycle(facts);
    const double waiting = kg_known(rate) ? 1 - fmin(rate / KG_ISSUE_WIDTH, 1) : 0;
    const double moving = fmin(kg_moving_share(facts, kg_lines_brought(facts, settings)), 1);
    return fmax(waiting, moving) * kg_running_share(facts, settings);
}

/* The same data may be needed many times, so that lines shrink by more than time can: the roofs say
 * how far, or where that of arithmetic is not known what vectors gain. What computes one element at
 * a time because its data are not side by side is computed by vectors when they are. */
KG_RULE_ESTIMATOR(access_pattern)
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

KG_RULE_CONDITION(fuse_passes)
{
    (void)settings;
    return kg_at_least(facts->fusible_count, 2) && kg_known(facts->fusible_ns) &&
           kg_known(facts->fused_bytes) && kg_known(facts->separate_bytes) &&
           facts->fused_bytes < facts->separate_bytes;
}

KG_RULE_ESTIMATOR(fuse_passes)
{
    (void)settings;
    return facts->traits.time_ns -
           facts->fusible_ns * (1 - facts->fused_bytes / facts->separate_bytes);
}

/* --- What is held --- */

static bool holds_much(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_known(facts->traits.peak_bytes) &&
           facts->traits.peak_bytes > (double)settings->memory_bytes;
}

KG_RULE_CONDITION(memory_quadratic)
{
    return holds_much(facts, settings) && kg_known(facts->traits.bytes) &&
           kg_at_least(facts->sweep_points, 3) && kg_at_least(facts->bytes_growth, 0) &&
           kg_at_least(facts->memory_growth, facts->bytes_growth + settings->growth);
}

KG_RULE_ESTIMATOR(memory_quadratic)
{
    (void)settings;
    return fmax(facts->traits.bytes, kg_known_or_zero(facts->linear_bytes));
}

/* What was asked for; what is resident where that is not known. */
static double asked_for(const struct kg_facts *facts)
{
    return kg_known(facts->traits.allocated_bytes) ? facts->traits.allocated_bytes
                                                   : facts->traits.peak_bytes;
}

KG_RULE_CONDITION(memory_workspace)
{
    return holds_much(facts, settings) && !kg_applies_memory_quadratic(facts, settings) &&
           kg_known(facts->traits.bytes) &&
           kg_at_least(asked_for(facts), (1 + settings->line_waste) * facts->traits.bytes);
}

KG_RULE_ESTIMATOR(memory_workspace)
{
    (void)settings;
    return facts->traits.bytes;
}

KG_RULE_CONDITION(memory_fragmentation)
{
    return holds_much(facts, settings) && !kg_applies_memory_quadratic(facts, settings) &&
           !kg_applies_memory_workspace(facts, settings) &&
           kg_known(facts->traits.allocated_bytes) &&
           facts->traits.peak_bytes >= (1 + settings->line_waste) * facts->traits.allocated_bytes;
}

KG_RULE_ESTIMATOR(memory_fragmentation)
{
    (void)settings;
    return facts->traits.allocated_bytes;
}
