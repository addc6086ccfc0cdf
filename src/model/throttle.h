/* throttle.h: counts the rounds in which heat or power throttled the GPU, or other processes used
 * it. Pure functions; thread-safe. */
#pragma once
#include <stddef.h>

#include "model/results.h"

/* Disturbances of the GPU over all rounds. */
struct kg_gpu_conditions {
    size_t rounds;    /* on the GPU */
    size_t throttled; /* throttled rounds */
    size_t shared;    /* rounds with other processes on the device */
    int64_t bits;     /* KG_NVML_ bits that throttled any round */
};
enum { KG_CONDITION_WORDS = 256 };
struct kg_gpu_conditions kg_gpu_conditions(const struct kg_results *results);

/* 1 if the power limit throttled the round, else 0; NaN: unknown. */
double kg_round_power_capped(const struct kg_round *round);

/* Sentences for the user, at most two, each into `bytes` bytes; "" if there is nothing to
 * report. */
void kg_gpu_conditions_words(const struct kg_gpu_conditions *conditions, char *throttled,
                             char *shared, size_t bytes);
