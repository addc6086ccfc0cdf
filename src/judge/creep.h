/* creep.h: slow drifts, which no single run shows: the present level against the level of the last pin, and of 30, 90
 * and 365 days ago. Thread-safe; allocates and frees. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/statistics/stats.h"

enum { KG_CREEP_RUNS = 5 /* runs whose median is a level */ };

/* One case and one lag. */
struct kg_creep {
    double drift;                /* log of the newest level over the level at the lag */
    double earlier;              /* likewise, of the level before the newest one */
    struct kg_variance variance; /* of the log of a level; freedom 0: unknown */
    /* Set by kg_creep_judge: */
    double adjusted; /* p-value of no drift, adjusted for all cases and lags; NaN: unknown */
    bool creeps;
};

/* Compares two levels of a case.
 * x        n log locations since the last reported change, oldest first, without the machine's part
 * older    number of them that are at least a lag old
 * returns  false if one of the levels has too few runs */
bool kg_creep_compare(const float *x, size_t n, size_t older, struct kg_creep *creep);

/* Judges all cases and lags of one night: Benjamini and Hochberg at 10 %, and a drift of at least 1 %. */
void kg_creep_judge(struct kg_creep *creeps, size_t count);
