/* worker_gpu.h: a worker's GPU. The first request that needs the GPU opens it, and later requests use
 * it too: a CUDA context takes longer to make than a round to measure. First thread only. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "device/nvml.h"
#include "model/results.h"
#include "run/timing/gpu_sampler.h"
#include "run/timing/gpu_timer.h"
#include "run/worker/trace_task.h"

struct kg_worker;

struct worker_gpu {
    bool open;
    struct kg_gpu_timer timer;
    struct kg_gpu_sampler sampler;
    struct kg_gpu_sampling sampling; /* of a round */
    struct kg_nvml_telemetry before; /* telemetry before any work here */
    bool before_known;               /* `before` is known */
    struct kg_nvml_telemetry start;  /* telemetry at the start of the timed part */
    uint64_t start_ns;
    bool limited;        /* the power limit throttled the warm-up of the round */
    struct kg_nvml nvml; /* closed if there is none */
    size_t nvml_index;   /* the device's index, if nvml is open */
    struct kg_tracer tracer;
    double *buffer;    /* for samples */
    size_t free_bytes; /* free device memory before the set-up of the workload */
    size_t free_least; /* least free device memory since then */
};

/* Before set-up: opens the GPU if it is not open, and hands it to the workload. */
bool kg_worker_gpu_start(struct kg_worker *worker, struct kg_error *err);
/* After set-up: fills the sampler. */
void kg_worker_gpu_ready(struct kg_worker *worker);

/* KG_TASK_CHECK, except the check itself: finds the way of timing the call, and the batch. */
bool kg_worker_gpu_check(struct kg_worker *worker, struct kg_error *err);
/* A round piece by piece, like kg_gpu_sampling, with NVML's telemetry. At the power limit the warm-up is
 * longer. */
bool kg_worker_gpu_begin(struct kg_worker *worker, struct kg_error *err);
bool kg_worker_gpu_run(struct kg_worker *worker, double time_ns, double *measured_ns,
                       struct kg_error *err);
/* Calls that the round has measured so far. */
uint64_t kg_worker_gpu_calls(const struct kg_worker *worker);
bool kg_worker_gpu_end(struct kg_worker *worker, struct kg_round *round, struct kg_error *err);
/* Measured time of a round that should have `wanted_ns`. At the power limit it is at least 200 ms, because
 * the driver settles the clock over tens to hundreds of milliseconds. */
double kg_worker_gpu_round_ns(const struct kg_worker *worker, double wanted_ns);
/* Lets the device recover after a throttled round. */
void kg_worker_gpu_pause(const struct kg_round *round);
void kg_worker_gpu_drop(struct kg_worker *worker); /* after kg_worker_gpu_begin, in any case */

/* Waits for the workload's stream to finish. An error of the stream is in err. */
bool kg_worker_gpu_wait(struct kg_worker *worker, struct kg_error *err);
/* KG_TASK_TRACE and KG_TASK_CEILINGS. */
bool kg_worker_gpu_trace(struct kg_worker *worker, struct kg_error *err);
bool kg_worker_gpu_ceilings(struct kg_worker *worker, struct kg_error *err);

/* Frees its host memory. The context goes when the process ends, which is quicker. */
void kg_worker_gpu_close(struct worker_gpu *gpu);

/* Puts device memory into the response. */
void kg_worker_gpu_finish(struct kg_worker *worker);
