/* worker_gpu.h: a worker's GPU, opened at the first request that needs it and kept for those after:
 * a CUDA context takes longer to make than a round to measure. First thread only. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/nvml.h"
#include "run/timing/gpu_sampler.h"
#include "run/timing/gpu_timer.h"

struct kg_worker;

struct worker_gpu {
    bool open;
    struct kg_gpu_timer timer;
    struct kg_gpu_sampler sampler;
    struct kg_gpu_sampling sampling; /* of a round */
    struct kg_nvml_telemetry before; /* anything was done here */
    bool told;                       /* that */
    struct kg_nvml nvml;             /* closed where there is none */
    size_t nvml_index;               /* of the device, where nvml is open */
    double *buffer;                  /* for samples */
    size_t free_bytes;               /* of device memory, before the workload was set up */
    size_t free_least;               /* the least seen since */
};

/* Before set-up: opens the GPU if it is not, and hands it to the workload. */
bool kg_worker_gpu_start(struct kg_worker *worker, struct kg_error *err);
/* After set-up: what is to be timed. */
void kg_worker_gpu_ready(struct kg_worker *worker);

/* KG_TASK_CHECK, but for the check itself: how the call can be timed, and the batch. */
bool kg_worker_gpu_check(struct kg_worker *worker, struct kg_error *err);
/* A round piece by piece, as kg_gpu_sampling has it, with what NVML says of it. */
bool kg_worker_gpu_begin(struct kg_worker *worker, struct kg_error *err);
bool kg_worker_gpu_run(struct kg_worker *worker, double time_ns, double *measured_ns,
                       struct kg_error *err);
bool kg_worker_gpu_end(struct kg_worker *worker, struct kg_round *round, struct kg_error *err);
void kg_worker_gpu_drop(struct kg_worker *worker); /* after kg_worker_gpu_begin, in any case */

/* Waits for what the workload put on its stream, and says what went wrong there. */
bool kg_worker_gpu_wait(struct kg_worker *worker, struct kg_error *err);
/* KG_TASK_TRACE and KG_TASK_CEILINGS. */
bool kg_worker_gpu_trace(struct kg_worker *worker, struct kg_error *err);
bool kg_worker_gpu_ceilings(struct kg_worker *worker, struct kg_error *err);

/* Notes how much device memory is free, if less than ever before: after whatever may allocate. */
void kg_worker_gpu_memory(struct kg_worker *worker);
/* Frees its host memory. The context goes when the process ends, which is quicker. */
void kg_worker_gpu_close(struct worker_gpu *gpu);

/* Puts device memory into the response. */
void kg_worker_gpu_finish(struct kg_worker *worker);
