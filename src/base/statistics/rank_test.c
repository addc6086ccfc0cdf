/* Rank tests. They assume no distribution of the values: heavy tails and several modes are fine. If
 * nothing changed, every order of the values must be equally likely. */
#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"

/* With more terms, the distribution is close enough to the normal distribution. The normal tails
 * are heavier: p errs to the safe side. */
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

/* Number of pairs with the larger value in the baseline, from sorted arrays; equal values count one
 * half. */
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
    /* a half, from ties, goes to the side with less evidence */
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
