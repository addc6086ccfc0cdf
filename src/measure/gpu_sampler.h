/* gpu_sampler.h: a round on the GPU: warm-up until times and clock settle, samples by the suite's
 * timing, what they amount to. First thread of a worker only. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "measure/gpu_timer.h"
#include "measure/results.h"
#include "util/arena.h"

struct kg_gpu_sampler {
    struct kg_gpu_timer *timer;
    struct kg_gpu_call call;
    struct kg_gpu_nature nature;
    enum kg_timing timing;
    double min_time_ns; /* measured time of a round */
    double *buffer;     /* room for `capacity` samples, three figures each */
    size_t capacity;
};

/* Calls that a sample of hot, graph or wall has; 1 for cold. Kept from a reference where that does
 * (as kg_sampler_batch). Runs the workload. */
bool kg_gpu_sampler_batch(struct kg_gpu_sampler *sampler, uint64_t reference, uint64_t *batch,
                          struct kg_error *err);

/* Measures one round: everything of `round` but peak_bytes and what NVML gives. The kept samples
 * live in `arena`. */
bool kg_gpu_sampler_round(struct kg_gpu_sampler *sampler, uint64_t batch, struct kg_arena *arena,
                          struct kg_round *round, struct kg_error *err);
