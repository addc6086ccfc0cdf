/* calibrate.h: how well a suite's gate works on a machine, from recorded rounds alone. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/sequence.h"
#include "judge/calibration.h"
#include "run/run.h"

/* replay.c: recorded rounds as the source of a sequence (sequence.h). The sequence makes the same decisions as on new
 * rounds. For calibration, benchmarks and tests. */

struct kg_replay {
    struct kg_results shown; /* rounds that the sequence has asked for so far; grows */
    const struct kg_results *recorded;
    const double *factors; /* one factor per case for its times; NULL: 1 */
    struct kg_arena arena;
};

/* Starts without rounds. Screening takes the recorded rounds that do not confirm. Confirmation takes the confirming
 * rounds. Both use the recorded order until no round is left. `recorded` and `factors` must outlive the replay. */
void kg_replay_start(struct kg_replay *replay, const struct kg_results *recorded,
                     const double *factors);

/* Runs the sequence.
 * limits  as in struct kg_sequence */
bool kg_replay_run(struct kg_replay *replay, const struct kg_round_limits *limits,
                   const struct kg_baseline *baseline, struct kg_comparison *comparison,
                   struct kg_error *err);

void kg_replay_free(struct kg_replay *replay);

/* calibrate_suite.c: measures a suite several times and calibrates its gate on this machine. */

enum { KG_CALIBRATION_RUNS_MOST = 100 };

struct kg_calibrate_options {
    size_t runs;                 /* from 2 to KG_CALIBRATION_RUNS_MOST */
    const char *left_out;        /* the filter in words, for the results; NULL: no filter */
    struct kg_progress progress; /* progress of each run; may be all zero */
    /* Called before each run with its number, from 1, and progress.user; or NULL. */
    void (*run_begins)(void *user, size_t run, size_t runs);
};

/* Measures the suite options->runs times in sequence and calibrates. A failed case is KG_ERROR_MEASURE with the case's
 * name, because the noise is then unknown.
 * calibration  filled; the caller frees it with kg_calibration_free. Zeroed on failure. After a signal it covers the
 *              complete runs; zeroed if fewer than two are complete.
 * signal       signal that stopped the measurement, or 0
 * returns      true also after a signal */
bool kg_calibrate_suite(const struct kg_prepared_suite *what,
                        const struct kg_calibrate_options *options,
                        struct kg_calibration *calibration, int *signal, struct kg_error *err);

/* Calibrates.
 * runs         `count` recorded results of one plan on one machine, at least 2, with screening and confirming rounds
 * limits       one per case
 * calibration  filled; the caller frees it with kg_calibration_free. Zeroed on failure. */
bool kg_calibrate(const struct kg_results *runs, size_t count, const struct kg_round_limits *limits,
                  struct kg_calibration *calibration, struct kg_error *err);
