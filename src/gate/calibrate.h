/* calibrate.h: finds out what a suite's gate is worth on a machine, from recorded rounds alone. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/sequence.h"
#include "judge/calibration.h"
#include "run/run.h"

/* replay.c: recorded rounds as the source of a sequence (sequence.h): the same decisions, on rounds
 * that were taken before. For calibrating a suite, for benchmarks and for tests. */

struct kg_replay {
    struct kg_results shown; /* what the sequence has asked for so far; grows */
    const struct kg_results *recorded;
    const double *factors; /* each case's times are multiplied by its own; NULL: by 1 */
    struct kg_arena arena;
};

/* Starts with no round shown. Screening rounds are those recorded that do not confirm, confirming
 * ones those that do, each in their order; where they run out there are no more. `recorded` and
 * `factors` must outlive the replay. */
void kg_replay_start(struct kg_replay *replay, const struct kg_results *recorded,
                     const double *factors);

/* Runs the sequence: `limits` as in struct kg_sequence. */
bool kg_replay_run(struct kg_replay *replay, const struct kg_round_limits *limits,
                   const struct kg_baseline *baseline, struct kg_comparison *comparison,
                   struct kg_error *err);

void kg_replay_free(struct kg_replay *replay);

/* calibrate_suite.c: measures a suite several times over, and finds out what its gate is worth on
 * this machine (calibrate.h). */

enum { KG_CALIBRATION_RUNS_MOST = 100 };

struct kg_calibrate_options {
    size_t runs;                 /* from 2 to KG_CALIBRATION_RUNS_MOST */
    const char *left_out;        /* the filter in words, for the results; NULL: nothing left out */
    struct kg_progress progress; /* of each run; may be all zero */
    /* Told before each run, from 1; NULL: nobody. With progress.user. */
    void (*run_begins)(void *user, size_t run, size_t runs);
};

/* Measures the suite options->runs times, one after the other, and calibrates. A case that fails is
 * KG_ERROR_MEASURE by its name: then nothing can be said of noise.
 * calibration  filled, to be freed with kg_calibration_free; zeroed on failure. After a signal it is
 *              of the runs that were whole, and zeroed where these are fewer than two
 * signal       that stopped measuring, 0 without one
 * returns      true also when stopped by a signal */
bool kg_calibrate_suite(const struct kg_prepared_suite *what,
                        const struct kg_calibrate_options *options,
                        struct kg_calibration *calibration, int *signal, struct kg_error *err);

/* Calibrates.
 * runs    `count` recorded results of one plan on one machine, at least 2, with screening and
 *         confirming rounds
 * limits  of each case
 * calibration: filled on success, to be freed with kg_calibration_free; zeroed on failure */
bool kg_calibrate(const struct kg_results *runs, size_t count, const struct kg_round_limits *limits,
                  struct kg_calibration *calibration, struct kg_error *err);
