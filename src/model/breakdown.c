#include "model/breakdown.h"

#include <math.h>
#include <string.h>

/* From the start of a call's first work on the device to the end of its last. */
static double span_seen(const struct kg_trace *trace)
{
    return trace->kernel_ns + trace->transfer_ns + trace->other_ns + trace->gap_ns;
}

static void device_divide(double device_ns, const struct kg_trace *trace,
                          struct kg_breakdown *breakdown)
{
    const double seen_ns = span_seen(trace);
    breakdown->gpu_ns = device_ns;
    if (seen_ns > 0) {
        const double scale = (isnan(device_ns) ? seen_ns : device_ns) / seen_ns;
        breakdown->gpu_ns = scale * (trace->kernel_ns + trace->other_ns);
        breakdown->transfer_ns = scale * trace->transfer_ns;
    } else if (trace->to_device_bytes == 0 && trace->to_host_bytes == 0) {
        breakdown->transfer_ns = 0;
    }
}

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

struct kg_breakdown kg_breakdown_of_call(const struct kg_call_times *times,
                                         const struct kg_trace *trace)
{
    struct kg_breakdown breakdown = {.wall_ns = times->wall_ns,
                                     .gpu_ns = NAN,
                                     .cpu_ns = times->cpu_ns,
                                     .transfer_ns = NAN,
                                     .overhead_ns = NAN};
    device_divide(times->device_ns, trace, &breakdown);
    const double parts_ns = known(breakdown.gpu_ns) + known(breakdown.transfer_ns);
    if (parts_ns > breakdown.wall_ns) {
        breakdown.gpu_ns *= breakdown.wall_ns / parts_ns;
        breakdown.transfer_ns *= breakdown.wall_ns / parts_ns;
    }
    if (!isnan(breakdown.gpu_ns))
        breakdown.overhead_ns = fmax(breakdown.wall_ns - parts_ns, 0);
    if (isnan(breakdown.wall_ns))
        breakdown.overhead_ns = NAN;
    return breakdown;
}

/* An unknown or impossible ceiling gives no share. */
static double share(double rate, double ceiling)
{
    return ceiling > 0 ? rate / ceiling : NAN;
}

static bool does(const struct kg_case_work *work, const char *arithmetic)
{
    return work->arithmetic && !strcmp(work->arithmetic, arithmetic);
}

/* A copy writes half of the bytes that it moves. Between reading alone and copying, the time per
 * byte is interpolated. Work that writes a larger share has no peak of its own: the copy's
 * counts. */
double kg_memory_ceiling(const struct kg_ceilings *ceilings, const struct kg_case_work *work)
{
    const double copy = ceilings->copy_bytes_per_s, read = ceilings->read_bytes_per_s;
    const double written = work->written_bytes / work->bytes;
    if (!(written > 0) || !(copy > 0) || !(read > copy))
        return fmax(copy, read);
    const double as_copied = fmin(2 * written, 1);
    return 1 / (as_copied / copy + (1 - as_copied) / read);
}

/* Dense bf16 products with single-precision sums, in FLOP per cycle of a multiprocessor. Other
 * architectures have several rates under one number. */
static const struct {
    const char *capability;
    double flops_per_cycle;
} tensor_cores[] = {{"8.0", 2048}, {"9.0", 4096}, {"10.0", 8192}};
enum { TENSOR_CORES = sizeof tensor_cores / sizeof *tensor_cores };

double kg_tensor_ceiling(const struct kg_ceilings *ceilings, const struct kg_gpu *gpu,
                         double clock_hz)
{
    if (!(clock_hz > 0))
        return ceilings->tensor_flops_per_s;
    for (size_t i = 0; gpu && gpu->compute_capability && i < TENSOR_CORES; i++)
        if (!strcmp(gpu->compute_capability, tensor_cores[i].capability) && gpu->multiprocessors)
            return tensor_cores[i].flops_per_cycle * (double)gpu->multiprocessors * clock_hz;
    return ceilings->tensor_clock_hz > 0
               ? ceilings->tensor_flops_per_s * clock_hz / ceilings->tensor_clock_hz
               : ceilings->tensor_flops_per_s;
}

void kg_work_shares(const struct kg_ceilings *ceilings, bool cached, double tensor_flops,
                    struct kg_case_work *work)
{
    work->bandwidth_share =
        cached ? NAN : share(work->bytes_per_second, kg_memory_ceiling(ceilings, work));
    work->fma_share = does(work, KG_ARITHMETIC_F32)
                          ? share(work->flops_per_second, ceilings->fma_flops_per_s)
                          : NAN;
    work->tensor_share =
        does(work, KG_ARITHMETIC_BF16_TENSOR) ? share(work->flops_per_second, tensor_flops) : NAN;
}
