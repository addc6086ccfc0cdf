#include "xor_transform/xor_transform.h"

#include <stdlib.h>

#include "common/common.h"
#include "common/device.h"

enum { BYTES, VERSION };

static const char *const versions[] = {"plain", "vector", "fast", NULL};
/* Each version's function for each device; NULL where there is none. */
static void (*const table[][2])(struct kg_xor_transform *) = {
    {kg_xor_transform_plain, KG_CUDA_VERSION(kg_xor_transform_cuda_plain)},
    {NULL, KG_CUDA_VERSION(kg_xor_transform_cuda_vector)},
    {kg_xor_transform_fast, KG_CUDA_VERSION(kg_xor_transform_cuda_fast)},
};
static const struct kgate_param params[] = {
    {.name = "bytes",
     .type = KGATE_PARAM_SIZE,
     .default_text = "4MiB",
     .minimum = 8,
     .maximum = (double)KG_ARRAY_BYTES_MOST,
     .help = "size of the data"},
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "fast",
     .choices = versions,
     .help =
         "plain: word by word, fast: vectorised, all threads; GPU only: vector: 16 bytes at once"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const int64_t bytes = context->values[BYTES].integer;
    if (bytes % (int64_t)sizeof(uint64_t))
        return kg_kernel_refuse(context, "bytes must be a multiple of 8, the size of a word");
    const int64_t version = context->values[VERSION].integer;
    if (!table[version][context->device])
        return kg_device_refuse_version(context, versions[version]);
    *work =
        (struct kgate_work){.items = (double)bytes / sizeof(uint64_t), .bytes = 2 * (double)bytes};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_xor_transform *transform = state;
    if (!transform)
        return;
    void (*const release)(struct kgate_context *, void *) =
        context->device == KGATE_DEVICE_CUDA ? context->release_device : context->release;
    release(context, transform->in);
    release(context, transform->out);
    context->release(context, transform);
}

static bool host_set_up(struct kgate_context *context, struct kg_xor_transform *transform)
{
    const size_t n = transform->n, bytes = n * sizeof(uint64_t);
    transform->in = context->allocate(context, bytes);
    transform->out = context->allocate(context, bytes);
    if (!transform->in || !transform->out)
        return kg_kernel_refuse(context, "no memory for two arrays of %zu bytes", bytes);
    kg_fill_words(transform->in, n, context->seed, context->threads);
    kg_fill_words(transform->out, n, context->seed + 1, context->threads);
    return true;
}

static bool device_set_up(struct kgate_context *context, struct kg_xor_transform *transform)
{
    transform->queue = context->stream;
    transform->in = kg_device_words(context, transform->n, context->seed);
    if (transform->in)
        transform->out = kg_device_blank(context, transform->n * sizeof(uint64_t));
    return transform->out != NULL;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct kg_xor_transform *transform = context->allocate(context, sizeof *transform);
    if (!transform)
        return kg_kernel_refuse(context, "no memory");
    transform->n = (size_t)context->values[BYTES].integer / sizeof(uint64_t);
    transform->threads = (int)context->threads;
    transform->version = table[context->values[VERSION].integer][context->device];
    kg_fill_words(transform->key, KG_XOR_KEY_WORDS, context->seed + 2, 1);
    if (!(context->device == KGATE_DEVICE_CUDA ? device_set_up(context, transform)
                                               : host_set_up(context, transform))) {
        tear_down(context, transform);
        return false;
    }
    *state = transform;
    return true;
}

static void run(void *state)
{
    struct kg_xor_transform *transform = state;
    transform->version(transform);
}

static void compare(const struct kg_xor_transform *transform, struct kgate_check *check)
{
    *check = (struct kgate_check){0};
    for (size_t i = 0; i < transform->n; i++)
        check->error += transform->out[i] != kg_xor_transform_reference(transform, i);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_xor_transform *transform = state;
    if (context->device == KGATE_DEVICE_CPU) {
        compare(transform, check);
        return true;
    }
    struct kg_xor_transform host = *transform;
    host.in = kg_device_input_words(context, host.n, context->seed);
    host.out = host.in ? kg_device_fetch(context, transform->out, host.n * sizeof(uint64_t)) : NULL;
    if (host.out)
        compare(&host, check);
    const bool good = host.out != NULL;
    free(host.in);
    free(host.out);
    return good;
}

const struct kgate_workload kg_kernel_xor_transform = {
    .name = "xor_transform",
    .summary = "Mixes a key into an array of words: integer arithmetic beside memory traffic.",
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
