/* gpu_timer.h: a worker process's hold on its GPU: the primary context, a stream of kgate's own, and
 * what times work on it by the device's own clock. One in a process; its first thread only. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/driver.h"
#include "measure/gpu_clock.h"
#include "util/error.h"

struct kg_gpu_timer {
    struct kg_driver driver;
    int device; /* the process's only one: the worker is started with CUDA_VISIBLE_DEVICES */
    void *context;
    void *stream; /* waits for the legacy default stream, and that for it */
    void *module; /* of src/device/code */
    void *hold_function, *stamp_function, *empty_function;
    void *start, *stop; /* events */
    uint32_t *gate;     /* page-locked and mapped: what the holding kernel waits for */
    uint64_t gate_address;
    uint64_t flush_address; /* as large as twice the L2 cache */
    size_t flush_bytes;
    struct kg_stamps *stamps; /* page-locked: where the stamping kernel's readings arrive */
    uint64_t stamps_address;
    int multiprocessors;
    double resolution_ns; /* smallest step between event times that was seen, at least 1 */
    double overhead_ns;   /* what events around nothing measure, median: already taken out of times */
};

/* Opens the driver (`library`, else KG_DRIVER_LIBRARY), retains the primary context of device 0,
 * makes it current and prepares everything above. On failure nothing is held; err says why:
 * KG_ERROR_MEASURE. */
bool kg_gpu_timer_open(const char *library, struct kg_gpu_timer *timer, struct kg_error *err);
void kg_gpu_timer_close(struct kg_gpu_timer *timer);

/* What is timed: `run` is handed `state` and puts its work on the timer's stream. */
struct kg_gpu_call {
    void (*run)(void *state);
    void *state;
};

/* How a call can be timed, found by trying it once with the device held back for at most a tenth of a
 * second. */
struct kg_gpu_nature {
    bool synchronises;   /* `run` waits for the device: it cannot be held back, and its time on the
                            device includes waiting for the host */
    bool capturable;     /* into a CUDA graph */
    char why_not[160];   /* where not capturable: what the driver said */
    double call_ns;      /* host time of a call until the device is done */
    double gpu_ns;       /* device time of a call, first impression */
    double launch_ns;    /* host time of `run` alone */
};
bool kg_gpu_nature_find(struct kg_gpu_timer *timer, const struct kg_gpu_call *call,
                        struct kg_gpu_nature *nature, struct kg_error *err);

/* One sample. */
struct kg_gpu_sample {
    double gpu_ns;      /* a call, the timer's overhead taken out */
    double launch_ns;   /* host time a call to put it on the stream */
    double sm_clock_hz; /* while it ran, by the device's own counters; NaN where not readable */
};

/* Times one call with the L2 cache flushed before, its launch hidden behind a kernel that holds the
 * stream until `run` has returned. */
bool kg_gpu_cold(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, bool hold,
                 struct kg_gpu_sample *sample, struct kg_error *err);
/* Times `batch` calls back to back; the hold ends as soon as all are launched, or the queue is as
 * full as is safe (KG_GPU_HELD_MOST launches). */
bool kg_gpu_hot(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, uint64_t batch,
                bool hold, struct kg_gpu_sample *sample, struct kg_error *err);

/* A recording of `calls` calls. */
struct kg_gpu_graph {
    void *executable;
    uint64_t calls;
};
bool kg_gpu_graph_record(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, uint64_t calls,
                         struct kg_gpu_graph *graph, struct kg_error *err);
/* Times `replays` of it back to back. */
bool kg_gpu_graph_time(struct kg_gpu_timer *timer, const struct kg_gpu_graph *graph,
                       uint64_t replays, struct kg_gpu_sample *sample, struct kg_error *err);
void kg_gpu_graph_free(struct kg_gpu_timer *timer, struct kg_gpu_graph *graph);

/* One call by the host's clock, until the device is done. */
bool kg_gpu_wall(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, double *call_ns,
                 struct kg_error *err);
