/* The GPU's side of attention: its versions, its memory, and the host's copies for the check. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "attention/attention.h"
#include "common/bf16.h"
#include "common/common.h"
#include "common/cublas.h"

#define BIT(array) (1U << KG_ATTENTION_##array)
#define COMPONENT(name)                                                                            \
    {.run = KG_CUDA_VERSION(kg_attention_cuda_##name##_plain)},                                    \
    {                                                                                              \
        .run = KG_CUDA_VERSION(kg_attention_cuda_##name##_fast)                                    \
    }
#define BLAS(name)                                                                                 \
    .run = KG_CUDA_VERSION(kg_attention_cuda_##name),                                              \
    .prepare = KG_CUDA_VERSION(kg_attention_cublas_open),                                          \
    .load = KG_CUDA_VERSION(kg_attention_cublas_load)

static const struct device_version {
    void (*run)(struct kg_attention *attention); /* NULL: none, or no CUDA compiled it */
    bool (*prepare)(struct kgate_context *context, struct kg_attention *attention);
    /* NULL, or prepares the version for the addresses of the arrays. */
    bool (*map)(struct kgate_context *context, struct kg_attention *attention);
    void (*load)(struct kg_attention *attention); /* NULL, or the library's one-time work */
    unsigned own; /* the arrays between the part's inputs and its output */
    enum kg_attention_type type;
} versions[KG_ATTENTION_PARTS][KG_ATTENTION_VERSIONS] =
    {
        [KG_ATTENTION_QKV_PROJECTION] = {COMPONENT(qkv_projection), {BLAS(qkv_projection_blas)}},
        [KG_ATTENTION_SCORES] = {COMPONENT(scores), {BLAS(scores_blas)}},
        [KG_ATTENTION_SOFTMAX] = {COMPONENT(softmax)},
        [KG_ATTENTION_WEIGHTED_SUM] = {COMPONENT(weighted_sum), {BLAS(weighted_sum_blas)}},
        [KG_ATTENTION_OUTPUT_PROJECTION] = {COMPONENT(output_projection),
                                            {BLAS(output_projection_blas)}},
        [KG_ATTENTION_WHOLE] =
            {
                [KG_ATTENTION_PLAIN] = {.run = KG_CUDA_VERSION(kg_attention_cuda_plain),
                                        .own = BIT(QKV) | BIT(S) | BIT(P) | BIT(H)},
                [KG_ATTENTION_FUSED] = {.run = KG_CUDA_VERSION(kg_attention_cuda_fused),
                                        .own = BIT(QKV) | BIT(S) | BIT(H)},
                [KG_ATTENTION_EFFICIENT] = {.run = KG_CUDA_VERSION(kg_attention_cuda_efficient),
                                            .prepare =
                                                KG_CUDA_VERSION(kg_attention_efficient_prepare),
                                            .own = BIT(QKV) | BIT(H)},
                [KG_ATTENTION_FLASH] = {.run = KG_CUDA_VERSION(kg_attention_cuda_flash),
                                        .prepare = KG_CUDA_VERSION(kg_attention_flash_prepare),
                                        .own = BIT(QKV) | BIT(H),
                                        .type = KG_ATTENTION_BF16},
                [KG_ATTENTION_HOPPER] = {.run = KG_CUDA_VERSION(kg_attention_cuda_hopper),
                                         .prepare = KG_CUDA_VERSION(kg_attention_hopper_prepare),
                                         .map = KG_CUDA_VERSION(kg_attention_hopper_map),
                                         .own = BIT(QKV) | BIT(H),
                                         .type = KG_ATTENTION_BF16},
                [KG_ATTENTION_BLAS] = {BLAS(blas), .own = BIT(QKV) | BIT(S) | BIT(H)},
            },
};

bool kg_attention_device_has(enum kg_attention_part part, int64_t version,
                             enum kg_attention_type *type)
{
    *type = versions[part][version].type;
    return versions[part][version].run != NULL;
}

unsigned kg_attention_device_own(enum kg_attention_part part, int64_t version)
{
    return versions[part][version].own;
}

/* Memory of the host, not by the context's allocator: this is no memory of the
 * workload's. */
static float *input_make(struct kgate_context *context, const struct kg_attention *attention,
                         enum kg_attention_array array)
{
    float *x = malloc(kg_attention_floats(attention, array) * sizeof *x);
    if (x)
        kg_attention_fill(attention, array, x);
    else
        kg_kernel_refuse(context, "no memory to make the input");
    return x;
}

/* Replaces n floats by their upper halves, which are bfloat16s, in place. */
static void halves_keep(float *x, size_t n)
{
    uint16_t *half = (uint16_t *)(void *)x;
    for (size_t i = 0; i < n; i++) {
        float value;
        memcpy(&value, x + i, sizeof value);
        const uint16_t bf16 = kg_bf16_round(value);
        memcpy(half + i, &bf16, sizeof bf16);
    }
}

