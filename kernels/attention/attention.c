#include "attention/attention.h"

#include <cblas.h>
#include <limits.h>
#include <string.h>

#include "attention/attention_tile.h"
#include "common/common.h"
#include "common/device.h"
#include "gemm/gemm.h"

enum { SEQ_LEN, D_MODEL, NUM_HEADS, BATCH, CAUSAL, VERSION };

/* --- The CPU's versions ---------------------------------------------------------------------- */

#define BIT(array) (1U << KG_ATTENTION_##array)

/* Needs of a version besides the part's inputs and output. Bits below PRODUCTS are arrays. */
enum {
    PRODUCTS = 1U << KG_ATTENTION_ARRAYS, /* packed_a and packed_b */
    KEYS = PRODUCTS << 1,
    VALUES = PRODUCTS << 2,
    TILES = PRODUCTS << 3,    /* a flash tile for each thread */
    ONE_HEAD = PRODUCTS << 4, /* one matrix of scores */
    LIBRARY = PRODUCTS << 5,  /* none: OpenBLAS's of one thread */
};

static const struct version {
    const char *name;
    void (*run)(struct kg_attention *attention);
    unsigned needs;
} versions[KG_ATTENTION_PARTS][KG_ATTENTION_VERSIONS] = {
    [KG_ATTENTION_QKV_PROJECTION] = {{"plain", kg_attention_qkv_projection_plain, 0},
                                     {"fast", kg_attention_qkv_projection_fast, PRODUCTS},
                                     {"blas", kg_attention_qkv_projection_blas, LIBRARY}},
    [KG_ATTENTION_SCORES] = {{"plain", kg_attention_scores_plain, 0},
                             {"fast", kg_attention_scores_fast, KEYS},
                             {"blas", kg_attention_scores_blas, LIBRARY}},
    [KG_ATTENTION_SOFTMAX] = {{"plain", kg_attention_softmax_plain, 0},
                              {"fast", kg_attention_softmax_fast, 0}},
    [KG_ATTENTION_WEIGHTED_SUM] = {{"plain", kg_attention_weighted_sum_plain, 0},
                                   {"fast", kg_attention_weighted_sum_fast, VALUES},
                                   {"blas", kg_attention_weighted_sum_blas, LIBRARY}},
    [KG_ATTENTION_OUTPUT_PROJECTION] = {{"plain", kg_attention_output_projection_plain, 0},
                                        {"fast", kg_attention_output_projection_fast, PRODUCTS},
                                        {"blas", kg_attention_output_projection_blas, LIBRARY}},
    [KG_ATTENTION_WHOLE] = {{"plain", kg_attention_plain, BIT(QKV) | BIT(S) | BIT(P) | BIT(H)},
                            {"fused", kg_attention_fused,
                             BIT(QKV) | BIT(S) | BIT(H) | PRODUCTS | KEYS | VALUES},
                            {"efficient", kg_attention_efficient, BIT(QKV) | BIT(H) | PRODUCTS},
                            {"flash", kg_attention_flash,
                             BIT(QKV) | BIT(H) | PRODUCTS | KEYS | VALUES | TILES},
                            {"hopper", NULL, 0},
                            {"blas", kg_attention_blas, BIT(QKV) | BIT(H) | ONE_HEAD | LIBRARY}},
};

const char *kg_attention_version_name(enum kg_attention_part part, int64_t version)
{
    return versions[part][version].name;
}

static unsigned arrays_of(enum kg_attention_part part, unsigned needs)
{
    return kg_attention_inputs(part) | 1U << kg_attention_output(part) | (needs & (PRODUCTS - 1));
}

/* --- The workloads --------------------------------------------------------------------------- */

static struct kg_attention attention_of(const struct kgate_context *context,
                                        enum kg_attention_part part)
{
    const struct kgate_value *values = context->values;
    return (struct kg_attention){
        .batch = (size_t)values[BATCH].integer,
        .seq_len = (size_t)values[SEQ_LEN].integer,
        .d_model = (size_t)values[D_MODEL].integer,
        .num_heads = (size_t)values[NUM_HEADS].integer,
        .d_head = (size_t)(values[D_MODEL].integer / values[NUM_HEADS].integer),
        .causal = values[CAUSAL].integer != 0,
        .threads = (int)context->threads,
        .seed = context->seed,
        .part = part,
    };
}

