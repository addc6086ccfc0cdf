/* creep.c: a comparison of two levels, not a change point. Many cases and lags are compared every night, and an alarm
 * is confirmed by paired rounds. So the share of false alarms is limited, not the chance of a single one. */
#include "judge/creep.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Least drift, in either direction. */
static const double DRIFT_LEAST = 0.02;
static const double FALSE_SHARE = 0.05;
/* Least variance of logs: clocks and counters repeat no better than a part in 10^4. */
static const double VARIANCE_LEAST = 1e-8;
enum { LEVELS_LEAST = 5, APART = 2 };

/* Mean of the newest KG_CREEP_RUNS of n values. */
static double level_of(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 1; i <= KG_CREEP_RUNS; i++)
        sum += (double)x[n - i];
    return sum / KG_CREEP_RUNS;
}

/* Nights are not independent, so the variance of a level is not a fifth of that of a run. Half the mean square of
 * differences (von Neumann et al. 1941), of levels with one level between them: adjacent levels still resemble each
 * other. A slow drift hardly adds to it. The degrees of freedom are those of overlapping differences, about two for
 * three. */
static struct kg_variance variance_of(const float *x, size_t n)
{
    const size_t levels = n / KG_CREEP_RUNS;
    double squares = 0;
    if (levels < LEVELS_LEAST)
        return (struct kg_variance){NAN, 0};
    const double changes = (double)(levels - APART);
    for (size_t i = APART; i < levels; i++) {
        const double newer = level_of(x, n - (i - APART) * KG_CREEP_RUNS);
        const double older = level_of(x, n - i * KG_CREEP_RUNS);
        squares += (newer - older) * (newer - older);
    }
    return (struct kg_variance){squares / (2 * changes), 2 * changes / 3};
}

bool kg_creep_compare(const float *x, size_t n, size_t older, struct kg_creep *creep)
{
    if (older < KG_CREEP_RUNS || n < older + KG_CREEP_RUNS)
        return false;
    *creep = (struct kg_creep){.drift = level_of(x, n) - level_of(x, older),
                               .variance = variance_of(x, n)};
    return true;
}

/* Two-sided p-value of no drift between two levels. */
static double p_of(const struct kg_creep *creep)
{
    if (!(creep->variance.freedom > 0))
        return NAN;
    const double deviation = sqrt(2 * fmax(creep->variance.value, VARIANCE_LEAST));
    return 2 * kg_student_tail(fabs(creep->drift) / deviation, creep->variance.freedom);
}

void kg_creep_judge(struct kg_creep *creeps, size_t count)
{
    double *p = kg_alloc(count ? count : 1, sizeof *p);
    for (size_t i = 0; i < count; i++)
        p[i] = p_of(&creeps[i]);
    kg_benjamini_hochberg_adjust(p, count);
    for (size_t i = 0; i < count; i++) {
        creeps[i].adjusted = p[i];
        creeps[i].creeps = p[i] <= FALSE_SHARE && fabs(creeps[i].drift) > log1p(DRIFT_LEAST);
    }
    free(p);
}
