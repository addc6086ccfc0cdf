/* prior.h: the variances of a series that its history knows, and their use for one run. Pure functions; no allocation;
 * thread-safe. */
#pragma once
#include "base/statistics/stats.h"
#include "judge/change_point.h"

/* A weighted sum of squares S with E[S] = trace * variance and Var[S] = 2 * trace_square * variance^2. */
struct kg_prior_sum {
    double squares;
    double trace;
    double trace_square;
};

/* State of one series: one row of a database. Zero-initialise it before the first run. */
struct kg_history_level {
    struct kg_change_state change;
    struct kg_prior_sum before; /* between runs, at the levels before the last change */
    struct kg_prior_sum within; /* within runs */
};

/* Appends a run to the detector and to the variances.
 * log_location  as of kg_change_append
 * within        variance of the logs of the run's rounds, and its degrees of freedom; freedom 0: unknown
 * returns       whether kg_change_append found a step */
bool kg_history_append(struct kg_history_level *level, double log_location,
                       struct kg_variance within, struct kg_change_alarm *alarm);

/* Variance of the locations of runs about the level of their time. The steps count as levels. The weight of a run
 * falls with a mean age of 50 runs. At most 60 degrees of freedom; freedom 0: unknown. */
struct kg_variance kg_prior_between(const struct kg_history_level *level);

/* Variance of the rounds within runs, with the same weights and limit. */
struct kg_variance kg_prior_within(const struct kg_history_level *level);

/* The variance of a run's rounds, moderated by the prior (kg_variance_moderate). If the own variance is larger and an
 * F test at 20 % contradicts the prior, it stays as it is: the run is noisier than history.
 * returns  the prior if the own variance is unknown; the own variance if the prior is unknown */
struct kg_variance kg_prior_moderate(struct kg_variance own, struct kg_variance prior);
