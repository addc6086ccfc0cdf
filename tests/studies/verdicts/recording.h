/* recording.h: the experiment's rounds: whole runs of one suite of twenty cases, and of the same
 * workloads made slower by known amounts, measured for real. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/sequence.h"
#include "model/results.h"
#include "suite/plan.h"

enum {
    WORKLOADS = 4,
    SCALES = 5,
    CASES = WORKLOADS * SCALES, /* of the suite that is gated */
    SLOWDOWNS = 4,
    ROUNDS_LEAST = 7,
    ROUNDS_MOST = 56
};
extern const char *const workload_names[WORKLOADS];
extern const double slowdowns[SLOWDOWNS]; /* in per cent */

struct recording {
    struct kg_results *runs; /* cases: the twenty, then each workload at each slowdown */
    size_t run_count;
    double round_seconds; /* mean time of a round with its overhead, s */
};

/* Recorded rounds of workload w per stage: as many as it may need. */
extern const size_t recorded_rounds[WORKLOADS];

/* The workload of a recorded case. */
size_t recorded_workload(size_t index);

/* The suite's case of workload w at its usual size, and its slowed case. */
size_t recorded_plain(size_t w);
size_t recorded_slow(size_t w, size_t slowdown);

/* Measures `count` runs; plugins lie in `directory`. Writes each to OUTPUT/STATE-N.json, and says
 * on standard error how far it is. */
bool recording_make(struct recording *recording, const char *directory, const char *output,
                    const char *state, size_t count, struct kg_error *err);
/* Reads runs that were measured before, from DIRECTORY/STATE-0.json on. */
bool recording_load(struct recording *recording, const char *directory, const char *state,
                    struct kg_error *err);
void recording_free(struct recording *recording);
