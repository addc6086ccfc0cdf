/* repeat_candidates.h: functions of the workload that may do the same work again and again. kgate
 * observes their arguments, and then judges whether the work repeats. Pure. */
#pragma once
#include "model/hot_code.h"

/* A candidate takes this share of the time, with all that it calls. */
static const double KG_REPEATS_SHARE = 0.4;

struct kg_repeat_candidate {
    const struct kg_hot_place *function;
    const struct kg_counted_edge *edge; /* its calls by the caller with the most instructions */
};

/* Finds functions of the workload's own code that take most of the time, are called often in one
 * call of the workload, and execute many instructions each time.
 * candidates  filled, most instructions first; they point into `hot`
 * returns     number of candidates */
size_t kg_repeat_candidates(const struct kg_hot *hot,
                            struct kg_repeat_candidate candidates[KG_HOT_REPEATS_MOST]);

/* The observed calls of a function; NULL: none was observed. */
const struct kg_repeated *kg_repeated_of(const struct kg_repeats *repeats,
                                         const struct kg_place *function);
