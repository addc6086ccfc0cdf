/* 2 efficient: a block takes 32 queries of a head through all of its keys, 32 at a time. It keeps
 * three running values per query: the maximum, the sum of exponentials, and the weighted sum of
 * values. It corrects them whenever the maximum grows (Milakov and Gimelshein 2018; Rabe and Staats
 * 2021). Scores are never in memory, so memory is O(N). Keys and values are read from memory once
 * for 32 queries.
 *
 * A warp has four queries. First, a lane has a key and makes its four scores alone, without any
 * exchange. Each vector of the key that it reads from shared memory serves four queries. Then it
 * has columns of the values, and each element serves four queries, too. All in float. */
#include <cmath>

#include "attention/attention.cuh"
#include "common/rows.cuh"
#include "kgate/profiler.h"

enum { THREADS = 256, WARPS = THREADS / 32, QUERIES = 4, ROWS = WARPS * QUERIES, KEYS = 32 };

/* How the block's shared memory is cut up; `depth` is d_head rounded up to vectors of four. */
struct layout {
    float *q;        /* ROWS lines of `stride` */
    float *k;        /* KEYS lines of `stride` */
    float *v;        /* KEYS lines of `width` */
    float4 *weights; /* of each warp KEYS, the four queries' */
    int depth;
    int stride;
};

/* An odd number of vectors: lanes read the same vector of lines that follow each other, and eight
 * at once then meet all banks. */
static __host__ __device__ __forceinline__ int stride_of(int d_head)
{
    return ((d_head + 3) / 4 | 1) * 4;
}

static __host__ __device__ constexpr size_t shared_floats(int stride, int width)
{
    return (size_t)(ROWS + KEYS) * (size_t)stride + (size_t)KEYS * (size_t)width +
           (size_t)(WARPS * KEYS * QUERIES);
}

static __device__ __forceinline__ struct layout layout_of(float *shared, int d_head, int width)
{
    const int stride = stride_of(d_head);
    float *k = shared + ROWS * stride, *v = k + KEYS * stride;
    return {shared, k, v, reinterpret_cast<float4 *>(v + KEYS * width), (d_head + 3) / 4 * 4,
            stride};
}

/* `count` of 32 lines, four per warp, times `scale`. Missing lines, and columns from a line's end
 * up to `width`, become zeros: elements multiplied with weight 0 must be numbers. */
static __device__ __forceinline__ void lines_load(const struct kg_attention_shape &shape, float *to,
                                                  int stride, int width, const float *from,
                                                  int count, float scale)
{
    static_assert(ROWS == KEYS, "lines_load brings either");
    const int lane = (int)threadIdx.x % 32;
    for (int line = (int)threadIdx.x / 32; line < KEYS; line += WARPS)
        for (int column = lane; column < width; column += 32)
            to[line * stride + column] =
                line < count && column < shape.d_head
                    ? from[(size_t)line * 3 * (size_t)shape.d_model + (size_t)column] * scale
                    : 0;
}

static __device__ __forceinline__ float dot(float4 a, float4 b, float sum)
{
    return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/* The lane's key against the warp's queries. */
static __device__ __forceinline__ void scores_make(const struct layout &layout, float s[QUERIES])
{
    const float *k = layout.k + (int)threadIdx.x % 32 * layout.stride;
    const float *q = layout.q + (int)threadIdx.x / 32 * QUERIES * layout.stride;
#pragma unroll 4
    for (int c = 0; c < layout.depth; c += 4) {
        const float4 key = *reinterpret_cast<const float4 *>(k + c);
#pragma unroll
        for (int i = 0; i < QUERIES; i++)
            s[i] = dot(key, *reinterpret_cast<const float4 *>(q + i * layout.stride + c), s[i]);
    }
}

/* The running state of the warp's queries. Each lane has its keys' part of the sum. */
template <int COLUMNS> struct online {
    float largest[QUERIES];
    float sum[QUERIES];
    float out[QUERIES][COLUMNS];
};

/* Makes weights of the lane's scores. The first tile has key 0, which every query sees: from then
 * on the largest is finite. */
template <int COLUMNS>
static __device__ __forceinline__ void weights_make(struct online<COLUMNS> &online,
                                                    float s[QUERIES])
{
#pragma unroll
    for (int i = 0; i < QUERIES; i++) {
        const float largest =
            fmaxf(online.largest[i],
                  kg_fold_lanes<32>(s[i], [](float a, float b) { return fmaxf(a, b); }));
        const float correction = expf(online.largest[i] - largest);
        s[i] = expf(s[i] - largest);
        online.sum[i] = online.sum[i] * correction + s[i];
        online.largest[i] = largest;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            online.out[i][c] *= correction;
    }
}

template <int COLUMNS>
static __device__ __forceinline__ void
values_add(const struct layout &layout, struct online<COLUMNS> &online, const float s[QUERIES])
{
    const int lane = (int)threadIdx.x % 32;
    float4 *weights = layout.weights + (int)threadIdx.x / 32 * KEYS;
    weights[lane] = make_float4(s[0], s[1], s[2], s[3]);
    __syncwarp();
#pragma unroll 4
    for (int key = 0; key < KEYS; key++) {
        const float4 weight = weights[key];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const float v = layout.v[key * COLUMNS * 32 + c * 32 + lane];
            online.out[0][c] += weight.x * v;
            online.out[1][c] += weight.y * v;
            online.out[2][c] += weight.z * v;
            online.out[3][c] += weight.w * v;
        }
    }
    __syncwarp();
}

