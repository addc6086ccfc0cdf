/* The percentile bootstrap (Efron 1979) of a quantile, in closed form. In a resample of size m the
 * r-th smallest value is one of the n values, x_(k). Its distribution is
 *     P(x*_(r) <= x_(k)) = P(Binomial(m, k/n) >= r)      (Maritz and Jarrett 1978).
 * So n known weights replace drawing, without a seed and without an error by chance. m is n; for
 * the median of an even count m is n - 1, which makes the interval wider by a hair. r is the whole
 * part of q (m - 1) + 1. */
#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"

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

/* P(Binomial(m, p) = k). */
static double binomial(size_t m, size_t k, double p)
{
    return exp(log_choose(m, k) + (double)k * log(p) + (double)(m - k) * log1p(-p));
}

/* P(Binomial(m, p) >= least), from the smaller tail. Its first term is then its largest, and cannot
 * underflow while the other terms matter. */
static double at_least(size_t m, size_t least, double p)
{
    const double odds = p / (1 - p);
    double sum = 0;
    if ((double)least > (double)m * p) {
        double term = binomial(m, least, p);
        for (size_t k = least; k <= m && term > 0; k++) {
            sum += term;
            term *= (double)(m - k) / (double)(k + 1) * odds;
        }
        return sum;
    }
    double term = least ? binomial(m, least - 1, p) : 0;
    for (size_t k = least; k-- > 0 && term > 0;) {
        sum += term;
        term *= (double)k / (double)(m - k + 1) / odds;
    }
    return 1 - sum;
}

/* The weights depend on n and the quantile alone. A table of them is not worthwhile: n = 10 takes a
 * microsecond. */
static void weights_fill(double *weight, size_t n, double share)
{
    const size_t m = share == 0.5 && n % 2 == 0 ? n - 1 : n;
    const size_t rank = (size_t)(share * (double)(m - 1)) + 1;
    double below = 0;
    for (size_t k = 1; k <= n; k++) {
        const double up_to = k == n ? 1 : at_least(m, rank, (double)k / (double)n);
        weight[k - 1] = up_to - below;
        below = up_to;
    }
}

/* The values of the bootstrap distribution: the n sorted values, or as many as fit, spread
 * evenly. */
static void values_fill(const double *x, size_t n, bool logarithm,
                        struct distribution *distribution)
{
    const size_t count = n <= KG_BOOTSTRAP_MOST ? n : KG_BOOTSTRAP_MOST - 1;
    distribution->count = count;
    for (size_t i = 0; i < count; i++) {
        const double value = x[count == n ? i : i * (n - 1) / (count - 1)];
        distribution->value[i] = logarithm ? log(value) : value;
    }
}

static void distribution_make(const double *x, size_t n, bool logarithm, double share,
                              struct distribution *distribution)
{
    values_fill(x, n, logarithm, distribution);
    weights_fill(distribution->weight, distribution->count, share);
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
    distribution_make(x, n, false, 0.5, &distribution);
    const double tail = (1 - confidence) / 2;
    return (struct kg_interval){quantile(&distribution, tail), quantile(&distribution, 1 - tail)};
}

/* P(current - base <= t) of two independent estimates: for each value of `current`, ascending, the
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

/* The largest difference of two values that is at most t. */
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

/* The quantile p of the difference. Bisection finds it to a part in 10^9 of the range. The
 * result is the largest actual difference up to there, so that equal values give an interval of
 * no width. */
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

struct kg_ratio kg_ratio_estimate(const double *base, size_t base_count, const double *current,
                                  size_t current_count, double share)
{
    struct distribution from, to;
    distribution_make(base, base_count, true, share, &from);
    values_fill(current, current_count, true, &to);
    if (to.count == from.count)
        memcpy(to.weight, from.weight, to.count * sizeof *to.weight);
    else
        weights_fill(to.weight, to.count, share);
    return (struct kg_ratio){
        .ratio = kg_quantile_sorted(current, current_count, share) /
                 kg_quantile_sorted(base, base_count, share),
        .interval = {exp(difference_quantile(&from, &to, 0.025)),
                     exp(difference_quantile(&from, &to, 0.975))},
    };
}
