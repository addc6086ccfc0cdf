/* trace_task.h: a worker's task of seeing what a call puts on the device. */
#pragma once
#include <stdbool.h>

#include "timing/gpu_timer.h"
#include "util/arena.h"
#include "worker/protocol.h"

/* Runs the call once, then traces it by CUPTI where there is one, counts with the device's hardware
 * where that is permitted, and last records it into a graph. Fills trace and reported (what the
 * hardware counted, by name, a call) of the response; what could not be seen is said in the trace's
 * reason and is no failure. Slows the process down for good: nothing is to be timed in it
 * afterwards. cupti_library  as kg_cupti_open; NULL: look returns        false where the call fails
 * on the device or memory is out */
bool kg_trace_task(struct kg_gpu_timer *timer, const char *cupti_library,
                   const struct kg_gpu_call *call, struct kg_arena *arena,
                   struct kg_response *response, struct kg_error *err);