template <int COLUMNS>
static __device__ __forceinline__ void rows_write(const struct kg_attention_shape &shape, float *h,
                                                  int row, const struct online<COLUMNS> &online)
{
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < QUERIES; i++) {
        const float scale = 1.0F / kg_fold_lanes<32>(online.sum[i], kg_add);
        if (row + i >= shape.seq_len)
            continue;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            if (c * 32 + lane < shape.d_head)
                h[(size_t)(row + i) * (size_t)shape.d_model + (size_t)(c * 32 + lane)] =
                    online.out[i][c] * scale;
    }
}

/* COLUMNS of the values for each lane. The queries with most keys first. */
template <int COLUMNS>
static __global__ void __launch_bounds__(THREADS, COLUMNS > 4 ? 1 : 2)
    efficient(struct kg_attention_shape shape, const float *qkv, float *h, int tiles)
{
    KG_DYNAMIC_SHARED(float, shared);
    const struct layout layout = layout_of(shared, shape.d_head, COLUMNS * 32);
    const int head = (int)blockIdx.x / tiles, first = (tiles - 1 - (int)blockIdx.x % tiles) * ROWS;
    const int row = first + (int)threadIdx.x / 32 * QUERIES;
    const int end = shape.causal ? min(first + ROWS, shape.seq_len) : shape.seq_len;
    const size_t step = 3 * (size_t)shape.d_model;
    const float *q = kg_head_qkv(shape, qkv, head), *k = q + shape.d_model, *v = k + shape.d_model;
    struct online<COLUMNS> online = {
    };
#pragma unroll
    for (int i = 0; i < QUERIES; i++)
        online.largest[i] = -INFINITY;
    lines_load(shape, layout.q, layout.stride, layout.depth, q + (size_t)first * step,
               shape.seq_len - first, shape.scale);
    for (int key = 0; key < end; key += KEYS, k += KEYS * step, v += KEYS * step) {
        lines_load(shape, layout.k, layout.stride, layout.depth, k, shape.seq_len - key, 1);
        lines_load(shape, layout.v, COLUMNS * 32, COLUMNS * 32, v, shape.seq_len - key, 1);
        __syncthreads();
        const int mine = key + (int)threadIdx.x % 32;
        float s[QUERIES] = {};
        scores_make(layout, s);
#pragma unroll
        for (int i = 0; i < QUERIES; i++)
            if (mine >= shape.seq_len || (shape.causal && mine > row + i))
                s[i] = -INFINITY;
        weights_make(online, s);
        values_add(layout, online, s);
        __syncthreads();
    }
    rows_write(shape, kg_head_h(shape, h, head), row, online);
}

/* By how many columns a lane has. */
static const struct plan {
    int width;
    void (*kernel)(struct kg_attention_shape shape, const float *qkv, float *h, int tiles);
} plans[] = {{32, efficient<1>}, {64, efficient<2>}, {128, efficient<4>}, {256, efficient<8>}};
enum { PLANS = sizeof plans / sizeof *plans };

static const struct plan *plan_of(const struct kg_attention *attention)
{
    const struct plan *plan = plans;
    while (plan < plans + PLANS && (size_t)plan->width < attention->d_head)
        plan++;
    return plan;
}

static size_t shared_bytes(const struct kg_attention *attention, const struct plan *plan)
{
    return shared_floats(stride_of((int)attention->d_head), plan->width) * sizeof(float);
}

extern "C" bool kg_attention_efficient_prepare(struct kgate_context *context,
                                               struct kg_attention *attention)
{
    const struct plan *plan = plan_of(attention);
    if (plan < plans + PLANS)
        return kg_attention_allow(context, plan->kernel, shared_bytes(attention, plan),
                                  "efficient");
    context->unavailable = true;
    return kg_kernel_refuse(context,
                            "version 'efficient' takes heads of at most %d columns on the GPU",
                            plans[PLANS - 1].width);
}

extern "C" void kg_attention_cuda_efficient(struct kg_attention *attention)
{
    const struct kg_attention_shape shape = kg_attention_shape_of(attention);
    const struct plan *plan = plan_of(attention);
    const int tiles = (shape.seq_len + ROWS - 1) / ROWS;
    kg_attention_cuda_qkv_projection_fast(attention);
    {
        KGATE_SCOPE_CUDA("scores_softmax_weighted_sum", attention->device.stream,
                         KG_ATTENTION_QKV_TO_H(attention));
        KG_LAUNCH(plan->kernel, (unsigned)(shape.heads * tiles), THREADS,
                  shared_bytes(attention, plan), attention->device.stream, shape,
                  attention->device.arrays.qkv, attention->device.arrays.h, tiles);
    }
    kg_attention_cuda_output_projection_fast(attention);
}
