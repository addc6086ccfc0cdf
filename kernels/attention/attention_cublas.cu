/* blas: the products by NVIDIA's cuBLAS, in its default mathematics, in float. It is the usual
 * choice of a user, and the reference speed for other versions. The code between its calls is the
 * best possible. The product of scores includes the scale. The fast softmax of level 1 runs in
 * place and leaves zeros behind the diagonal. So cuBLAS computes all scores of a causal mask, and
 * half of them are thrown away.
 *
 * Heads lie side by side in [Q K V] and in H, d_head apart, and sequences follow each other. The
 * heads of one sequence have a constant distance. So has one head from sequence to sequence. The
 * heads of all sequences have no common distance. So a call takes all heads of a sequence, or one
 * head of all sequences: the longer of the two dimensions. The number of calls is the length of the
 * other dimension. One sequence needs one call. An array of pointers would need a single call for
 * everything. But then the library does not know the matrices' addresses and alignment before its
 * kernel runs. */
#include <cmath>

#include "attention/attention.cuh"
#include "common/cublas.h"
#include "common/device.h"
#include "kgate/profiler.h"

/* --- The products ---------------------------------------------------------------------------- */

/* Matrices, one per head. Distances in floats: `step` between rows, `head` between heads,
 * `sequence` between the matrices of one head in two neighbouring sequences. */
struct matrices {
    float *first;
    size_t step;
    size_t head;
    size_t sequence;
};

/* Q at 0, K at 1, V at 2. */
static struct matrices qkv_matrices(const struct kg_attention *attention, size_t third)
{
    const size_t step = 3 * attention->d_model;
    return {attention->device.arrays.qkv + third * attention->d_model, step, attention->d_head,
            attention->seq_len * step};
}

static struct matrices h_matrices(const struct kg_attention *attention)
{
    return {attention->device.arrays.h, attention->d_model, attention->d_head,
            attention->seq_len * attention->d_model};
}

static struct matrices score_matrices(const struct kg_attention *attention, float *s)
{
    const size_t n = attention->seq_len;
    return {s, n, n * n, attention->num_heads * n * n};
}

/* The matrices of call number `call`. */
static struct kg_cublas_matrices matrices_of(const struct matrices &all, bool by_heads, size_t call)
{
    return {all.first + call * (by_heads ? all.sequence : all.head), all.step,
            by_heads ? all.head : all.sequence};
}

/* C = A B for each head of each sequence, with the extents of `batch`. */
static void heads_multiply(const struct kg_attention *attention, struct kg_cublas_batch batch,
                           const struct matrices &a, const struct matrices &b,
                           const struct matrices &c)
{
    const bool by_heads = attention->num_heads >= attention->batch;
    const size_t calls = by_heads ? attention->batch : attention->num_heads;
    batch.count = by_heads ? attention->num_heads : attention->batch;
    for (size_t call = 0; call < calls; call++) {
        batch.a = matrices_of(a, by_heads, call);
        batch.b = matrices_of(b, by_heads, call);
        batch.c = matrices_of(c, by_heads, call);
        kg_cublas_multiply_batch(attention->device.cublas, &batch);
    }
}

static void scores_multiply(const struct kg_attention *attention)
{
    struct kg_cublas_batch batch = {};
    batch.m = batch.n = attention->seq_len;
    batch.k = attention->d_head;
    batch.scale = 1.0F / sqrtf((float)attention->d_head);
    batch.b_transposed = true;
    heads_multiply(attention, batch, qkv_matrices(attention, 0), qkv_matrices(attention, 1),
                   score_matrices(attention, attention->device.arrays.s));
}

static void weighted_sum_multiply(const struct kg_attention *attention, float *weights)
{
    struct kg_cublas_batch batch = {};
    batch.m = batch.k = attention->seq_len;
    batch.n = attention->d_head;
    batch.scale = 1;
    heads_multiply(attention, batch, score_matrices(attention, weights), qkv_matrices(attention, 2),
                   h_matrices(attention));
}

