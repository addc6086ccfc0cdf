#include "lattice/lattice.h"

#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"
#include "util/random.h"

enum { LATTICE, Q, LAYERS, BETA, ALPHA, BATCH, VERSION, PARAMS };

static const char *const lattices[] = {"Z2", "D4", "E8", NULL};
static const char *const coding_versions[] = {"plain", "fast", NULL};
static const char *const quantize_versions[] = {"plain", "separate", "fused", NULL};

/* clang-format off */
#define SHARED_PARAMS                                                                              \
    {.name = "lattice",                                                                            \
     .type = KGATE_PARAM_CHOICE,                                                                   \
     .default_text = "D4",                                                                         \
     .choices = lattices,                                                                          \
     .help = "in 2, 4 or 8 dimensions"},                                                           \
    {.name = "q",                                                                                  \
     .type = KGATE_PARAM_INTEGER,                                                                  \
     .default_text = "4",                                                                          \
     .minimum = 2,                                                                                 \
     .maximum = 256,                                                                               \
     .help = "ratio of a layer's lattice to the next"},                                            \
    {.name = "M",                                                                                  \
     .type = KGATE_PARAM_INTEGER,                                                                  \
     .default_text = "2",                                                                          \
     .minimum = 1,                                                                                 \
     .maximum = KG_LATTICE_COORDINATE_BITS_MOST,                                                   \
     .help = "layers"},                                                                            \
    {.name = "beta",                                                                               \
     .type = KGATE_PARAM_REAL,                                                                     \
     .default_text = "0.3",                                                                        \
     .minimum = 1e-6,                                                                              \
     .maximum = 1e6,                                                                               \
     .help = "scale of the lattice; the input has variance 1"},                                    \
    {.name = "alpha",                                                                              \
     .type = KGATE_PARAM_REAL,                                                                     \
     .default_text = "2",                                                                          \
     .minimum = 1.01,                                                                              \
     .maximum = 16,                                                                                \
     .help = "what an overload makes the scale larger by"},                                        \
    {.name = "batch",                                                                              \
     .type = KGATE_PARAM_INTEGER,                                                                  \
     .default_text = "10000",                                                                      \
     .minimum = 1,                                                                                 \
     .maximum = 1e7,                                                                               \
     .help = "vectors"}
/* clang-format on */

static const struct kgate_param coding_params[PARAMS] = {
    SHARED_PARAMS,
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "fast",
     .choices = coding_versions,
     .help = "plain: one vector after the other, fast: vectorised, all threads"},
};

static const struct kgate_param quantize_params[PARAMS] = {
    SHARED_PARAMS,
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "fused",
     .choices = quantize_versions,
     .help = "separate: fast encode, then fast decode, fused: both at once"},
};

/* Which arrays a workload reads and writes. */
struct coding {
    bool codes_read;
    bool codes_written;
    bool decoded_written;
    const char *const *names;
    void (*versions[3][2])(struct kg_lattice *lattice);
};

static const struct coding encoding = {
    .codes_written = true,
    .names = coding_versions,
    .versions = {{kg_lattice_encode_plain, KG_CUDA_VERSION(kg_lattice_encode_cuda_plain)},
                 {kg_lattice_encode_fast, KG_CUDA_VERSION(kg_lattice_encode_cuda_fast)}},
};

static const struct coding decoding = {
    .codes_read = true,
    .decoded_written = true,
    .names = coding_versions,
    .versions = {{kg_lattice_decode_plain, KG_CUDA_VERSION(kg_lattice_decode_cuda_plain)},
                 {kg_lattice_decode_fast, KG_CUDA_VERSION(kg_lattice_decode_cuda_fast)}},
};

/* Only `separate` has codes, which are nobody's result. */
static const struct coding quantizing = {
    .decoded_written = true,
    .names = quantize_versions,
    .versions = {{kg_lattice_quantize_plain, KG_CUDA_VERSION(kg_lattice_quantize_cuda_plain)},
                 {kg_lattice_quantize_separate, KG_CUDA_VERSION(kg_lattice_quantize_cuda_separate)},
                 {kg_lattice_quantize_fused, KG_CUDA_VERSION(kg_lattice_quantize_cuda_fused)}},
};

