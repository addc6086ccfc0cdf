/* creep.h: slow drifts, which no single run shows: the present level against the level of the last pin, and of 30, 90
 * and 365 days ago. Thread-safe; allocates and frees. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/statistics/stats.h"

enum {
    KG_CREEP_RUNS = 5,     /* runs whose median is a level */
    KG_CREEP_SPACING = 15, /* days between two kept levels */
    KG_CREEP_LEVELS = 26   /* kept levels: together more than 365 days */
};

/* A level that is kept longer than its runs. */
struct kg_creep_level {
    float value;
    int32_t day; /* since 1970 */
    int64_t run; /* id of its newest run */
};

/* Levels since the last step or creep, oldest first. Many runs per day soon leave the state of a series, and a slow
 * drift needs a level of long ago. */
struct kg_creep_past {
    uint8_t count;
    struct kg_creep_level levels[KG_CREEP_LEVELS];
};

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

/* Keeps the newest level if the last kept one is old enough.
 * x    n log locations, as of kg_creep_compare
 * day  of the newest run
 * run  id of the newest run */
void kg_creep_past_add(struct kg_creep_past *past, const float *x, size_t n, int32_t day,
                       int64_t run);

/* Compares the newest level with the newest kept one of that day or before. The kept levels tell the variance, because
 * runs of one day resemble each other.
 * returns  the older level; NULL: there is none, or too few levels for a variance */
const struct kg_creep_level *kg_creep_past_compare(const struct kg_creep_past *past, const float *x,
                                                   size_t n, int32_t day, struct kg_creep *creep);

/* Judges all cases and lags of one night: Benjamini and Hochberg at 10 %, and a drift of at least 1 %. */
void kg_creep_judge(struct kg_creep *creeps, size_t count);