/* The operations of each component, of the whole their sum. */
static double flops_of(const struct kg_attention *attention, double pairs)
{
    const double tokens = (double)kg_attention_tokens(attention), d = (double)attention->d_model;
    const double depth = (double)attention->d_head;
    const double components[KG_ATTENTION_WHOLE] = {
        [KG_ATTENTION_QKV_PROJECTION] = 2 * tokens * d * 3 * d,
        [KG_ATTENTION_SCORES] = (2 * depth + 1) * pairs,
        [KG_ATTENTION_SOFTMAX] = 4 * pairs,
        [KG_ATTENTION_WEIGHTED_SUM] = 2 * depth * pairs,
        [KG_ATTENTION_OUTPUT_PROJECTION] = 2 * tokens * d * d,
    };
    double sum = 0;
    for (size_t i = 0; i < KG_ATTENTION_WHOLE; i++)
        sum += attention->part == KG_ATTENTION_WHOLE || attention->part == i ? components[i] : 0;
    return sum;
}

/* Bytes of the inputs and the output. Scores read two thirds of [Q K V], the weighted sum reads one
 * third. */
static double bytes_of(const struct kg_attention *attention, double pairs)
{
    const unsigned arrays =
        kg_attention_inputs(attention->part) | 1U << kg_attention_output(attention->part);
    double bytes = 0;
    for (unsigned i = 0; i < KG_ATTENTION_ARRAYS; i++) {
        const bool input = kg_attention_inputs(attention->part) >> i & 1;
        const enum kg_attention_array array = (enum kg_attention_array)i;
        const double stored = (double)kg_attention_stored_bytes(attention, array);
        double share = 1;
        if (input && i == KG_ATTENTION_QKV)
            share = attention->part == KG_ATTENTION_SCORES ? 2.0 / 3 : 1.0 / 3;
        else if (input && (i == KG_ATTENTION_S || i == KG_ATTENTION_P))
            share = pairs / (double)kg_attention_floats(attention, array);
        bytes += arrays >> i & 1 ? share * stored : 0;
    }
    return bytes;
}

/* Refuses parameters that only this version cannot take. The case is SKIPPED, and other versions of
 * its matrix still run. */
static bool version_good(struct kgate_context *context, const struct kg_attention *attention,
                         unsigned needs, const char *name)
{
    const int64_t n = (int64_t)attention->seq_len;
    const bool one_head = needs & ONE_HEAD, whole = attention->part == KG_ATTENTION_WHOLE;
    const bool all_heads = whole && needs & (BIT(S) | BIT(P));
    if ((all_heads && !kg_attention_bytes(attention, KG_ATTENTION_S)) ||
        (one_head && !kg_array_bytes(n, n, sizeof(float))))
        kg_kernel_refuse(context, "the matrix of scores, which version '%s' keeps, is above 64 GiB",
                         name);
    else if (needs & LIBRARY && kg_attention_tokens(attention) > INT_MAX)
        kg_kernel_refuse(context,
                         "batch * seq_len is above %d, and version '%s' counts rows by int",
                         INT_MAX, name);
    else
        return true;
    context->unavailable = true;
    return false;
}

static bool sizes_good(struct kgate_context *context, const struct kg_attention *attention,
                       int64_t number)
{
    const struct version *version = &versions[attention->part][number];
    const unsigned needs = context->device == KGATE_DEVICE_CUDA
                               ? kg_attention_device_own(attention->part, number)
                               : version->needs;
    unsigned arrays = arrays_of(attention->part, needs);
    if (attention->part == KG_ATTENTION_WHOLE)
        arrays &= ~(BIT(S) | BIT(P)); /* the version's own */
    for (unsigned i = 0; i < KG_ATTENTION_ARRAYS; i++)
        if (arrays >> i & 1 && !kg_attention_bytes(attention, (enum kg_attention_array)i))
            return kg_kernel_refuse(context, "a matrix of such seq_len, d_model, num_heads and "
                                             "batch is above 64 GiB");
    return version_good(context, attention, needs, version->name);
}

