/* gpu_inspect.h: lists the GPU work of one call. It captures the call into a CUDA graph and reads the
 * graph: nothing runs, nothing is timed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "device/driver.h"
#include "model/results.h"
#include "run/timing/gpu_timer.h"

#define KG_TRACE_OF_GRAPH "graph"

enum kg_gpu_node_kind {
    KG_GPU_KERNEL,
    KG_GPU_TO_DEVICE, /* copies */
    KG_GPU_TO_HOST,
    KG_GPU_WITHIN,
    KG_GPU_SOMEWHERE, /* a copy between addresses of which the graph does not say whose they are */
    KG_GPU_FILL,
};

/* One thing that a call puts on the device. */
struct kg_gpu_node {
    enum kg_gpu_node_kind kind;
    double bytes;          /* size of a copy */
    double pageable_bytes; /* of a copy: all or none, by the host's memory; NaN if not known */
    /* Of a kernel: */
    const void *function; /* identifies the kernel, over several launches */
    const char *name;     /* NULL if the driver gives none */
    double blocks;
    double threads; /* of a block */
    double registers;
    double shared_bytes; /* static and dynamic */
    double local_bytes;
    double resident_blocks; /* most blocks on a multiprocessor at once; NaN if not known */
};

/* NaN: not known. */
struct kg_gpu_shape {
    double multiprocessors;
    double threads_per_multiprocessor;
};

/* Sums up the nodes of one call: fills all fields of `trace` except times. A kernel launched several
 * times, in different sizes, gets the figures of its largest launch. Pure.
 * arena  owns the names: copies, or "kernel 1" if the driver gave none */
void kg_gpu_nodes_summarize(const struct kg_gpu_node *nodes, size_t count,
                            const struct kg_gpu_shape *shape, struct kg_arena *arena,
                            struct kg_trace *trace);

/* Captures one call on `stream` and summarises it. The stream stays usable, even if the capture fails.
 * The workload may remember calls that failed during the capture. So this should be its last use.
 * returns  false with KG_ERROR_MEASURE if the capture fails: the call waits for the device, or uses
 *          other streams without joining them */
bool kg_gpu_inspect(const struct kg_driver *driver, int device, void *stream,
                    const struct kg_gpu_call *call, struct kg_arena *arena, struct kg_trace *trace,
                    struct kg_error *err);
