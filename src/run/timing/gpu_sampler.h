/* gpu_sampler.h: a round on the GPU: warm-up until times and clock settle, samples by the suite's
 * timing, what they amount to. First thread of a worker only. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "model/results.h"
#include "run/timing/gpu_timer.h"

struct kg_gpu_sampler {
    struct kg_gpu_timer *timer;
    struct kg_gpu_call call;
    struct kg_gpu_call_timing call_timing; /* kg_gpu_call_timing_find */
    enum kg_timing timing;
    double min_time_ns; /* measured time of a round */
    double *buffer;     /* room for `capacity` samples, KG_GPU_FIGURES figures each */
    size_t capacity;    /* at least 2 */
};

/* Of each sample: time, clock, host time of launching. */
enum { KG_GPU_FIGURES = 3 };

/* Calls that a sample of hot or graph has; 1 for cold and wall. Kept from a reference where that
 * does (as kg_sampler_batch). Runs the workload. */
bool kg_gpu_sampler_batch(struct kg_gpu_sampler *sampler, uint64_t reference, uint64_t *batch,
                          struct kg_error *err);

/* A round that is measured piece by piece. */
struct kg_gpu_sampling {
    struct kg_gpu_sampler *sampler;
    uint64_t batch;
    struct kg_gpu_graph graph; /* of KG_TIMING_GRAPH */
    size_t count;              /* samples in the buffer */
    uint64_t taken;            /* samples so far */
    uint64_t dropped;          /* whose hold ran out */
    double spent_ns;           /* sum of what was measured */
    double cpu_ns;
    double warm_up_ns;
    struct rusage before;
    /* Samples too short for a clock of their own have one together, between the first one's stamps
     * and the last one's. */
    bool grouping;
    size_t group_first;
    struct kg_stamps group_stamps;
    double clock_hz; /* the last that was found */
};

/* Makes one call, records the graph where one is timed, and warms up: the device by kgate's own
 * work (kg_gpu_warm), then the case by its samples until times and clock settle, for 10 ms at least
 * and min_time or one sample at most; one that does not settle is measured all the same. What the
 * sampler knows of the call's call_timing may be from another process. The sampler must live as
 * long. On failure nothing is held. */
bool kg_gpu_sampling_begin(struct kg_gpu_sampling *sampling, struct kg_gpu_sampler *sampler,
                           uint64_t batch, struct kg_error *err);
/* Samples until time_ns are measured, at least one sample, or until three times as long has passed:
 * what is around a sample, such as flushing, can take longer than it. Adds what it measured to
 * *measured_ns. */
bool kg_gpu_sampling_run(struct kg_gpu_sampling *sampling, double time_ns, double *measured_ns,
                         struct kg_error *err);
/* Times some whole calls, and fills everything of `round` but peak_bytes and what NVML gives, from
 * all samples. The kept samples live in `arena`. */
bool kg_gpu_sampling_end(struct kg_gpu_sampling *sampling, struct kg_arena *arena,
                         struct kg_round *round, struct kg_error *err);
/* Frees what is held; after kg_gpu_sampling_begin, whatever failed since. */
void kg_gpu_sampling_free(struct kg_gpu_sampling *sampling);

/* The same in one go: after kg_gpu_warm takes at most four times min_time, the last sample of each
 * step and some calls beyond. */
bool kg_gpu_sampler_round(struct kg_gpu_sampler *sampler, uint64_t batch, struct kg_arena *arena,
                          struct kg_round *round, struct kg_error *err);
