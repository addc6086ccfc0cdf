/* stored_traits.h: a stored run's data beside the times: features ("traits": names once per run,
 * values by place), and the sampled functions of each case. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/baseline.h"

/* Fills the run's trait_names and its cases' traits from the results of the run. Arrays in
 * `arena`.
 * cases  the results of the run's cases, in their order */
void kg_stored_traits_make(struct kg_arena *arena, const struct kg_results *results,
                           const struct kg_case_result *const *cases, struct kg_baseline_run *run);

/* Puts the traits of `from`'s cases into `into`'s order, and adds missing names to `into`: before
 * cases move from one run to the other. */
void kg_stored_traits_adopt(struct kg_arena *arena, struct kg_baseline_run *into,
                            struct kg_baseline_run *from);

/* Removes the run's traits and sampled functions. */
void kg_stored_traits_drop(struct kg_baseline_run *run);

/* Checks a file's traits: no case has more values than names. (The table checks names and values.)
 * `index` is the run's. */
bool kg_stored_traits_validate(const struct kg_baseline_run *run, size_t index,
                               struct kg_error *err);
