#include <math.h>

#include "device/code/ceilings_code.h"
#include "run/ceilings/ceilings_parts.h"
#include "run/timing/gpu_hold.h"

/* A launch takes one or two milliseconds. Every single sum stays below 2^24, so it is exact. The sum
 * of a thread is such a sum times a power of two, so it is exact, too. */
enum { FMA_ITERATIONS = 512, TENSOR_ITERATIONS = 1024, WGMMA_ITERATIONS = 2048 };

/* A kernel that stores the sum of each thread. */
struct arithmetic {
    const char *kernel;
    uint32_t iterations;
    unsigned shared_bytes;
    float thread_sum;    /* correct sum of each thread */
    double thread_flops; /* floating-point operations of each thread */
};

/* Chain c begins at c, and grows by 1 a step. */
enum { FMA_STARTS_SUM = KG_CEILING_CHAINS * (KG_CEILING_CHAINS - 1) / 2 };
static const struct arithmetic fma_chains = {
    .kernel = "kg_ceiling_fma",
    .iterations = FMA_ITERATIONS,
    .thread_sum = FMA_STARTS_SUM + KG_CEILING_CHAINS * KG_CEILING_CHAIN_STEPS * FMA_ITERATIONS,
    .thread_flops = 2.0 * KG_CEILING_CHAINS * KG_CEILING_CHAIN_STEPS * FMA_ITERATIONS,
};
/* A warp's 16 by 8 sums are four a thread; each grows by 16 a step. */
static const struct arithmetic tensor_tiles = {
    .kernel = "kg_ceiling_tensor",
    .iterations = TENSOR_ITERATIONS,
    .thread_sum = 4.0F * 16 * KG_CEILING_TILES * KG_CEILING_TILE_STEPS * TENSOR_ITERATIONS,
    .thread_flops =
        2.0 * 16 * 8 * 16 / 32 * KG_CEILING_TILES * KG_CEILING_TILE_STEPS * TENSOR_ITERATIONS,
};

/* A warpgroup's 64 by 256 sums, over 128 threads; each grows by 16 per step. */
static const struct arithmetic wgmma_tiles = {
    .kernel = "kg_ceiling_wgmma",
    .iterations = WGMMA_ITERATIONS,
    .shared_bytes = KG_CEILING_WGMMA_SHARED_BYTES,
    .thread_sum = 16.0F * KG_CEILING_WGMMA_SUMS * KG_CEILING_WGMMA_STEPS * WGMMA_ITERATIONS,
    .thread_flops = 2.0 * 16 * KG_CEILING_WGMMA_SUMS * KG_CEILING_WGMMA_STEPS * WGMMA_ITERATIONS,
};

static bool sums_checked(const struct kg_measuring *measuring, const struct arithmetic *arithmetic,
                         struct kg_ceiling_launch *launch, uint64_t results, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    const size_t count = (size_t)launch->blocks * KG_CEILING_THREADS;
    float *sums = kg_arena_alloc(measuring->arena, count, sizeof *sums);
    if (!kg_driver_good(driver,
                        driver->memset_async(results, 0xffffffff, count, launch->timer->stream),
                        "cannot clear device memory", err) ||
        !kg_ceiling_once(launch, err) ||
        !kg_driver_good(
            driver,
            driver->copy_to_host_async(sums, results, count * sizeof *sums, launch->timer->stream),
            "cannot read device memory", err) ||
        !kg_gpu_wait(launch->timer, err))
        return false;
    for (size_t i = 0; i < count; i++)
        if (sums[i] != arithmetic->thread_sum)
            return kg_error_set(err, KG_ERROR_MEASURE,
                                "%s on the GPU is wrong: the sum of thread %zu is %.9g, not %.9g",
                                arithmetic->kernel, i, (double)sums[i],
                                (double)arithmetic->thread_sum);
    return true;
}

