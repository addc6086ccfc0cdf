/* plan_settings.h: settings for the measurement of each case, from a plan and its baseline. Pure. */
#pragma once
#include <stdint.h>

#include "gate/sequence.h"
#include "model/baseline.h"
#include "run/run.h"

/* Returns rounds.min and rounds.max of every case, in `arena`. */
struct kg_round_limits *kg_planned_limits(struct kg_arena *arena, const struct kg_plan *plan);

/* Returns the suite's setting for unchanged code of every case, in `arena`. */
enum kg_unchanged_code *kg_planned_unchanged(struct kg_arena *arena, const struct kg_plan *plan);

/* Returns for every case whether to skip it if its code is unchanged. In `arena`. */
bool *kg_planned_skips(struct kg_arena *arena, const struct kg_plan *plan);

/* Returns calls per sample of every case, from its newest ordinary run with this definition; 0: not stored. Compared
 * samples must have the same batches. In `arena`. */
uint64_t *kg_planned_batches(struct kg_arena *arena, const struct kg_prepared_suite *what,
                             const struct kg_baseline *baseline);

/* Returns the measured time per round of every case, from the same run, in ns; 0: not stored. In `arena`. */
double *kg_planned_round_ns(struct kg_arena *arena, const struct kg_prepared_suite *what,
                            const struct kg_baseline *baseline);

/* Returns the number of tests of the whole suite, so that a shard judges its cases as strictly as one machine with all
 * cases would. Each case counts with each of its tested metrics and references. A metric that repeats on some machines
 * counts as tested, so the number may be a little too large, but never too small. 0 without a shard.
 * baseline  NULL: paired rounds, which have one reference for every case */
size_t kg_planned_tests(const struct kg_prepared_suite *what, const struct kg_baseline *baseline);

/* Batches and round lengths from the store in `directory`. A run that refreshes a baseline must use the same batches
 * and rounds of the same length. Arrays in `arena`.
 * returns  false if the machine's file is unreadable */
struct kg_planned_stored {
    const uint64_t *batches;
    const double *round_ns;
};
bool kg_planned_stored_find(struct kg_arena *arena, const struct kg_prepared_suite *what,
                            const char *directory, struct kg_planned_stored *stored,
                            struct kg_error *err);
