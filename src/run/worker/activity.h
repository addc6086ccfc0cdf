/* activity.h: the records that CUPTI gives of a device's work during a few calls, and their summary
 * per call. Pure functions, except that they allocate in an arena; thread-safe. */
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

/* Times are in ns of CUPTI's clock. Both are 0 if the device had no room to store them. */
struct kg_activity {
    enum kg_activity_kind kind;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t correlation; /* number of the API call that caused it: numbers rise with each call */
    uint64_t bytes;       /* size of a copy */
    bool pageable;        /* a copy from or to host memory that is not page-locked */
    /* Of a kernel: */
    const char *name;
    double blocks;
    double threads; /* per block */
    double registers;
    double shared_bytes; /* static and dynamic */
    double local_bytes;
};

struct kg_activities {
    struct kg_activity *of; /* in any order */
    size_t count;
    uint64_t dropped; /* number of records lost for lack of room */
    /* Times of an idle device: before each call and after the last. Work that began between marks[i]
     * and marks[i + 1] belongs to call i. */
    uint64_t marks[KG_TRACED_CALLS + 1];
};

/* Fills all fields of `trace` except occupancy and waves: medians over the calls for times and
 * bytes, means for launches. If several activities overlap, their time counts once: for the kernels,
 * else for the transfers, else for the others. So the sum of kernel_ns, transfer_ns, other_ns and
 * gap_ns is the time from a call's first start to its last end. hidden_ns is part of kernel_ns. A
 * kernel's own gpu_ns is its whole time. If records are missing, all fields are NaN and `reason` says
 * why. */
void kg_activities_summarize(const struct kg_activities *activities, struct kg_arena *arena,
                             struct kg_trace *trace);

/* Joins a recording (gpu_inspect.h) with CUPTI's observation of the same call. Launches, times and
 * bytes come from CUPTI. Occupancy, waves, and a kernel's shape come from the recording. kgate
 * matches kernels by their names; by their shapes if the recording has no names. If one source is
 * missing, the other one fills all fields. `reason` keeps both reasons. It also says if the numbers
 * of launches differ. */
void kg_traces_join(const struct kg_trace *recorded, const struct kg_trace *seen,
                    struct kg_arena *arena, struct kg_trace *joined);
