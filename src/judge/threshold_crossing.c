#include "judge/compare_parts.h"

#include <math.h>

#include "base/statistics/stats.h"
#include "base/units.h"

/* Degrees of freedom that make Student's distribution practically normal. */
static const double NORMAL = 1e9;

bool kg_metric_in_pairs(const struct kg_metric *metric)
{
    return kg_metric_against(metric) == KG_AGAINST_BASE;
}

/* Half of the interval's width, in logarithms. */
static double half_width(const struct kg_metric *metric)
{
    return log(metric->interval_high / metric->interval_low) / 2;
}

/* Factor by which the interval must narrow until p is small enough. Computes p from the interval, since the adjusted p
 * of many tests is 1 for any change far from proof. Infinite if nothing changed. */
static double narrower_to_prove(const struct kg_metric *metric)
{
    static const double TAIL = 0.025;
    const double beyond = fabs(log(metric->ratio)) / half_width(metric);
    if (isnan(metric->p_value))
        return 1 / beyond;
    const double now = beyond * kg_student_point(TAIL, NORMAL);
    const double alone = kg_student_tail(now, NORMAL);
    const double needed = metric->needed_p * fmin(1, alone / metric->p_value);
    return fmax(1 / beyond, kg_student_point(needed, NORMAL) / now);
}

/* The factor of narrower_to_prove if the narrowed interval still reaches the threshold, which noise may have raised;
 * else infinite. A change within the threshold does not count, however certain it is. */
static double narrower_to_count(const struct kg_metric *metric)
{
    const double narrower = narrower_to_prove(metric);
    const double reached = fabs(log(metric->ratio)) + half_width(metric) / narrower;
    return reached > log1p(metric->threshold) ? narrower : INFINITY;
}

/* Factor by which the interval must narrow until it lies within the asked threshold, or until the change is proven.
 * Infinite if no factor is enough. */
static double narrower_needed(const struct kg_metric *metric)
{
    const double moved = fabs(log(metric->ratio));
    const double room = fmax(0, log1p(metric->asked_threshold) - moved);
    return fmin(narrower_to_count(metric), half_width(metric) / room);
}

/* Part of the half width that more rounds do not narrow: the difference between stored runs. */
static double fixed_width(const struct kg_metric *metric)
{
    return metric->noise_floor > 0 ? log1p(metric->noise_floor) : 0;
}

/* Factor by which the rest of the half width must narrow. Infinite if no factor is enough. */
static double narrower_by_rounds(const struct kg_metric *metric)
{
    const double half = half_width(metric), fixed = fixed_width(metric);
    const double wanted = half / narrower_needed(metric);
    if (!(wanted > fixed) || !(half > fixed))
        return INFINITY;
    return sqrt((pow(half, 2) - pow(fixed, 2)) / (pow(wanted, 2) - pow(fixed, 2)));
}

/* Number of sufficient rounds if only the candidate gets more rounds. The interval narrows with the square root of the
 * number of rounds. */
static double rounds_needed(const struct kg_metric *metric, double narrower)
{
    const double stored =
        kg_metric_in_pairs(metric) || !metric->base_rounds ? 0 : 1 / (double)metric->base_rounds;
    const double now = 1 / (double)metric->current_rounds;
    const double wanted = (now + stored) / pow(narrower, 2) - stored;
    return wanted > 0 ? ceil(1 / wanted) : INFINITY;
}

/* Makes "about 12 more rounds". Leaves out the number if the last interim analysis already added as many rounds. NULL
 * if the number is too large or unknown. */
