#include "stream/stream.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/common.h"

const float kg_stream_scale = 3.0F;

enum { BYTES, VERSION };

static const char *const versions[] = {"plain", "fast", NULL};
static const struct kgate_param params[] = {
    {.name = "bytes",
     .type = KGATE_PARAM_SIZE,
     .default_text = "4MiB",
     .minimum = 4,
     .maximum = (double)KG_ARRAY_BYTES_MOST,
     .help = "size of one array"},
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "fast",
     .choices = versions,
     .help = "plain: one thread, fast: all threads"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work, double arrays,
                     double flops)
{
    const int64_t bytes = context->values[BYTES].integer;
    if (bytes % (int64_t)sizeof(float))
        return kg_kernel_refuse(context, "bytes must be a multiple of 4, the size of a float");
    const double n = (double)bytes / sizeof(float);
    *work = (struct kgate_work){.items = n, .bytes = arrays * (double)bytes, .flops = flops * n};
    return true;
}

static bool copy_describe(struct kgate_context *context, struct kgate_work *work)
{
    return describe(context, work, 2, 0);
}

static bool triad_describe(struct kgate_context *context, struct kgate_work *work)
{
    return describe(context, work, 3, 2);
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_stream *stream = state;
    if (!stream)
        return;
    context->release(context, stream->a);
    context->release(context, stream->b);
    context->release(context, stream->c);
    context->release(context, stream);
}

static bool set_up(struct kgate_context *context, void **state, size_t arrays)
{
    const size_t bytes = (size_t)context->values[BYTES].integer, n = bytes / sizeof(float);
    struct kg_stream *stream = context->allocate(context, sizeof *stream);
    if (stream) {
        stream->a = context->allocate(context, bytes);
        stream->b = context->allocate(context, bytes);
        stream->c = arrays > 2 ? context->allocate(context, bytes) : NULL;
    }
    if (!stream || !stream->a || !stream->b || (arrays > 2 && !stream->c)) {
        tear_down(context, stream);
        return kg_kernel_refuse(context, "no memory for %zu arrays of %zu bytes", arrays, bytes);
    }
    stream->n = n;
    stream->threads = (int)context->threads;
    kg_fill_floats(stream->a, n, context->seed, context->threads);
    /* Outputs are filled too: their pages are mapped, and what is not written shows in the check.
     */
    kg_fill_floats(stream->b, n, context->seed + 1, context->threads);
    if (stream->c)
        kg_fill_floats(stream->c, n, context->seed + 2, context->threads);
    *state = stream;
    return true;
}

static bool copy_set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(struct kg_stream *) = {kg_copy_plain, kg_copy_fast};
    if (!set_up(context, state, 2))
        return false;
    ((struct kg_stream *)*state)->version = table[context->values[VERSION].integer];
    return true;
}

static bool triad_set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(struct kg_stream *) = {kg_triad_plain, kg_triad_fast};
    if (!set_up(context, state, 3))
        return false;
    ((struct kg_stream *)*state)->version = table[context->values[VERSION].integer];
    return true;
}

static void run(void *state)
{
    struct kg_stream *stream = state;
    stream->version(stream);
}

static bool copy_check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_stream *stream = state;
    (void)context;
    *check = (struct kgate_check){0};
    for (size_t i = 0; i < stream->n; i++)
        check->error += memcmp(&stream->a[i], &stream->b[i], sizeof(float)) != 0;
    return true;
}

static bool triad_check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_stream *stream = state;
    (void)context;
    *check = (struct kgate_check){.tolerance = 2 * (double)FLT_EPSILON};
    for (size_t i = 0; i < stream->n; i++) {
        const double a = (double)stream->a[i], b = (double)stream->b[i];
        const double size = fabs(a) + fabs((double)kg_stream_scale * b);
        const double error = fabs((double)stream->c[i] - kg_triad_reference(a, b));
        check->error = kg_worse(check->error, error > 0 ? error / size : error);
    }
    return true;
}

const struct kgate_workload kg_kernel_copy = {
    .name = "copy",
    .summary = "Copies an array of floats: memory bandwidth, one read to one write.",
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .devices = 1U << KGATE_DEVICE_CPU,
    .revision = 1,
    .describe = copy_describe,
    .set_up = copy_set_up,
    .run = run,
    .check = copy_check,
    .tear_down = tear_down,
};

const struct kgate_workload kg_kernel_triad = {
    .name = "triad",
    .summary =
        "Adds a scaled array to another into a third: memory bandwidth, two reads to a write.",
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .devices = 1U << KGATE_DEVICE_CPU,
    .revision = 1,
    .describe = triad_describe,
    .set_up = triad_set_up,
    .run = run,
    .check = triad_check,
    .tear_down = tear_down,
};
