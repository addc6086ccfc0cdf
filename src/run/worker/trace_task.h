/* trace_task.h: the task of a worker that traces the GPU work of a call. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "device/driver.h"
#include "run/timing/gpu_timer.h"
#include "run/worker/activity.h"
#include "run/worker/cupti.h"
#include "run/worker/protocol.h"

/* CUPTI in a process that traces many calls: kgate searches it once. Zeroed before the first call. */
struct kg_tracer {
    const char *library; /* a path, as in kg_cupti_open; NULL: search */
    bool searched;
    bool found;
    struct kg_cupti cupti; /* open if it was found */
    char why[256];         /* phrase for people if it was not */
};

/* Runs the call once. If CUPTI is installed, traces the call with it. If this process may do so, counts
 * with the device's hardware. Last, captures the call into a graph. The process stays slow
 * afterwards: the caller must time nothing more in it.
 * tracer    the process's
 * arena     owns the response's strings and arrays
 * response  `trace` and `reported` are filled; `reported` has the hardware's counts per call, by
 *           name. A failed step becomes the trace's reason, and the task still succeeds. `last`
 *           is set if no graph could be recorded.
 * returns   false if the call fails on the device */
bool kg_trace_task(struct kg_gpu_timer *timer, struct kg_tracer *tracer,
                   const struct kg_gpu_call *call, struct kg_arena *arena,
                   struct kg_response *response, struct kg_error *err);

/* cupti_activity.c: CUPTI's records of the device's work during a few calls. First thread of a
 * process that is not timed. */

/* Runs the call once to warm it up and then KG_TRACED_CALLS times, the device idle before each.
 * activities  filled on success, to be freed with kg_activities_free; CUPTI owns the names in it
 * returns     false with KG_ERROR_MEASURE if CUPTI or the device refuses */
bool kg_cupti_trace(const struct kg_cupti *cupti, const struct kg_driver *driver,
                    const struct kg_gpu_call *call, struct kg_activities *activities,
                    struct kg_error *err);
void kg_activities_free(struct kg_activities *activities);
