#include "compare/metric.h"

#include <math.h>

#include "stats/stats.h"

/* Peaks may be zero, which has no logarithm; a byte more on both sides changes no verdict. */
static void shift(double *values, size_t count, double by)
{
    for (size_t i = 0; i < count; i++)
        values[i] += by;
}

void kg_metric_estimate(struct kg_metric_input *input, struct kg_metric *metric)
{
    kg_sort(input->base, input->base_count);
    kg_sort(input->current, input->current_count);
    if (input->base[0] <= 0 || input->current[0] <= 0) {
        shift(input->base, input->base_count, 1);
        shift(input->current, input->current_count, 1);
    }
    const struct kg_ratio ratio =
        kg_ratio_estimate(input->base, input->base_count, input->current, input->current_count);
    metric->baseline = kg_median_sorted(input->base, input->base_count);
    metric->current = kg_median_sorted(input->current, input->current_count);
    metric->ratio = ratio.ratio;
    metric->interval_low = ratio.interval.low;
    metric->interval_high = ratio.interval.high;
    metric->p_value = ratio.p_value;
    metric->noise_floor =
        input->run_count > 1 ? kg_noise_floor(input->run_medians, input->run_count) : NAN;
    metric->threshold = fmax(input->threshold, metric->noise_floor); /* fmax passes NaN over */
    metric->min_effect = input->min_effect;
}

void kg_metric_classify(struct kg_metric *metric, bool significant)
{
    const double above = 1 + metric->threshold, below = 1 / above;
    const double effect = fabs(metric->current - metric->baseline);
    const bool large =
        (metric->ratio > above || metric->ratio < below) && effect > metric->min_effect;
    const double widest =
        metric->baseline * fmax(fabs(metric->interval_high - 1), fabs(metric->interval_low - 1));
    if (large && significant)
        metric->change = metric->ratio > 1 ? KG_CHANGE_REGRESSION : KG_CHANGE_IMPROVEMENT;
    else if ((metric->interval_low > below && metric->interval_high < above) ||
             widest <= metric->min_effect)
        metric->change = KG_CHANGE_NO_CHANGE;
    else
        metric->change = KG_CHANGE_INCONCLUSIVE;
}

const char *kg_metric_doubt(struct kg_arena *arena, const struct kg_metric *metric,
                            size_t base_rounds, size_t current_rounds, double alpha)
{
    const double low = 100 * (metric->interval_low - 1), high = 100 * (metric->interval_high - 1);
    const double threshold = 100 * metric->threshold;
    const bool outside = metric->interval_low > 1 + metric->threshold ||
                         metric->interval_high < 1 / (1 + metric->threshold);
    if (outside)
        return kg_arena_printf(arena,
                               "%zu rounds against %zu are too few to be sure (p %.2g, needed "
                               "%.2g): raise rounds, or refresh the baseline with more",
                               current_rounds, base_rounds, metric->p_value, alpha);
    return kg_arena_printf(arena,
                           "the interval %+.1f %% to %+.1f %% crosses the threshold of %.1f %%: "
                           "more rounds, a longer min_time or a quieter machine would settle it",
                           low, high, threshold);
}
