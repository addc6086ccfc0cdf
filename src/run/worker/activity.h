/* activity.h: what a device did during a few calls, record by record as CUPTI gives it, and what
 * that comes to a call. Pure functions but for the arena; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/results.h"

#define KG_TRACE_OF_CUPTI "cupti"

enum { KG_TRACED_CALLS = 5 };

enum kg_activity_kind {
    KG_ACTIVITY_KERNEL,
    KG_ACTIVITY_TO_DEVICE, /* copies */
    KG_ACTIVITY_TO_HOST,
    KG_ACTIVITY_OTHER, /* copies and fills within the device */
};

/* Times are of CUPTI's clock; both are 0 where the device had no room to note them. */
struct kg_activity {
    enum kg_activity_kind kind;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t correlation; /* of the call that asked for it: in the order in which they were made */
    uint64_t bytes;       /* of a copy */
    bool pageable;        /* from or to memory of the host that is not page-locked */
    /* of a kernel: */
    const char *name;
    double blocks;
    double threads; /* of a block */
    double registers;
    double shared_bytes; /* static and dynamic */
    double local_bytes;
};

struct kg_activities {
    struct kg_activity *of; /* in any order */
    size_t count;
    uint64_t dropped; /* records that there was no room for */
    /* Times at which the device was idle: before each call and after the last. What began between
     * marks[i] and marks[i + 1] is call i's. */
    uint64_t marks[KG_TRACED_CALLS + 1];
};

/* Fills everything of `trace` but occupancy and waves: medians over the calls of times and bytes,
 * means of launches. Where several things ran at once, the time is counted once: as the kernels',
 * else as the transfers', else as the others'. So kernel_ns, transfer_ns, other_ns and gap_ns of a
 * call add up to the time from its first start to its last end; hidden_ns is part of the kernels'.
 * A kernel's own gpu_ns is all of its time. Where records are missing, all is NaN and `reason` says
 * why. */
void kg_activities_summarize(const struct kg_activities *activities, struct kg_arena *arena,
                             struct kg_trace *trace);

/* One trace of what was recorded (gpu_inspect.h) and what was seen. Launches, times and bytes are
 * what was seen, occupancy and what else a recording knows of a kernel what was recorded; kernels
 * of both are those of the same name, or of the same shape where a recording has no names. What one
 * of them lacks is the other's; both reasons are kept, and launches that differ
 * are one. */
void kg_traces_join(const struct kg_trace *recorded, const struct kg_trace *seen,
                    struct kg_arena *arena, struct kg_trace *joined);
