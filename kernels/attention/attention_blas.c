/* The products by OpenBLAS: the usual choice of a user, and the reference speed for other versions.
 * Each OpenMP thread calls the library for its share of the rows. set_up gives the library one
 * thread of its own: otherwise threads of OpenMP and of OpenBLAS would spin on each other's CPUs,
 * and take ten times as long. */
#include <cblas.h>
#include <math.h>
#include <omp.h>

#include "attention/attention_heads.h"
#include "kgate/profiler.h"
#include "softmax/softmax_row.h"

/* A thread's share. */
struct rows {
    size_t first;
    size_t count;
};

/* The calling thread's share of `all` rows, within its team. */
static struct rows rows_of(size_t all)
{
    const size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
    const size_t first = all * thread / threads;
    return (struct rows){first, all * (thread + 1) / threads - first};
}

/* C = scale A B, or A B^T, of n columns and depth k; the strides are those between rows. */
static void product(size_t m, size_t n, size_t k, float scale, const float *a, size_t a_stride,
                    enum CBLAS_TRANSPOSE transpose, const float *b, size_t b_stride, float *c,
                    size_t c_stride)
{
    if (m)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, transpose, (blasint)m, (blasint)n, (blasint)k,
                    scale, a, (blasint)a_stride, b, (blasint)b_stride, 0.0F, c, (blasint)c_stride);
}

static void project_qkv(const struct kg_attention *attention)
{
    KGATE_SCOPE_ON("qkv_projection", KGATE_DEVICE_CPU, "openblas", 0);
    const size_t d = attention->d_model;
    const struct rows rows = rows_of(kg_attention_tokens(attention));
    product(rows.count, 3 * d, d, 1, attention->arrays.x + rows.first * d, d, CblasNoTrans,
            attention->arrays.w_qkv, 3 * d, attention->arrays.qkv + rows.first * 3 * d, 3 * d);
}

static void project_output(const struct kg_attention *attention)
{
    KGATE_SCOPE_ON("output_projection", KGATE_DEVICE_CPU, "openblas", 0);
    const size_t d = attention->d_model;
    const struct rows rows = rows_of(kg_attention_tokens(attention));
    product(rows.count, d, d, 1, attention->arrays.h + rows.first * d, d, CblasNoTrans,
            attention->arrays.w_out, d, attention->arrays.y + rows.first * d, d);
}

static void head_scores(const struct kg_attention *attention, const struct kg_attention_head *head,
                        struct rows rows, float *s)
{
    KGATE_SCOPE_ON("scores", KGATE_DEVICE_CPU, "openblas", 0);
    const size_t n = attention->seq_len, depth = attention->d_head;
    product(rows.count, n, depth, 1 / sqrtf((float)depth), head->q + rows.first * head->stride,
            head->stride, CblasTrans, head->k, head->stride, s + rows.first * n, n);
}

static void head_mask(const struct kg_attention *attention, struct rows rows, float *s)
{
    const size_t n = attention->seq_len;
    for (size_t i = rows.first; i < rows.first + rows.count; i++)
        for (size_t j = kg_attention_keys(attention, i); j < n; j++)
            s[i * n + j] = -INFINITY;
}

/* In place, over the visible part of each row, zeros behind: the best possible between two
 * calls. */
static void head_softmax(const struct kg_attention *attention, struct rows rows, float *s)
{
    KGATE_SCOPE_ON("softmax", KGATE_DEVICE_CPU, "openmp", 0);
    const size_t n = attention->seq_len;
    for (size_t i = rows.first; i < rows.first + rows.count; i++)
        kg_softmax_row(s + i * n, s + i * n, kg_attention_keys(attention, i), n);
}

static void head_weighted_sum(const struct kg_attention *attention,
                              const struct kg_attention_head *head, struct rows rows,
                              const float *p)
{
    KGATE_SCOPE_ON("weighted_sum", KGATE_DEVICE_CPU, "openblas", 0);
    const size_t n = attention->seq_len;
    product(rows.count, attention->d_head, n, 1, p + rows.first * n, n, CblasNoTrans, head->v,
            head->stride, attention->arrays.h + head->out + rows.first * head->h_stride,
            head->h_stride);
}

void kg_attention_qkv_projection_blas(struct kg_attention *attention)
{
#pragma omp parallel num_threads(attention->threads)
    project_qkv(attention);
}

void kg_attention_scores_blas(struct kg_attention *attention)
{
#pragma omp parallel num_threads(attention->threads)
    for (size_t h = 0; h < kg_attention_heads(attention); h++) {
        const struct kg_attention_head head = kg_attention_head_of(attention, h);
        const struct rows rows = rows_of(attention->seq_len);
        float *s = attention->arrays.s + head.matrix;
        head_scores(attention, &head, rows, s);
        if (attention->causal)
            head_mask(attention, rows, s);
    }
}

void kg_attention_weighted_sum_blas(struct kg_attention *attention)
{
#pragma omp parallel num_threads(attention->threads)
    for (size_t h = 0; h < kg_attention_heads(attention); h++) {
        const struct kg_attention_head head = kg_attention_head_of(attention, h);
        head_weighted_sum(attention, &head, rows_of(attention->seq_len),
                          attention->arrays.p + head.matrix);
    }
}

void kg_attention_output_projection_blas(struct kg_attention *attention)
{
#pragma omp parallel num_threads(attention->threads)
    project_output(attention);
}

/* Between the projections a thread needs only its own rows, so there is no barrier. */
void kg_attention_blas(struct kg_attention *attention)
{
    float *s = attention->tiles; /* one head's */
#pragma omp parallel num_threads(attention->threads)
    {
        project_qkv(attention);
#pragma omp barrier
        for (size_t h = 0; h < kg_attention_heads(attention); h++) {
            const struct kg_attention_head head = kg_attention_head_of(attention, h);
            const struct rows rows = rows_of(attention->seq_len);
            head_scores(attention, &head, rows, s);
            head_softmax(attention, rows, s);
            head_weighted_sum(attention, &head, rows, s);
        }
#pragma omp barrier
        project_output(attention);
    }
}
