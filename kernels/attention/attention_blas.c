/* The products by OpenBLAS: what a user would otherwise call, and what the others are measured by.
 * Its threads are set by set_up. */
#include <cblas.h>
#include <math.h>

#include "attention/attention_heads.h"
#include "kgate/profiler.h"
#include "softmax/softmax_row.h"

/* C = scale A B, or A B^T, of n columns and depth k; the strides are those between rows. */
static void product(size_t m, size_t n, size_t k, float scale, const float *a, size_t a_stride,
                    enum CBLAS_TRANSPOSE transpose, const float *b, size_t b_stride, float *c,
                    size_t c_stride)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, transpose, (blasint)m, (blasint)n, (blasint)k, scale,
                a, (blasint)a_stride, b, (blasint)b_stride, 0.0F, c, (blasint)c_stride);
}

void kg_attention_qkv_projection_blas(struct kg_attention *attention)
{
    KGATE_SCOPE_ON("qkv_projection", KGATE_DEVICE_CPU, "openblas", 0);
    const size_t d = attention->d_model;
    product(kg_attention_tokens(attention), 3 * d, d, 1, attention->arrays.x, d, CblasNoTrans,
            attention->arrays.w_qkv, 3 * d, attention->arrays.qkv, 3 * d);
}

static void head_scores(const struct kg_attention *attention, const struct kg_attention_head *head,
                        float *s)
{
    KGATE_SCOPE_ON("scores", KGATE_DEVICE_CPU, "openblas", 0);
    const size_t n = attention->seq_len, depth = attention->d_head;
    product(n, n, depth, 1 / sqrtf((float)depth), head->q, head->stride, CblasTrans, head->k,
            head->stride, s, n);
}

static void head_weighted_sum(const struct kg_attention *attention,
                              const struct kg_attention_head *head, const float *p)
{
    KGATE_SCOPE_ON("weighted_sum", KGATE_DEVICE_CPU, "openblas", 0);
    const size_t n = attention->seq_len;
    product(n, attention->d_head, n, 1, p, n, CblasNoTrans, head->v, head->stride,
            attention->arrays.h + head->out, head->h_stride);
}

static void head_mask(const struct kg_attention *attention, float *s)
{
    const size_t n = attention->seq_len;
#pragma omp parallel for num_threads(attention->threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        for (size_t j = kg_attention_keys(attention, i); j < n; j++)
            s[i * n + j] = -INFINITY;
}

void kg_attention_scores_blas(struct kg_attention *attention)
{
    for (size_t h = 0; h < kg_attention_heads(attention); h++) {
        const struct kg_attention_head head = kg_attention_head_of(attention, h);
        float *s = attention->arrays.s + head.matrix;
        head_scores(attention, &head, s);
        if (attention->causal)
            head_mask(attention, s);
    }
}

void kg_attention_weighted_sum_blas(struct kg_attention *attention)
{
    for (size_t h = 0; h < kg_attention_heads(attention); h++) {
        const struct kg_attention_head head = kg_attention_head_of(attention, h);
        head_weighted_sum(attention, &head, attention->arrays.p + head.matrix);
    }
}

void kg_attention_output_projection_blas(struct kg_attention *attention)
{
    KGATE_SCOPE_ON("output_projection", KGATE_DEVICE_CPU, "openblas", 0);
    const size_t d = attention->d_model;
    product(kg_attention_tokens(attention), d, d, 1, attention->arrays.h, d, CblasNoTrans,
            attention->arrays.w_out, d, attention->arrays.y, d);
}

/* In place, of what each row sees, zeros behind: the best that can be done between two calls. */
static void head_softmax(const struct kg_attention *attention, float *s)
{
    const size_t n = attention->seq_len;
#pragma omp parallel num_threads(attention->threads)
    {
        KGATE_SCOPE_ON("softmax", KGATE_DEVICE_CPU, "openmp", 0);
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < n; i++)
            kg_softmax_row(s + i * n, s + i * n, kg_attention_keys(attention, i), n);
    }
}

void kg_attention_blas(struct kg_attention *attention)
{
    float *s = attention->tiles; /* one head's */
    kg_attention_qkv_projection_blas(attention);
    for (size_t h = 0; h < kg_attention_heads(attention); h++) {
        const struct kg_attention_head head = kg_attention_head_of(attention, h);
        head_scores(attention, &head, s);
        head_softmax(attention, s);
        head_weighted_sum(attention, &head, s);
    }
    kg_attention_output_projection_blas(attention);
}