static bool plan_make(struct kgate_context *context, struct kg_lattice_plan *plan)
{
    const struct kgate_value *values = context->values;
    const enum kg_lattice_kind kind = (enum kg_lattice_kind)values[LATTICE].integer;
    return kg_lattice_plan_make(plan, kind, (unsigned)values[Q].integer,
                                (unsigned)values[LAYERS].integer, values[BETA].real,
                                values[ALPHA].real) ||
           kg_kernel_refuse(context,
                            "a coordinate takes M times ceil(log2 q) bits: at most %d for %s",
                            kind == KG_LATTICE_E8 ? (int)KG_LATTICE_COORDINATE_BITS_MOST_E8
                                                  : (int)KG_LATTICE_COORDINATE_BITS_MOST,
                            lattices[kind]);
}

static double code_bytes(const struct kg_lattice_plan *plan)
{
    return plan->code_bytes + KG_LATTICE_COUNT_BITS / 8.0;
}

static bool describe(struct kgate_context *context, struct kgate_work *work,
                     const struct coding *coding)
{
    const int64_t version = context->values[VERSION].integer;
    struct kg_lattice_plan plan;
    if (!plan_make(context, &plan))
        return false;
    if (!coding->versions[version][context->device])
        return kg_device_refuse_version(context, coding->names[version]);
    const double batch = (double)context->values[BATCH].integer;
    const double x_bytes =
        sizeof(float) *
        kg_lattice_dimensions((enum kg_lattice_kind)context->values[LATTICE].integer);
    const double moved =
        coding->codes_read || coding->codes_written ? x_bytes + code_bytes(&plan) : 2 * x_bytes;
    *work = (struct kgate_work){.items = batch, .bytes = batch * moved};
    return true;
}

/* --- Input ---------------------------------------------------------------------------------------
 */

/* Sums of four uniform numbers of 16 bits, of mean 0 and variance 1: by blocks with seeds of their
 * own, so that the threads do not show. */
static void input_fill(float *x, size_t n, uint64_t seed, unsigned threads)
{
    enum { BLOCK = 4096 };
    const double scale = 1 / sqrt(4 * (0x1p32 - 1) / 12);
#pragma omp parallel for num_threads((int)threads) schedule(static)
    for (size_t block = 0; block < (n + BLOCK - 1) / BLOCK; block++) {
        uint64_t words[BLOCK];
        const size_t first = block * BLOCK, count = n - first < BLOCK ? n - first : BLOCK;
        kg_fill_words(words, count, seed * UINT64_C(0xd1342543de82ef95) + block, 1);
        for (size_t i = 0; i < count; i++) {
            const uint64_t pairs = (words[i] & UINT64_C(0x0000ffff0000ffff)) +
                                   (words[i] >> 16 & UINT64_C(0x0000ffff0000ffff));
            const int64_t sum = (int64_t)((pairs & 0xffffffffU) + (pairs >> 32));
            x[first + i] = (float)((double)(sum - 2 * 0xffff) * scale);
        }
    }
}

static size_t floats_of(const struct kg_lattice *lattice)
{
    return lattice->batch * kg_lattice_dimensions(lattice->kind);
}

static size_t codes_bytes(const struct kg_lattice *lattice)
{
    return lattice->batch * lattice->plan.code_bytes;
}

static size_t counts_bytes(const struct kg_lattice *lattice)
{
    return (lattice->batch + 1) / 2;
}

/* --- What is reported ----------------------------------------------------------------------------
 */
static void report(struct kgate_context *context, const struct kg_lattice *lattice)
{
    const unsigned n = kg_lattice_dimensions(lattice->kind);
    const size_t sample = lattice->batch < KG_LATTICE_SAMPLE ? lattice->batch : KG_LATTICE_SAMPLE;
    double squares = 0, overloads = 0;
    for (size_t v = 0; v < sample; v++) {
        uint64_t code;
        float decoded[KG_LATTICE_DIMENSIONS_MOST];
        const float *x = lattice->x + v * n;
        const unsigned count = kg_lattice_reference_encode(lattice->kind, &lattice->plan, x, &code);
        kg_lattice_reference_decode(lattice->kind, &lattice->plan, code, count, decoded);
        overloads += count > 0;
        for (unsigned i = 0; i < n; i++)
            squares += (double)(x[i] - decoded[i]) * (double)(x[i] - decoded[i]);
    }
    context->report(context, "compression", sizeof(float) * n / code_bytes(&lattice->plan));
    context->report(context, "mse", squares / (double)(sample * n));
    context->report(context, "overload_share", overloads / (double)sample);
}