/* Checks and times a kernel, with device memory for its results. *flops_per_s is NaN if a step fails.
 * random  a parameter of the launch: 0 for the checked sums, then 1 for the timed launches; NULL if
 *         the kernel has no such parameter */
static bool arithmetic_time(struct kg_measuring *measuring, const struct arithmetic *arithmetic,
                            struct kg_ceiling_launch *launch, uint32_t *random, double *flops_per_s,
                            double *clock_hz, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    const size_t threads = (size_t)launch->blocks * KG_CEILING_THREADS;
    uint64_t results = 0;
    double best_ns = NAN;
    if (!kg_driver_good(driver, driver->memory_allocate(&results, threads * sizeof(float)),
                        "cannot allocate device memory", err))
        return false;
    launch->parameters[0] = &results;
    const bool checked = sums_checked(measuring, arithmetic, launch, results, err);
    if (random)
        *random = 1;
    const bool timed = checked && kg_ceiling_best(launch, 1, &best_ns, clock_hz, err);
    launch->parameters[0] = NULL;
    driver->memory_free(results);
    *flops_per_s = kg_ceiling_rate((double)threads * arithmetic->thread_flops, best_ns);
    return timed;
}

bool kg_ceiling_fma(struct kg_measuring *measuring, struct kg_error *err)
{
    struct kg_ceiling_launch launch;
    uint32_t iterations = fma_chains.iterations;
    float one = 1, other_one = 1;
    if (!kg_ceiling_find(measuring, fma_chains.kernel, 0, 0, &launch, err))
        return false;
    launch.parameters[1] = &iterations;
    launch.parameters[2] = &one;
    launch.parameters[3] = &other_one;
    return arithmetic_time(measuring, &fma_chains, &launch, NULL,
                           &measuring->ceilings->fma_flops_per_s, &measuring->ceilings->sm_clock_hz,
                           err);
}

/* --- Tensor cores --- */

/* The higher of two figures counts, whichever there is. */
static bool tensor_time(struct kg_measuring *measuring, const struct arithmetic *arithmetic,
                        const char *by, struct kg_error *err)
{
    struct kg_ceilings *ceilings = measuring->ceilings;
    struct kg_ceiling_launch launch;
    uint32_t iterations = arithmetic->iterations, ones = 0x3f803f80,
             random = 0; /* two of 1.0 in bf16 */
    double flops_per_s, clock_hz;
    if (!kg_ceiling_find(measuring, arithmetic->kernel, 0, arithmetic->shared_bytes, &launch, err))
        return false;
    launch.parameters[1] = &iterations;
    launch.parameters[2] = &ones;
    launch.parameters[3] = &random;
    if (!arithmetic_time(measuring, arithmetic, &launch, &random, &flops_per_s, &clock_hz, err))
        return false;
    if (isnan(flops_per_s) || flops_per_s <= ceilings->tensor_flops_per_s)
        return true;
    ceilings->tensor_flops_per_s = flops_per_s;
    ceilings->tensor_clock_hz = clock_hz;
    ceilings->tensor_by = by;
    return true;
}

bool kg_ceiling_tensor(struct kg_measuring *measuring, struct kg_error *err)
{
    return tensor_time(measuring, &tensor_tiles, KG_TENSOR_BY_MMA, err);
}

bool kg_ceiling_wgmma(struct kg_measuring *measuring, struct kg_error *err)
{
    enum { NOT_FOUND = 500 }; /* CUDA_ERROR_NOT_FOUND: no such kernel for this device */
    void *function;
    struct kg_error unmeasured;
    (void)err;
    if (measuring->timer->driver.module_function(&function, measuring->module,
                                                 wgmma_tiles.kernel) == NOT_FOUND ||
        tensor_time(measuring, &wgmma_tiles, KG_TENSOR_BY_WGMMA, &unmeasured))
        return true;
    measuring->doubt =
        kg_arena_printf(measuring->arena, "tensor cores not by wgmma: %s", unmeasured.message);
    return true;
}
