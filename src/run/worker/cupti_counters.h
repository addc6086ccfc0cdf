/* cupti_counters.h: what the device's hardware counts during a call, by CUPTI's range profiler.
 * First thread of a process that is not timed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/driver.h"
#include "run/timing/gpu_timer.h"
#include "run/worker/cupti.h"
#include "run/worker/protocol.h"

enum { KG_CUPTI_METRICS = 5 };

/* A counter under kgate's name and under NVIDIA's, which Nsight Compute's documentation
 * explains. */
struct kg_cupti_metric {
    const char *name;
    const char *metric;
    double scale; /* from NVIDIA's unit: shares are 0 to 1 */
    enum kg_better better;
};
extern const struct kg_cupti_metric kg_cupti_metrics[KG_CUPTI_METRICS];

/* Runs the call as often as the device needs to count everything: once in each of its passes.
 * context   the current CUDA context, of device 0
 * reported  room for KG_CUPTI_METRICS; filled with values by name, of the counters that this device
 *           has
 * count     how many those are
 * returns   false with KG_ERROR_MEASURE where counting is not permitted or not possible */
bool kg_cupti_count(const struct kg_cupti *cupti, const struct kg_driver *driver, void *context,
                    const struct kg_gpu_call *call, struct kg_reported *reported, size_t *count,
                    struct kg_error *err);
