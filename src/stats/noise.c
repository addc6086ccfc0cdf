/* How much a case's median moves from run to run of unchanged code: the half width of a prediction
 * interval for one more run's log median, t * s * sqrt(1 + 1/n). Student's exact t at 99 % is 63.7
 * for two runs and 9.9 for three: two runs that differ by 1 % would blind their case to anything
 * below 73 %. So t is 3 whatever n, which holds the next run less often than 99 %: 80 % of the time
 * with two runs, 90 % with three, 96 % with five (docs/statistics.md). It is a floor under the
 * threshold, not a test of its own. And never more than 50 %: a case that doubles is said to,
 * however its runs scatter. */
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
