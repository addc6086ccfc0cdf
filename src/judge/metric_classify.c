/* metric_classify.c: the change of a metric, once it is estimated and settled. */
#include <math.h>

#include "judge/metric.h"
#include "judge/wait_bounds.h"

/* With one round per side there is no interval, so the ratio decides. */
static bool is_outside(const struct kg_metric *metric, double threshold)
{
    const bool known = !isnan(metric->interval_low);
    return (known ? metric->interval_low : metric->ratio) > 1 + threshold ||
           (known ? metric->interval_high : metric->ratio) < 1 / (1 + threshold);
}

bool kg_metric_outside(const struct kg_metric *metric)
{
    return is_outside(metric, metric->threshold);
}

bool kg_metric_worse_by(const struct kg_metric *metric, double factor)
{
    const bool worse = (metric->ratio > 1) == (metric->better == KG_BETTER_LOWER);
    return worse && is_outside(metric, factor - 1) &&
           fabs(metric->current - metric->baseline) > metric->min_effect;
}

/* Absolute effect of a ratio, in the metric's unit. The factor 1 - 1e-9 absorbs rounding of the logarithms. Otherwise a
 * difference of one page could exceed one page. */
static double effect_of(const struct kg_metric *metric, double ratio)
{
    /* the estimate adds 1 to zeros */
    const double base = metric->baseline > 0 ? metric->baseline : 1;
    return (1 - 1e-9) * base * fabs(ratio - 1);
}

double kg_metric_widest_effect(const struct kg_metric *metric)
{
    return fmax(effect_of(metric, metric->interval_high), effect_of(metric, metric->interval_low));
}

static bool enough_rounds(const struct kg_metric *metric)
{
    return metric->current_rounds >= metric->least_rounds &&
           (kg_metric_against(metric) == KG_AGAINST_BASE ||
            metric->base_rounds >= metric->least_rounds);
}

bool kg_metric_not_worse(const struct kg_metric *metric)
{
    const double above = 1 + metric->asked_threshold;
    const bool lower = metric->better == KG_BETTER_LOWER;
    const double worst = lower ? metric->interval_high : metric->interval_low;
    const bool alike = metric->code_same && metric->interval_low < 1 && metric->interval_high > 1;
    const double most = alike ? KG_SHARED_MOST : above;
    return enough_rounds(metric) && !(metric->mean_ratio > above) &&
           !(metric->call_cpu_ratio > above) &&
           ((lower ? worst < most : worst > 1 / most) ||
            effect_of(metric, worst) <= metric->min_effect);
}

/* Whether the time changed by more than its clocks explain, for a memory-bound workload. */
static bool beyond_clocks(const struct kg_metric *metric, double above)
{
    const double rest = metric->ratio / metric->clock_part;
    return metric->ratio > 1 ? rest > above : rest < 1 / above;
}

bool kg_metric_clock_moved(const struct kg_metric *metric)
{
    const double above = 1 + metric->asked_threshold;
    if (beyond_clocks(metric, above))
        return false;
    return (metric->ratio > above || metric->ratio < 1 / above) && metric->cycles_low > 1 / above &&
           metric->cycles_high < above;
}

bool kg_metric_in_cycles(const struct kg_metric *metric)
{
    const double above = 1 + metric->threshold;
    if (!(metric->cycles_ratio > 0))
        return true;
    if (metric->clock_part > 0)
        return beyond_clocks(metric, above);
    return metric->ratio > 1 ? metric->cycles_ratio > above : metric->cycles_ratio < 1 / above;
}

/* An untested metric has no p-value. */
bool kg_metric_large(const struct kg_metric *metric)
{
    const double above = 1 + metric->threshold, below = 1 / above;
    const bool tested = !isnan(metric->p_value);
    const double most = metric->ratio > 1 ? (tested ? metric->interval_high : metric->ratio)
                                          : (tested ? metric->interval_low : metric->ratio);
    return (most > above || most < below) &&
           fabs(metric->current - metric->baseline) > metric->min_effect;
}

void kg_metric_classify(struct kg_metric *metric, bool significant)
{
    /* an interval inside the noise floor alone does not prove "unchanged" */
    const double above = 1 + metric->asked_threshold, below = 1 / above;
    if (kg_metric_large(metric) && significant)
        metric->change = (metric->ratio > 1) == (metric->better == KG_BETTER_LOWER)
                             ? KG_CHANGE_REGRESSION
                             : KG_CHANGE_IMPROVEMENT;
    else if ((metric->interval_low > below && metric->interval_high < above) ||
             kg_metric_widest_effect(metric) <= metric->min_effect)
        metric->change = KG_CHANGE_NO_CHANGE;
    else
        metric->change = KG_CHANGE_INCONCLUSIVE;
}

/* Whether the metric is beyond the threshold and the smallest effect, but not proven. */
static bool unproven(const struct kg_metric *metric)
{
    return kg_metric_outside(metric) &&
           fabs(metric->current - metric->baseline) > metric->min_effect;
}

/* Whether the metric is worse than both levels of the stored runs, by more than the smallest effect. */
static bool stepped(const struct kg_metric *metric)
{
    return metric->beyond > 0 && fabs(metric->current - metric->baseline) > metric->min_effect;
}

/* Whether the metric is beyond the threshold, but only without the waits of its rounds. The rounds may have waited for
 * the case's own threads. */
static bool waited(const struct kg_metric *metric)
{
    return metric->wait_doubt > 0 && is_outside(metric, metric->threshold - metric->wait_doubt) &&
           fabs(metric->current - metric->baseline) > metric->min_effect;
}

/* Whether the metric is probably worse, by twice the threshold. The adjusted test allows one false suspicion in twenty
 * suites. Without the condition on the estimate, noisy suites would have a suspect in one gate of fifty. */
static bool leans(const struct kg_metric *metric)
{
    static const double P_MOST = 0.05;
    const double apart = fmax(metric->ratio, 1 / metric->ratio);
    return metric->p_value <= P_MOST && apart > 1 + 2 * metric->threshold &&
           kg_metric_worse_by(metric, 1);
}

enum kg_change kg_metric_undecided(const struct kg_metric *metric)
{
    const bool worse = (metric->ratio > 1) == (metric->better == KG_BETTER_LOWER);
    const bool beyond =
        metric->suspected || stepped(metric) || unproven(metric) || waited(metric) || leans(metric);
    return worse && beyond && kg_metric_in_cycles(metric) && !kg_metric_clock_moved(metric)
               ? KG_CHANGE_SUSPECT
               : KG_CHANGE_INCONCLUSIVE;
}

bool kg_metric_rounds_settle(const struct kg_metric *metric)
{
    const double asked = 1 + metric->asked_threshold;
    const double floor = metric->noise_floor > 0 ? 1 + metric->noise_floor : 1;
    const double low = metric->ratio / floor, high = metric->ratio * floor;
    return !(low < 1 && high > 1 && (high > asked || low < 1 / asked));
}

enum kg_doubt kg_metric_doubt(const struct kg_metric *metric)
{
    if (stepped(metric))
        return KG_DOUBT_STEPPED;
    if (unproven(metric))
        return KG_DOUBT_UNPROVEN;
    if (kg_metric_outside(metric))
        return KG_DOUBT_EFFECT;
    if (!kg_metric_rounds_settle(metric) && !metric->of_processes)
        return KG_DOUBT_NOISE;
    return KG_DOUBT_CROSSING;
}
