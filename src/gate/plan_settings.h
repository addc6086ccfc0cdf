/* plan_settings.h: what a plan asks of measuring, case by case. Pure. */
#pragma once
#include <stdint.h>

#include "gate/sequence.h"
#include "model/baseline.h"
#include "run/run.h"

/* rounds.min and rounds.max of every case, in `arena`. */
struct kg_round_limits *kg_planned_limits(struct kg_arena *arena, const struct kg_plan *plan);

/* What the suite asks for cases whose code is their reference's, of every case, in `arena`. */
enum kg_unchanged_code *kg_planned_unchanged(struct kg_arena *arena, const struct kg_plan *plan);

/* Whether each case is not to be measured where its code is its reference's. In
 * `arena`. */
bool *kg_planned_skips(struct kg_arena *arena, const struct kg_plan *plan);

/* Calls a sample that every case had in the newest run of the suite, 0 where it is not stored: what
 * is to be compared must be timed in the same batches. In `arena`. */
uint64_t *kg_planned_batches(struct kg_arena *arena, const struct kg_prepared_suite *what,
                             const struct kg_baseline *baseline);

/* Likewise the time measured in a round, 0 where the case is not stored. */
double *kg_planned_round_ns(struct kg_arena *arena, const struct kg_prepared_suite *what,
                            const struct kg_baseline *baseline);

/* Both, of the store in `directory`: what a baseline is refreshed with must time calls in the same
 * batches, in rounds of the same length. Arrays in `arena`.
 * returns  false where the machine's file cannot be read */
struct kg_planned_stored {
    const uint64_t *batches;
    const double *round_ns;
};
bool kg_planned_stored_find(struct kg_arena *arena, const struct kg_prepared_suite *what,
                            const char *directory, struct kg_planned_stored *stored,
                            struct kg_error *err);
