#include "reduce/reduce.h"

#include <float.h>
#include <math.h>

#include "common/common.h"

enum { BYTES, VERSION };

static const char *const versions[] = {"plain", "fast", NULL};
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
     .help = "plain: one accumulator, fast: many, and all threads"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const int64_t bytes = context->values[BYTES].integer;
    if (bytes % (int64_t)sizeof(float))
        return kg_kernel_refuse(context, "bytes must be a multiple of 4, the size of a float");
    const double n = (double)bytes / sizeof(float);
    *work = (struct kgate_work){.items = n, .bytes = (double)bytes, .flops = n};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_reduce *reduce = state;
    if (!reduce)
        return;
    context->release(context, reduce->x);
    context->release(context, reduce);
}

static bool set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(struct kg_reduce *) = {kg_reduce_plain, kg_reduce_fast};
    const size_t bytes = (size_t)context->values[BYTES].integer;
    struct kg_reduce *reduce = context->allocate(context, sizeof *reduce);
    if (reduce)
        reduce->x = context->allocate(context, bytes);
    if (!reduce || !reduce->x) {
        tear_down(context, reduce);
        return kg_kernel_refuse(context, "no memory for %zu bytes", bytes);
    }
    reduce->n = bytes / sizeof(float);
    reduce->threads = (int)context->threads;
    reduce->version = table[context->values[VERSION].integer];
    kg_fill_floats(reduce->x, reduce->n, context->seed, context->threads);
    *state = reduce;
    return true;
}

static void run(void *state)
{
    struct kg_reduce *reduce = state;
    reduce->version(reduce);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_reduce *reduce = state;
    const double n = (double)reduce->n, u = (double)FLT_EPSILON / 2;
    double size;
    (void)context;
    const double reference = kg_reduce_reference(reduce->x, reduce->n, &size);
    const double error = fabs((double)reduce->sum - reference);
    check->error = error > 0 ? error / size : error;
    check->tolerance = u * fmin(n, 6 * sqrt(n));
    return true;
}

const struct kgate_workload kg_kernel_reduce = {
    .name = "reduce",
    .summary = "Sums an array of floats: memory bandwidth, reading only.",
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .devices = 1U << KGATE_DEVICE_CPU,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
