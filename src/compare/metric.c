#include "compare/metric.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"
#include "util/units.h"

static void shift(double *values, size_t count, double by)
{
    for (size_t i = 0; i < count; i++)
        values[i] += by;
}

void kg_metric_estimate(struct kg_metric_input *input, struct kg_metric *metric)
{
    kg_sort(input->base, input->base_count);
    kg_sort(input->current, input->current_count);
    metric->baseline = kg_median_sorted(input->base, input->base_count);
    metric->current = kg_median_sorted(input->current, input->current_count);
    /* Peaks may be zero, which has no logarithm; a byte more everywhere changes no verdict. */
    if (input->base[0] <= 0 || input->current[0] <= 0) {
        shift(input->base, input->base_count, 1);
        shift(input->current, input->current_count, 1);
        shift(input->run_medians, input->run_count, 1);
    }
    const struct kg_ratio ratio =
        kg_ratio_estimate(input->base, input->base_count, input->current, input->current_count);
    metric->ratio = ratio.ratio;
    metric->interval_low = ratio.interval.low;
    metric->interval_high = ratio.interval.high;
    metric->p_value = ratio.p_value;
    metric->noise_floor =
        input->run_count > 1 ? kg_noise_floor(input->run_medians, input->run_count) : NAN;
    metric->threshold = fmax(input->threshold, metric->noise_floor); /* fmax passes NaN over */
    metric->min_effect = input->min_effect;
}

bool kg_metric_outside(const struct kg_metric *metric)
{
    return metric->interval_low > 1 + metric->threshold ||
           metric->interval_high < 1 / (1 + metric->threshold);
}

/* The largest absolute effect that the interval allows; less a part in 10^9, for the way through
 * logarithms must not make a page more than a page. */
static double widest_effect(const struct kg_metric *metric)
{
    const double base = metric->baseline > 0 ? metric->baseline : 1; /* as shifted above */
    return (1 - 1e-9) * base *
           fmax(fabs(metric->interval_high - 1), fabs(metric->interval_low - 1));
}

void kg_metric_classify(struct kg_metric *metric, bool significant)
{
    const double above = 1 + metric->threshold, below = 1 / above;
    const double effect = fabs(metric->current - metric->baseline);
    const bool large =
        (metric->ratio > above || metric->ratio < below) && effect > metric->min_effect;
    if (large && significant)
        metric->change = metric->ratio > 1 ? KG_CHANGE_REGRESSION : KG_CHANGE_IMPROVEMENT;
    else if ((metric->interval_low > below && metric->interval_high < above) ||
             widest_effect(metric) <= metric->min_effect)
        metric->change = KG_CHANGE_NO_CHANGE;
    else
        metric->change = KG_CHANGE_INCONCLUSIVE;
}

static void format_effect(const struct kg_metric *metric, double value, char *text)
{
    if (!strcmp(metric->unit, "bytes"))
        kg_size_format(value, text);
    else
        kg_duration_format(value, text);
}

const char *kg_metric_doubt(struct kg_arena *arena, const struct kg_metric *metric,
                            size_t base_rounds, size_t current_rounds, double alpha)
{
    char low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    const double effect = fabs(metric->current - metric->baseline);
    const bool outside = kg_metric_outside(metric);
    if (outside && effect > metric->min_effect)
        return kg_arena_printf(arena,
                               "%zu rounds against %zu are too few to be sure (p %.2g, needed "
                               "%.2g): raise rounds, or refresh the baseline with more",
                               current_rounds, base_rounds, metric->p_value, alpha);
    if (outside) {
        format_effect(metric, widest_effect(metric), high);
        format_effect(metric, metric->min_effect, low);
        return kg_arena_printf(arena,
                               "the difference may be as much as %s, but only more than %s "
                               "counts: more rounds would settle it",
                               high, low);
    }
    return kg_arena_printf(
        arena,
        "the interval %s to %s crosses the threshold of %.1f %%: more rounds, a longer min_time "
        "or a quieter machine would settle it",
        kg_change_format(metric->interval_low, low), kg_change_format(metric->interval_high, high),
        100 * metric->threshold);
}
