#include "gemm/gemm.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "common/common.h"
#include "util/random.h"

enum { M, N, K, VERSION };

static const char *const versions[] = {"naive", "blocked", "blas", NULL};

#define EXTENT(param_name, text)                                                                   \
    {                                                                                              \
        .name = (param_name), .type = KGATE_PARAM_INTEGER, .default_text = "512", .minimum = 1,    \
        .maximum = 1e6, .help = (text)                                                             \
    }
static const struct kgate_param params[] = {
    EXTENT("m", "rows of A and C"),
    EXTENT("n", "columns of B and C"),
    EXTENT("k", "columns of A, rows of B"),
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "blocked",
     .choices = versions,
     .help = "naive: three loops, blocked: packed and tiled, blas: OpenBLAS"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const int64_t m = context->values[M].integer, n = context->values[N].integer;
    const int64_t k = context->values[K].integer;
    const uint64_t a = kg_array_bytes(m, k, sizeof(float)), b = kg_array_bytes(k, n, sizeof(float));
    const uint64_t c = kg_array_bytes(m, n, sizeof(float));
    if (!a || !b || !c)
        return kg_kernel_refuse(context, "a matrix of such m, n and k is above 64 GiB");
    *work = (struct kgate_work){.items = (double)m * (double)n,
                                .bytes = (double)a + (double)b + (double)c,
                                .flops = 2 * (double)m * (double)n * (double)k};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_gemm *gemm = state;
    if (!gemm)
        return;
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

static bool set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(struct kg_gemm *) = {kg_gemm_naive, kg_gemm_blocked, kg_gemm_blas};
    struct kg_gemm *gemm = context->allocate(context, sizeof *gemm);
    if (gemm)
        *gemm = (struct kg_gemm){.m = (size_t)context->values[M].integer,
                                 .n = (size_t)context->values[N].integer,
                                 .k = (size_t)context->values[K].integer,
                                 .threads = (int)context->threads,
                                 .seed = context->seed,
                                 .version = table[context->values[VERSION].integer]};
    if (!gemm || !arrays_make(context, gemm)) {
        tear_down(context, gemm);
        return kg_kernel_refuse(context, "no memory for three matrices of this size");
    }
    if (gemm->version == kg_gemm_blas)
        openblas_set_num_threads(gemm->threads);
    kg_fill_floats(gemm->a, gemm->m * gemm->k, context->seed, context->threads);
    kg_fill_floats(gemm->b, gemm->k * gemm->n, context->seed + 1, context->threads);
    kg_fill_floats(gemm->c, gemm->m * gemm->n, context->seed + 2, context->threads);
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
    struct kg_random random = {gemm->seed};
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

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_gemm *gemm = state;
    const double k = (double)gemm->k, u = (double)FLT_EPSILON / 2;
    double *scratch = calloc(2 * gemm->n + 2 * gemm->k, sizeof *scratch);
    if (!scratch)
        return kg_kernel_refuse(context, "no memory for the reference");
    check->error =
        kg_worse(rows_error(gemm, scratch, scratch + gemm->n), kg_gemm_freivalds(gemm, scratch));
    check->tolerance = u * fmin(k / (1 - k * u), 8 * sqrt(k));
    free(scratch);
    return true;
}

const struct kgate_workload kg_kernel_gemm = {
    .name = "gemm",
    .summary = "Multiplies two float matrices: arithmetic.",
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
