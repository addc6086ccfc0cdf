/* trace_task.h: the task of a worker that finds out what a call puts on the device. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "run/timing/gpu_timer.h"
#include "run/worker/protocol.h"

/* Runs the call once, then traces it with CUPTI where that is installed, counts with the device's
 * hardware where that is permitted, and last records the call into a graph. The process stays slow
 * afterwards: nothing may be timed in it any more.
 * cupti_library  a path, as kg_cupti_open; NULL: look for it
 * arena          owns what the response refers to
 * response       `trace` and `reported` are filled: what the hardware counted, by name, for one
 *                call. What could not be found out is said in the trace's reason and is no failure
 * returns        false where the call fails on the device, or memory is out */
bool kg_trace_task(struct kg_gpu_timer *timer, const char *cupti_library,
                   const struct kg_gpu_call *call, struct kg_arena *arena,
                   struct kg_response *response, struct kg_error *err);
