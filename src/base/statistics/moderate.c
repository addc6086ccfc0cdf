/* Variances of many cases, each from few values, help each other: what is usual among them is a
 * prior for each (Smyth 2004). The variance s^2 with d degrees of freedom of a case is taken as
 * drawn from
 *     s^2 ~ true * chi^2(d) / d,    1 / true ~ chi^2(d0) / (d0 * usual),
 * and the case's own becomes (d0 usual + d s^2) / (d0 + d), with d0 + d degrees of freedom. d0 and
 * the usual variance are fitted by the mean and the variance of log s^2, which has expectation
 * log true + digamma(d/2) - log(d/2) and variance trigamma(d/2). Where cases differ much, d0 is
 * small, and each keeps its own. */
#include <math.h>

#include "base/statistics/stats.h"

enum { CASES_LEAST = 4 };
/* However alike few cases look, what is usual counts for no more than this. */
static const double FREEDOM_MOST = 20;
/* Of logs: clocks and counters repeat no better than a part in 10^4. */
static const double VARIANCE_LEAST = 1e-8;

/* Both by their recurrences up to 10 and the asymptotic series from there (Abramowitz and Stegun
 * 1964, 6.3.5, 6.3.18, 6.4.6, 6.4.12). */
static double digamma(double x)
{
    double sum = 0;
    while (x < 10) {
        sum -= 1 / x;
        x += 1;
    }
    const double y = 1 / (x * x);
    return sum + log(x) - 1 / (2 * x) - y * (1.0 / 12 - y * (1.0 / 120 - y / 252));
}

static double trigamma(double x)
{
    double sum = 0;
    while (x < 10) {
        sum += 1 / (x * x);
        x += 1;
    }
    const double y = 1 / (x * x);
    return sum + 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y / 30)));
}

/* The x with trigamma(x) = value, which falls in x. */
static double trigamma_inverse(double value)
{
    double low = -30, high = 30; /* logs */
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (trigamma(exp(middle)) > value)
            low = middle;
        else
            high = middle;
    }
    return exp((low + high) / 2);
}

/* log s^2 without what few degrees of freedom take off it. */
static double log_unbiased(const struct kg_variance *variance)
{
    const double half = variance->freedom / 2;
    return log(fmax(variance->value, VARIANCE_LEAST)) - digamma(half) + log(half);
}

struct kg_variance kg_variance_usual(const struct kg_variance *variances, size_t count)
{
    double sum = 0, squares = 0, expected = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(variances[i].freedom > 0) || isnan(variances[i].value))
            continue;
        sum += log_unbiased(&variances[i]);
        expected += trigamma(variances[i].freedom / 2);
        known++;
    }
    if (known < CASES_LEAST)
        return (struct kg_variance){NAN, 0};
    const double mean = sum / (double)known;
    for (size_t i = 0; i < count; i++)
        if (variances[i].freedom > 0 && !isnan(variances[i].value))
            squares += pow(log_unbiased(&variances[i]) - mean, 2);
    const double excess = squares / (double)(known - 1) - expected / (double)known;
    const double freedom =
        excess > 0 ? fmin(FREEDOM_MOST, 2 * trigamma_inverse(excess)) : FREEDOM_MOST;
    return (struct kg_variance){exp(mean + digamma(freedom / 2) - log(freedom / 2)), freedom};
}

struct kg_variance kg_variance_moderate(struct kg_variance own, struct kg_variance usual)
{
    if (!(own.freedom > 0) || isnan(own.value))
        return usual;
    own.value = fmax(own.value, VARIANCE_LEAST);
    if (!(usual.freedom > 0))
        return own;
    const double freedom = own.freedom + usual.freedom;
    return (struct kg_variance){(own.freedom * own.value + usual.freedom * usual.value) / freedom,
                                freedom};
}

struct kg_variance kg_variance_sum(const struct kg_variance *parts, size_t count)
{
    double sum = 0, weighed = 0;
    for (size_t i = 0; i < count; i++) {
        sum += parts[i].value;
        if (parts[i].value > 0)
            weighed += parts[i].value * parts[i].value / parts[i].freedom;
    }
    return (struct kg_variance){sum, weighed > 0 ? sum * sum / weighed : 0};
}
