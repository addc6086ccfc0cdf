/* breakdown.h: where the time of a call on the GPU goes, and its share of what the GPU is capable
 * of. Pure functions; thread-safe. What is not known is NaN. */
#pragma once
#include "model/ceilings.h"
#include "model/results.h"

/* Of one call. */
struct kg_call_times {
    double wall_ns;   /* by the host's clock, a call alone, until the device is done */
    double device_ns; /* by the device's clock; NaN where that was not read */
    double cpu_ns;
};

/* Divides a call's time:
 *   gpu_ns       kernels, and copies and fills within the device
 *   transfer_ns  copies between host and device that nothing of the above hides
 *   overhead_ns  the rest of wall_ns: launching, waiting, the device idle between two kernels
 *   cpu_ns       besides those, since the host works or waits while the device does
 * The device's time is divided as the trace saw it divided, whose own times, slowed by looking, are
 * only used where the device's clock was not read. Without times in the trace transfers are part of
 * gpu_ns and transfer_ns is NaN, but 0 where the trace knows that there are none. gpu_ns,
 * transfer_ns and overhead_ns add up to wall_ns: a device's time that is longer than wall_ns, as
 * one with cold caches can be, is scaled to fit. */
struct kg_breakdown kg_breakdown_of_call(const struct kg_call_times *times,
                                         const struct kg_trace *trace);

/* The bandwidth of memory for such work, bytes a second, by how much of what it moves it writes; of
 * copying or reading, whichever is faster, where that is not known; NaN without a ceiling. Pure. */
double kg_memory_ceiling(const struct kg_ceilings *ceilings, const struct kg_case_work *work);

/* Fills the shares of `work` from its rates.
 * cached  what it moves may come from the L2 cache: then memory's ceiling is none of it */
void kg_work_shares(const struct kg_ceilings *ceilings, bool cached, struct kg_case_work *work);
