/* baseline_record.h: records a baseline with one command: measures a suite several times and adds each run to the
 * store. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/baseline_store.h"
#include "model/baseline.h"
#include "run/run.h"

struct kg_store_runs_options {
    const char *directory; /* folder of the store */
    size_t runs;           /* at least 1 */
    struct kg_baseline_options storing;
    struct kg_progress progress; /* progress of each run; may be all zero */
    /* Called before each run with its number, from 1, and progress.user; or NULL. */
    void (*run_begins)(void *user, size_t run, size_t runs);
};

/* Measures the suite options->runs times in sequence, each case with its minimum rounds. Stores each run before the
 * next begins. A later run uses the batches of the run before it.
 * A failed case ends the function with an error that names the case; earlier runs stay stored. The function checks that
 * the store is writable before it measures.
 * stored  number of stored runs, also on failure
 * cases   number of cases in the last stored run
 * signal  signal that stopped the measurement, or 0; the stopped run is not stored
 * returns true also after a signal */
bool kg_store_runs(const struct kg_prepared_suite *what,
                   const struct kg_store_runs_options *options, size_t *stored, size_t *cases,
                   int *signal, struct kg_error *err);
