#include "compare/metric.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"

/* Values that differ by no more than this share of the threshold repeat. */
static const double REPEATS = 0.25;
/* Runs of so many cases tell what is usual. */
enum { USUAL_LEAST = 4 };

/* Of logarithms: from the least to the largest. */
static double spread(const double *x, size_t n)
{
    double low = x[0], high = x[0];
    for (size_t i = 1; i < n; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    return log(high / low);
}

static size_t base_count(const struct kg_metric_input *input)
{
    size_t count = 0;
    for (size_t r = 0; r < input->run_count; r++)
        count += input->run_counts[r];
    return count;
}

/* Peaks and counts may be zero, which has no logarithm; one more everywhere changes no verdict. */
static bool zeros_shift(const struct kg_metric_input *input, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || input->values[i] <= 0;
    for (size_t i = 0; i < count && any; i++)
        input->values[i] += 1;
    return any;
}

/* Moves values to the pace of the reference's first run. */
static void pace_apply(const struct kg_metric_input *input, size_t count, struct kg_metric *metric)
{
    enum { SIDES_MOST = 65 };
    struct kg_paced sides[SIDES_MOST];
    size_t at = 0, used = 0;
    double *logs = input->scratch;
    metric->pace_shift = metric->pace_exponent = metric->pace_doubt = NAN;
    if (!input->paces_ns || input->run_count >= SIDES_MOST)
        return;
    for (size_t i = 0; i < count; i++) {
        logs[i] = log(input->values[i]);
        input->paces_ns[i] = log(input->paces_ns[i]);
    }
    for (; used <= input->run_count; used++) {
        const size_t n = used < input->run_count ? input->run_counts[used] : input->current_count;
        sides[used] = (struct kg_paced){logs + at, input->paces_ns + at, n};
        at += n;
    }
    const struct kg_pace pace = kg_pace_correct(sides, used, input->scratch + count);
    for (size_t i = 0; i < count; i++)
        input->values[i] = exp(logs[i]);
    metric->pace_shift = pace.shift;
    metric->pace_exponent = pace.exponent;
    metric->pace_doubt = expm1(pace.doubt * fabs(pace.shift));
}

/* Variance of a run's log location that comes of its rounds alone: share (1 - share) / f^2 of
 * theirs over their number, with f the normal density at that quantile. */
static double sampling_variance(const double *values, size_t n, double share, double *scratch)
{
    const double factor = share < 0.5 ? 1.857 : 1.571;
    for (size_t i = 0; i < n; i++)
        scratch[i] = log(values[i]);
    const double deviation = n > 1 ? kg_standard_deviation(scratch, n) : 0;
    return factor * deviation * deviation / (double)n;
}

/* Moves the values of each run so that all runs lie at the median of their locations: what
 * differs between runs is the noise floor's business, and would only blur the rounds. */
static void runs_align(const struct kg_metric_input *input, struct kg_metric_state *state)
{
    double *location = input->scratch, *sorted = input->scratch + input->run_count;
    double *at = input->values, sampling = 0;
    for (size_t r = 0; r < input->run_count; r++) {
        const size_t n = input->run_counts[r];
        sampling += sampling_variance(at, n, input->share, sorted) / (double)input->run_count;
        memcpy(sorted, at, n * sizeof *sorted);
        kg_sort(sorted, n);
        location[r] = kg_quantile_sorted(sorted, n, input->share);
        at += n;
    }
    /* What the rounds' own scatter does to a location is the interval's and the test's business:
     * only what is left is between runs. */
    const double scatter = kg_run_scatter(location, input->run_count);
    state->scatter = sqrt(fmax(0, scatter * scatter - sampling)); /* fmax passes NaN over */
    state->scatter_runs = input->run_count;
    memcpy(sorted, location, input->run_count * sizeof *sorted);
    kg_sort(sorted, input->run_count);
    const double middle = kg_median_sorted(sorted, input->run_count);
    at = input->values;
    for (size_t r = 0; r < input->run_count; r++)
        for (size_t i = 0; i < input->run_counts[r]; i++)
            *at++ *= middle / location[r];
}

static void ratio_take(const struct kg_ratio *ratio, struct kg_metric *metric)
{
    metric->ratio = ratio->ratio;
    metric->interval_low = ratio->interval.low;
    metric->interval_high = ratio->interval.high;
    metric->p_value = ratio->p_value;
}

void kg_metric_estimate(struct kg_metric_input *input, struct kg_metric *metric,
                        struct kg_metric_state *state)
{
    const size_t base = base_count(input), all = base + input->current_count;
    double *current = input->values + base;
    const bool shifted = zeros_shift(input, all);
    *state = (struct kg_metric_state){.run_count = input->run_count};
    metric->noise_floor = metric->memory_doubt = NAN;
    metric->cycles_ratio = metric->cycles_low = metric->cycles_high = NAN;
    metric->threshold = metric->asked_threshold = input->threshold;
    metric->min_effect = input->min_effect;
    state->repeats = spread(input->values, base) <= REPEATS * input->threshold &&
                     spread(current, input->current_count) <= REPEATS * input->threshold;
    pace_apply(input, all, metric);
    runs_align(input, state);
    kg_sort(input->values, base);
    kg_sort(current, input->current_count);
    metric->baseline = kg_quantile_sorted(input->values, base, input->share) - shifted;
    metric->current = kg_quantile_sorted(current, input->current_count, input->share) - shifted;
    const struct kg_ratio ratio =
        input->log_ratios
            ? kg_paired_estimate(input->log_ratios, input->current_count)
            : kg_ratio_estimate(input->values, base, current, input->current_count, input->share);
    ratio_take(&ratio, metric);
    /* what the head's time is if the base's is as shown: the row must not contradict itself */
    if (input->log_ratios)
        metric->current = metric->baseline * ratio.ratio;
}

double kg_metric_usual(const struct kg_metric_state *states, size_t count, double *scratch)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        if (states[i].run_count < 2)
            continue;
        /* Of few runs the median standard deviation is below the true one: by the root of the
         * median of chi-square over its degrees of freedom (Wilson and Hilferty 1931). */
        const double freedom = (double)(states[i].run_count - 1);
        scratch[known++] = states[i].scatter / pow(1 - 2 / (9 * freedom), 1.5);
    }
    if (known < USUAL_LEAST)
        return NAN;
    kg_sort(scratch, known);
    return kg_median_sorted(scratch, known);
}

