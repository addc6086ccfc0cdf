#include "judge/metric.h"

#include <math.h>

#include "base/statistics/stats.h"
#include "judge/compare_parts.h"
#include "judge/prior.h"

/* Values repeat if their spread is at most this share of the threshold. */
static const double REPEATS = 0.25;
/* The rank test counts only if its smallest possible p-value is this many times below the level. At the level itself, a
 * test passes only if every round of one side lies beyond every round of the other. */
static const double RANKS_SPARE = 10;

/* Logarithm of the largest value over the smallest. */
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

/* Peaks and counts may be 0, which has no logarithm. If any is 0, adds 1 to all values, which changes no verdict. */
static bool zeros_shift(const struct kg_metric_input *input, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || input->values[i] <= 0;
    for (size_t i = 0; i < count && any; i++)
        input->values[i] += 1;
    return any;
}

/* Corrects the values to the clock of the reference's first run. */
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

/* --- Ratio ------------------------------------------------------------------------------------ */

/* Noise floor: how far one more run may lie from the mean of the stored runs' medians, as a share; NaN for one run. Two
 * runs say little about noise, so the result is at most MOST. kgate then still reports a metric that doubles. */
static double runs_floor(const struct kg_metric_input *input)
{
    static const double MOST = 0.5;
    double *medians = input->scratch, *sorted = input->scratch + input->run_count;
    const double *values = input->values;
    const double runs = (double)input->run_count;
    for (size_t r = 0; r < input->run_count; r++) {
        medians[r] = kg_median_of(values, input->run_counts[r], sorted);
        values += input->run_counts[r];
    }
    if (input->run_count < 2)
        return NAN;
    return fmin(MOST, expm1(kg_student_point_kept(input->points, 0.025, runs - 1) *
                            sqrt(1 + 1 / runs) * kg_log_deviation(medians, input->run_count)));
}

/* Bootstrap of the median over all rounds together. */
static void ratio_bootstrap(struct kg_metric_input *input, size_t base, struct kg_metric *metric)
{
    double *current = input->values + base;
    metric->noise_floor = runs_floor(input);
    kg_sort(input->values, base);
    kg_sort(current, input->current_count);
    const struct kg_ratio ratio =
        kg_ratio_estimate(input->values, base, current, input->current_count, 0.5);
    metric->baseline = kg_median_sorted(input->values, base);
    metric->current = kg_median_sorted(current, input->current_count);
    metric->ratio = ratio.ratio;
    metric->interval_low = ratio.interval.low;
    metric->interval_high = ratio.interval.high;
}

/* Adds a location's variance to the pooled variance, weighted by degrees of freedom. */
static void pool(struct kg_variance *pooled, const struct kg_location *location)
{
    const double freedom = pooled->freedom + location->freedom;
    if (!(location->freedom > 0))
        return;
    pooled->value = (pooled->freedom > 0 ? pooled->freedom * pooled->value : 0) +
                    location->freedom * location->variance;
    pooled->value /= freedom;
    pooled->freedom = freedom;
}

/* Locates each run of the baseline and sets the variance between runs. Returns the mean of the locations. */
static double runs_locate(const struct kg_metric_input *input, struct kg_metric_state *state,
                          struct kg_levels *levels)
{
    double *logs = input->scratch, *locations = input->scratch + base_count(input);
    const double *values = input->values;
    double per_round = 0;
    for (size_t r = 0; r < input->run_count; r++) {
        const struct kg_location location = kg_log_location(values, input->run_counts[r], logs);
        locations[r] = location.value;
        per_round += 1 / location.count / (double)input->run_count;
        pool(&state->round, &location);
        values += input->run_counts[r];
    }
    state->base_rounds = 1 / per_round;
    if (input->run_count > 1) {
        const double deviation = kg_standard_deviation(locations, input->run_count);
        state->between = (struct kg_variance){deviation * deviation, (double)input->run_count - 1};
    }
    *levels = kg_levels_find(locations, input->run_count);
    return kg_mean(locations, input->run_count);
}

/* Divides the variance between runs by the variance that the scatter of their rounds explains. 1: the runs differ no
 * more than their rounds. */
static void between_relate(struct kg_metric_state *state)
{
    const struct kg_variance rounds =
        kg_variance_moderate(state->round, (struct kg_variance){NAN, 0});
    state->explained = rounds.value / state->base_rounds;
    if (state->between.freedom > 0 && rounds.freedom > 0)
        state->between.value /= state->explained;
    else
        state->between.freedom = 0;
}

