#include "pipelines/host_device_pipeline.h"

#include "common/common.h"
#include "common/device.h"

enum { BYTES, INTENSITY, CHUNKS, VERSION, PARAMS };
enum { PAGEABLE, PINNED, OVERLAPPED };

static const char *const names[] = {"pageable", "pinned", "overlapped", NULL};
static void (*const versions[][2])(void *) = {
    [PAGEABLE] = {NULL, KG_CUDA_VERSION(kg_host_device_whole)},
    [PINNED] = {NULL, KG_CUDA_VERSION(kg_host_device_whole)},
    [OVERLAPPED] = {NULL, KG_CUDA_VERSION(kg_host_device_overlapped)},
};
static const struct kgate_param params[PARAMS] = {
    KG_PARAM_BYTES("64MiB", 4, KG_ARRAY_BYTES_MOST,
                   "size of the array, which goes there and comes back"),
    KG_PARAM_WHOLE("intensity", "1024", 1, 100000, "multiply-adds an element"),
    KG_PARAM_WHOLE("chunks", "16", 1, 1024, "of overlapped: pieces that the array is cut into"),
    KG_PARAM_CHOICE(
        "version", "overlapped", names,
        "pageable: ordinary memory, pinned: page-locked, overlapped: pinned, in chunks on "
        "several streams"),
};

size_t kg_host_device_chunk(size_t n, unsigned chunks, unsigned i)
{
    enum { FLOATS = 256 / sizeof(float) };
    const size_t pieces = (n + FLOATS - 1) / FLOATS;
    const size_t start = pieces * i / chunks * FLOATS;
    return start < n ? start : n;
}

static size_t floats(const void *state)
{
    return ((const struct kg_host_device_pipeline *)state)->n;
}

static size_t pageable_floats(const void *state)
{
    return ((const struct kg_host_device_pipeline *)state)->pinned ? 0 : floats(state);
}

static size_t pinned_floats(const void *state)
{
    return ((const struct kg_host_device_pipeline *)state)->pinned ? floats(state) : 0;
}

/* The host's arrays lie in one kind of memory or the other. */
#define HOST_ARRAYS(kind, floats_of_kind)                                                          \
    {KG_ARRAY(struct kg_host_device_pipeline, input), .role = KG_INPUT, .memory = (kind),          \
     .count = (floats_of_kind), .fill = kg_array_floats},                                          \
    {                                                                                              \
        KG_ARRAY(struct kg_host_device_pipeline, output), .role = KG_OUTPUT, .memory = (kind),     \
                                                          .count = (floats_of_kind)                \
    }
static const struct kg_kernel_array arrays[] = {
    HOST_ARRAYS(KG_MEMORY_HOST, pageable_floats),
    HOST_ARRAYS(KG_MEMORY_PINNED, pinned_floats),
    {KG_ARRAY(struct kg_host_device_pipeline, x), .role = KG_SCRATCH, .count = floats},
    {KG_ARRAY(struct kg_host_device_pipeline, y), .role = KG_SCRATCH, .count = floats},
};

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    struct kg_host_device_pipeline *pipeline = state;
    pipeline->n = (size_t)context->values[BYTES].integer / sizeof(float);
    pipeline->intensity = (unsigned)context->values[INTENSITY].integer;
    pipeline->chunks = (unsigned)context->values[CHUNKS].integer;
    pipeline->pinned = context->values[VERSION].integer != PAGEABLE;
    const int64_t bytes = context->values[BYTES].integer;
    const double n = (double)bytes / sizeof(float);
    *work = (struct kgate_work){.items = n,
                                .bytes = 2 * (double)bytes,
                                .flops = 2 * (double)context->values[INTENSITY].integer * n};
    return kg_kernel_whole_elements(context, bytes, sizeof(float), "float");
}

/* Elements that a thread checks at a time. */
enum { PART = 4096 };

static bool compare(const void *state, struct kgate_check *check)
{
    const struct kg_host_device_pipeline *pipeline = state;
    const size_t n = pipeline->n, parts = (n + PART - 1) / PART;
    double worst = 0;
#pragma omp parallel for num_threads(pipeline->call.threads) schedule(static)
    for (size_t p = 0; p < parts; p++) {
        const size_t start = p * PART, count = n - start < PART ? n - start : PART;
        const double error = kg_host_device_error(pipeline->input + start, pipeline->output + start,
                                                  count, pipeline->intensity);
#pragma omp critical(kg_host_device_check)
        worst = kg_worse(worst, error);
    }
    check->error = worst;
    check->tolerance = KG_HOST_DEVICE_TOLERANCE;
    return true;
}

static const struct kg_kernel host_device_pipeline_kernel = {
    .state_bytes = sizeof(struct kg_host_device_pipeline),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(names, VERSION, versions),
    .shape = shape,
    .prepare = {[KGATE_DEVICE_CUDA] = KG_CUDA_VERSION(kg_host_device_prepare)},
    .finish = {[KGATE_DEVICE_CUDA] = KG_CUDA_VERSION(kg_host_device_finish)},
    .compare = compare,
};
KG_KERNEL_WORKLOAD(
    host_device_pipeline,
    .summary = "Takes an array to the GPU, computes there and takes it back: what can overlap.",
    .params = params, .param_count = PARAMS, .devices = 1U << KGATE_DEVICE_CUDA, .revision = 1);
