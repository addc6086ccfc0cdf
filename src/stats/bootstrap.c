/* The percentile bootstrap (Efron 1979) of a median, in closed form. With a resample of odd size m
 * the median is one of the values, x_(k) with k of n, and
 *     P(median* <= x_(k)) = P(Binomial(m, k/n) >= (m + 1) / 2)      (Maritz and Jarrett 1978),
 * so its whole distribution is n known weights: no drawing, no seed, and no error of its own. m is
 * n, or n - 1 where n is even, which makes the interval wider by a hair. */
#include <math.h>

#include "stats/stats.h"

struct distribution {
    size_t count;
    double value[KG_BOOTSTRAP_MOST]; /* ascending */
    double weight[KG_BOOTSTRAP_MOST];
};

/* log C(n, k). lgamma itself writes a global sign, which threads would share. */
static double log_choose(size_t n, size_t k)
{
    int sign;
    return lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) -
           lgamma_r((double)(n - k) + 1, &sign);
}

/* P(Binomial(m, p) >= (m + 1) / 2) for odd m and p up to 1/2: the upper half of the terms, the
 * largest first, each from the one before. */
static double upper_half_of_small(size_t m, double p)
{
    const size_t half = (m + 1) / 2;
    double term = exp(log_choose(m, half) + (double)half * log(p) + (double)(m - half) * log1p(-p));
    double sum = term;
    for (size_t k = half; k < m; k++) {
        term *= (double)(m - k) / (double)(k + 1) * (p / (1 - p));
        sum += term;
    }
    return sum;
}

/* The same for any p between 0 and 1. Successes and failures change places, lest the first term of
 * a large p be too small for a double, and all that follow from it lost. */
static double upper_half(size_t m, double p)
{
    return p <= 0.5 ? upper_half_of_small(m, p) : 1 - upper_half_of_small(m, 1 - p);
}

/* The weights depend on n alone. To keep them is not worth a table: n = 10 takes a microsecond. */
static void weights_fill(double *weight, size_t n)
{
    const size_t m = n % 2 ? n : n - 1;
    double below = 0;
    for (size_t k = 1; k <= n; k++) {
        const double up_to = k == n ? 1 : upper_half(m, (double)k / (double)n);
        weight[k - 1] = up_to - below;
        below = up_to;
    }
}

/* The bootstrap distribution of the median of n sorted values, or of as many as fit, spread evenly.
 */
static void distribution_make(const double *x, size_t n, bool logarithm,
                              struct distribution *distribution)
{
    const size_t count = n <= KG_BOOTSTRAP_MOST ? n : KG_BOOTSTRAP_MOST - 1;
    distribution->count = count;
    for (size_t i = 0; i < count; i++) {
        const double value = x[count == n ? i : i * (n - 1) / (count - 1)];
        distribution->value[i] = logarithm ? log(value) : value;
    }
    weights_fill(distribution->weight, count);
}

static double quantile(const struct distribution *distribution, double p)
{
    double below = 0;
    for (size_t i = 0; i < distribution->count; i++) {
        below += distribution->weight[i];
        if (below >= p)
            return distribution->value[i];
    }
    return distribution->value[distribution->count - 1];
}

struct kg_interval kg_median_interval(const double *x, size_t n, double confidence)
{
    struct distribution distribution;
    if (n == 0)
        return (struct kg_interval){NAN, NAN};
    distribution_make(x, n, false, &distribution);
    const double tail = (1 - confidence) / 2;
    return (struct kg_interval){quantile(&distribution, tail), quantile(&distribution, 1 - tail)};
}

/* P(current - base <= t) of two independent medians: for each value of `current`, ascending, the
 * share of `base` that is at least current - t. */
static double difference_up_to(const struct distribution *base, const struct distribution *current,
                               double t)
{
    double sum = 0, base_below = 0;
    size_t j = 0;
    for (size_t i = 0; i < current->count; i++) {
        for (; j < base->count && current->value[i] - base->value[j] > t; j++)
            base_below += base->weight[j];
        sum += current->weight[i] * (1 - base_below);
    }
    return sum;
}

/* P(current - base < 0). */
static double difference_below_zero(const struct distribution *base,
                                    const struct distribution *current)
{
    double sum = 0, base_up_to = 0;
    size_t j = 0;
    for (size_t i = 0; i < current->count; i++) {
        for (; j < base->count && base->value[j] <= current->value[i]; j++)
            base_up_to += base->weight[j];
        sum += current->weight[i] * (1 - base_up_to);
    }
    return sum;
}

/* The largest difference of two values that is not above t. */
static double difference_at_most(const struct distribution *base,
                                 const struct distribution *current, double t)
{
    double largest = -INFINITY;
    size_t j = 0;
    for (size_t i = 0; i < current->count; i++) {
        while (j < base->count && current->value[i] - base->value[j] > t)
            j++;
        if (j < base->count)
            largest = fmax(largest, current->value[i] - base->value[j]);
    }
    return largest;
}

/* The quantile p of the difference: bisection to a part in 10^9 of its range, then the difference
 * itself that lies there, so that equal values give an interval of no width. */
static double difference_quantile(const struct distribution *base,
                                  const struct distribution *current, double p)
{
    double low = current->value[0] - base->value[base->count - 1];
    double high = current->value[current->count - 1] - base->value[0];
    if (difference_up_to(base, current, low) >= p)
        return low;
    for (int i = 0; i < 30; i++) {
        const double middle = low + (high - low) / 2;
        if (difference_up_to(base, current, middle) >= p)
            high = middle;
        else
            low = middle;
    }
    return difference_at_most(base, current, high);
}

/* What a permutation test of n1 and n2 rounds could say at the most: all of one side beyond all of
 * the other, in 2 of C(n1 + n2, n1) arrangements. */
static double permutation_floor(size_t n1, size_t n2)
{
    return fmin(1, 2 * exp(-log_choose(n1 + n2, n1)));
}

struct kg_ratio kg_ratio_estimate(const double *base, size_t base_count, const double *current,
                                  size_t current_count)
{
    struct distribution from, to;
    distribution_make(base, base_count, true, &from);
    distribution_make(current, current_count, true, &to);
    const double slower = 1 - difference_up_to(&from, &to, 0);
    const double faster = difference_below_zero(&from, &to);
    const double p = 2 * (1 - fmax(slower, faster));
    return (struct kg_ratio){
        .ratio = kg_median_sorted(current, current_count) / kg_median_sorted(base, base_count),
        .interval = {exp(difference_quantile(&from, &to, 0.025)),
                     exp(difference_quantile(&from, &to, 0.975))},
        .p_value = fmin(1, fmax(p, permutation_floor(base_count, current_count))),
    };
}
