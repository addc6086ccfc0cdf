/* throttle.h: rounds in which the GPU was held back, by heat or by power: which count, and how many
 * are measured again; and what else disturbed it. Pure functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "results/results.h"

/* How many of the rounds are to be measured again because the device was held back in them: all
 * such, but no more than half of `wanted`, at least one. A device that is always held back, as one
 * at its power limit is, must not be measured for ever. */
size_t kg_rounds_to_repeat(const struct kg_round *rounds, size_t count, size_t wanted);

/* Whether rounds in which the device was held back are judged like the others: where more than half
 * are such, that is how the device works here. Else they are left out. */
bool kg_rounds_keep_throttled(const struct kg_round *rounds, size_t count);

/* What of all rounds on the GPU was not as it should be. */
struct kg_gpu_conditions {
    size_t rounds;    /* on the GPU */
    size_t throttled; /* of them */
    size_t shared;    /* of them, with other processes on the device */
    int64_t bits;     /* KG_NVML_ bits that held back any of them */
};
enum { KG_CONDITION_WORDS = 256 };
struct kg_gpu_conditions kg_gpu_conditions(const struct kg_results *results);

/* In sentences for people, at most two, each into `bytes` bytes;
 * "" where there is nothing to say. */
void kg_gpu_conditions_words(const struct kg_gpu_conditions *conditions, char *throttled,
                             char *shared, size_t bytes);

/* Whether round `index` is judged. */
bool kg_round_judged(const struct kg_round *rounds, size_t count, size_t index);
