#include "lattice/lattice.h"

#include "common/common.h"
#include "common/device.h"
#include "lattice/lattice_arrays.h"

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
     .maximum = 1e8,                                                                               \
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

static const struct kg_lattice_coding encoding = {
    .codes_written = true,
    .names = coding_versions,
    .versions = {{kg_lattice_encode_plain, KG_CUDA_VERSION(kg_lattice_encode_cuda_plain)},
                 {kg_lattice_encode_fast, KG_CUDA_VERSION(kg_lattice_encode_cuda_fast)}},
};

static const struct kg_lattice_coding decoding = {
    .codes_read = true,
    .decoded_written = true,
    .names = coding_versions,
    .versions = {{kg_lattice_decode_plain, KG_CUDA_VERSION(kg_lattice_decode_cuda_plain)},
                 {kg_lattice_decode_fast, KG_CUDA_VERSION(kg_lattice_decode_cuda_fast)}},
};

/* Only `separate` has codes, and they are no result. */
static const struct kg_lattice_coding quantizing = {
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
                     const struct kg_lattice_coding *coding)
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
    const double written = coding->codes_written ? code_bytes(&plan) : x_bytes;
    *work = (struct kgate_work){.items = batch,
                                .item_name = "vectors",
                                .bytes = batch * moved,
                                .written_bytes = batch * written};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    if (!state)
        return;
    kg_lattice_arrays_free(context, state);
    context->release(context, state);
}

static bool set_up(struct kgate_context *context, void **state,
                   const struct kg_lattice_coding *coding)
{
    const int64_t version = context->values[VERSION].integer;
    const bool codes = coding->codes_read || coding->codes_written ||
                       coding->versions[version][0] == kg_lattice_quantize_separate;
    struct kg_lattice *lattice = context->allocate(context, sizeof *lattice);
    if (!lattice)
        return kg_kernel_refuse(context, "no memory");
    kg_device_begin(context);
    lattice->kind = (enum kg_lattice_kind)context->values[LATTICE].integer;
    lattice->batch = (size_t)context->values[BATCH].integer;
    lattice->threads = (int)context->threads;
    lattice->stream = context->stream;
    lattice->version = coding->versions[version][context->device];
    if (!((context->device == KGATE_DEVICE_CPU ||
           kg_device_processors(context, &lattice->processors)) &&
          plan_make(context, &lattice->plan) &&
          kg_lattice_arrays_make(context, lattice, coding, codes) &&
          kg_lattice_sample_report(context, lattice, coding))) {
        tear_down(context, lattice);
        return false;
    }
    context->report(context, "compression",
                    sizeof(float) * kg_lattice_dimensions(lattice->kind) /
                        code_bytes(&lattice->plan));
    *state = lattice;
    return true;
}

static void run(void *state)
{
    struct kg_lattice *lattice = state;
    lattice->version(lattice);
}

/* --- The three workloads ---------------------------------------------------------------------- */
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
        return kg_lattice_check(context, state, &(kind), result);                                  \
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
