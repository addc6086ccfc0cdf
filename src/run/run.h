/* run.h: one run of a plan: checks every case once, then measures rounds. Each round is a fresh process, and
 * the rounds of all cases are interleaved. */
#pragma once
#include "run/measurement.h"

/* Finds what cases are measured by, and makes their empty results. To be freed. A `pin` that is no
 * CPU of this process is KG_ERROR_USAGE at its workload. Starts nothing. */
bool kg_measurement_prepare(struct kg_measurement *measurement,
                            const struct kg_prepared_suite *what,
                            const struct kg_measurement_options *options, struct kg_error *err);

/* Does that, checks every case that can run here, so that a wrong result is
 * FAILED before anything is timed, counts instructions where the suite compares them, and finds
 * what the GPU is capable of. On failure nothing is held. */
bool kg_measurement_begin(struct kg_measurement *measurement, const struct kg_prepared_suite *what,
                          const struct kg_measurement_options *options, struct kg_error *err);

/* Confirming rounds begin so long after the other rounds, and are at least so far apart. Those of
 * pairs begin after the shorter of the two times: both builds are measured in the same moment. */
extern const double KG_CONFIRM_AFTER_NS, KG_CONFIRM_APART_NS;

/* Keeps `count` of the case's rounds, those that begin with `from`. Others were of another length:
 * times of rounds of two lengths are not alike. The journal keeps all. */
void kg_measurement_rounds_keep(struct kg_measurement *measurement, size_t index, size_t from,
                                size_t count);

/* Measures until case i has wanted[i] rounds: one round of every case that needs one, in a shuffled
 * order, then the next.
 * wanted   a number for each case; 0 leaves the case as it is. One that fails has no more rounds
 * confirm  marks the new rounds as confirming, and spreads them over more time, so that one burst
 *          of other work on the machine cannot hit them all
 * returns  false where measuring itself broke (err), true otherwise, also when interrupted */
bool kg_measurement_rounds(struct kg_measurement *measurement, const size_t *wanted, bool confirm,
                           struct kg_error *err);

/* Summarises the results, and makes cases FAILED whose rates are impossible (docs/cpu.md): after
 * rounds, and before they are compared.
 * observes  whether what the CPU can do is found out for it, unless the suite says `trace: no` */
bool kg_measurement_judge(struct kg_measurement *measurement, bool observes, struct kg_error *err);

/* Summaries of what there is so far; may be called again after more rounds. */
void kg_measurement_summarize(struct kg_measurement *measurement);

/* Ends measuring: summaries, times, signals as before. The results stay the measurement's. */
void kg_measurement_end(struct kg_measurement *measurement);