static bool describe(struct kgate_context *context, struct kgate_work *work,
                     enum kg_attention_part part)
{
    struct kg_attention attention = attention_of(context, part);
    const int64_t number = context->values[VERSION].integer;
    if (context->device == KGATE_DEVICE_CUDA
            ? !kg_attention_device_has(part, number, &attention.type)
            : !versions[part][number].run)
        return kg_device_refuse_version(context, versions[part][number].name);
    if (attention.d_model % attention.num_heads)
        return kg_kernel_refuse(context, "d_model %zu is not a multiple of num_heads %zu",
                                attention.d_model, attention.num_heads);
    if (!sizes_good(context, &attention, number))
        return false;
    const double n = (double)attention.seq_len;
    const double pairs =
        (double)kg_attention_heads(&attention) * (attention.causal ? n * (n + 1) / 2 : n * n);
    *work = (struct kgate_work){.items = (double)kg_attention_tokens(&attention),
                                .item_name = "tokens",
                                .bytes = bytes_of(&attention, pairs),
                                .flops = flops_of(&attention, pairs),
                                .arithmetic = attention.type == KG_ATTENTION_BF16
                                                  ? KGATE_ARITHMETIC_BF16_TENSOR
                                                  : KGATE_ARITHMETIC_F32};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_attention *attention = state;
    if (!attention)
        return;
    if (context->device == KGATE_DEVICE_CUDA)
        kg_attention_device_tear_down(context, attention);
    for (unsigned i = 0; i < KG_ATTENTION_ARRAYS; i++)
        context->release(context,
                         *kg_attention_array(&attention->arrays, (enum kg_attention_array)i));
    context->release(context, attention->packed_a);
    context->release(context, attention->packed_b);
    context->release(context, attention->keys);
    context->release(context, attention->values);
    context->release(context, attention->tiles);
    context->release(context, attention);
}

/* All bytes 0xff, NaN: elements that a version does not write, or reads too early, fail the
 * check. */
static bool room_make(struct kgate_context *context, float **room, size_t floats)
{
    *room = context->allocate(context, floats * sizeof **room);
    if (*room)
        memset(*room, 0xff, floats * sizeof **room);
    return *room != NULL;
}

static bool arrays_make(struct kgate_context *context, struct kg_attention *attention,
                        unsigned arrays)
{
    for (unsigned i = 0; i < KG_ATTENTION_ARRAYS; i++) {
        const enum kg_attention_array array = (enum kg_attention_array)i;
        float **place = kg_attention_array(&attention->arrays, array);
        if (!(arrays >> i & 1))
            continue;
        if (!room_make(context, place, kg_attention_floats(attention, array)))
            return false;
        if (kg_attention_inputs(attention->part) >> i & 1)
            kg_attention_fill(attention, array, *place);
    }
    return true;
}

static bool scratch_make(struct kgate_context *context, struct kg_attention *attention,
                         unsigned needs)
{
    const size_t heads = kg_attention_heads(attention), n = attention->seq_len;
    const struct kg_gemm widest = {.n = 3 * attention->d_model, .threads = attention->threads};
    attention->tile_floats = kg_attention_flash_floats(attention);
    const struct {
        unsigned need;
        float **place;
        size_t floats;
    } rooms[] = {
        {PRODUCTS, &attention->packed_a, kg_gemm_packed_a_floats(&widest)},
        {PRODUCTS, &attention->packed_b, kg_gemm_packed_b_floats(&widest)},
        {KEYS, &attention->keys, heads * kg_attention_keys_floats(attention)},
        {VALUES, &attention->values, heads * kg_attention_values_floats(attention)},
        {TILES, &attention->tiles, (size_t)attention->threads * attention->tile_floats},
        {ONE_HEAD, &attention->tiles, n * n},
    };
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (needs & rooms[i].need && !room_make(context, rooms[i].place, rooms[i].floats))
            return false;
    return true;
}

