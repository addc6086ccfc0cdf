#include "xor_transform/xor_transform.h"

#include "common/common.h"

enum { BYTES, VERSION };

static const char *const versions[] = {"plain", "fast", NULL};
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
     .help = "plain: word by word, fast: vectorised, all threads"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const int64_t bytes = context->values[BYTES].integer;
    if (bytes % (int64_t)sizeof(uint64_t))
        return kg_kernel_refuse(context, "bytes must be a multiple of 8, the size of a word");
    *work =
        (struct kgate_work){.items = (double)bytes / sizeof(uint64_t), .bytes = 2 * (double)bytes};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_xor_transform *transform = state;
    if (!transform)
        return;
    context->release(context, transform->in);
    context->release(context, transform->out);
    context->release(context, transform);
}

static bool set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(struct kg_xor_transform *) = {kg_xor_transform_plain,
                                                               kg_xor_transform_fast};
    const size_t bytes = (size_t)context->values[BYTES].integer;
    struct kg_xor_transform *transform = context->allocate(context, sizeof *transform);
    if (transform) {
        transform->in = context->allocate(context, bytes);
        transform->out = context->allocate(context, bytes);
    }
    if (!transform || !transform->in || !transform->out) {
        tear_down(context, transform);
        return kg_kernel_refuse(context, "no memory for two arrays of %zu bytes", bytes);
    }
    transform->n = bytes / sizeof(uint64_t);
    transform->threads = (int)context->threads;
    transform->version = table[context->values[VERSION].integer];
    kg_fill_words(transform->key, KG_XOR_KEY_WORDS, context->seed + 2, 1);
    kg_fill_words(transform->in, transform->n, context->seed, context->threads);
    kg_fill_words(transform->out, transform->n, context->seed + 1, context->threads);
    *state = transform;
    return true;
}

static void run(void *state)
{
    struct kg_xor_transform *transform = state;
    transform->version(transform);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_xor_transform *transform = state;
    (void)context;
    *check = (struct kgate_check){0};
    for (size_t i = 0; i < transform->n; i++)
        check->error += transform->out[i] != kg_xor_transform_reference(transform, i);
    return true;
}

const struct kgate_workload kg_kernel_xor_transform = {
    .name = "xor_transform",
    .summary = "Mixes a key into an array of words: integer arithmetic beside memory traffic.",
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
