/* throttle.h: in how many rounds the GPU was held back, by heat or by power, and what else disturbed
 * it. Pure functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"

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
