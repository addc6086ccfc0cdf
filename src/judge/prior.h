/* prior.h: the variances of a series that its history knows, and their use for one run. Pure functions; no allocation;
 * thread-safe. */
#pragma once
#include <stdint.h>

#include "base/statistics/stats.h"
#include "judge/change_point.h"
#include "model/stored_prior.h"

/* A weighted sum of squares S with E[S] = trace * variance and Var[S] = 2 * trace_square * variance^2. */
struct kg_prior_sum {
    double squares;
    double trace;
    double trace_square;
};

/* Variances of the logs of the rounds within runs. */
struct kg_prior_within {
    struct kg_log_variances variances;
    double explained; /* weighted sum over runs: variance of the location that the rounds explain */
};

/* State of one series: one row of a database. Zero-initialise it before the first run. */
struct kg_history_level {
    uint64_t runs;
    struct kg_change_state change;
    struct kg_prior_sum before; /* between runs, at the levels before the last change */
    struct kg_prior_within within;
};

/* Appends a run to the detector and to the variances.
 * log_location  as of kg_change_append
 * within        variance of the logs of the run's rounds, and its degrees of freedom: rounds - 1, without trimmed
 *               rounds; freedom 0: unknown
 * returns       whether kg_change_append found a step */
bool kg_history_append(struct kg_history_level *level, double log_location,
                       struct kg_variance within, struct kg_change_alarm *alarm);

/* Variance of the locations of runs about the level of their time. The steps count as levels. The weight of a run
 * falls with a mean age of 50 runs. At most KG_PRIOR_FREEDOM_MOST; freedom 0: unknown. */
struct kg_variance kg_prior_location(const struct kg_history_level *level);
/* The part of it that the rounds do not explain, at least 0. Unknown without a variance within runs. */
struct kg_variance kg_prior_between(const struct kg_history_level *level);

/* Usual variance of the rounds within a run, with the same weights and limit. Its freedom grows with the similarity of
 * the runs. Unknown for fewer than four runs. */
struct kg_variance kg_prior_within(const struct kg_history_level *level);

/* Moderates a variance of the current rounds or stored runs by the prior (kg_variance_moderate).
 * returns  false, and leaves `own`: the prior is unknown, or an F test at 20 % finds `own` larger than the prior */
bool kg_prior_moderate(struct kg_variance *own, struct kg_variance prior);
