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
    double bytes;          /* of a copy */
    double pageable_bytes; /* of a copy: all or none, by the host's memory; NaN where not known */
    /* Of a kernel: */
    const void *function; /* launches of one function are one kernel */
    const char *name;     /* NULL where the driver does not say */
    double blocks;
    double threads; /* of a block */
    double registers;
    double shared_bytes; /* static and dynamic */
    double local_bytes;
    double resident_blocks; /* that a multiprocessor holds at once; NaN where not known */
};

/* NaN where not known. */
struct kg_gpu_shape {
    double multiprocessors;
    double threads_per_multiprocessor;
};

/* Sums up the nodes of one call: fills everything of `trace` but times. A kernel that is launched
 * more than once, in different sizes, has the figures of its largest launch. Pure.
 * arena  owns the names: copies, or "kernel 1" where the driver gave none */
void kg_gpu_nodes_summarize(const struct kg_gpu_node *nodes, size_t count,
                            const struct kg_gpu_shape *shape, struct kg_arena *arena,
                            struct kg_trace *trace);

/* Records one call on `stream` and summarizes it. The stream is usable afterwards, also where the
 * call cannot be recorded. The workload may remember that calls were refused meanwhile, so this
 * should be the last thing that is done with it.
 * returns  false with KG_ERROR_MEASURE where the call cannot be recorded, because it waits for the
 *          device or uses other streams without joining them */
bool kg_gpu_inspect(const struct kg_driver *driver, int device, void *stream,
                    const struct kg_gpu_call *call, struct kg_arena *arena, struct kg_trace *trace,
                    struct kg_error *err);