static const char *more_rounds(struct kg_arena *arena, const struct kg_metric *metric, bool *sure)
{
    enum { MANY = 200 };
    static const double LOOK =
        1.0 / 3; /* an interim analysis adds half of the earlier rounds: a third of all rounds */
    const char *name = kg_metric_in_pairs(metric) ? "paired round" : "round";
    const double now = (double)metric->current_rounds, narrower = narrower_by_rounds(metric);
    const double alone = rounds_needed(metric, narrower), both = ceil(now * pow(narrower, 2));
    *sure = false;
    const double needed = fmax(alone <= MANY ? alone : both, (double)metric->least_rounds);
    if (!(needed <= MANY))
        return NULL;
    if (metric->out_of_budget)
        return kg_arena_printf(arena, "more %ss by a longer --budget", name);
    if (needed - now <= LOOK * now)
        return kg_arena_printf(arena, "more %ss", name);
    *sure = true;
    return kg_arena_printf(arena, "about %.0f more %s%s%s (`--set rounds.max=%.0f`)", needed - now,
                           name, needed - now < 2 ? "" : "s", alone <= MANY ? "" : " on both sides",
                           needed);
}

/* Whether the noise between stored runs makes up most of the interval. */
static bool runs_dominate(const struct kg_metric *metric)
{
    return 2 * pow(fixed_width(metric), 2) >= pow(half_width(metric), 2);
}

/* Sentence for a metric that no predictable number of rounds settles. */
static const char *unpredicted_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    static const double WIDE = 10; /* no threshold helps beyond +1000 % */
    char low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    const double wide = fmax(metric->interval_high, 1 / metric->interval_low) - 1;
    kg_change_format(metric->interval_low, low);
    kg_change_format(metric->interval_high, high);
    if (!(wide <= WIDE))
        return kg_arena_printf(
            arena,
            "too noisy to decide (95 %% interval %s to %s): run %s`kgate doctor` to find the noise",
            low, metric->interval_high - 1 > WIDE ? "more than +1000 %" : high,
            kg_metric_in_pairs(metric) ? "" : "`kgate ab`, or ");
    if (runs_dominate(metric))
        return kg_arena_printf(
            arena,
            "could be %s to %s, threshold %.1f %%: the stored runs differ by %.1f %% from each "
            "other. More stored runs or `kgate ab` may decide it, more rounds cannot",
            low, high, 100 * metric->asked_threshold, 100 * metric->noise_floor);
    return kg_arena_printf(arena,
                           "could be %s to %s, threshold %.1f %%: only a quieter machine,%s or a "
                           "threshold of %.0f %% would decide it",
                           low, high, 100 * metric->asked_threshold,
                           kg_metric_in_pairs(metric) ? " many more pairs," : " `kgate ab`,",
                           ceil(100 * wide));
}

/* Sentence for a metric beyond the asked threshold, but within the noise that the machine adds to the same code. */
static const char *raised_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    return kg_arena_printf(
        arena,
        "%s to %s exceeds the threshold of %.1f %%, but noise (runs, clock, memory, CPU "
        "contention) raises it to %.1f %%: a quieter machine%s would decide it",
        kg_change_format(metric->interval_low, low), kg_change_format(metric->interval_high, high),
        100 * metric->asked_threshold, 100 * metric->threshold,
        kg_metric_in_pairs(metric) ? "" : " or `kgate ab`");
}

/* Whether the whole interval lies beyond the asked threshold on one side. */
static bool beyond_asked(const struct kg_metric *metric)
{
    const double above = 1 + metric->asked_threshold;
    return metric->interval_low > above || metric->interval_high < 1 / above;
}

const char *kg_crossing_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    const double threshold = 100 * metric->asked_threshold;
    kg_change_format(metric->interval_low, low);
    kg_change_format(metric->interval_high, high);
    if (metric->of_processes)
        return kg_arena_printf(arena,
                               "could be %s to %s, threshold %.1f %%: more processes, a quieter "
                               "machine or a larger --threshold would decide it",
                               low, high, threshold);
    if (beyond_asked(metric))
        return raised_words(arena, metric);
    bool sure;
    const char *more = more_rounds(arena, metric, &sure);
    if (!more)
        return unpredicted_words(arena, metric);
    return kg_arena_printf(
        arena, "could be %s to %s, threshold %.1f %%: %s or a quieter machine %s decide it", low,
        high, threshold, more, sure ? "would" : "may");
}
