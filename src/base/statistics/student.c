/* Student's t and the F distribution, by the incomplete beta function: P(T > t) = I_x(freedom/2, 1/2) / 2
 * with x = freedom / (freedom + t^2) (Abramowitz and Stegun 1964, 26.7.1). The continued fraction
 * is theirs too (26.5.8), evaluated forwards as Lentz (1976) does. */
#include <math.h>

#include "base/statistics/stats.h"

/* Beyond this the normal distribution differs by less than the fraction's own error. */
static const double NORMAL_FREEDOM = 1e7;

static double not_zero(double value)
{
    static const double TINY = 1e-300;
    return fabs(value) < TINY ? TINY : value;
}

/* The continued fraction of I_x(a, b), which converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    enum { TERMS_MOST = 10000 };
    double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m <= TERMS_MOST; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / not_zero(1 + even * d);
        c = not_zero(1 + even / c);
        value *= c * d;
        d = 1 / not_zero(1 + odd * d);
        c = not_zero(1 + odd / c);
        value *= c * d;
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return value;
}

/* lgamma itself writes a global sign, which threads would share. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* The regularised incomplete beta function; `rest` is 1 - x, exact even if x is close to 1. */
static double beta_share(double a, double b, double x, double rest)
{
    if (x <= 0 || rest <= 0)
        return x <= 0 ? 0 : 1;
    const double front =
        exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(rest));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, rest) / b;
}

double kg_student_tail(double t, double freedom)
{
    if (isnan(t) || !(freedom > 0))
        return NAN;
    if (t < 0)
        return 1 - kg_student_tail(-t, freedom);
    if (freedom > NORMAL_FREEDOM)
        return erfc(t / sqrt(2)) / 2;
    const double square = t * t, sum = freedom + square;
    if (isinf(sum))
        return 0;
    return beta_share(freedom / 2, 0.5, freedom / sum, square / sum) / 2;
}

/* Abramowitz and Stegun 1964, 26.6.2. */
double kg_variance_ratio_tail(double ratio, double numerator_freedom, double denominator_freedom)
{
    if (isnan(ratio) || !(numerator_freedom > 0) || !(denominator_freedom > 0))
        return NAN;
    if (ratio <= 0)
        return 1;
    const double scaled = numerator_freedom * ratio;
    if (isinf(scaled))
        return 0;
    const double sum = denominator_freedom + scaled;
    return beta_share(denominator_freedom / 2, numerator_freedom / 2, denominator_freedom / sum,
                      scaled / sum);
}

static double density(double t, double freedom)
{
    const double log_density = log_gamma((freedom + 1) / 2) - log_gamma(freedom / 2) -
                               log(freedom * 3.14159265358979323846) / 2 -
                               (freedom + 1) / 2 * log1p(t * t / freedom);
    return exp(log_density);
}

/* Newton's method needs about six steps from below. The bracket's middle replaces a step that
 * leaves the bracket. */
double kg_student_point(double tail, double freedom)
{
    double low = 0, high = 1;
    if (!(tail > 0 && tail <= 0.5) || !(freedom > 0))
        return NAN;
    while (kg_student_tail(high, freedom) > tail && high < 1e100)
        high *= 2;
    double t = (low + high) / 2;
    for (int i = 0; i < 100; i++) {
        const double excess = kg_student_tail(t, freedom) - tail, before = t;
        if (excess > 0)
            low = t;
        else
            high = t;
        t += excess / density(t, fmin(freedom, NORMAL_FREEDOM));
        if (!(t > low && t < high))
            t = (low + high) / 2;
        if (fabs(t - before) <= 1e-14 * t)
            break;
    }
    return t;
}

double kg_student_point_kept(struct kg_student_points *points, double tail, double freedom)
{
    const size_t most = sizeof points->kept / sizeof *points->kept;
    for (size_t i = 0; points && tail > 0 && i < most; i++)
        if (points->kept[i].tail == tail && points->kept[i].freedom == freedom)
            return points->kept[i].point;
    const double point = kg_student_point(tail, freedom);
    if (points && tail > 0) { /* a tail of 0 marks an empty entry */
        points->kept[points->next].tail = tail;
        points->kept[points->next].freedom = freedom;
        points->kept[points->next].point = point;
        points->next = (points->next + 1) % most;
    }
    return point;
}
