/* breakdown.h: the parts of a GPU call's time, and its share of the GPU's peaks. Pure functions;
 * thread-safe. Unknown numbers are NaN. */
#pragma once
#include "model/ceilings.h"
#include "model/results.h"

/* Times of one call. */
struct kg_call_times {
    double wall_ns;   /* by the host's clock, one call alone, until the device is done */
    double device_ns; /* by the device's clock; NaN: not read */
    double cpu_ns;
};

/* Divides a call's time:
 *   gpu_ns       kernels, and copies and fills within the device;
 *   transfer_ns  copies between host and device, except those that such work hides;
 *   overhead_ns  the rest of wall_ns: launching, waiting, the device idle between two kernels;
 *   cpu_ns       besides these parts, since the host works or waits while the device works.
 * The trace gives the proportions of the device's time. Its own times count only if the device's
 * clock was not read, since tracing slows a call. If the trace has no times, transfers are part of
 * gpu_ns, and transfer_ns is NaN. If the trace knows of no transfers, transfer_ns is 0. gpu_ns,
 * transfer_ns and overhead_ns add up to wall_ns. A device's time may be longer than wall_ns, for
 * example with cold caches: then it is scaled to fit. */
struct kg_breakdown kg_breakdown_of_call(const struct kg_call_times *times,
                                         const struct kg_trace *trace);

/* Peak memory bandwidth for work that writes this share of its bytes, in bytes per second. If the
 * share is unknown: the faster of copying and reading. NaN without a ceiling. Pure. */
double kg_memory_ceiling(const struct kg_ceilings *ceilings, const struct kg_case_work *work);

/* Peak rate of the tensor cores at a clock, FLOP/s: the architecture's FLOP per cycle. If kgate does not
 * know the architecture's: the measured peak, scaled from its clock. NaN without either. Pure.
 * gpu       NULL: unknown
 * clock_hz  of the multiprocessors; NaN: unknown, which gives the measured peak as it is */
double kg_tensor_ceiling(const struct kg_ceilings *ceilings, const struct kg_gpu *gpu,
                         double clock_hz);

/* Fills the shares of `work` from its rates.
 * cached           the L2 cache may spare memory traffic: then memory's peak does not apply
 * tensor_flops     kg_tensor_ceiling */
void kg_work_shares(const struct kg_ceilings *ceilings, bool cached, double tensor_flops,
                    struct kg_case_work *work);
