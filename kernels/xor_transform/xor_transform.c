#include "xor_transform/xor_transform.h"

#include "common/common.h"
#include "common/device.h"

enum { BYTES, VERSION, PARAMS };

static const char *const names[] = {"plain", "vector", "fast", NULL};
static void (*const versions[][2])(void *) = {
    {kg_xor_transform_plain, KG_CUDA_VERSION(kg_xor_transform_cuda_plain)},
    {NULL, KG_CUDA_VERSION(kg_xor_transform_cuda_vector)},
    {kg_xor_transform_fast, KG_CUDA_VERSION(kg_xor_transform_cuda_fast)},
};
static const struct kgate_param params[PARAMS] = {
    KG_PARAM_BYTES("4MiB", 8, KG_ARRAY_BYTES_MOST, "size of the data"),
    KG_PARAM_CHOICE(
        "version", "fast", names,
        "plain: word by word, fast: vectorised, all threads; GPU only: vector: 16 bytes at once"),
};

static size_t words(const void *state)
{
    return ((const struct kg_xor_transform *)state)->n;
}

static const struct kg_kernel_array arrays[] = {
    {KG_ARRAY(struct kg_xor_transform, in), .role = KG_INPUT, .count = words,
     .fill = kg_array_words},
    {KG_ARRAY(struct kg_xor_transform, out), .role = KG_OUTPUT, .count = words},
};

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    struct kg_xor_transform *transform = state;
    transform->n = (size_t)context->values[BYTES].integer / sizeof(uint64_t);
    kg_fill_words(transform->key, KG_XOR_KEY_WORDS, context->seed + 2, 1);
    const int64_t bytes = context->values[BYTES].integer;
    *work = (struct kgate_work){.items = (double)bytes / sizeof(uint64_t),
                                .bytes = 2 * (double)bytes,
                                .written_bytes = (double)bytes};
    return kg_kernel_whole_elements(context, bytes, sizeof(uint64_t), "word");
}

static bool compare(const void *state, struct kgate_check *check)
{
    const struct kg_xor_transform *transform = state;
    *check = (struct kgate_check){0};
    for (size_t i = 0; i < transform->n; i++)
        check->error += transform->out[i] != kg_xor_transform_reference(transform, i);
    return true;
}

static const struct kg_kernel xor_transform_kernel = {
    .state_bytes = sizeof(struct kg_xor_transform),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(names, VERSION, versions),
    .shape = shape,
    .compare = compare,
};
KG_KERNEL_WORKLOAD(
    xor_transform,
    .summary = "Mixes a key into an array of words: integer arithmetic beside memory traffic.",
    .params = params, .param_count = PARAMS, .devices = KG_KERNEL_DEVICES, .revision = 1);
