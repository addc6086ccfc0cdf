#include "pipelines/many_small_kernels.h"

#include <float.h>
#include <math.h>

#include "common/common.h"
#include "common/device.h"

enum { ELEMENTS, STEPS, VERSION, PARAMS };

static const char *const names[] = {"launches", "graph", "fused", NULL};
static void (*const versions[][2])(void *) = {
    {kg_many_small_kernels_launches, KG_CUDA_VERSION(kg_many_small_kernels_cuda_launches)},
    {NULL, KG_CUDA_VERSION(kg_many_small_kernels_cuda_graph)},
    {kg_many_small_kernels_fused, KG_CUDA_VERSION(kg_many_small_kernels_cuda_fused)},
};
static const struct kgate_param params[PARAMS] = {
    KG_PARAM_WHOLE("elements", "4096", 1, 1e9, "oscillators"),
    KG_PARAM_WHOLE("steps", "200", 1, 100000, "steps that each takes, one after the other"),
    KG_PARAM_CHOICE(
        "version", "fused", names,
        "launches: a kernel or a parallel region a step, fused: one for all; GPU only: graph: "
        "a kernel a step, launched as one graph"),
};

static size_t oscillators(const void *state)
{
    return ((const struct kg_many_small_kernels *)state)->n;
}

/* x and v of each are two floats side by side. */
static void oscillators_fill(const void *state, void *array, size_t count, uint64_t seed)
{
    kg_array_floats(state, array, 2 * count, seed);
}

static const struct kg_kernel_array arrays[] = {
    {KG_ARRAY(struct kg_many_small_kernels, start), .role = KG_INPUT, .count = oscillators,
     .fill = oscillators_fill},
    {KG_ARRAY(struct kg_many_small_kernels, now), .role = KG_OUTPUT, .count = oscillators},
};

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    struct kg_many_small_kernels *chain = state;
    chain->n = (size_t)context->values[ELEMENTS].integer;
    chain->steps = (unsigned)context->values[STEPS].integer;
    const double n = (double)context->values[ELEMENTS].integer;
    const double steps = (double)context->values[STEPS].integer;
    *work = (struct kgate_work){.items = n * steps,
                                .bytes = 2 * n * (double)sizeof(struct kg_oscillator),
                                .flops = 4 * n * steps};
    return true;
}

static double block_error(const struct kg_oscillator *start, const struct kg_oscillator *now,
                          size_t count, unsigned steps)
{
    double x[KG_MANY_SMALL_KERNELS_BLOCK], v[KG_MANY_SMALL_KERNELS_BLOCK], worst = 0;
    kg_many_small_kernels_reference(start, count, steps, x, v);
    for (size_t i = 0; i < count; i++) {
        const double error = kg_worse(fabs((double)now[i].x - x[i]), fabs((double)now[i].v - v[i]));
        const double size = hypot((double)start[i].x, (double)start[i].v);
        worst = kg_worse(worst, kg_relative(error, size));
    }
    return worst;
}

static bool compare(const void *state, struct kgate_check *check)
{
    const struct kg_many_small_kernels *work = state;
    const size_t n = work->n, block = KG_MANY_SMALL_KERNELS_BLOCK;
    double worst = 0;
#pragma omp parallel for num_threads(work->call.threads) schedule(static)
    for (size_t at = 0; at < n; at += block) {
        const double error = block_error(work->start + at, work->now + at,
                                         n - at < block ? n - at : block, work->steps);
#pragma omp critical(kg_many_small_kernels_check)
        worst = kg_worse(worst, error);
    }
    check->error = worst;
    check->tolerance = 1.25 * (double)work->steps * (double)FLT_EPSILON / 2;
    return true;
}

static const struct kg_kernel many_small_kernels_kernel = {
    .state_bytes = sizeof(struct kg_many_small_kernels),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(names, VERSION, versions),
    .shape = shape,
    .prepare = {[KGATE_DEVICE_CUDA] = KG_CUDA_VERSION(kg_many_small_kernels_prepare)},
    .finish = {[KGATE_DEVICE_CUDA] = KG_CUDA_VERSION(kg_many_small_kernels_finish)},
    .compare = compare,
};
KG_KERNEL_WORKLOAD(many_small_kernels,
                   .summary = "Takes small steps one after the other: what starting work costs.",
                   .params = params, .param_count = PARAMS, .devices = KG_KERNEL_DEVICES,
                   .revision = 1);
