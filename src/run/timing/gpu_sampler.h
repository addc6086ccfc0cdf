/* gpu_sampler.h: a round on the GPU: warm-up until times and clock settle, samples by the suite's
 * timing, and their summary. First thread of a worker only. */
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
    double min_time_ns;   /* measured time of a round */
    uint64_t iterations;  /* calls of all pieces, at least; 0: kg_gpu_sampling_run's time decides */
    uint64_t piece_calls; /* as in struct kg_sampler */
    double *buffer;       /* room for `capacity` samples, KG_GPU_FIGURES figures each */
    size_t capacity;      /* at least 2 */
};

/* Figures of each sample: time, clock, host time of launching. */
enum { KG_GPU_FIGURES = 3 };

/* Calls per sample of hot or graph; 1 for cold and wall. A reference's number is kept if it suffices
 * (like kg_sampler_batch). Runs the workload. */
bool kg_gpu_sampler_batch(struct kg_gpu_sampler *sampler, uint64_t reference, uint64_t *batch,
                          struct kg_error *err);

/* A round that is measured piece by piece. */
struct kg_gpu_sampling {
    struct kg_gpu_sampler *sampler;
    uint64_t batch;
    struct kg_gpu_graph graph; /* of KG_TIMING_GRAPH */
    size_t count;              /* samples in the buffer */
    uint64_t taken;            /* samples so far */
    uint64_t dropped;          /* samples dropped because the blocking kernel ended too early */
    double spent_ns;           /* measured time so far */
    double cpu_ns;
    double warm_up_ns;
    struct rusage before;
    /* Short samples share one clock, from the stamps of the first sample and the last one. */
    bool grouping;
    size_t group_first;
    struct kg_stamps group_stamps;
    double clock_hz;   /* last known clock */
    double highest_hz; /* highest clock of a sample, warm-up included; NaN: unknown */
    uint64_t slow;     /* samples dropped because the device was throttled */
};

/* Makes one call, captures the graph if the timing needs one, and warms up. kgate's own work warms
 * the device (kg_gpu_warm). Then samples warm the case until times and clock settle. That takes at
 * least 10 ms, and at most min_time or one sample. A case that does not settle is measured anyway. The
 * sampler's call_timing may come from another process. The sampler must outlive the sampling. A
 * failure leaves nothing to free. */
bool kg_gpu_sampling_begin(struct kg_gpu_sampling *sampling, struct kg_gpu_sampler *sampler,
                           uint64_t batch, struct kg_error *err);
/* Warms up for time_ns more, with samples that do not count. A failure leaves the graph to free. */
bool kg_gpu_sampling_warm(struct kg_gpu_sampling *sampling, double time_ns, struct kg_error *err);
/* Takes samples until time_ns are measured, at least one sample, or until three times as long has
 * passed; with the sampler's `iterations` as kg_sampling_run does. A sample at a far lower clock does
 * not count (kg_gpu_sample_slow), and a pause follows it, up to eight times per round. The work
 * around a sample, such as flushing, can take longer than the sample. Adds the measured time to
 * *measured_ns. */
bool kg_gpu_sampling_run(struct kg_gpu_sampling *sampling, double time_ns, double *measured_ns,
                         struct kg_error *err);
/* Times some whole calls, and summarises all samples. Fills all fields of `round` except peak_bytes
 * and NVML's. The kept samples live in `arena`. */
bool kg_gpu_sampling_end(struct kg_gpu_sampling *sampling, struct kg_arena *arena,
                         struct kg_round *round, struct kg_error *err);
/* Frees the graph. To be called after each kg_gpu_sampling_begin, even after a later failure. */
void kg_gpu_sampling_free(struct kg_gpu_sampling *sampling);

/* Measures a whole round. After kg_gpu_warm it takes at most four times min_time, apart from the last
 * samples and some calls. */
bool kg_gpu_sampler_round(struct kg_gpu_sampler *sampler, uint64_t batch, struct kg_arena *arena,
                          struct kg_round *round, struct kg_error *err);
