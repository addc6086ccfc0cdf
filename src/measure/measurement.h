/* measurement.h: measures a plan: checks every case once, then rounds, each a fresh process, the
 * rounds of all cases interleaved. One at a time in a process: it owns the signals meanwhile. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/interrupt.h"
#include "measure/journal.h"
#include "measure/results.h"
#include "plan/plan.h"
#include "util/error.h"
#include "util/random.h"

/* Told after each worker process, and before the first. */
struct kg_progress {
    void (*report)(void *user, size_t done, size_t planned, const char *id);
    void *user;
};

struct kg_measurement {
    struct kg_results results; /* grows; complete after kg_measurement_end */
    /* the measurement's own */
    const struct kg_plan *plan;
    struct kg_progress progress;
    char program[4096];
    struct kg_journal journal;
    bool journaled;
    uint64_t *batch; /* calls a sample, found by the check */
    size_t *round_capacity;
    size_t *order;
    struct kg_interrupt interrupt;
    struct kg_random random;
    uint64_t started_ns;
    size_t done;
    size_t planned;
};

/* Prepares results for the plan and checks every case that can run here: a wrong result is FAILED
 * before anything is timed.
 * results_path  where the results will be written: the journal is kept beside it; NULL: none
 * filter        what was left out, for the results; NULL where nothing was
 * progress      may be all zero
 * On failure nothing is held. Suite, plan and machine must outlive the measurement. */
bool kg_measurement_begin(struct kg_measurement *measurement, const struct kg_suite *suite,
                          const struct kg_plan *plan, const struct kg_machine *machine,
                          const char *results_path, const char *filter,
                          const struct kg_progress *progress, struct kg_error *err);

/* How many rounds case i is to have in all; 0 leaves it as it is. */
typedef size_t kg_rounds_wanted(const void *user, size_t i);

/* Measures until each case has as many rounds as wanted: one round of every case that needs one, in
 * a shuffled order, then the next. A case that fails has no more rounds.
 * returns false where measuring itself broke (err), true otherwise, also when interrupted */
bool kg_measurement_rounds(struct kg_measurement *measurement, kg_rounds_wanted *wanted,
                           const void *user, struct kg_error *err);

/* The signal that asked to stop, or 0. */
int kg_measurement_interrupted(const struct kg_measurement *measurement);

/* Summaries of what there is so far; may be called again after more rounds. */
void kg_measurement_summarize(struct kg_measurement *measurement);

/* Ends measuring: summaries, times, signals as before. The results stay the measurement's. */
void kg_measurement_end(struct kg_measurement *measurement);

/* To be called when the results are safely written: removes the journal. */
void kg_measurement_written(struct kg_measurement *measurement);

/* Frees everything, closing (not removing) a journal that is still there. */
void kg_measurement_free(struct kg_measurement *measurement);