/* Limits the weight of the stored rounds to the weight of the current ones. Other work may run on the machine now, and
 * only the current rounds show it. */
static void current_pool(struct kg_metric_state *state, const struct kg_location *now)
{
    if (now->freedom > 0)
        state->round.freedom = fmin(state->round.freedom, now->freedom);
    pool(&state->round, now);
}

/* The rank test ignores differences between runs. So it runs only against a single run, as if that run were the whole
 * baseline. */
static void ranks_test(struct kg_metric_input *input, size_t base, struct kg_metric_state *state)
{
    double *current = input->values + base;
    if (input->run_count > 1)
        return;
    kg_sort(input->values, base);
    kg_sort(current, input->current_count);
    state->rank_p = kg_mann_whitney(input->values, base, current, input->current_count) / 2;
    state->rank_least = kg_mann_whitney_least(base, input->current_count) / 2;
}

static void sides_estimate(struct kg_metric_input *input, size_t base, struct kg_metric *metric,
                           struct kg_metric_state *state)
{
    struct kg_levels levels;
    const double before = runs_locate(input, state, &levels);
    const struct kg_location now =
        kg_log_location(input->values + base, input->current_count, input->scratch);
    kg_levels_judge(&levels, &now, input->threshold, metric);
    between_relate(state);
    current_pool(state, &now);
    state->current_rounds = now.count;
    state->difference = now.value - before;
    metric->baseline = exp(before);
    metric->current = exp(now.value);
    ranks_test(input, base, state);
}

/* For pairs only the ratio counts, because both sides ran at the same time. The candidate's time is the baseline's time
 * multiplied by the ratio, so that a row does not contradict itself. */
static void pairs_estimate(const struct kg_metric_input *input, struct kg_metric *metric,
                           struct kg_metric_state *state)
{
    const size_t n = input->current_count;
    kg_sort(input->log_ratios, n);
    const struct kg_location pairs = kg_location_find(input->log_ratios, n);
    pool(&state->round, &pairs);
    state->difference = pairs.value;
    state->base_rounds = INFINITY;
    state->current_rounds = pairs.count;
    metric->baseline = exp(kg_log_location(input->values, base_count(input), input->scratch).value);
    metric->current = metric->baseline * exp(pairs.value);
}

void kg_metric_estimate(struct kg_metric_input *input, struct kg_metric *metric,
                        struct kg_metric_state *state)
{
    const size_t base = base_count(input), all = base + input->current_count;
    const struct kg_metric_usual unknown = {{NAN, 0}, {NAN, 0}};
    const bool shifted = zeros_shift(input, all);
    *state = (struct kg_metric_state){
        .run_count = input->run_count, .shifted = shifted, .rank_p = NAN, .rank_least = NAN};
    metric->noise_floor = metric->p_value = NAN;
    metric->memory_doubt = metric->wait_doubt = NAN;
    metric->cycles_ratio = metric->cycles_low = metric->cycles_high = NAN;
    metric->clock_part = metric->power_w = metric->base_power_w = NAN;
    metric->step = metric->beyond = NAN;
    metric->threshold = metric->asked_threshold = input->threshold;
    metric->min_effect = input->min_effect;
    state->repeats =
        spread(input->values, base) <= REPEATS * input->threshold &&
        spread(input->values + base, input->current_count) <= REPEATS * input->threshold;
    state->tested =
        input->proof == KG_PROOF_TEST || (input->proof == KG_PROOF_REPEATS && !state->repeats);
    pace_apply(input, all, metric);
    if (!state->tested)
        ratio_bootstrap(input, base, metric);
    else if (input->log_ratios)
        pairs_estimate(input, metric, state);
    else
        sides_estimate(input, base, metric, state);
    metric->baseline -= shifted;
    metric->current -= shifted;
    kg_metric_settle(metric, state, &unknown, 1, 1, input->points);
}

/* --- Usual noise of the cases ----------------------------------------------------------------- */

struct kg_metric_usual kg_metric_usual(const struct kg_metric_state *states, size_t count,
                                       struct kg_variance *scratch)
{
    static const struct kg_variance none = {NAN, 0};
    struct kg_metric_usual usual;
    for (size_t i = 0; i < count; i++)
        scratch[i] = states[i].tested ? states[i].round : none;
    usual.round = kg_variance_usual(scratch, count);
    for (size_t i = 0; i < count; i++)
        scratch[i] = states[i].tested && states[i].run_count > 1 ? states[i].between : none;
    usual.between = kg_variance_usual(scratch, count);
    return usual;
}

