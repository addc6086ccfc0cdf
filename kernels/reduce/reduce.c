#include "reduce/reduce.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "common/common.h"
#include "common/device.h"

enum { BYTES, VERSION };

static const char *const versions[] = {"plain", "vector", "fast", NULL};
/* Each version's function for each device; NULL where there is none. */
static void (*const table[][2])(struct kg_reduce *) = {
    {kg_reduce_plain, KG_CUDA_VERSION(kg_reduce_cuda_plain)},
    {NULL, KG_CUDA_VERSION(kg_reduce_cuda_vector)},
    {kg_reduce_fast, KG_CUDA_VERSION(kg_reduce_cuda_fast)},
};
static const struct kgate_param params[] = {
    {.name = "bytes",
     .type = KGATE_PARAM_SIZE,
     .default_text = "4MiB",
     .minimum = 4,
     .maximum = (double)(UINT64_C(8) << 30),
     .help = "size of the array"},
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "fast",
     .choices = versions,
     .help =
         "plain: one accumulator, fast: many, and all threads; GPU only: vector: 16 bytes at once"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const int64_t bytes = context->values[BYTES].integer;
    if (bytes % (int64_t)sizeof(float))
        return kg_kernel_refuse(context, "bytes must be a multiple of 4, the size of a float");
    const int64_t version = context->values[VERSION].integer;
    if (!table[version][context->device])
        return kg_device_refuse_version(context, versions[version]);
    const double n = (double)bytes / sizeof(float);
    *work = (struct kgate_work){.items = n, .bytes = (double)bytes, .flops = n};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_reduce *reduce = state;
    if (!reduce)
        return;
    if (context->device == KGATE_DEVICE_CUDA) {
        context->release_device(context, reduce->x);
        context->release_device(context, reduce->total);
        context->release_device(context, reduce->part);
        context->release_device(context, reduce->arrived);
    } else {
        context->release(context, reduce->x);
    }
    context->release(context, reduce);
}

static bool host_set_up(struct kgate_context *context, struct kg_reduce *reduce)
{
    const size_t bytes = reduce->n * sizeof(float);
    reduce->x = context->allocate(context, bytes);
    if (!reduce->x)
        return kg_kernel_refuse(context, "no memory for %zu bytes", bytes);
    kg_fill_floats(reduce->x, reduce->n, context->seed, context->threads);
    return true;
}

#ifdef KGATE_HAVE_CUDA
static bool device_set_up(struct kgate_context *context, struct kg_reduce *reduce)
{
    const unsigned none = 0;
    reduce->queue = context->stream;
    reduce->x = kg_device_floats(context, reduce->n, context->seed);
    if (!reduce->x)
        return false;
    reduce->total = kg_device_blank(context, sizeof *reduce->total);
    if (!reduce->total)
        return false;
    reduce->part = kg_device_blank(context, KG_REDUCE_BLOCKS_MOST * sizeof *reduce->part);
    if (!reduce->part)
        return false;
    reduce->arrived = kg_device_blank(context, sizeof none);
    return reduce->arrived && kg_device_upload(context, reduce->arrived, &none, sizeof none) &&
           kg_reduce_cuda_prepare(context, reduce);
}
#else
static bool device_set_up(struct kgate_context *context, struct kg_reduce *reduce)
{
    (void)reduce;
    return kg_device_good(context); /* which refuses */
}
#endif

static bool set_up(struct kgate_context *context, void **state)
{
    struct kg_reduce *reduce = context->allocate(context, sizeof *reduce);
    if (!reduce)
        return kg_kernel_refuse(context, "no memory");
    reduce->n = (size_t)context->values[BYTES].integer / sizeof(float);
    reduce->threads = (int)context->threads;
    reduce->version = table[context->values[VERSION].integer][context->device];
    if (!(context->device == KGATE_DEVICE_CUDA ? device_set_up(context, reduce)
                                               : host_set_up(context, reduce))) {
        tear_down(context, reduce);
        return false;
    }
    *state = reduce;
    return true;
}

static void run(void *state)
{
    struct kg_reduce *reduce = state;
    reduce->version(reduce);
}

static void compare(const float *x, size_t n, float sum, struct kgate_check *check)
{
    const double count = (double)n, u = (double)FLT_EPSILON / 2;
    double size;
    const double reference = kg_reduce_reference(x, n, &size);
    const double error = fabs((double)sum - reference);
    check->error = error > 0 ? error / size : error;
    check->tolerance = u * fmin(count, KG_REDUCE_TOLERANCE);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    struct kg_reduce *reduce = state;
    if (context->device == KGATE_DEVICE_CPU) {
        compare(reduce->x, reduce->n, reduce->sum, check);
        return true;
    }
    if (!kg_device_good(context) ||
        !kg_device_download(context, &reduce->sum, reduce->total, sizeof reduce->sum))
        return false;
    float *x = kg_device_input_floats(context, reduce->n, context->seed);
    if (x)
        compare(x, reduce->n, reduce->sum, check);
    free(x);
    return x != NULL;
}

const struct kgate_workload kg_kernel_reduce = {
    .name = "reduce",
    .summary = "Sums an array of floats: memory bandwidth, reading only.",
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .devices = KG_KERNEL_DEVICES,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
