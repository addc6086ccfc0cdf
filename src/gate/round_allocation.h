/* round_allocation.h: length and cost of a case's next rounds, from its rounds so far (base/statistics/allocation.h).
 * For CPU cases only: GPU cases share processes, so their rounds have no separate cost. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/sequence.h"
#include "run/pairing.h"
#include "run/run.h"

/* Plans further rounds of a run, for struct kg_sequence. The suite, the baseline or kg_allocate_first has fixed their
 * length. */
void kg_allocate_alike(struct kg_run *run, size_t index, struct kg_round_plan *plan);

/* Sets the length of every case's first pairs to a fifth of the suite's min_time. */
void kg_allocate_pairs_first(struct kg_pairing *pairing);

/* Plans further pairs, for struct kg_sequence. Their length is variable: each side may measure from 3 ms to four times
 * the suite's min_time. */
void kg_allocate_pairs(const struct kg_pairing *pairing, size_t index, struct kg_round_plan *plan);

/* Takes the first `wanted` rounds of each case of a run. If a case's rounds are shorter than min_time, it gets more
 * rounds, in the time of `wanted` rounds of min_time.
 * If a case is not stored, a length of at most half may be better. The function then drops the case's rounds, takes
 * rounds of the better length for the same time, and keeps that length.
 * round_ns  length of each case's reference rounds, from kg_planned_round_ns; NULL: no stored case */
bool kg_allocate_first(struct kg_run *run, const size_t *wanted, const double *round_ns,
                       struct kg_error *err);

/* Like kg_allocate_first, with each case's minimum rounds from the plan. */
bool kg_allocate_fewest(struct kg_run *run, const struct kg_plan *plan, const double *round_ns,
                        struct kg_error *err);
