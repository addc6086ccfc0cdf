#include "pipelines/many_small_kernels.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"

enum { ELEMENTS, STEPS, VERSION, PARAMS };

static const char *const versions[] = {"launches", "graph", "fused", NULL};
/* Each version's function for each device; NULL where there is none. */
static void (*const table[][2])(const struct kg_many_small_kernels *) = {
    {kg_many_small_kernels_launches, KG_CUDA_VERSION(kg_many_small_kernels_cuda_launches)},
    {NULL, KG_CUDA_VERSION(kg_many_small_kernels_cuda_graph)},
    {kg_many_small_kernels_fused, KG_CUDA_VERSION(kg_many_small_kernels_cuda_fused)},
};
static const struct kgate_param params[PARAMS] = {
    {.name = "elements",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "4096",
     .minimum = 1,
     .maximum = 1e9,
     .help = "oscillators"},
    {.name = "steps",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "200",
     .minimum = 1,
     .maximum = 100000,
     .help = "steps that each takes, one after the other"},
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "fused",
     .choices = versions,
     .help = "launches: a kernel or a parallel region a step, fused: one for all; GPU only: graph: "
             "a kernel a step, launched as one graph"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[ELEMENTS].integer;
    const double steps = (double)context->values[STEPS].integer;
    const int64_t version = context->values[VERSION].integer;
    if (!table[version][context->device])
        return kg_device_refuse_version(context, versions[version]);
    *work = (struct kgate_work){.items = n * steps,
                                .bytes = 2 * n * (double)sizeof(struct kg_oscillator),
                                .flops = 4 * n * steps};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_many_small_kernels *work = state;
    if (!work)
        return;
    const bool on_device = context->device == KGATE_DEVICE_CUDA;
    void (*const release)(struct kgate_context *, void *) =
        on_device ? context->release_device : context->release;
#ifdef KGATE_HAVE_CUDA
    if (on_device)
        kg_many_small_kernels_finish(work);
#endif
    release(context, (void *)work->start);
    release(context, work->now);
    context->release(context, work);
}

static bool host_set_up(struct kgate_context *context, struct kg_many_small_kernels *work)
{
    const size_t bytes = work->n * sizeof *work->now;
    struct kg_oscillator *start = context->allocate(context, bytes);
    work->start = start;
    work->now = start ? context->allocate(context, bytes) : NULL;
    if (!work->now)
        return kg_kernel_refuse(context, "no memory for %zu bytes", 2 * bytes);
    kg_fill_floats(&start->x, 2 * work->n, context->seed, context->threads);
    memset(work->now, 0xff, bytes);
    return true;
}

static bool device_set_up(struct kgate_context *context, struct kg_many_small_kernels *work)
{
    work->stream = context->stream;
    work->start =
        (struct kg_oscillator *)(void *)kg_device_floats(context, 2 * work->n, context->seed);
    if (!work->start || !(work->now = kg_device_blank(context, work->n * sizeof *work->now)))
        return false;
#ifdef KGATE_HAVE_CUDA
    return kg_many_small_kernels_prepare(context, work);
#else
    return kg_device_good(context); /* which refuses */
#endif
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct kg_many_small_kernels *work = context->allocate(context, sizeof *work);
    if (!work)
        return kg_kernel_refuse(context, "no memory");
    work->n = (size_t)context->values[ELEMENTS].integer;
    work->steps = (unsigned)context->values[STEPS].integer;
    work->threads = (int)context->threads;
    work->version = table[context->values[VERSION].integer][context->device];
    if (!(context->device == KGATE_DEVICE_CUDA ? device_set_up(context, work)
                                               : host_set_up(context, work))) {
        tear_down(context, work);
        return false;
    }
    *state = work;
    return true;
}

static void run(void *state)
{
    const struct kg_many_small_kernels *work = state;
    work->version(work);
}

static double block_error(const struct kg_oscillator *start, const struct kg_oscillator *now,
                          size_t count, unsigned steps)
{
    double x[KG_MANY_SMALL_KERNELS_BLOCK], v[KG_MANY_SMALL_KERNELS_BLOCK], worst = 0;
    kg_many_small_kernels_reference(start, count, steps, x, v);
    for (size_t i = 0; i < count; i++) {
        const double error = kg_worse(fabs((double)now[i].x - x[i]), fabs((double)now[i].v - v[i]));
        const double size = hypot((double)start[i].x, (double)start[i].v);
        worst = kg_worse(worst, error > 0 ? error / size : error);
    }
    return worst;
}

static double worst_error(const struct kg_oscillator *start, const struct kg_oscillator *now,
                          const struct kg_many_small_kernels *work)
{
    const size_t n = work->n, block = KG_MANY_SMALL_KERNELS_BLOCK;
    double worst = 0;
#pragma omp parallel for num_threads(work->threads) schedule(static)
    for (size_t at = 0; at < n; at += block) {
        const double error =
            block_error(start + at, now + at, n - at < block ? n - at : block, work->steps);
#pragma omp critical(kg_many_small_kernels_check)
        worst = kg_worse(worst, error);
    }
    return worst;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_many_small_kernels *work = state;
    check->tolerance = 1.25 * (double)work->steps * (double)FLT_EPSILON / 2;
    if (context->device == KGATE_DEVICE_CPU) {
        check->error = worst_error(work->start, work->now, work);
        return true;
    }
    void *now = kg_device_fetch(context, work->now, work->n * sizeof *work->now);
    void *start = now ? kg_device_input_floats(context, 2 * work->n, context->seed) : NULL;
    const bool good = start != NULL;
    if (good)
        check->error = worst_error(start, now, work);
    free(start);
    free(now);
    return good;
}

const struct kgate_workload kg_kernel_many_small_kernels = {
    .name = "many_small_kernels",
    .summary = "Takes small steps one after the other: what starting work costs.",
    .params = params,
    .param_count = PARAMS,
    .devices = KG_KERNEL_DEVICES,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
