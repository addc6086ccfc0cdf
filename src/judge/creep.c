/* creep.c: a comparison of two levels, not a change point. Many cases and lags are compared every night, and an alarm
 * is confirmed by paired rounds. So the share of false alarms is limited, not the chance of a single one. */
#include "judge/creep.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static const double FALSE_SHARE = 0.05;
/* Least variance of logs: clocks and counters repeat no better than a part in 10^4. */
static const double VARIANCE_LEAST = 1e-8;
enum { LEVELS_LEAST = 5, APART = 2 };

double kg_creep_level(const double *log_locations, size_t n)
{
    return n < KG_CREEP_RUNS ? NAN : kg_mean(log_locations + n - KG_CREEP_RUNS, KG_CREEP_RUNS);
}

/* Nights are not independent, so the variance of a level is not a fifth of that of a run. Half the mean square of
 * differences (von Neumann et al. 1941), of levels with one level between them: adjacent levels still resemble each
 * other. The degrees of freedom are those of overlapping differences, about two for three. */
struct kg_variance kg_creep_variance(const double *log_locations, size_t n)
{
    const size_t levels = n / KG_CREEP_RUNS;
    double squares = 0;
    if (levels < LEVELS_LEAST)
        return (struct kg_variance){NAN, 0};
    const double changes = (double)(levels - APART);
    for (size_t i = APART; i < levels; i++) {
        const double newer = kg_creep_level(log_locations, n - (i - APART) * KG_CREEP_RUNS);
        const double older = kg_creep_level(log_locations, n - i * KG_CREEP_RUNS);
        squares += (newer - older) * (newer - older);
    }
    return (struct kg_variance){squares / (2 * changes), 2 * changes / 3};
}

/* Two-sided p-value of no drift between two levels. */
static double p_of(const struct kg_creep *creep)
{
    if (!(creep->variance.freedom > 0))
        return NAN;
    const double deviation = sqrt(2 * fmax(creep->variance.value, VARIANCE_LEAST));
    return 2 * kg_student_tail(fabs(creep->drift) / deviation, creep->variance.freedom);
}

void kg_creep_judge(struct kg_creep *creeps, size_t count, double threshold)
{
    double *p = kg_alloc(count ? count : 1, sizeof *p);
    for (size_t i = 0; i < count; i++) {
        creeps[i].drift = creeps[i].level - creeps[i].reference - creeps[i].reported;
        p[i] = p_of(&creeps[i]);
    }
    kg_benjamini_hochberg_adjust(p, count);
    for (size_t i = 0; i < count; i++) {
        creeps[i].adjusted = p[i];
        creeps[i].creeps = p[i] <= FALSE_SHARE && fabs(creeps[i].drift) > log1p(threshold);
    }
    free(p);
}
