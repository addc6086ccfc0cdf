/* creep.h: slow drifts, which no single run shows: the present level against the level of the last pin, and of 30, 90
 * and 365 days ago. Thread-safe; allocates and frees. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/statistics/stats.h"

enum {
    KG_CREEP_RUNS = 5,  /* runs whose mean is a level */
    KG_CREEP_PAST = 100 /* newest runs that are enough for kg_creep_variance */
};

/* Mean of the newest KG_CREEP_RUNS of n log locations, oldest first. NaN if n is less. */
double kg_creep_level(const double *log_locations, size_t n);

/* Variance of a level, from the changes between the levels of its past. A slow drift hardly adds to it.
 * log_locations  without the reported steps; oldest first
 * returns        freedom 0 (unknown) if n is below 5 * KG_CREEP_RUNS */
struct kg_variance kg_creep_variance(const double *log_locations, size_t n);

/* One case and one lag. Logarithms; without the machine's part if the host has a control. */
struct kg_creep {
    double level;                /* of the newest runs */
    double reference;            /* level at the lag */
    double reported;             /* sum of the steps and creeps since then that were reported */
    struct kg_variance variance; /* of a level */
    /* Set by kg_creep_judge: */
    double drift;    /* level - reference - reported */
    double adjusted; /* p-value of no drift, adjusted for all cases and lags; NaN: unknown */
    bool creeps;
};

/* Judges all cases and lags of one night: Benjamini and Hochberg at 5 %, and a drift beyond the threshold.
 * threshold  relative change that counts, as a share */
void kg_creep_judge(struct kg_creep *creeps, size_t count, double threshold);