static bool input_upload(struct kgate_context *context, const struct kg_attention *attention,
                         enum kg_attention_array array, float *device)
{
    float *x = input_make(context, attention, array);
    if (!x)
        return false;
    if (attention->type == KG_ATTENTION_BF16)
        halves_keep(x, kg_attention_floats(attention, array));
    const bool good =
        kg_device_upload(context, device, x, kg_attention_stored_bytes(attention, array));
    free(x);
    return good;
}

/* Arrays that the version makes are NaN before it does. */
static bool arrays_make(struct kgate_context *context, struct kg_attention *attention,
                        const struct device_version *version)
{
    const unsigned inputs = kg_attention_inputs(attention->part);
    const unsigned all = inputs | 1U << kg_attention_output(attention->part) | version->own;
    for (unsigned i = 0; i < KG_ATTENTION_ARRAYS; i++) {
        const enum kg_attention_array array = (enum kg_attention_array)i;
        float **place = kg_attention_array(&attention->device.arrays, array);
        if (!(all >> i & 1))
            continue;
        *place = kg_device_blank(context, kg_attention_stored_bytes(attention, array));
        if (!*place || (inputs >> i & 1 && !input_upload(context, attention, array, *place)))
            return false;
    }
    return true;
}

/* cuBLAS loads its kernels at their first call, and a captured graph cannot contain that. So the
 * load happens here. The function then removes its results from the arrays. */
static bool library_load(struct kgate_context *context, struct kg_attention *attention,
                         const struct device_version *version)
{
    const unsigned made = version->own | 1U << kg_attention_output(attention->part);
    version->load(attention);
    bool good = kg_device_good(context) && kg_cublas_good(context, attention->device.cublas);
    for (unsigned i = 0; i < KG_ATTENTION_ARRAYS && good; i++) {
        const enum kg_attention_array array = (enum kg_attention_array)i;
        if (made >> i & 1)
            good = kg_device_poison(context, *kg_attention_array(&attention->device.arrays, array),
                                    kg_attention_stored_bytes(attention, array));
    }
    return good;
}

bool kg_attention_device_set_up(struct kgate_context *context, struct kg_attention *attention,
                                int64_t number)
{
    const struct device_version *version = &versions[attention->part][number];
    if (!version->run)
        return kg_device_refuse_version(context,
                                        kg_attention_version_name(attention->part, number));
    kg_device_begin(context);
    /* Tokens, heads and blocks are counted by int. */
    const double queries = (double)kg_attention_tokens(attention) * (double)attention->num_heads;
    if (queries > INT_MAX) {
        context->unavailable = true;
        return kg_kernel_refuse(context,
                                "batch * num_heads * seq_len is above %d, and the GPU's "
                                "versions count them by int",
                                INT_MAX);
    }
    attention->version = version->run;
    attention->device.stream = context->stream;
    return (!version->prepare || version->prepare(context, attention)) &&
           arrays_make(context, attention, version) &&
           (!version->map || version->map(context, attention)) &&
           (!version->load || library_load(context, attention, version));
}

bool kg_attention_device_fetch(struct kgate_context *context, struct kg_attention *attention)
{
    const enum kg_attention_array output = kg_attention_output(attention->part);
    if (attention->device.cublas && !kg_cublas_good(context, attention->device.cublas))
        return false;
    for (unsigned i = 0; i < KG_ATTENTION_ARRAYS; i++) {
        const enum kg_attention_array array = (enum kg_attention_array)i;
        float **place = kg_attention_array(&attention->arrays, array);
        if (!(kg_attention_inputs(attention->part) >> i & 1))
            continue;
        *place = input_make(context, attention, array);
        if (!*place)
            return false;
    }
    float **result = kg_attention_array(&attention->arrays, output);
    *result = kg_device_fetch(context, *kg_attention_array(&attention->device.arrays, output),
                              kg_attention_stored_bytes(attention, output));
    return *result != NULL;
}

void kg_attention_device_forget(struct kg_attention *attention)
{
    for (unsigned i = 0; i < KG_ATTENTION_ARRAYS; i++) {
        float **place = kg_attention_array(&attention->arrays, (enum kg_attention_array)i);
        free(*place);
        *place = NULL;
    }
}

void kg_attention_device_tear_down(struct kgate_context *context, struct kg_attention *attention)
{
    kg_cublas_close(context, attention->device.cublas);
    context->release(context, attention->device.heads_map);
    for (size_t i = 0; i < 2; i++)
        context->release(context, attention->device.projection_maps[i]);
    for (unsigned i = 0; i < KG_ATTENTION_ARRAYS; i++)
        context->release_device(
            context, *kg_attention_array(&attention->device.arrays, (enum kg_attention_array)i));
}
