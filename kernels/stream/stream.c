#include "stream/stream.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"

const float kg_stream_scale = 3.0F;

enum { BYTES, VERSION, PARAMS };

/* The versions, each with its function for each device; NULL where there is none. */
struct version {
    const char *name;
    void (*on[2])(struct kg_stream *stream);
};

static const char *const copy_names[] = {"plain", "vector", "fast", "memcpy", NULL};
static const struct version copy_versions[] = {
    {"plain", {kg_copy_plain, KG_CUDA_VERSION(kg_copy_cuda_plain)}},
    {"vector", {NULL, KG_CUDA_VERSION(kg_copy_cuda_vector)}},
    {"fast", {kg_copy_fast, KG_CUDA_VERSION(kg_copy_cuda_fast)}},
    {"memcpy", {NULL, KG_CUDA_VERSION(kg_copy_cuda_memcpy)}},
};

static const char *const triad_names[] = {"plain", "vector", "fast", NULL};
static const struct version triad_versions[] = {
    {"plain", {kg_triad_plain, KG_CUDA_VERSION(kg_triad_cuda_plain)}},
    {"vector", {NULL, KG_CUDA_VERSION(kg_triad_cuda_vector)}},
    {"fast", {kg_triad_fast, KG_CUDA_VERSION(kg_triad_cuda_fast)}},
};

#define BYTES_PARAM                                                                                \
    {                                                                                              \
        .name = "bytes", .type = KGATE_PARAM_SIZE, .default_text = "4MiB", .minimum = 4,           \
        .maximum = (double)KG_ARRAY_BYTES_MOST, .help = "size of one array"                        \
    }
#define VERSION_PARAM(names, more)                                                                 \
    {                                                                                              \
        .name = "version", .type = KGATE_PARAM_CHOICE, .default_text = "fast", .choices = (names), \
        .help = "plain: one thread (GPU: one float a thread), fast: all threads; GPU only: "       \
                "vector: 16 bytes at once" more                                                    \
    }
static const struct kgate_param copy_params[PARAMS] = {
    BYTES_PARAM, VERSION_PARAM(copy_names, ", memcpy: the driver's")};
static const struct kgate_param triad_params[PARAMS] = {BYTES_PARAM,
                                                        VERSION_PARAM(triad_names, "")};

static bool describe(struct kgate_context *context, struct kgate_work *work,
                     const struct version *versions, double arrays, double flops)
{
    const int64_t bytes = context->values[BYTES].integer;
    const struct version *version = &versions[context->values[VERSION].integer];
    if (bytes % (int64_t)sizeof(float))
        return kg_kernel_refuse(context, "bytes must be a multiple of 4, the size of a float");
    if (!version->on[context->device])
        return kg_device_refuse_version(context, version->name);
    const double n = (double)bytes / sizeof(float);
    *work = (struct kgate_work){.items = n, .bytes = arrays * (double)bytes, .flops = flops * n};
    return true;
}

static bool copy_describe(struct kgate_context *context, struct kgate_work *work)
{
    return describe(context, work, copy_versions, 2, 0);
}

static bool triad_describe(struct kgate_context *context, struct kgate_work *work)
{
    return describe(context, work, triad_versions, 3, 2);
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_stream *stream = state;
    if (!stream)
        return;
    void (*const release)(struct kgate_context *, void *) =
        context->device == KGATE_DEVICE_CUDA ? context->release_device : context->release;
    release(context, stream->a);
    release(context, stream->b);
    release(context, stream->c);
    context->release(context, stream);
}

static bool host_set_up(struct kgate_context *context, struct kg_stream *stream, size_t arrays)
{
    const size_t n = stream->n, bytes = n * sizeof(float);
    stream->a = context->allocate(context, bytes);
    stream->b = context->allocate(context, bytes);
    stream->c = arrays > 2 ? context->allocate(context, bytes) : NULL;
    if (!stream->a || !stream->b || (arrays > 2 && !stream->c))
        return kg_kernel_refuse(context, "no memory for %zu arrays of %zu bytes", arrays, bytes);
    kg_fill_floats(stream->a, n, context->seed, context->threads);
    /* Outputs are filled too: their pages are mapped, and what is not written shows in the check.
     */
    kg_fill_floats(stream->b, n, context->seed + 1, context->threads);
    if (stream->c)
        kg_fill_floats(stream->c, n, context->seed + 2, context->threads);
    return true;
}