static bool cpu_set_up(struct kgate_context *context, struct kg_attention *attention,
                       const struct version *version)
{
    attention->version = version->run;
    if (version->needs & LIBRARY)
        openblas_set_num_threads(1);
    return (arrays_make(context, attention, arrays_of(attention->part, version->needs)) &&
            scratch_make(context, attention, version->needs)) ||
           kg_kernel_refuse(context, "no memory for matrices of this size");
}

static bool set_up(struct kgate_context *context, void **state, enum kg_attention_part part)
{
    const int64_t number = context->values[VERSION].integer;
    struct kg_attention *attention = context->allocate(context, sizeof *attention);
    if (!attention)
        return kg_kernel_refuse(context, "no memory for matrices of this size");
    *attention = attention_of(context, part);
    const bool good = context->device == KGATE_DEVICE_CUDA
                          ? kg_attention_device_has(part, number, &attention->type) &&
                                kg_attention_device_set_up(context, attention, number)
                          : cpu_set_up(context, attention, &versions[part][number]);
    if (good)
        *state = attention;
    else
        tear_down(context, attention);
    return good;
}

static void run(void *state)
{
    struct kg_attention *attention = state;
    attention->version(attention);
}

static bool compare(struct kgate_context *context, struct kg_attention *attention,
                    struct kgate_check *check)
{
    check->tolerance = KG_ATTENTION_TOLERANCE;
    attention->draws++;
    return kg_attention_error(attention, &check->error) ||
           kg_kernel_refuse(context, "no memory for the reference");
}

static bool device_compare(struct kgate_context *context, struct kg_attention *attention,
                           struct kgate_check *check)
{
    const bool good =
        kg_attention_device_fetch(context, attention) && compare(context, attention, check);
    kg_attention_device_forget(attention);
    return good;
}

static void inputs_fill(struct kg_attention *attention)
{
    for (unsigned i = 0; i < KG_ATTENTION_ARRAYS; i++) {
        const enum kg_attention_array array = (enum kg_attention_array)i;
        if (kg_attention_inputs(attention->part) >> i & 1)
            kg_attention_fill(attention, array, *kg_attention_array(&attention->arrays, array));
    }
}

/* With the inputs made again from the seed. */
static bool cpu_compare(struct kgate_context *context, struct kg_attention *attention,
                        struct kgate_check *check)
{
    inputs_fill(attention);
    return compare(context, attention, check);
}

/* New inputs make results wrong that a version cached in earlier calls. */
static void inputs_change(struct kg_attention *attention)
{
    attention->seed = kg_seed_other(attention->seed);
    inputs_fill(attention);
}

static bool result_blank(struct kgate_context *context, struct kg_attention *attention)
{
    const enum kg_attention_array output = kg_attention_output(attention->part);
    const size_t bytes = kg_attention_stored_bytes(attention, output);
    if (context->device == KGATE_DEVICE_CUDA)
        return kg_device_poison(context, *kg_attention_array(&attention->device.arrays, output),
                                bytes);
    kg_fill_blank(*kg_attention_array(&attention->arrays, output), bytes, context->threads);
    return true;
}

/* Like kg_kernel_check: compares the result of the last call, then the result of one more call. */
static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    struct kg_attention *attention = state;
    struct kgate_check again = {.error = NAN};
    bool (*const compare_here)(struct kgate_context *, struct kg_attention *,
                               struct kgate_check *) =
        context->device == KGATE_DEVICE_CUDA ? device_compare : cpu_compare;
    if (!compare_here(context, attention, check))
        return false;
    if (!(check->error <= check->tolerance))
        return true;
    if (!result_blank(context, attention))
        return false;
    if (context->device != KGATE_DEVICE_CUDA)
        inputs_change(attention);
    attention->version(attention);
    if (!compare_here(context, attention, &again))
        return false;
    check->error = kg_worse(check->error, again.error);
    return true;
}

/* --- The parameters, and a workload for each part -------------------------------------------- */

