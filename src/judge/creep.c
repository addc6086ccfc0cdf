/* creep.c: a comparison of two levels, not a change point. Many cases and lags are compared every night, and an alarm
 * is confirmed by paired rounds. So the share of false alarms is limited, not the chance of a single one. */
#include "judge/creep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Least drift, in either direction: half of the least step, since a drift goes on. */
static const double DRIFT_LEAST = 0.01;
/* Least share of a drift in the level before the newest one. Less is a step that change_point.c has not found yet. */
static const double EARLIER_LEAST = 0.5;
static const double FALSE_SHARE = 0.1;
/* Least variance of logs: clocks and counters repeat no better than a part in 10^4. */
static const double VARIANCE_LEAST = 1e-8;
enum { LEVELS_LEAST = 5, APART = 2 };

/* Median of the newest KG_CREEP_RUNS of n values: one or two bad nights do not move it. */
static double level_of(const float *x, size_t n)
{
    double runs[KG_CREEP_RUNS];
    for (size_t i = 0; i < KG_CREEP_RUNS; i++)
        runs[i] = (double)x[n - 1 - i];
    kg_sort(runs, KG_CREEP_RUNS);
    return kg_median_sorted(runs, KG_CREEP_RUNS);
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
    if (older < KG_CREEP_RUNS || n < older + 2 * KG_CREEP_RUNS)
        return false;
    const double reference = level_of(x, older);
    *creep = (struct kg_creep){.drift = level_of(x, n) - reference,
                               .earlier = level_of(x, n - KG_CREEP_RUNS) - reference,
                               .variance = variance_of(x, n)};
    return true;
}

void kg_creep_past_add(struct kg_creep_past *past, const float *x, size_t n, int32_t day,
                       int64_t run)
{
    if (n < KG_CREEP_RUNS ||
        (past->count && day - past->levels[past->count - 1].day < KG_CREEP_SPACING))
        return;
    if (past->count == KG_CREEP_LEVELS)
        memmove(past->levels, past->levels + 1, --past->count * sizeof *past->levels);
    past->levels[past->count++] =
        (struct kg_creep_level){.value = (float)level_of(x, n), .day = day, .run = run};
}

/* From second differences, which are 0 on a straight line: over 15 days a drift is no small part of the scatter. Their
 * variance is six times that of a level. They overlap, so their degrees of freedom are about half their number (Gasser,
 * Sroka and Jennen-Steinmetz 1986). */
static struct kg_variance past_variance(const struct kg_creep_past *past)
{
    const struct kg_creep_level *levels = past->levels;
    const double count = (double)past->count - 2;
    double squares = 0;
    for (size_t i = 2; i < past->count; i++) {
        const double bend =
            (double)levels[i].value - 2 * (double)levels[i - 1].value + (double)levels[i - 2].value;
        squares += bend * bend;
    }
    return (struct kg_variance){squares / (6 * count), 0.514 * count};
}

const struct kg_creep_level *kg_creep_past_compare(const struct kg_creep_past *past, const float *x,
                                                   size_t n, int32_t day, struct kg_creep *creep)
{
    size_t older = past->count;
    while (older > 0 && past->levels[older - 1].day > day)
        older--;
    if (!older || past->count < LEVELS_LEAST || n < 2 * KG_CREEP_RUNS)
        return NULL;
    const struct kg_creep_level *reference = &past->levels[older - 1];
    *creep = (struct kg_creep){.drift = level_of(x, n) - (double)reference->value,
                               .earlier = level_of(x, n - KG_CREEP_RUNS) - (double)reference->value,
                               .variance = past_variance(past)};
    return reference;
}

/* Two-sided p-value of no drift between two levels. */
static double p_of(const struct kg_creep *creep)
{
    if (!(creep->variance.freedom > 0))
        return NAN;
    if (!(creep->earlier / creep->drift >= EARLIER_LEAST))
        return 1;
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
