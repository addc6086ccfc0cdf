/* cupti_counters.h: counts of the device's hardware during a call, by CUPTI's range profiler. To be
 * called on the first thread of a process that is not timed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/driver.h"
#include "run/timing/gpu_timer.h"
#include "run/worker/cupti.h"
#include "run/worker/protocol.h"

enum { KG_CUPTI_METRICS = 5 };

/* A counter by kgate's name and by NVIDIA's name. Nsight Compute's documentation explains the
 * latter. */
struct kg_cupti_metric {
    const char *name;
    const char *metric;
    double scale; /* factor from NVIDIA's unit to kgate's: shares are 0 to 1 */
    enum kg_better better;
};
extern const struct kg_cupti_metric kg_cupti_metrics[KG_CUPTI_METRICS];

/* Runs the call once per pass that the device needs to count everything.
 * context   the current CUDA context, on device 0
 * reported  room for KG_CUPTI_METRICS; filled with names and values, without counters that the
 *           device lacks;
 * count     receives the number of filled entries;
 * returns   false with KG_ERROR_MEASURE if counting is not permitted or not possible */
bool kg_cupti_count(const struct kg_cupti *cupti, const struct kg_driver *driver, void *context,
                    const struct kg_gpu_call *call, struct kg_reported *reported, size_t *count,
                    struct kg_error *err);
