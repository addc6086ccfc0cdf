/* round_allocation.h: how a case's further rounds are to be: their length and their cost, by what its rounds
 * so far show (base/statistics/allocation.h). On the CPU only: cases on the GPU share processes, so a round
 * has no cost of its own. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/sequence.h"
#include "run/pairing.h"
#include "run/run.h"

/* For struct kg_sequence: of the rounds of a run, whose length is given, by the suite, by the
 * baseline, or by kg_allocate_first. */
void kg_allocate_alike(struct kg_run *run, size_t index, struct kg_round_plan *plan);

/* Sets the length of the first pairs of every case: a fifth of the suite's min_time. */
void kg_allocate_pairs_first(struct kg_pairing *pairing);

/* The same as kg_allocate_alike of pairs, whose length may be chosen: each side may measure from
 * 3 ms to four times the suite's min_time. */
void kg_allocate_pairs(const struct kg_pairing *pairing, size_t index, struct kg_round_plan *plan);

/* The first rounds of each case of a run: `wanted` of them. A case whose rounds are not of
 * the suite's min_time gets as many more as the time of `wanted` rounds of min_time allows. For one
 * that is not stored, a length half as long or less may be better: its rounds are then dropped, it
 * gets rounds of that length for as much time again, and keeps it.
 * round_ns  of each case's reference, as kg_planned_round_ns has it; NULL: nothing is stored */
bool kg_allocate_first(struct kg_run *run, const size_t *wanted, const double *round_ns,
                       struct kg_error *err);

/* The same with the fewest rounds that each case of the plan asks for. */
bool kg_allocate_fewest(struct kg_run *run, const struct kg_plan *plan, const double *round_ns,
                        struct kg_error *err);
