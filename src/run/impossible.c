#include "run/extra_passes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/breakdown.h"
#include "model/cpu_ceilings.h"

/* A rate of the case and its ceiling; NaN: not known. */
struct rate {
    const char *what;
    const char *unit;
    double value;
    double ceiling;
    const char *of; /* the ceiling */
};

static bool does(const struct kg_case_result *result, const char *arithmetic)
{
    return result->work.arithmetic && !strcmp(result->work.arithmetic, arithmetic);
}

static size_t cpu_rates(const struct kg_cpu_ceilings *ceilings, const struct kg_case_result *result,
                        struct rate rates[2])
{
    const double threads = result->threads ? (double)result->threads : ceilings->all.threads;
    const bool known = ceilings->measured;
    const bool f32 = does(result, KG_ARITHMETIC_F32);
    rates[0] = (struct rate){"computing", "FLOP/s", result->work.flops_per_second,
                             known && f32 ? kg_cpu_flops(ceilings, true, threads) : NAN,
                             "vectors on that many threads"};
    rates[1] = (struct rate){"moving data", "B/s", result->work.bytes_per_second,
                             known ? kg_cpu_bandwidth(ceilings, KG_LEVEL_L1, threads) : NAN,
                             "the first level of cache on that many threads"};
    return 2;
}

/* Derives the GPU's peaks from the case's shares of them. Without ceilings the peaks are NaN. A cold call without a
 * share has the peak of memory, too: the L2 cache spares it less than half of the bytes. */
static size_t gpu_rates(const struct kg_ceilings *ceilings, const struct kg_case_result *result,
                        struct rate rates[2])
{
    const struct kg_case_work *work = &result->work;
    const bool tensor = does(result, KG_ARITHMETIC_BF16_TENSOR);
    const double flops = work->flops_per_second / (tensor ? work->tensor_share : work->fma_share);
    const bool cold = !strcmp(result->timing, kg_timing_names[KG_TIMING_COLD]);
    const double bytes = isnan(work->bandwidth_share) && cold
                             ? kg_memory_ceiling(ceilings, work)
                             : work->bytes_per_second / work->bandwidth_share;
    rates[0] = (struct rate){"computing", "FLOP/s", work->flops_per_second, flops,
                             tensor ? "tensor cores" : "multiply-adds"};
    rates[1] = (struct rate){"moving data", "B/s", work->bytes_per_second, bytes, "device memory"};
    return 2;
}

bool kg_case_impossible(const struct kg_cpu_ceilings *cpu, const struct kg_ceilings *gpu,
                        const struct kg_case_result *result, char *reason, size_t bytes)
{
    struct rate rates[2];
    const size_t count =
        result->timing ? gpu_rates(gpu, result, rates) : cpu_rates(cpu, result, rates);
    const bool doubtful = result->timing ? gpu->note : cpu->note;
    const double times = doubtful ? KG_IMPOSSIBLE_DOUBTFUL : KG_IMPOSSIBLE;
    for (size_t i = 0; i < count; i++) {
        const struct rate *rate = &rates[i];
        if (!(rate->value > times * rate->ceiling))
            continue;
        snprintf(reason, bytes,
                 "impossible: %s at %.3g %s is %.3g times the measured peak, %.3g %s of %s. Either "
                 "the compiler removed the work, or the workload reports too much work",
                 rate->what, rate->value, rate->unit, rate->value / rate->ceiling, rate->ceiling,
                 rate->unit, rate->of);
        return true;
    }
    return false;
}