static struct kg_variance round_variance(const struct kg_metric_state *state,
                                         const struct kg_metric_usual *usual)
{
    struct kg_variance round = state->round;
    if (round.freedom > 0 && state->prior.round.freedom > usual->round.freedom &&
        kg_prior_moderate(&round, state->prior.round))
        return round;
    return kg_variance_moderate(state->round, usual->round);
}

/* Variance between runs beyond the scatter of their rounds, by the prior; false: the prior does not count.
 * explained  variance of a stored run's location that the scatter of its rounds explains */
static bool runs_by_prior(const struct kg_metric_state *state, const struct kg_metric_usual *usual,
                          double explained, struct kg_variance *runs)
{
    const struct kg_variance prior = state->prior.between;
    struct kg_variance location = {state->between.value * state->explained, state->between.freedom};
    if (!(prior.freedom > usual->between.freedom) || !(explained > 0) ||
        !kg_prior_moderate(&location, (struct kg_variance){prior.value + explained, prior.freedom}))
        return false;
    *runs = (struct kg_variance){fmax(0, location.value - explained), location.freedom};
    return true;
}

/* Variance between runs beyond the scatter of their rounds; freedom 0: unknown. */
static struct kg_variance runs_variance(const struct kg_metric_state *state,
                                        const struct kg_metric_usual *usual)
{
    struct kg_variance runs = kg_variance_moderate(state->between, usual->between);
    if (!(runs.freedom > 0) || !(state->explained > 0))
        return (struct kg_variance){0, 0};
    runs.value = state->explained * fmax(0, runs.value - 1);
    return runs;
}

/* Variance of the difference. A new run differs from the mean of n runs by the variance between runs plus an n-th of
 * it. Own runs show the part that rounds explain together with the rest, so both parts have the same degrees of
 * freedom. A prior knows the parts apart.
 * runs  variance of the difference that more rounds would leave */
static struct kg_variance difference_variance(const struct kg_metric_state *state,
                                              const struct kg_metric_usual *usual,
                                              struct kg_variance *runs)
{
    const struct kg_variance round = round_variance(state, usual);
    const double count = (double)state->run_count, now = round.value / state->current_rounds;
    const double stored = round.value / state->base_rounds / count;
    const bool by_prior = runs_by_prior(state, usual, round.value / state->base_rounds, runs);
    if (!by_prior)
        *runs = runs_variance(state, usual);
    runs->value *= 1 + 1 / count;
    if (!(round.freedom > 0))
        return (struct kg_variance){NAN, 0};
    if (!(runs->freedom > 0))
        return (struct kg_variance){now + stored, round.freedom};
    const struct kg_variance parts[] = {
        {runs->value + (by_prior ? 0 : state->explained / count), runs->freedom},
        {now + (by_prior ? stored : 0), round.freedom}};
    return kg_variance_sum(parts, 2);
}

void kg_metric_settle(struct kg_metric *metric, const struct kg_metric_state *state,
                      const struct kg_metric_usual *usual, double alpha, size_t tests,
                      struct kg_student_points *points)
{
    struct kg_variance runs;
    if (!state->tested)
        return;
    metric->ratio = exp(state->difference);
    metric->interval_low = metric->interval_high = metric->noise_floor = NAN;
    metric->p_value = 1;
    const struct kg_variance variance = difference_variance(state, usual, &runs);
    if (!(variance.freedom > 0))
        return;
    const double deviation = sqrt(variance.value);
    const double half = kg_student_point_kept(points, 0.025, variance.freedom) * deviation;
    metric->interval_low = exp(state->difference - half);
    metric->interval_high = exp(state->difference + half);
    metric->p_value = kg_student_tail(fabs(state->difference) / deviation, variance.freedom);
    if (RANKS_SPARE * (double)tests * state->rank_least <= alpha)
        metric->p_value = fmax(metric->p_value, state->rank_p);
    if (runs.freedom > 0)
        metric->noise_floor =
            expm1(kg_student_point_kept(points, 0.025, runs.freedom) * sqrt(runs.value));
}

void kg_metric_raise(struct kg_metric *metric)
{
    /* the interval of a tested metric already includes the noise floor */
    if (isnan(metric->p_value))
        metric->threshold = fmax(metric->threshold, metric->noise_floor); /* fmax ignores NaN */
    if (metric->pace_doubt > 0)
        metric->threshold += metric->pace_doubt;
    if (metric->memory_doubt > 0)
        metric->threshold += metric->memory_doubt;
    if (metric->wait_doubt > 0)
        metric->threshold += metric->wait_doubt;
}