static const char *const no_yes[] = {"no", "yes", NULL};
static const char *const plain_fast[] = {"plain", "fast", NULL};
static const char *const plain_fast_blas[] = {"plain", "fast", "blas", NULL};
static const char *const levels[] = {"plain",  "fused", "efficient", "flash",
                                     "hopper", "blas",  NULL};

#define EXTENT(param_name, value, most, text)                                                      \
    {                                                                                              \
        .name = (param_name), .type = KGATE_PARAM_INTEGER, .default_text = (value), .minimum = 1,  \
        .maximum = (most), .help = (text)                                                          \
    }
#define PARAMS(params_name, version_choices, version_default, version_help)                        \
    static const struct kgate_param params_name[] = {                                              \
        EXTENT("seq_len", "512", 1e6, "tokens of a sequence"),                                     \
        EXTENT("d_model", "512", 1e5, "elements of a token, a multiple of num_heads"),             \
        EXTENT("num_heads", "8", 1e5, "heads that a token's elements are cut into"),               \
        EXTENT("batch", "1", 1e6, "sequences"),                                                    \
        {.name = "causal",                                                                         \
         .type = KGATE_PARAM_CHOICE,                                                               \
         .default_text = "no",                                                                     \
         .choices = no_yes,                                                                        \
         .help = "whether no token sees a later one"},                                             \
        {.name = "version",                                                                        \
         .type = KGATE_PARAM_CHOICE,                                                               \
         .default_text = (version_default),                                                        \
         .choices = (version_choices),                                                             \
         .help = (version_help)},                                                                  \
    }

PARAMS(product_params, plain_fast_blas, "fast",
       "plain: as the formula, fast: tiled, all threads, blas: OpenBLAS, on the GPU cuBLAS");
PARAMS(softmax_params, plain_fast, "fast", "plain: as the formula, fast: vectorised, all threads");
PARAMS(
    whole_params, levels, "flash",
    "plain: as the formula, fused: element-wise steps joined to the products, efficient: O(N) "
    "memory, flash: tiled, O(N) memory, hopper: the same by wgmma and TMA (GPU), blas: OpenBLAS, "
    "on the GPU cuBLAS");

#define WORKLOAD(part, workload_name, param_table, text)                                           \
    static bool workload_name##_describe(struct kgate_context *context, struct kgate_work *work)   \
    {                                                                                              \
        return describe(context, work, part);                                                      \
    }                                                                                              \
    static bool workload_name##_set_up(struct kgate_context *context, void **state)                \
    {                                                                                              \
        return set_up(context, state, part);                                                       \
    }                                                                                              \
    const struct kgate_workload kg_kernel_##workload_name = {                                      \
        .name = #workload_name,                                                                    \
        .summary = (text),                                                                         \
        .params = (param_table),                                                                   \
        .param_count = sizeof(param_table) / sizeof *(param_table),                                \
        .devices = KG_KERNEL_DEVICES,                                                              \
        .revision = 1,                                                                             \
        .describe = workload_name##_describe,                                                      \
        .set_up = workload_name##_set_up,                                                          \
        .run = run,                                                                                \
        .check = check,                                                                            \
        .tear_down = tear_down,                                                                    \
    };

WORKLOAD(KG_ATTENTION_QKV_PROJECTION, attention_qkv_projection, product_params,
         "Attention's first product: queries, keys and values of all tokens.")
WORKLOAD(KG_ATTENTION_SCORES, attention_scores, product_params,
         "Attention's scores: each query times each key, scaled and masked.")
WORKLOAD(KG_ATTENTION_SOFTMAX, attention_softmax, softmax_params,
         "Attention's softmax of each row of scores.")
WORKLOAD(KG_ATTENTION_WEIGHTED_SUM, attention_weighted_sum, product_params,
         "Attention's sums of values, weighted by the softmax.")
WORKLOAD(KG_ATTENTION_OUTPUT_PROJECTION, attention_output_projection, product_params,
         "Attention's last product: what the heads found, mixed.")
WORKLOAD(KG_ATTENTION_WHOLE, attention, whole_params,
         "Multi-head self-attention, its five components in a row or as one.")