static void project(const struct kg_attention *attention, bool output)
{
    const struct kg_gemm gemm = kg_attention_projection(attention, output);
    kg_cublas_multiply(attention->device.cublas, KG_CUBLAS_F32, gemm.m, gemm.n, gemm.k,
                       gemm.device.a, gemm.device.b, gemm.device.c);
}

/* --- Before the first call ------------------------------------------------------------------- */
extern "C" bool kg_attention_cublas_open(struct kgate_context *context,
                                         struct kg_attention *attention)
{
    attention->device.cublas = kg_cublas_open(context);
    return attention->device.cublas != nullptr;
}

extern "C" void kg_attention_cublas_load(struct kg_attention *attention)
{
    const enum kg_attention_part part = attention->part;
    const bool whole = part == KG_ATTENTION_WHOLE;
    const struct kg_attention_arrays *arrays = &attention->device.arrays;
    if (whole || part == KG_ATTENTION_QKV_PROJECTION)
        project(attention, false);
    if (whole || part == KG_ATTENTION_SCORES)
        scores_multiply(attention);
    if (whole || part == KG_ATTENTION_WEIGHTED_SUM)
        weighted_sum_multiply(attention, whole ? arrays->s : arrays->p);
    if (whole || part == KG_ATTENTION_OUTPUT_PROJECTION)
        project(attention, true);
}

/* --- The versions ---------------------------------------------------------------------------- */
enum { THREADS = 256 };

/* One block per row of scores: writes -infinity for keys that the query does not see. */
static __global__ void __launch_bounds__(THREADS) mask(struct kg_attention_shape shape, float *s)
{
    const size_t row = blockIdx.x;
    const int query = (int)(row % (size_t)shape.seq_len);
    for (int key = query + 1 + (int)threadIdx.x; key < shape.seq_len; key += THREADS)
        s[row * (size_t)shape.seq_len + (size_t)key] = -INFINITY;
}

extern "C" void kg_attention_cuda_qkv_projection_blas(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("qkv_projection", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_QKV_PROJECTION));
    project(attention, false);
}

extern "C" void kg_attention_cuda_scores_blas(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("scores", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_SCORES));
    const struct kg_attention_shape shape = kg_attention_shape_of(attention);
    scores_multiply(attention);
    if (shape.causal)
        KG_LAUNCH(mask, (unsigned)shape.heads * (unsigned)shape.seq_len, THREADS, 0,
                  attention->device.stream, shape, attention->device.arrays.s);
}

extern "C" void kg_attention_cuda_weighted_sum_blas(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("weighted_sum", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_WEIGHTED_SUM));
    weighted_sum_multiply(attention, attention->device.arrays.p);
}

extern "C" void kg_attention_cuda_output_projection_blas(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("output_projection", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_OUTPUT_PROJECTION));
    project(attention, true);
}

extern "C" void kg_attention_cuda_blas(struct kg_attention *attention)
{
    float *s = attention->device.arrays.s;
    kg_attention_cuda_qkv_projection_blas(attention);
    {
        KGATE_SCOPE_CUDA("scores", attention->device.stream,
                         KG_ATTENTION_BYTES(attention, KG_ATTENTION_SCORES));
        scores_multiply(attention);
    }
    {
        KGATE_SCOPE_CUDA("softmax", attention->device.stream,
                         KG_ATTENTION_BYTES(attention, KG_ATTENTION_SOFTMAX));
        kg_attention_softmax_launch(attention, s, s, (int)attention->seq_len);
    }
    {
        KGATE_SCOPE_CUDA("weighted_sum", attention->device.stream,
                         KG_ATTENTION_BYTES(attention, KG_ATTENTION_WEIGHTED_SUM));
        weighted_sum_multiply(attention, s);
    }
    kg_attention_cuda_output_projection_blas(attention);
}
