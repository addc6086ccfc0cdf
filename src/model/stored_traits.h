/* stored_traits.h: what a stored run keeps beside the times: traits (names once per run, values by place),
 * and the sampled functions of each case. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/baseline.h"

/* Fills the run's trait_names and its cases' traits from the results that it was made of. Arrays in
 * `arena`. */
void kg_stored_traits_make(struct kg_arena *arena, const struct kg_results *results,
                           struct kg_baseline_run *run);

/* Makes the traits of `from`'s cases stand in `into`'s order, whose names it adds to: before cases
 * go from one run to the other. */
void kg_stored_traits_adopt(struct kg_arena *arena, struct kg_baseline_run *into,
                            struct kg_baseline_run *from);

/* Leaves the run without any. */
void kg_stored_traits_drop(struct kg_baseline_run *run);

/* What a file says: names once each, values from 0 up, no more than names. `index` is the run's. */
bool kg_stored_traits_validate(const struct kg_baseline_run *run, size_t index,
                               struct kg_error *err);
