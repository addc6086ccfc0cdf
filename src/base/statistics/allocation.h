/* allocation.h: the length of a case's further rounds that gives the most information in a given
 * time. If processes differ from each other, many short rounds do. If samples within a process are
 * noisy and a start is expensive, fewer long rounds do (Kalibera and Jones 2013, section 6). Pure
 * functions of the rounds so far; no allocation; thread-safe. */
#pragma once
#include <stddef.h>

/* A round's evidence of both kinds of noise. */
struct kg_round_evidence {
    /* log of the round's median; for a pair, log of the ratio of both medians */
    double log_value;
    /* standard error of log_value from the samples in the round; NaN: unknown */
    double error;
    double measured_ns; /* time measured, for both sides of a pair together */
};

/* Variances of a round's log value. */
struct kg_spread {
    double between;   /* between processes, however long each is measured */
    double within_ns; /* within a process: variance times measured time */
};

/* Estimates the spread of rounds. It uses quartiles and medians, so that a few preempted rounds do
 * not decide. The variance between processes is the total less the part within processes. It is at
 * least a tenth of the larger, since a difference of two uncertain numbers may be too small.
 * rounds   at least 3 with a known error, else both results are NaN; their lengths may differ
 * scratch  room for 2 * count */
struct kg_spread kg_spread_estimate(const struct kg_round_evidence *rounds, size_t count,
                                    double *scratch);

/* Variance of the log value of a round with this measured time. NaN if unknown. */
double kg_spread_variance(const struct kg_spread *spread, double measured_ns);

/* Time to measure per round at which the variance of the mean falls fastest with the time spent:
 * sqrt(fixed * within / between).
 * fixed_ns           cost of a round besides measuring: start, set-up, warm-up, end. The result is
 *                    at least a quarter of this cost, since that much adds little.
 * least_ns, most_ns  limits of the result.
 * returns            NaN if the spread is unknown */
double kg_allocation_length(const struct kg_spread *spread, double fixed_ns, double least_ns,
                            double most_ns);

/* Number of rounds, each of this variance, that find a change of `effect` (log ratio) in nine of
 * ten cases. At least 2; INFINITY if no number is enough. The two-sided test at level `alpha`
 * compares them with `base_rounds` rounds of the same variance. If rounds are pairs, `base_rounds`
 * is INFINITY. */
double kg_allocation_rounds(double variance, double effect, double alpha, double base_rounds);
