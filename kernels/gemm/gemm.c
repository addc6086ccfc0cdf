#include "gemm/gemm.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "common/common.h"
#include "common/device.h"

enum { M, N, K, TYPE, VERSION };

static const char *const types[] = {"f32", "bf16", NULL};

/* The versions, and their types on each device: bits 1 << enum kg_gemm_type. */
#define F32 (1U << KG_GEMM_F32)
#define BF16 (1U << KG_GEMM_BF16)
enum { NAIVE, BLOCKED, TILED, TENSOR, HOPPER, BLAS, VERSIONS };
static const char *const versions[] = {"naive",  "blocked", "tiled", "tensor",
                                       "hopper", "blas",    NULL};
static const unsigned has[VERSIONS][2] = {
    [NAIVE] = {[KGATE_DEVICE_CPU] = F32, [KGATE_DEVICE_CUDA] = F32},
    [BLOCKED] = {[KGATE_DEVICE_CPU] = F32},
    [TILED] = {[KGATE_DEVICE_CUDA] = F32},
    [TENSOR] = {[KGATE_DEVICE_CUDA] = BF16},
    [HOPPER] = {[KGATE_DEVICE_CUDA] = BF16},
    [BLAS] = {[KGATE_DEVICE_CPU] = F32, [KGATE_DEVICE_CUDA] = F32 | BF16},
};
static void (*const cpu_versions[VERSIONS])(struct kg_gemm *gemm) = {
    [NAIVE] = kg_gemm_naive, [BLOCKED] = kg_gemm_blocked, [BLAS] = kg_gemm_blas};

#define EXTENT(param_name, text)                                                                   \
    {                                                                                              \
        .name = (param_name), .type = KGATE_PARAM_INTEGER, .default_text = "512", .minimum = 1,    \
        .maximum = 1e6, .help = (text)                                                             \
    }
static const struct kgate_param params[] = {
    EXTENT("m", "rows of A and C"),
    EXTENT("n", "columns of B and C"),
    EXTENT("k", "columns of A, rows of B"),
    {.name = "type",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "f32",
     .choices = types,
     .help = "of A and B, f32: float, bf16: bfloat16; C is float"},
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "blocked",
     .choices = versions,
     .help = "naive: as defined, blocked: packed and tiled (CPU), tiled: shared memory (GPU), "
             "tensor and hopper: tensor cores (GPU, bf16), blas: OpenBLAS or cuBLAS"},
};

/* Refuses a version or a type that the device does not have. */
static bool available(struct kgate_context *context)
{
    const int64_t version = context->values[VERSION].integer, type = context->values[TYPE].integer;
    const unsigned bits = has[version][context->device];
    if (!bits)
        return kg_device_refuse_version(context, versions[version]);
    if (bits >> type & 1)
        return true;
    context->unavailable = true;
    return kg_kernel_refuse(context, "version '%s' does not take type '%s' on %s",
                            versions[version], types[type],
                            context->device == KGATE_DEVICE_CUDA ? "the GPU" : "the CPU");
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const int64_t m = context->values[M].integer, n = context->values[N].integer;
    const int64_t k = context->values[K].integer;
    const bool bf16 = context->values[TYPE].integer == KG_GEMM_BF16;
    const uint64_t element = bf16 ? sizeof(uint16_t) : sizeof(float);
    const uint64_t a = kg_array_bytes(m, k, element), b = kg_array_bytes(k, n, element);
    const uint64_t c = kg_array_bytes(m, n, sizeof(float));
    if (!available(context))
        return false;
    if (!a || !b || !c)
        return kg_kernel_refuse(context, "a matrix of such m, n and k is above 64 GiB");
    *work = (struct kgate_work){.items = (double)m * (double)n,
                                .bytes = (double)a + (double)b + (double)c,
                                .flops = 2 * (double)m * (double)n * (double)k,
                                .arithmetic =
                                    bf16 ? KGATE_ARITHMETIC_BF16_TENSOR : KGATE_ARITHMETIC_F32};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_gemm *gemm = state;
    if (!gemm)
        return;
    if (context->device == KGATE_DEVICE_CUDA)
        kg_gemm_device_tear_down(context, gemm);
    context->release(context, gemm->a);
    context->release(context, gemm->b);
    context->release(context, gemm->c);
    context->release(context, gemm->packed_a);
    context->release(context, gemm->packed_b);
    context->release(context, gemm);
}

static bool arrays_make(struct kgate_context *context, struct kg_gemm *gemm)
{
    gemm->a = context->allocate(context, gemm->m * gemm->k * sizeof(float));
    gemm->b = context->allocate(context, gemm->k * gemm->n * sizeof(float));
    gemm->c = context->allocate(context, gemm->m * gemm->n * sizeof(float));
    if (!gemm->a || !gemm->b || !gemm->c)
        return false;
    if (gemm->version != kg_gemm_blocked)
        return true;
    gemm->packed_a = context->allocate(context, kg_gemm_packed_a_floats(gemm) * sizeof(float));
    gemm->packed_b = context->allocate(context, kg_gemm_packed_b_floats(gemm) * sizeof(float));
    return gemm->packed_a && gemm->packed_b;
}

static void inputs_fill(struct kg_gemm *gemm)
{
    const unsigned threads = (unsigned)gemm->threads;
    kg_fill_floats(gemm->a, gemm->m * gemm->k, gemm->seed, threads);
    kg_fill_floats(gemm->b, gemm->k * gemm->n, gemm->seed + 1, threads);
}

