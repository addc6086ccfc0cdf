/* Many cases with few values each help each other: their usual variance is a prior for each case's
 * variance (Smyth 2004). The model of a case's variance s^2 with d degrees of freedom:
 *     s^2 ~ true * chi^2(d) / d,    1 / true ~ chi^2(d0) / (d0 * usual).
 * The moderated variance is (d0 usual + d s^2) / (d0 + d), with d0 + d degrees of freedom. The mean
 * and the variance of log s^2 over all cases give d0 and the usual variance. The expectation of log
 * s^2 is log true + digamma(d/2) - log(d/2); its variance is trigamma(d/2). If cases differ much,
 * d0 is small, and each case keeps its own variance. The same fit over the runs of one case says what
 * variance its next run will have. */
#include <math.h>

#include "base/statistics/stats.h"

enum { VARIANCES_LEAST = 4 };
/* Largest weight of the usual variance, in degrees of freedom, however alike few cases look. */
static const double FREEDOM_MOST = 20;
/* Smallest variance of logs: clocks and counters repeat no better than a part in 10^4. */
static const double VARIANCE_LEAST = 1e-8;

/* Both use their recurrences up to 10 and the asymptotic series beyond (Abramowitz and Stegun 1964,
 * 6.3.5, 6.3.18, 6.4.6, 6.4.12). */
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

/* The x with trigamma(x) = value; trigamma falls as x rises. */
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

/* log s^2 without the bias of few degrees of freedom. */
static double log_unbiased(const struct kg_variance *variance)
{
    const double half = variance->freedom / 2;
    return log(fmax(variance->value, VARIANCE_LEAST)) - digamma(half) + log(half);
}

void kg_log_variances_add(struct kg_log_variances *sum, struct kg_variance variance)
{
    if (!(variance.freedom > 0) || isnan(variance.value))
        return;
    const double x = log_unbiased(&variance);
    sum->weight += 1;
    sum->weight_square += 1;
    sum->logs += x;
    sum->squares += x * x;
    sum->expected += trigamma(variance.freedom / 2);
}

void kg_log_variances_decay(struct kg_log_variances *sum, double kept)
{
    sum->weight *= kept;
    sum->weight_square *= kept * kept;
    sum->logs *= kept;
    sum->squares *= kept;
    sum->expected *= kept;
}

struct kg_variance kg_log_variances_usual(const struct kg_log_variances *sum, double freedom_most)
{
    /* equal weights: the number of variances */
    const double count = sum->weight > 0 ? sum->weight * sum->weight / sum->weight_square : 0;
    if (count < VARIANCES_LEAST - 0.5)
        return (struct kg_variance){NAN, 0};
    const double mean = sum->logs / sum->weight;
    const double scatter = fmax(0, sum->squares / sum->weight - mean * mean) * count / (count - 1);
    const double excess = scatter - sum->expected / sum->weight;
    const double freedom =
        excess > 0 ? fmin(freedom_most, 2 * trigamma_inverse(excess)) : freedom_most;
    return (struct kg_variance){exp(mean + digamma(freedom / 2) - log(freedom / 2)), freedom};
}

struct kg_variance kg_variance_usual(const struct kg_variance *variances, size_t count)
{
    struct kg_log_variances sum = {0};
    for (size_t i = 0; i < count; i++)
        kg_log_variances_add(&sum, variances[i]);
    return kg_log_variances_usual(&sum, FREEDOM_MOST);
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
