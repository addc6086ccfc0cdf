/* 0 plain: one kernel per component, one thread per element of the result, as in the formula.
 * Threads of a warp are neighbours in a row, so their reads of the right factor are contiguous. K
 * is the exception: its reads are strided. Each element comes from the caches once per use. Scores
 * and weights, batch num_heads seq_len^2 floats each, go to memory and come back. */
#include "attention/attention.cuh"
#include "kgate/profiler.h"
#include "softmax/softmax.h"

enum { THREADS = 256 };

/* The element of this thread in rows of `width` elements. */
struct element {
    size_t row;
    int column;
};

static __device__ __forceinline__ struct element element_of(int width)
{
    const size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;
    return {at / (size_t)width, (int)(at % (size_t)width)};
}

static unsigned blocks_for(size_t elements)
{
    return (unsigned)((elements + THREADS - 1) / THREADS);
}

static __global__ void __launch_bounds__(THREADS)
    scores(struct kg_attention_shape shape, const float *qkv, float *s)
{
    const struct element e = element_of(shape.seq_len);
    const int head = (int)(e.row / (size_t)shape.seq_len);
    const int query = (int)(e.row % (size_t)shape.seq_len);
    if (head >= shape.heads)
        return;
    const size_t step = 3 * (size_t)shape.d_model;
    const float *q = kg_head_qkv(shape, qkv, head) + (size_t)query * step;
    const float *k = kg_head_qkv(shape, qkv, head) + shape.d_model + (size_t)e.column * step;
    float sum = 0;
    for (int c = 0; c < shape.d_head; c++)
        sum += q[c] * k[c];
    s[e.row * (size_t)shape.seq_len + (size_t)e.column] =
        shape.causal && e.column > query ? -INFINITY : sum * shape.scale;
}

extern "C" void kg_attention_cuda_scores_plain(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("scores", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_SCORES));
    const struct kg_attention_shape shape = kg_attention_shape_of(attention);
    const size_t n = attention->seq_len;
    KG_LAUNCH(scores, blocks_for((size_t)shape.heads * n * n), THREADS, 0, attention->device.stream,
              shape, attention->device.arrays.qkv, attention->device.arrays.s);
}

/* softmax's, three passes over each row: the exponential of -infinity is 0. */
extern "C" void kg_attention_cuda_softmax_plain(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("softmax", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_SOFTMAX));
    struct kg_rows rows = {};
    rows.rows = attention->batch * attention->num_heads * attention->seq_len;
    rows.cols = attention->seq_len;
    rows.x = attention->device.arrays.s;
    rows.y = attention->device.arrays.p;
    rows.call.stream = attention->device.stream;
    kg_softmax_cuda_plain(&rows);
}

static __global__ void __launch_bounds__(THREADS)
    weighted_sum(struct kg_attention_shape shape, const float *qkv, const float *p, float *h)
{
    const struct element e = element_of(shape.d_head);
    const int head = (int)(e.row / (size_t)shape.seq_len);
    const int query = (int)(e.row % (size_t)shape.seq_len);
    if (head >= shape.heads)
        return;
    const size_t step = 3 * (size_t)shape.d_model;
    const float *weight = p + e.row * (size_t)shape.seq_len;
    const float *v = kg_head_qkv(shape, qkv, head) + 2 * (size_t)shape.d_model + e.column;
    float sum = 0;
    for (int key = 0; key < shape.seq_len; key++)
        sum += weight[key] * v[(size_t)key * step];
    kg_head_h(shape, h, head)[(size_t)query * (size_t)shape.d_model + (size_t)e.column] = sum;
}

extern "C" void kg_attention_cuda_weighted_sum_plain(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("weighted_sum", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_WEIGHTED_SUM));
    const struct kg_attention_shape shape = kg_attention_shape_of(attention);
    const size_t rows = (size_t)shape.heads * attention->seq_len;
    KG_LAUNCH(weighted_sum, blocks_for(rows * attention->d_head), THREADS, 0,
              attention->device.stream, shape, attention->device.arrays.qkv,
              attention->device.arrays.p, attention->device.arrays.h);
}

extern "C" void kg_attention_cuda_qkv_projection_plain(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("qkv_projection", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_QKV_PROJECTION));
    struct kg_gemm gemm = kg_attention_projection(attention, false);
    kg_gemm_cuda_naive(&gemm);
}

extern "C" void kg_attention_cuda_output_projection_plain(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("output_projection", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_OUTPUT_PROJECTION));
    struct kg_gemm gemm = kg_attention_projection(attention, true);
    kg_gemm_cuda_naive(&gemm);
}

extern "C" void kg_attention_cuda_plain(struct kg_attention *attention)
{
    kg_attention_cuda_qkv_projection_plain(attention);
    kg_attention_cuda_scores_plain(attention);
    kg_attention_cuda_softmax_plain(attention);
    kg_attention_cuda_weighted_sum_plain(attention);
    kg_attention_cuda_output_projection_plain(attention);
}
