/* How much a case's location moves from run to run of unchanged code: the half width of a
 * prediction interval for one more run's log location, t * s * sqrt(1 + 1/n). Student's exact t at
 * 99 % is 63.7 for two runs and 9.9 for three: two runs that differ by 1 % would blind their case
 * to anything below 73 %. So t is 3 whatever n. Few runs that happen to agree are not believed:
 * where the usual scatter of the suite's cases is larger than the case's own, s is both, weighed by
 * what each is worth (as Smyth 2004 does for genes); where it is smaller, the case is one of the
 * noisy ones and its own counts. It is a floor under the threshold, not a test of its own. And
 * never more than 50 %: a case that doubles is said to, however its runs scatter. */
#include <math.h>

#include "stats/stats.h"

static const double FACTOR = 3;
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

double kg_noise_floor(double scatter, size_t n, double usual)
{
    if (n < 2 || isnan(scatter))
        return 0;
    const double own_worth = (double)(n - 1);
    double variance = scatter * scatter;
    if (usual > scatter) /* and not NaN */
        variance = (own_worth * variance + USUAL_WORTH * usual * usual) / (own_worth + USUAL_WORTH);
    return fmin(MOST, expm1(FACTOR * sqrt(variance * (1 + 1 / (double)n))));
}
