#include "stream/stream.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"

const float kg_stream_scale = 3.0F;

enum { BYTES, VERSION, PARAMS };

static const char *const copy_names[] = {"plain", "vector", "fast", "memcpy", NULL};
static void (*const copy_versions[][2])(void *) = {
    {kg_copy_plain, KG_CUDA_VERSION(kg_copy_cuda_plain)},
    {NULL, KG_CUDA_VERSION(kg_copy_cuda_vector)},
    {kg_copy_fast, KG_CUDA_VERSION(kg_copy_cuda_fast)},
    {NULL, KG_CUDA_VERSION(kg_copy_cuda_memcpy)},
};
static const char *const triad_names[] = {"plain", "vector", "fast", NULL};
static void (*const triad_versions[][2])(void *) = {
    {kg_triad_plain, KG_CUDA_VERSION(kg_triad_cuda_plain)},
    {NULL, KG_CUDA_VERSION(kg_triad_cuda_vector)},
    {kg_triad_fast, KG_CUDA_VERSION(kg_triad_cuda_fast)},
};

#define HELP                                                                                       \
    "plain: one thread (GPU: one float a thread), fast: all threads; GPU only: vector: 16 bytes "  \
    "at once"
#define BYTES_PARAM KG_PARAM_BYTES("4MiB", 4, KG_ARRAY_BYTES_MOST, "size of one array")
static const struct kgate_param copy_params[PARAMS] = {
    BYTES_PARAM, KG_PARAM_CHOICE("version", "fast", copy_names, HELP ", memcpy: the driver's")};
static const struct kgate_param triad_params[PARAMS] = {
    BYTES_PARAM, KG_PARAM_CHOICE("version", "fast", triad_names, HELP)};

static size_t floats(const void *state)
{
    return ((const struct kg_stream *)state)->n;
}

static const struct kg_kernel_array copy_arrays[] = {
    {KG_ARRAY(struct kg_stream, a), .role = KG_INPUT, .count = floats, .fill = kg_array_floats},
    {KG_ARRAY(struct kg_stream, b), .role = KG_OUTPUT, .count = floats},
};
static const struct kg_kernel_array triad_arrays[] = {
    {KG_ARRAY(struct kg_stream, a), .role = KG_INPUT, .count = floats, .fill = kg_array_floats},
    {KG_ARRAY(struct kg_stream, b), .role = KG_INPUT, .count = floats, .fill = kg_array_floats,
     .seed = 1},
    {KG_ARRAY(struct kg_stream, c), .role = KG_OUTPUT, .count = floats},
};

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work,
                  double arrays, double flops)
{
    const int64_t bytes = context->values[BYTES].integer;
    const double n = (double)bytes / sizeof(float);
    ((struct kg_stream *)state)->n = (size_t)bytes / sizeof(float);
    *work = (struct kgate_work){.items = n,
                                .bytes = arrays * (double)bytes,
                                .flops = flops * n,
                                .written_bytes = (double)bytes};
    return kg_kernel_whole_elements(context, bytes, sizeof(float), "float");
}

static bool copy_shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    return shape(context, state, work, 2, 0);
}

static bool triad_shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    return shape(context, state, work, 3, 2);
}

static bool copy_compare(const void *state, struct kgate_check *check)
{
    const struct kg_stream *stream = state;
    *check = (struct kgate_check){0};
    for (size_t i = 0; i < stream->n; i++)
        check->error += memcmp(&stream->a[i], &stream->b[i], sizeof(float)) != 0;
    return true;
}

static bool triad_compare(const void *state, struct kgate_check *check)
{
    const struct kg_stream *stream = state;
    *check = (struct kgate_check){.tolerance = 2 * (double)FLT_EPSILON};
    for (size_t i = 0; i < stream->n; i++) {
        const double a = (double)stream->a[i], b = (double)stream->b[i];
        const double size = fabs(a) + fabs((double)kg_stream_scale * b);
        const double error = fabs((double)stream->c[i] - kg_triad_reference(a, b));
        check->error = kg_worse(check->error, kg_relative(error, size));
    }
    return true;
}

static const struct kg_kernel copy_kernel = {
    .state_bytes = sizeof(struct kg_stream),
    KG_KERNEL_ARRAYS(copy_arrays),
    KG_KERNEL_VERSIONS(copy_names, VERSION, copy_versions),
    .shape = copy_shape,
    .compare = copy_compare,
};
KG_KERNEL_WORKLOAD(copy,
                   .summary = "Copies an array of floats: memory bandwidth, one read to one write.",
                   .params = copy_params, .param_count = PARAMS, .devices = KG_KERNEL_DEVICES,
                   .revision = 1);

static const struct kg_kernel triad_kernel = {
    .state_bytes = sizeof(struct kg_stream),
    KG_KERNEL_ARRAYS(triad_arrays),
    KG_KERNEL_VERSIONS(triad_names, VERSION, triad_versions),
    .shape = triad_shape,
    .compare = triad_compare,
};
KG_KERNEL_WORKLOAD(
    triad,
    .summary =
        "Adds a scaled array to another into a third: memory bandwidth, two reads to a write.",
    .params = triad_params, .param_count = PARAMS, .devices = KG_KERNEL_DEVICES, .revision = 1);