/* --- Arrays --------------------------------------------------------------------------------------
 */
static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_lattice *lattice = state;
    if (!lattice)
        return;
    void (*const release)(struct kgate_context *, void *) =
        context->device == KGATE_DEVICE_CUDA ? context->release_device : context->release;
    release(context, lattice->x);
    release(context, lattice->codes);
    release(context, lattice->counts);
    release(context, lattice->decoded);
    context->release(context, lattice);
}

static void input_free(const struct kg_lattice *input)
{
    free(input->x);
    free(input->codes);
    free(input->counts);
}

/* The input on the host, by malloc, as it is kgate's own: x, and for decoding what encoding makes
 * of it. To be freed in any case. */
static bool input_make(struct kgate_context *context, const struct kg_lattice *lattice,
                       const struct coding *coding, struct kg_lattice *input)
{
    *input = *lattice;
    input->threads = (int)context->threads;
    input->x = malloc(floats_of(lattice) * sizeof(float));
    input->codes = coding->codes_read ? malloc(codes_bytes(lattice)) : NULL;
    input->counts = coding->codes_read ? malloc(counts_bytes(lattice)) : NULL;
    if (!input->x || (coding->codes_read && !(input->codes && input->counts)))
        return kg_kernel_refuse(context, "no memory for %zu vectors", lattice->batch);
    input_fill(input->x, floats_of(lattice), context->seed, context->threads);
    if (coding->codes_read)
        kg_lattice_encode_fast(input);
    return true;
}

/* Memory of the case's device with a copy of `from`; where that is NULL, with bytes 0xff, which no
 * result consists of. NULL with context->message. */
static void *array_make(struct kgate_context *context, const void *from, size_t bytes)
{
    const bool cuda = context->device == KGATE_DEVICE_CUDA;
    void *memory =
        cuda ? context->allocate_device(context, bytes) : context->allocate(context, bytes);
    if (!memory) {
        kg_kernel_refuse(context, "no memory for %zu bytes", bytes);
        return NULL;
    }
    if (!cuda && from)
        memcpy(memory, from, bytes);
    else if (!cuda)
        memset(memory, 0xff, bytes);
    else if (!(from ? kg_device_upload(context, memory, from, bytes)
                    : kg_device_poison(context, memory, bytes))) {
        context->release_device(context, memory);
        return NULL;
    }
    return memory;
}

/* The arrays that the version uses. */
static bool arrays_make(struct kgate_context *context, struct kg_lattice *lattice,
                        const struct coding *coding, const struct kg_lattice *input)
{
    const size_t x_bytes = floats_of(lattice) * sizeof(float);
    const bool separate = coding == &quantizing && context->values[VERSION].integer == 1;
    bool good = true;
    if (!coding->codes_read)
        good = (lattice->x = array_make(context, input->x, x_bytes)) != NULL;
    if (good && (coding->codes_read || coding->codes_written || separate))
        good = (lattice->codes = array_make(context, input->codes, codes_bytes(lattice))) &&
               (lattice->counts = array_make(context, input->counts, counts_bytes(lattice)));
    if (good && coding->decoded_written)
        good = (lattice->decoded = array_make(context, NULL, x_bytes)) != NULL;
    return good;
}

static bool set_up(struct kgate_context *context, void **state, const struct coding *coding)
{
    struct kg_lattice input, *lattice = context->allocate(context, sizeof *lattice);
    if (!lattice)
        return kg_kernel_refuse(context, "no memory");
    lattice->kind = (enum kg_lattice_kind)context->values[LATTICE].integer;
    lattice->batch = (size_t)context->values[BATCH].integer;
    lattice->threads = (int)context->threads;
    lattice->stream = context->stream;
    lattice->version = coding->versions[context->values[VERSION].integer][context->device];
    bool good = plan_make(context, &lattice->plan);
    if (good) {
        good = input_make(context, lattice, coding, &input) &&
               arrays_make(context, lattice, coding, &input);
        if (good)
            report(context, &input);
        input_free(&input);
    }
    if (!good) {
        tear_down(context, lattice);
        return false;
    }
    *state = lattice;
    return true;
}

static void run(void *state)
{
    struct kg_lattice *lattice = state;
    lattice->version(lattice);
}

/* --- The check -----------------------------------------------------------------------------------
 */

