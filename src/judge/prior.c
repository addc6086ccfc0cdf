/* prior.c: variances from history. Five rounds know their variance badly, and the critical t pays for that: 13.0 for
 * 4 degrees of freedom and 4.0 for 60, with 100 cases at 1 %.
 *
 * The variance within runs differs from night to night. The precision of its mean over all nights is no degree of
 * freedom for one night. So the freedom comes from the scatter of the nights' variances (kg_log_variances_usual). */
#include "judge/prior.h"

#include <math.h>

/* Share of its weight that a run keeps at the next run: a mean age of 50. */
static const double KEPT = 0.98;
/* Level of the F test (tests/studies/history). */
static const double LEVEL = 0.2;

static void sum_decay(struct kg_prior_sum *sum, double runs)
{
    const double kept = pow(KEPT, runs);
    sum->squares *= kept;
    sum->trace *= kept;
    sum->trace_square *= kept * kept;
}

static void sum_add(struct kg_prior_sum *sum, struct kg_prior_sum other)
{
    sum->squares += other.squares;
    sum->trace += other.trace;
    sum->trace_square += other.trace_square;
}

/* The variance, with the degrees of freedom of Satterthwaite (1946). */
static struct kg_variance variance_of(struct kg_prior_sum sum)
{
    if (!(sum.trace > 0) || !(sum.trace_square > 0))
        return (struct kg_variance){NAN, 0};
    return (struct kg_variance){
        sum.squares / sum.trace,
        fmin(KG_PRIOR_FREEDOM_MOST, sum.trace * sum.trace / sum.trace_square)};
}

/* Squares about the weighted mean of the oldest `count` values; the newest of these has weight 1. The matrix of this
 * quadratic form is D - w w' / W, with D the diagonal matrix of the weights w, and W their sum. */
static struct kg_prior_sum squares_of(const struct kg_change_state *change, uint32_t count)
{
    double weight = 1, w1 = 0, w2 = 0, w3 = 0, sum = 0, squares = 0;
    for (uint32_t i = count; i-- > 0; weight *= KEPT) {
        const double x = (double)change->tail[i] - (double)change->tail[0];
        w1 += weight;
        w2 += weight * weight;
        w3 += weight * weight * weight;
        sum += weight * x;
        squares += weight * x * x;
    }
    if (count < 2)
        return (struct kg_prior_sum){0, 0, 0};
    return (struct kg_prior_sum){fmax(0, squares - sum * sum / w1), w1 - w2 / w1,
                                 w2 - 2 * w3 / w1 + w2 * w2 / (w1 * w1)};
}

static void within_add(struct kg_prior_within *within, struct kg_variance variance)
{
    kg_log_variances_decay(&within->variances, KEPT);
    within->explained *= KEPT;
    kg_log_variances_add(&within->variances, variance);
    within->explained += variance.value / (variance.freedom + 1);
}

bool kg_history_append(struct kg_history_level *level, double log_location,
                       struct kg_variance within, struct kg_change_alarm *alarm)
{
    const struct kg_change_state before = level->change;
    if (within.freedom > 0 && isfinite(within.value))
        within_add(&level->within, within);
    level->runs += isfinite((float)log_location) != 0;
    if (!kg_change_append(&level->change, log_location, alarm))
        return false;
    const uint32_t moved =
        alarm->newer - 1; /* runs of the new level that were in the state already */
    sum_decay(&level->before, (double)(before.since - moved));
    sum_add(&level->before, squares_of(&before, before.count - moved));
    return true;
}

struct kg_variance kg_prior_location(const struct kg_history_level *level)
{
    struct kg_prior_sum sum = level->before;
    sum_decay(&sum, (double)level->change.since);
    sum_add(&sum, squares_of(&level->change, level->change.count));
    return variance_of(sum);
}

struct kg_variance kg_prior_between(const struct kg_history_level *level)
{
    struct kg_variance between = kg_prior_location(level);
    const double weight = level->within.variances.weight;
    if (!(weight > 0))
        return (struct kg_variance){NAN, 0};
    between.value = fmax(0, between.value - level->within.explained / weight);
    return between;
}

struct kg_variance kg_prior_within(const struct kg_history_level *level)
{
    return kg_log_variances_usual(&level->within.variances, KG_PRIOR_FREEDOM_MOST);
}

bool kg_prior_moderate(struct kg_variance *own, struct kg_variance prior)
{
    const bool both = own->freedom > 0 && prior.freedom > 0;
    if (!(prior.freedom > 0) ||
        (both &&
         kg_variance_ratio_tail(own->value / prior.value, own->freedom, prior.freedom) < LEVEL))
        return false;
    *own = kg_variance_moderate(*own, prior);
    return true;
}
