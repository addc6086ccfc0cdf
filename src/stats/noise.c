/* How much a case's location moves from run to run of unchanged code: the half width of a
 * prediction interval for one more run's log location, t * s * sqrt(1 + 1/n), with t such that all
 * tests of the comparison together hold `alpha`. Few runs make t large: Student's is 63.7 at 99 %
 * for two, and two runs that differ by 1 % would blind their case to anything below 73 %. So it is
 * at most 8, and at least 3. Few runs that happen to agree are not believed either: where the usual
 * scatter of the suite's cases is larger than the case's own, or the case has one run only, s is
 * both, weighed by what each is worth (as Smyth 2004 does for genes). Never more than 50 %: a case
 * that doubles is said to, however its runs scatter. */
#include <math.h>

#include "stats/stats.h"

static const double LEAST_FACTOR = 3, MOST_FACTOR = 8;
static const double MOST = 0.5;
/* What the usual scatter of the suite is worth against a case's own, in degrees of freedom. */
static const double USUAL_WORTH = 4;

double kg_run_scatter(const double *run_locations, size_t n)
{
    double sum = 0, squares = 0;
    if (n < 2)
        return NAN;
    for (size_t i = 0; i < n; i++)
        sum += log(run_locations[i]);
    for (size_t i = 0; i < n; i++) {
        const double deviation = log(run_locations[i]) - sum / (double)n;
        squares += deviation * deviation;
    }
    return sqrt(squares / (double)(n - 1));
}

/* The point beyond which a standard normal variable lies with probability `tail`. */
static double normal_point(double tail)
{
    double low = 0, high = 40;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) / 2 > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double kg_noise_factor(double alpha, size_t tests, double freedom)
{
    const double z = normal_point(alpha / 2 / (double)(tests ? tests : 1));
    if (freedom < 1)
        return LEAST_FACTOR;
    /* Student's t from the normal point (Fisher and Cornish 1960, two terms) */
    const double t = z + (pow(z, 3) + z) / (4 * freedom) +
                     (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * freedom * freedom);
    return fmin(MOST_FACTOR, fmax(LEAST_FACTOR, t));
}

/* What the case's own runs and the usual scatter of the suite say together; `freedom` is what that
 * is worth. */
static double variance_find(const struct kg_run_noise *noise, double *freedom)
{
    const double own = noise->scatter * noise->scatter;
    const double usual = noise->usual * noise->usual;
    *freedom = noise->runs > 1 ? (double)(noise->runs - 1) : 0;
    if (isnan(noise->usual) || (noise->runs > 1 && noise->usual <= noise->scatter))
        return noise->runs > 1 ? own : NAN;
    const double variance =
        ((*freedom > 0 ? *freedom * own : 0) + USUAL_WORTH * usual) / (*freedom + USUAL_WORTH);
    *freedom += USUAL_WORTH;
    return variance;
}

double kg_noise_floor(const struct kg_run_noise *noise)
{
    double freedom;
    const double variance = variance_find(noise, &freedom);
    if (isnan(variance))
        return NAN;
    const double factor = kg_noise_factor(noise->alpha, noise->tests, freedom);
    return fmin(MOST, expm1(factor * sqrt(variance * (1 + 1 / (double)noise->reference_runs))));
}