/* Whether vector v of the results is what the reference makes of that of the input. */
static bool vector_good(const struct kg_lattice *input, const struct kg_lattice *result,
                        const struct coding *coding, size_t v)
{
    const struct kg_lattice_plan *plan = &result->plan;
    const unsigned n = kg_lattice_dimensions(result->kind);
    uint64_t code;
    unsigned count;
    if (coding->codes_read) {
        code = kg_lattice_code_read(input->codes, v, plan->code_bytes);
        count = kg_lattice_count_read(input->counts, v);
    } else {
        count = kg_lattice_reference_encode(result->kind, plan, input->x + v * n, &code);
    }
    if (coding->codes_written)
        return code == kg_lattice_code_read(result->codes, v, plan->code_bytes) &&
               count == kg_lattice_count_read(result->counts, v);
    float decoded[KG_LATTICE_DIMENSIONS_MOST];
    kg_lattice_reference_decode(result->kind, plan, code, count, decoded);
    for (unsigned i = 0; i < n; i++)
        if (!(result->decoded[v * n + i] == decoded[i]))
            return false;
    return true;
}

static double wrong_vectors(const struct kg_lattice *input, const struct kg_lattice *result,
                            const struct coding *coding)
{
    double wrong = 0;
#pragma omp parallel for num_threads(input->threads) reduction(+ : wrong)
    for (size_t v = 0; v < result->batch; v++)
        wrong += !vector_good(input, result, coding, v);
    return wrong;
}

/* The results on the host, as copies from the GPU: to be freed in any case. */
static bool result_fetch(struct kgate_context *context, const struct kg_lattice *lattice,
                         const struct coding *coding, struct kg_lattice *result)
{
    *result = *lattice;
    result->codes = NULL;
    result->counts = NULL;
    result->decoded = NULL;
    if (coding->codes_written)
        return (result->codes = kg_device_fetch(context, lattice->codes, codes_bytes(lattice))) &&
               (result->counts = kg_device_fetch(context, lattice->counts, counts_bytes(lattice)));
    result->decoded =
        kg_device_fetch(context, lattice->decoded, floats_of(lattice) * sizeof(float));
    return result->decoded != NULL;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check,
                  const struct coding *coding)
{
    const struct kg_lattice *lattice = state;
    struct kg_lattice input, result = *lattice;
    bool good = input_make(context, lattice, coding, &input);
    if (context->device == KGATE_DEVICE_CUDA)
        good = good && result_fetch(context, lattice, coding, &result);
    if (good)
        *check = (struct kgate_check){.error = wrong_vectors(&input, &result, coding)};
    input_free(&input);
    if (context->device == KGATE_DEVICE_CUDA) {
        free(result.codes);
        free(result.counts);
        free(result.decoded);
    }
    return good;
}

/* --- The three workloads -------------------------------------------------------------------------
 */
#define WORKLOAD(function, kind, words, table)                                                     \
    static bool function##_describe(struct kgate_context *context, struct kgate_work *work)        \
    {                                                                                              \
        return describe(context, work, &(kind));                                                   \
    }                                                                                              \
    static bool function##_set_up(struct kgate_context *context, void **state)                     \
    {                                                                                              \
        return set_up(context, state, &(kind));                                                    \
    }                                                                                              \
    static bool function##_check(struct kgate_context *context, void *state,                       \
                                 struct kgate_check *result)                                       \
    {                                                                                              \
        return check(context, state, result, &(kind));                                             \
    }                                                                                              \
    const struct kgate_workload kg_kernel_lattice_##function = {                                   \
        .name = "lattice_" #function,                                                              \
        .summary = (words),                                                                        \
        .params = (table),                                                                         \
        .param_count = PARAMS,                                                                     \
        .devices = KG_KERNEL_DEVICES,                                                              \
        .revision = 1,                                                                             \
        .describe = function##_describe,                                                           \
        .set_up = function##_set_up,                                                               \
        .run = run,                                                                                \
        .check = function##_check,                                                                 \
        .tear_down = tear_down,                                                                    \
    }

WORKLOAD(encode, encoding, "Vectors to codes of a nested lattice: nearest points, bit by bit.",
         coding_params);
WORKLOAD(decode, decoding, "Codes of a nested lattice back to vectors.", coding_params);
WORKLOAD(quantize, quantizing, "Vectors to codes of a nested lattice and back.", quantize_params);
