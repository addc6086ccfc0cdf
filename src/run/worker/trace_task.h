/* trace_task.h: the task of a worker that finds out what a call puts on the device. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "device/driver.h"
#include "run/timing/gpu_timer.h"
#include "run/worker/activity.h"
#include "run/worker/cupti.h"
#include "run/worker/protocol.h"

/* Runs the call once, then traces it with CUPTI where that is installed, counts with the device's
 * hardware where that is permitted, and last records the call into a graph. The process stays slow
 * afterwards: nothing may be timed in it any more.
 * cupti_library  a path, as kg_cupti_open; NULL: look for it
 * arena          owns what the response refers to
 * response       `trace` and `reported` are filled: what the hardware counted, by name, for one
 *                call. What could not be found out is said in the trace's reason and is no failure
 * returns        false where the call fails on the device */
bool kg_trace_task(struct kg_gpu_timer *timer, const char *cupti_library,
                   const struct kg_gpu_call *call, struct kg_arena *arena,
                   struct kg_response *response, struct kg_error *err);

/* kernel_name.c: a kernel's name as people write it. Thread-safe. */

/* "_ZN2ns4copyIfLi4EEEvPT_i" as "ns::copy<float, 4>": as the machine's C++ library reads it, where
 * there is one, without result and arguments.
 * returns the name itself where it is none of C++'s or cannot be read */
const char *kg_kernel_name(struct kg_arena *arena, const char *name);

/* "void ns::copy<float, 4>(float*, int)" without result and arguments. */
const char *kg_kernel_name_short(struct kg_arena *arena, const char *declaration);

/* cupti_activity.c: what the device does during a few calls, by CUPTI. First thread of a process
 * that is not timed. */

/* Runs the call once to warm it up and then KG_TRACED_CALLS times, the device idle before each.
 * activities  filled on success, to be freed with kg_activities_free; the names in it are CUPTI's
 * returns     false with KG_ERROR_MEASURE where CUPTI or the device refuses */
bool kg_cupti_trace(const struct kg_cupti *cupti, const struct kg_driver *driver,
                    const struct kg_gpu_call *call, struct kg_activities *activities,
                    struct kg_error *err);
void kg_activities_free(struct kg_activities *activities);
