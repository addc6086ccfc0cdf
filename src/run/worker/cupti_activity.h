/* cupti_activity.h: what the device does during a few calls, by CUPTI. First thread of a process
 * that is not timed. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "device/driver.h"
#include "run/timing/gpu_timer.h"
#include "run/worker/activity.h"
#include "run/worker/cupti.h"

/* Runs the call once to warm it up and then KG_TRACED_CALLS times, the device idle before each.
 * activities  filled on success, to be freed with kg_activities_free; the names in it are CUPTI's
 * returns     false with KG_ERROR_MEASURE where CUPTI or the device refuses, KG_ERROR_MEMORY where
 *             memory is out */
bool kg_cupti_trace(const struct kg_cupti *cupti, const struct kg_driver *driver,
                    const struct kg_gpu_call *call, struct kg_activities *activities,
                    struct kg_error *err);
void kg_activities_free(struct kg_activities *activities);