/* The last array is the output. */
static bool device_set_up(struct kgate_context *context, struct kg_stream *stream, size_t arrays)
{
    const size_t n = stream->n, bytes = n * sizeof(float);
    stream->queue = context->stream;
    stream->a = kg_device_floats(context, n, context->seed);
    if (!stream->a)
        return false;
    stream->b = arrays > 2 ? kg_device_floats(context, n, context->seed + 1)
                           : kg_device_blank(context, bytes);
    if (!stream->b)
        return false;
    stream->c = arrays > 2 ? kg_device_blank(context, bytes) : NULL;
    return arrays == 2 || stream->c;
}

static bool set_up(struct kgate_context *context, void **state, const struct version *versions,
                   size_t arrays)
{
    struct kg_stream *stream = context->allocate(context, sizeof *stream);
    if (!stream)
        return kg_kernel_refuse(context, "no memory");
    stream->n = (size_t)context->values[BYTES].integer / sizeof(float);
    stream->threads = (int)context->threads;
    stream->version = versions[context->values[VERSION].integer].on[context->device];
    if (!(context->device == KGATE_DEVICE_CUDA ? device_set_up(context, stream, arrays)
                                               : host_set_up(context, stream, arrays))) {
        tear_down(context, stream);
        return false;
    }
    *state = stream;
    return true;
}

static bool copy_set_up(struct kgate_context *context, void **state)
{
    return set_up(context, state, copy_versions, 2);
}

static bool triad_set_up(struct kgate_context *context, void **state)
{
    return set_up(context, state, triad_versions, 3);
}

static void run(void *state)
{
    struct kg_stream *stream = state;
    stream->version(stream);
}

static void copy_compare(const struct kg_stream *stream, struct kgate_check *check)
{
    *check = (struct kgate_check){0};
    for (size_t i = 0; i < stream->n; i++)
        check->error += memcmp(&stream->a[i], &stream->b[i], sizeof(float)) != 0;
}

static void triad_compare(const struct kg_stream *stream, struct kgate_check *check)
{
    *check = (struct kgate_check){.tolerance = 2 * (double)FLT_EPSILON};
    for (size_t i = 0; i < stream->n; i++) {
        const double a = (double)stream->a[i], b = (double)stream->b[i];
        const double size = fabs(a) + fabs((double)kg_stream_scale * b);
        const double error = fabs((double)stream->c[i] - kg_triad_reference(a, b));
        check->error = kg_worse(check->error, error > 0 ? error / size : error);
    }
}

static void compare(const struct kg_stream *stream, struct kgate_check *check)
{
    if (stream->c)
        triad_compare(stream, check);
    else
        copy_compare(stream, check);
}

/* The inputs made anew, and a copy of the output. */
static bool device_compare(struct kgate_context *context, const struct kg_stream *stream,
                           struct kgate_check *check)
{
    const size_t n = stream->n, bytes = n * sizeof(float);
    const bool triad = stream->c != NULL;
    struct kg_stream host = {.n = n};
    host.a = kg_device_input_floats(context, n, context->seed);
    if (host.a)
        host.b = triad ? kg_device_input_floats(context, n, context->seed + 1)
                       : kg_device_fetch(context, stream->b, bytes);
    if (host.b && triad)
        host.c = kg_device_fetch(context, stream->c, bytes);
    const bool good = host.a && host.b && (host.c || !triad);
    if (good)
        compare(&host, check);
    free(host.a);
    free(host.b);
    free(host.c);
    return good;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    if (context->device == KGATE_DEVICE_CUDA)
        return device_compare(context, state, check);
    compare(state, check);
    return true;
}

const struct kgate_workload kg_kernel_copy = {
    .name = "copy",
    .summary = "Copies an array of floats: memory bandwidth, one read to one write.",
    .params = copy_params,
    .param_count = PARAMS,
    .devices = KG_KERNEL_DEVICES,
    .revision = 1,
    .describe = copy_describe,
    .set_up = copy_set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};

const struct kgate_workload kg_kernel_triad = {
    .name = "triad",
    .summary =
        "Adds a scaled array to another into a third: memory bandwidth, two reads to a write.",
    .params = triad_params,
    .param_count = PARAMS,
    .devices = KG_KERNEL_DEVICES,
    .revision = 1,
    .describe = triad_describe,
    .set_up = triad_set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
