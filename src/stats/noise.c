/* How much a case's median moves from run to run of unchanged code: the half width of a prediction
 * interval for one more run's log median, s * sqrt(1 + 1/n) * t. With two to five runs the estimate
 * of s is itself a guess, and Student's exact factor (63.7 for two runs at 99 %) would blind the
 * case on the strength of that guess. So the factor is 3, the normal distribution's 99.7 %, and
 * never more than 50 %: a case that scatters more than that between runs cannot be gated by a
 * stored baseline, and INCONCLUSIVE says so. */
#include <math.h>

#include "stats/stats.h"

static const double FACTOR = 3;
static const double MOST = 0.5;

double kg_noise_floor(const double *run_medians, size_t n)
{
    double sum = 0, squares = 0;
    if (n < 2)
        return 0;
    for (size_t i = 0; i < n; i++)
        sum += log(run_medians[i]);
    for (size_t i = 0; i < n; i++) {
        const double deviation = log(run_medians[i]) - sum / (double)n;
        squares += deviation * deviation;
    }
    const double scatter = sqrt(squares / (double)(n - 1));
    return fmin(MOST, expm1(FACTOR * scatter * sqrt(1 + 1 / (double)n)));
}