static bool cpu_set_up(struct kgate_context *context, struct kg_gemm *gemm, int64_t version)
{
    gemm->version = cpu_versions[version];
    if (!arrays_make(context, gemm))
        return kg_kernel_refuse(context, "no memory for three matrices of this size");
    if (gemm->version == kg_gemm_blas)
        openblas_set_num_threads(gemm->threads);
    inputs_fill(gemm);
    kg_fill_blank(gemm->c, gemm->m * gemm->n * sizeof(float), context->threads);
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    const int64_t version = context->values[VERSION].integer;
    struct kg_gemm *gemm = context->allocate(context, sizeof *gemm);
    if (!gemm)
        return kg_kernel_refuse(context, "no memory for three matrices of this size");
    *gemm = (struct kg_gemm){.m = (size_t)context->values[M].integer,
                             .n = (size_t)context->values[N].integer,
                             .k = (size_t)context->values[K].integer,
                             .threads = (int)context->threads,
                             .seed = context->seed,
                             .type = (enum kg_gemm_type)context->values[TYPE].integer};
    if (context->device == KGATE_DEVICE_CUDA
            ? !kg_gemm_device_set_up(context, gemm, versions[version])
            : !cpu_set_up(context, gemm, version)) {
        tear_down(context, gemm);
        return false;
    }
    *state = gemm;
    return true;
}

static void run(void *state)
{
    struct kg_gemm *gemm = state;
    gemm->version(gemm);
}

static double rows_error(const struct kg_gemm *gemm, double *row, double *size)
{
    struct kg_random random = kg_check_random(gemm->seed, KG_GEMM_SAMPLE);
    double worst = 0;
    const size_t rows = gemm->m < KG_GEMM_ROWS ? gemm->m : KG_GEMM_ROWS;
    for (size_t r = 0; r < rows; r++) {
        const size_t i = gemm->m <= KG_GEMM_ROWS ? r : (size_t)kg_random_below(&random, gemm->m);
        kg_gemm_reference_row(gemm, i, row, size);
        for (size_t j = 0; j < gemm->n; j++) {
            const double error = fabs((double)gemm->c[i * gemm->n + j] - row[j]);
            worst = kg_worse(worst, error > 0 ? error / size[j] : error);
        }
    }
    return worst;
}

/* Tolerances of an element and of a row's projection; gemm.h has the reasons. */
struct tolerances {
    double element;
    double projection;
};

static struct tolerances tolerances_of(const struct kg_gemm *gemm)
{
    const bool bf16 = gemm->type == KG_GEMM_BF16;
    const double u = bf16 ? (double)FLT_EPSILON : (double)FLT_EPSILON / 2, k = (double)gemm->k;
    const double terms = bf16 ? 1.25 * k : k, typical = 8 * sqrt(k);
    return (struct tolerances){u * fmin(terms / (1 - terms * u), typical), u * typical};
}

static bool compare(struct kgate_context *context, const struct kg_gemm *gemm,
                    struct kgate_check *check)
{
    const struct tolerances tolerances = tolerances_of(gemm);
    double *scratch = calloc(2 * gemm->n + 2 * gemm->k, sizeof *scratch);
    if (!scratch)
        return kg_kernel_refuse(context, "no memory for the reference");
    const double rows = rows_error(gemm, scratch, scratch + gemm->n);
    const double projected =
        kg_gemm_freivalds(gemm, scratch) * tolerances.element / tolerances.projection;
    *check = (struct kgate_check){kg_worse(rows, projected), tolerances.element};
    free(scratch);
    return true;
}

static bool device_compare(struct kgate_context *context, struct kg_gemm *gemm,
                           struct kgate_check *check)
{
    const bool good = kg_gemm_device_fetch(context, gemm) && compare(context, gemm, check);
    kg_gemm_device_forget(gemm);
    return good;
}

static bool cpu_compare(struct kgate_context *context, struct kg_gemm *gemm,
                        struct kgate_check *check)
{
    inputs_fill(gemm);
    return compare(context, gemm, check);
}

static bool result_blank(struct kgate_context *context, struct kg_gemm *gemm)
{
    const size_t bytes = gemm->m * gemm->n * sizeof(float);
    if (context->device == KGATE_DEVICE_CUDA)
        return kg_device_poison(context, gemm->device.c, bytes);
    kg_fill_blank(gemm->c, bytes, context->threads);
    return true;
}

/* New inputs make results wrong that a version cached in earlier calls. */
static void inputs_change(struct kg_gemm *gemm)
{
    gemm->seed = kg_seed_other(gemm->seed);
    inputs_fill(gemm);
}

/* Like kg_kernel_check: compares the result of the last call, then the result of one more call. */
static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    struct kg_gemm *gemm = state;
    struct kgate_check again = {.error = NAN};
    bool (*const compare_here)(struct kgate_context *, struct kg_gemm *, struct kgate_check *) =
        context->device == KGATE_DEVICE_CUDA ? device_compare : cpu_compare;
    if (!compare_here(context, gemm, check))
        return false;
    if (!(check->error <= check->tolerance))
        return true;
    if (!result_blank(context, gemm))
        return false;
    if (context->device != KGATE_DEVICE_CUDA)
        inputs_change(gemm);
    gemm->version(gemm);
    if (!compare_here(context, gemm, &again))
        return false;
    check->error = kg_worse(check->error, again.error);
    return true;
}

const struct kgate_workload kg_kernel_gemm = {
    .name = "gemm",
    .summary = "Multiplies two float matrices: arithmetic.",
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
