/* allocation.h: how long a case's further rounds are to be, so that a given time says the most. Where
 * processes differ from each other, many short rounds do; where the samples within a process are
 * noisy and starting one is dear, fewer long ones (Kalibera and Jones 2013, section 6). Pure
 * functions of what the rounds so far show; no allocation; thread-safe. */
#pragma once
#include <stddef.h>

/* A round as a witness of the two kinds of noise. */
struct kg_round_evidence {
    double log_value;   /* log of its median; of a pair the log of the ratio of the two */
    double error;       /* standard error of that by the samples within it; NaN: not known */
    double measured_ns; /* time measured, of both sides of a pair together */
};

/* Variances of a round's log value. */
struct kg_spread {
    double between; /* from process to process, however long each is measured */
    double
        within_ns; /* by the samples in it, times the time measured: halves as the time doubles */
};

/* The spread that rounds show. Both kinds are estimated by quartiles and medians, so that a few
 * disturbed rounds do not decide. The variance between processes is what the rounds' own does not
 * explain, but never less than a tenth of it all: it is a difference of two uncertain numbers.
 * rounds   at least 3 whose error is known, else both are NaN; may be of different lengths
 * scratch  room for 2 * count */
struct kg_spread kg_spread_estimate(const struct kg_round_evidence *rounds, size_t count,
                                    double *scratch);

/* Variance of the log value of a round in which so much is measured. NaN where not known. */
double kg_spread_variance(const struct kg_spread *spread, double measured_ns);

/* Time to measure in a round, with which the variance of the mean of all rounds falls fastest in
 * the time that they take: sqrt(fixed * within / between).
 * fixed_ns  what a round costs beyond what it measures: start, set-up, warm-up, end. A quarter of
 *           that is measured at the least: it costs little
 * least_ns, most_ns  what is allowed
 * returns   NaN where the spread is not known */
double kg_allocation_length(const struct kg_spread *spread, double fixed_ns, double least_ns,
                            double most_ns);

/* How many rounds, of that variance each, find a change of `effect` (log ratio) in nine of ten
 * cases, by a test at level `alpha` of one side against `base_rounds` of the same variance
 * (INFINITY where rounds are pairs). INFINITY where no number does. At least 2. */
double kg_allocation_rounds(double variance, double effect, double alpha, double base_rounds);
