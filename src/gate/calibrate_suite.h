/* calibrate_suite.h: measures a suite several times over, and finds out what its gate is worth on
 * this machine (calibrate.h). */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/calibration.h"
#include "run/measurement.h"

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
