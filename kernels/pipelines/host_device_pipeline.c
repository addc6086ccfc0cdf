#include "pipelines/host_device_pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"

enum { BYTES, INTENSITY, CHUNKS, VERSION, PARAMS };

static const char *const versions[] = {"pageable", "pinned", "overlapped", NULL};
static const struct {
    void (*run)(const struct kg_host_device_pipeline *pipeline);
    bool pinned;
} table[] = {
    {KG_CUDA_VERSION(kg_host_device_whole), false},
    {KG_CUDA_VERSION(kg_host_device_whole), true},
    {KG_CUDA_VERSION(kg_host_device_overlapped), true},
};
static const struct kgate_param params[PARAMS] = {
    {.name = "bytes",
     .type = KGATE_PARAM_SIZE,
     .default_text = "64MiB",
     .minimum = 4,
     .maximum = (double)KG_ARRAY_BYTES_MOST,
     .help = "size of the array, which goes there and comes back"},
    {.name = "intensity",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "1024",
     .minimum = 1,
     .maximum = 100000,
     .help = "multiply-adds an element"},
    {.name = "chunks",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "16",
     .minimum = 1,
     .maximum = 1024,
     .help = "of overlapped: pieces that the array is cut into"},
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "overlapped",
     .choices = versions,
     .help = "pageable: ordinary memory, pinned: page-locked, overlapped: pinned, in chunks on "
             "several streams"},
};

size_t kg_host_device_chunk(size_t n, unsigned chunks, unsigned i)
{
    enum { FLOATS = 256 / sizeof(float) };
    const size_t pieces = (n + FLOATS - 1) / FLOATS;
    const size_t start = pieces * i / chunks * FLOATS;
    return start < n ? start : n;
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const int64_t bytes = context->values[BYTES].integer;
    if (bytes % (int64_t)sizeof(float))
        return kg_kernel_refuse(context, "bytes must be a multiple of 4, the size of a float");
    const double n = (double)bytes / sizeof(float);
    *work = (struct kgate_work){.items = n,
                                .bytes = 2 * (double)bytes,
                                .flops = 2 * (double)context->values[INTENSITY].integer * n};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_host_device_pipeline *pipeline = state;
    if (!pipeline)
        return;
    void (*const release)(struct kgate_context *, void *) =
        pipeline->pinned ? context->release_pinned : context->release;
#ifdef KGATE_HAVE_CUDA
    kg_host_device_finish(pipeline);
#endif
    release(context, pipeline->input);
    release(context, pipeline->output);
    context->release_device(context, pipeline->x);
    context->release_device(context, pipeline->y);
    context->release(context, pipeline);
}

/* Filled with bytes 0xff, which are no number and touch every page. */
static float *host_memory(struct kgate_context *context,
                          const struct kg_host_device_pipeline *pipeline)
{
    const size_t bytes = pipeline->n * sizeof(float);
    float *memory = pipeline->pinned ? context->allocate_pinned(context, bytes)
                                     : context->allocate(context, bytes);
    if (memory)
        memset(memory, 0xff, bytes);
    else
        kg_kernel_refuse(context, "no %s memory for %zu bytes on the host",
                         pipeline->pinned ? "page-locked" : "ordinary", bytes);
    return memory;
}

static bool memory_set_up(struct kgate_context *context, struct kg_host_device_pipeline *pipeline)
{
    const size_t bytes = pipeline->n * sizeof(float);
    if (!(pipeline->input = host_memory(context, pipeline)) ||
        !(pipeline->output = host_memory(context, pipeline)) ||
        !(pipeline->x = kg_device_blank(context, bytes)) ||
        !(pipeline->y = kg_device_blank(context, bytes)))
        return false;
    kg_fill_floats(pipeline->input, pipeline->n, context->seed, context->threads);
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    const int64_t version = context->values[VERSION].integer;
    struct kg_host_device_pipeline *pipeline = context->allocate(context, sizeof *pipeline);
    if (!pipeline)
        return kg_kernel_refuse(context, "no memory");
    pipeline->n = (size_t)context->values[BYTES].integer / sizeof(float);
    pipeline->intensity = (unsigned)context->values[INTENSITY].integer;
    pipeline->chunks = (unsigned)context->values[CHUNKS].integer;
    pipeline->pinned = table[version].pinned;
    pipeline->version = table[version].run;
    pipeline->stream = context->stream;
    bool good = memory_set_up(context, pipeline);
#ifdef KGATE_HAVE_CUDA
    good = good && kg_host_device_prepare(context, pipeline);
#endif
    if (!good) {
        tear_down(context, pipeline);
        return false;
    }
    *state = pipeline;
    return true;
}

static void run(void *state)
{
    const struct kg_host_device_pipeline *pipeline = state;
    pipeline->version(pipeline);
}

/* What a thread checks in one go. */
enum { PART = 4096 };

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_host_device_pipeline *pipeline = state;
    const size_t n = pipeline->n, parts = (n + PART - 1) / PART;
    if (!kg_device_good(context))
        return false;
    float *x = kg_device_input_floats(context, n, context->seed);
    if (!x)
        return false;
    double worst = 0;
#pragma omp parallel for num_threads((int)context->threads) schedule(static)
    for (size_t p = 0; p < parts; p++) {
        const size_t start = p * PART, count = n - start < PART ? n - start : PART;
        const double error =
            kg_host_device_error(x + start, pipeline->output + start, count, pipeline->intensity);
#pragma omp critical(kg_host_device_check)
        worst = kg_worse(worst, error);
    }
    check->error = worst;
    check->tolerance = KG_HOST_DEVICE_TOLERANCE;
    free(x);
    return true;
}

const struct kgate_workload kg_kernel_host_device_pipeline = {
    .name = "host_device_pipeline",
    .summary = "Takes an array to the GPU, computes there and takes it back: what can overlap.",
    .params = params,
    .param_count = PARAMS,
    .devices = 1U << KGATE_DEVICE_CUDA,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