void kg_metric_raise(struct kg_metric *metric, const struct kg_metric_state *state, double usual,
                     double alpha, size_t tests)
{
    const struct kg_run_noise noise = {.scatter = state->scatter,
                                       .runs = state->scatter_runs,
                                       .reference_runs = state->run_count,
                                       .usual = usual,
                                       .alpha = alpha,
                                       .tests = tests};
    metric->noise_floor = kg_noise_floor(&noise);
    metric->threshold = fmax(metric->threshold, metric->noise_floor); /* fmax passes NaN over */
    if (metric->pace_doubt > 0)
        metric->threshold += metric->pace_doubt;
    if (metric->memory_doubt > 0)
        metric->threshold += metric->memory_doubt;
}

bool kg_metric_outside(const struct kg_metric *metric)
{
    return metric->interval_low > 1 + metric->threshold ||
           metric->interval_high < 1 / (1 + metric->threshold);
}

/* Less a part in 10^9: the way through logarithms must not make a page more than a page. */
double kg_metric_widest_effect(const struct kg_metric *metric)
{
    const double base = metric->baseline > 0 ? metric->baseline : 1; /* as shifted above */
    return (1 - 1e-9) * base *
           fmax(fabs(metric->interval_high - 1), fabs(metric->interval_low - 1));
}

bool kg_metric_clock_moved(const struct kg_metric *metric)
{
    const double above = 1 + metric->asked_threshold;
    return (metric->ratio > above || metric->ratio < 1 / above) && metric->cycles_low > 1 / above &&
           metric->cycles_high < above;
}

bool kg_metric_in_cycles(const struct kg_metric *metric)
{
    const double above = 1 + metric->threshold;
    if (!(metric->cycles_ratio > 0))
        return true;
    return metric->ratio > 1 ? metric->cycles_ratio > above : metric->cycles_ratio < 1 / above;
}

bool kg_metric_large(const struct kg_metric *metric)
{
    const double above = 1 + metric->threshold, below = 1 / above;
    return (metric->ratio > above || metric->ratio < below) &&
           fabs(metric->current - metric->baseline) > metric->min_effect;
}

void kg_metric_classify(struct kg_metric *metric, bool significant)
{
    /* what is within the noise only is not known to be unchanged */
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

/* Beyond the threshold and beyond the least effect, and yet not proven. */
static bool unproven(const struct kg_metric *metric)
{
    return kg_metric_outside(metric) &&
           fabs(metric->current - metric->baseline) > metric->min_effect;
}

enum kg_change kg_metric_undecided(const struct kg_metric *metric)
{
    const bool worse = (metric->ratio > 1) == (metric->better == KG_BETTER_LOWER);
    const bool beyond = metric->suspected || unproven(metric);
    return worse && beyond && kg_metric_in_cycles(metric) && !kg_metric_clock_moved(metric)
               ? KG_CHANGE_SUSPECT
               : KG_CHANGE_INCONCLUSIVE;
}

enum kg_doubt kg_metric_doubt(const struct kg_metric *metric)
{
    const double above = 1 + metric->threshold;
    if (unproven(metric))
        return KG_DOUBT_UNPROVEN;
    if (kg_metric_outside(metric))
        return KG_DOUBT_EFFECT;
    if (metric->interval_low > 1 / above && metric->interval_high < above && !metric->of_processes)
        return KG_DOUBT_NOISE;
    return KG_DOUBT_CROSSING;
}
