/* baseline_record.h: a baseline in one go: measures a suite several times over, and adds each run to the
 * store. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/baseline_store.h"
#include "model/baseline.h"
#include "run/run.h"

struct kg_store_runs_options {
    const char *directory; /* the store */
    size_t runs;           /* at least 1 */
    struct kg_baseline_options storing;
    struct kg_progress progress; /* of each run; may be all zero */
    /* Told before each run, from 1; NULL: nobody. With progress.user. */
    void (*run_begins)(void *user, size_t run, size_t runs);
};

/* Measures the suite options->runs times, one run after the other, each case its fewest rounds, and
 * stores each run before the next begins. Each after the first times calls in the batches of the one before it. A
 * case that fails ends it, by its name: the runs before that are stored. A store that cannot be
 * written is found before anything is measured.
 * stored  runs that are in the store, also on failure
 * cases   of the last of them
 * signal  that stopped measuring, 0 without one: the run that it stopped is not stored
 * returns true also when stopped by a signal */
bool kg_store_runs(const struct kg_prepared_suite *what,
                   const struct kg_store_runs_options *options, size_t *stored, size_t *cases,
                   int *signal, struct kg_error *err);
