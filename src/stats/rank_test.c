/* Tests by ranks. They ask nothing of the distribution of the values, heavy tails and several modes
 * included, only that under "nothing changed" every order of them is equally likely. */
#include <math.h>
#include <string.h>

#include "stats/stats.h"

/* Beyond this many terms a distribution is near enough to the normal one, whose tails are heavier:
 * p errs to the safe side. */
enum { TERMS_MOST = 8192 };

/* P(Z <= -z), two-sided. */
static double normal_two_sided(double z)
{
    return fmin(1, erfc(z / sqrt(2)));
}

/* The weight of U = 0 … terms - 1 among all orders of n1 and n2 values: the coefficients of the
 * Gaussian binomial, prod (1 - q^(n1+i)) / (1 - q^i) (Mann and Whitney 1947). */
static void u_weights(size_t n1, size_t n2, double *weight, size_t terms)
{
    memset(weight, 0, terms * sizeof *weight);
    weight[0] = 1;
    for (size_t i = 1; i <= n2; i++) {
        for (size_t u = terms; u-- > n1 + i;)
            weight[u] -= weight[u - n1 - i];
        for (size_t u = i; u < terms; u++)
            weight[u] += weight[u - i];
    }
}

static double log_orders(size_t n1, size_t n2)
{
    int sign;
    return lgamma_r((double)(n1 + n2) + 1, &sign) - lgamma_r((double)n1 + 1, &sign) -
           lgamma_r((double)n2 + 1, &sign);
}

/* Pairs in which the base's value is the larger, of sorted arrays; equal ones count one half. */
static double pairs_above(const double *base, size_t base_count, const double *current,
                          size_t current_count)
{
    size_t below = 0, up_to = 0;
    double pairs = 0;
    for (size_t i = 0; i < base_count; i++) {
        while (below < current_count && current[below] < base[i])
            below++;
        while (up_to < current_count && current[up_to] <= base[i])
            up_to++;
        pairs += (double)(below + up_to) / 2;
    }
    return pairs;
}

double kg_mann_whitney(const double *base, size_t base_count, const double *current,
                       size_t current_count)
{
    const double all = (double)base_count * (double)current_count;
    const double above = pairs_above(base, base_count, current, current_count);
    /* a half, from ties, goes to the side that proves less */
    const double u = ceil(fmin(above, all - above));
    if (u >= TERMS_MOST) {
        const double variance = all * (double)(base_count + current_count + 1) / 12;
        return normal_two_sided((all / 2 - u - 0.5) / sqrt(variance));
    }
    double weight[TERMS_MOST], sum = 0;
    const size_t terms = (size_t)u + 1;
    u_weights(base_count, current_count, weight, terms);
    for (size_t i = 0; i < terms; i++)
        sum += weight[i];
    return fmin(1, 2 * sum * exp(-log_orders(base_count, current_count)));
}

double kg_mann_whitney_least(size_t base_count, size_t current_count)
{
    return fmin(1, 2 * exp(-log_orders(base_count, current_count)));
}

/* The weight of W = 0 … terms - 1 among the 2^n signs: the coefficients of prod (1 + q^i). */
static void w_weights(size_t n, double *weight, size_t terms)
{
    memset(weight, 0, terms * sizeof *weight);
    weight[0] = 1;
    for (size_t i = 1; i <= n; i++)
        for (size_t w = terms; w-- > i;)
            weight[w] += weight[w - i];
}

/* P(W <= w) of the signed-rank statistic of n values. */
static double w_up_to(size_t n, double w)
{
    double weight[TERMS_MOST], sum = 0;
    const size_t terms = (size_t)w + 1;
    if (terms > TERMS_MOST) {
        const double mean = (double)(n * (n + 1)) / 4;
        const double variance = mean * (double)(2 * n + 1) / 6;
        return normal_two_sided((mean - w - 0.5) / sqrt(variance)) / 2;
    }
    w_weights(n, weight, terms);
    for (size_t i = 0; i < terms; i++)
        sum += weight[i];
    return ldexp(sum, -(int)n);
}

/* Pairwise means of n values; for more than 90 of them, of 90 spread evenly. */
enum { PAIRED_MOST = 90, MEANS_MOST = PAIRED_MOST * (PAIRED_MOST + 1) / 2 };

static size_t pairwise_means(const double *x, size_t n, double *means)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            means[count++] = (x[i] + x[j]) / 2;
    kg_sort(means, count);
    return count;
}

/* How many of the pairwise means lie outside the 95 % interval at each end: as many as the largest
 * w with P(W <= w) at most 2.5 %, and one more (Hodges and Lehmann 1963). */
static size_t means_outside(size_t n)
{
    double weight[MEANS_MOST + 1], sum = 0;
    size_t outside = 0;
    w_weights(n, weight, n * (n + 1) / 2 + 1);
    while (ldexp(sum += weight[outside], -(int)n) <= 0.025)
        outside++;
    return outside;
}

struct kg_ratio kg_paired_estimate(const double *log_ratios, size_t count)
{
    double x[PAIRED_MOST], means[MEANS_MOST];
    const size_t n = count < PAIRED_MOST ? count : PAIRED_MOST;
    if (!n)
        return (struct kg_ratio){NAN, {NAN, NAN}, NAN};
    for (size_t i = 0; i < n; i++)
        x[i] = log_ratios[n == count ? i : i * (count - 1) / (n - 1)];
    const size_t total = pairwise_means(x, n, means);
    double above = 0;
    for (size_t i = 0; i < total; i++)
        above += means[i] > 0 ? 1 : means[i] < 0 ? 0 : 0.5;
    const double w = ceil(fmin(above, (double)total - above));
    const size_t outside = means_outside(n);
    return (struct kg_ratio){
        .ratio = exp(kg_median_sorted(means, total)),
        .interval = {exp(means[outside ? outside - 1 : 0]),
                     exp(means[total - (outside ? outside : 1)])},
        .p_value = fmin(1, 2 * w_up_to(n, w)),
    };
}

double kg_paired_least(size_t count)
{
    return fmin(1, ldexp(2, -(int)(count < PAIRED_MOST ? count : PAIRED_MOST)));
}
