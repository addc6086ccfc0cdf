/* 1 fused, and the components' fast versions: products by tiles in shared memory and registers
 * (kernels/gemm/gemm_tiled.cuh). Tiles are 128 by 128, or 256 by 64 if heads have at most 64
 * columns. Element-wise work happens to the sums before they are written: the kernel scales and
 * masks scores there. The softmax reads a row once for its maximum and sum, and once more, from the
 * caches, for the result.
 *
 * Causal: nothing behind the diagonal is multiplied or read. The components write the formula's
 * values there. In the whole, the next component does not read there, so the elements stay
 * unwritten. The whole turns its scores into weights in place: one matrix of batch num_heads
 * seq_len^2 instead of two. */
#include <cfloat>

#include "attention/attention.cuh"
#include "common/rows.cuh"
#include "gemm/gemm_tiled.cuh"
#include "kgate/profiler.h"

/* --- Scores ---------------------------------------------------------------------------------- */
enum { TILE = 128 };

/* Turns a sum into a score. */
struct finish {
    float scale;
    int ahead; /* how many keys behind its own a query sees */
    __device__ float operator()(float sum, int query, int key) const
    {
        return key - query > ahead ? -INFINITY : sum * scale;
    }
};

/* -infinity in all of the tile from `row` and `column`. */
static __device__ void tile_mask(const struct kg_tiled_problem &p, int row, int column)
{
    for (int at = (int)threadIdx.x; at < TILE * TILE; at += KG_TILED_THREADS) {
        const int i = row + at / TILE, j = column + at % TILE;
        if (i < p.m && j < p.n)
            p.c[(size_t)i * (size_t)p.c_step + (size_t)j] = -INFINITY;
    }
}

/* `all`: also the tiles behind the diagonal are written. */
template <bool wide>
static __global__ void __launch_bounds__(KG_TILED_THREADS, wide ? 2 : 1)
    scores(struct kg_attention_shape shape, struct kg_tiled_problem p, int tiles, bool all)
{
    __shared__ struct kg_tiled<TILE>::strips strips;
    const int head = (int)blockIdx.x / tiles;
    const int row = (int)blockIdx.x % tiles * TILE, column = (int)blockIdx.y * TILE;
    p.a = kg_head_qkv(shape, p.a, head);
    p.b = kg_head_qkv(shape, p.b, head);
    p.c = kg_head_scores(shape, p.c, head);
    if (!shape.causal || column < row + TILE)
        kg_tiled_product<TILE, wide, true>(p, row, column, &strips,
                                           finish{shape.scale, shape.causal ? 0 : shape.seq_len});
    else if (all)
        tile_mask(p, row, column);
}

static void scores_launch(const struct kg_attention *attention, bool all)
{
    const struct kg_attention_shape shape = kg_attention_shape_of(attention);
    const struct kg_attention_arrays *arrays = &attention->device.arrays;
    const int n = shape.seq_len, step = 3 * shape.d_model, tiles = (n + TILE - 1) / TILE;
    const struct kg_tiled_problem p = {
        arrays->qkv, arrays->qkv + shape.d_model, arrays->s, n, n, shape.d_head, step, step, n};
    const auto kernel = kg_tiled_wide(p) ? scores<true> : scores<false>;
    const dim3 grid((unsigned)(shape.heads * tiles), (unsigned)tiles);
    KG_LAUNCH(kernel, grid, KG_TILED_THREADS, 0, attention->device.stream, shape, p, tiles, all);
}

extern "C" void kg_attention_cuda_scores_fast(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("scores", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_SCORES));
    scores_launch(attention, true);
}

/* --- Softmax --------------------------------------------------------------------------------- */
enum { ROWS_THREADS = 256, WARP_KEYS = 512 };

/* LANES threads share a row. Each keeps the maximum and the sum of its own elements, relative to
 * that maximum (Milakov and Gimelshein 2018). A thread reads again only its own elements, so p may
 * be s. Weights of keys that the query does not see become 0, up to the next multiple of
 * `zeros`. */
template <int LANES>
static __global__ void __launch_bounds__(ROWS_THREADS)
    softmax(const float *s, float *p, size_t rows, int seq_len, bool causal, int zeros)
{
    __shared__ float slots[2][ROWS_THREADS / 32];
    const int lane = (int)threadIdx.x % LANES;
    const size_t row = (size_t)blockIdx.x * (ROWS_THREADS / LANES) + threadIdx.x / LANES;
    const int query = (int)(row % (size_t)seq_len);
    const int keys = row >= rows ? 0 : causal ? query + 1 : seq_len;
    const float *from = s + row * (size_t)seq_len;
    float *to = p + row * (size_t)seq_len, most = -FLT_MAX, sum = 0;
#pragma unroll 4
    for (int key = lane; key < keys; key += LANES) {
        const float score = from[key], largest = fmaxf(most, score);
        sum = sum * expf(most - largest) + expf(score - largest);
        most = largest;
    }
    const auto larger = [](float a, float b) { return fmaxf(a, b); };
    float largest;
    if constexpr (LANES == 32)
        largest = kg_fold_lanes<32>(most, larger);
    else
        largest = kg_fold_block<LANES>(most, larger, slots[0]);
    sum *= expf(most - largest);
    if constexpr (LANES == 32)
        sum = kg_fold_lanes<32>(sum, kg_add);
    else
        sum = kg_fold_block<LANES>(sum, kg_add, slots[1]);
    const float scale = 1.0F / sum;
#pragma unroll 4
    for (int key = lane; key < keys; key += LANES)
        to[key] = expf(from[key] - largest) * scale;
    const int end = row < rows ? min((query / zeros + 1) * zeros, seq_len) : 0;
    for (int key = keys + lane; key < end; key += LANES)
        to[key] = 0;
}

void kg_attention_softmax_launch(const struct kg_attention *attention, const float *s, float *p,
                                 int zeros)
{
    const int n = (int)attention->seq_len;
    const size_t rows = attention->batch * attention->num_heads * attention->seq_len;
    const size_t rows_per_block = n <= WARP_KEYS ? ROWS_THREADS / 32 : 1;
    const auto kernel = n <= WARP_KEYS ? softmax<32> : softmax<ROWS_THREADS>;
    KG_LAUNCH(kernel, (unsigned)((rows + rows_per_block - 1) / rows_per_block), ROWS_THREADS, 0,
              attention->device.stream, s, p, rows, n, attention->causal, zeros);
}

extern "C" void kg_attention_cuda_softmax_fast(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("softmax", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_SOFTMAX));
    kg_attention_softmax_launch(attention, attention->device.arrays.s, attention->device.arrays.p,
                                (int)attention->seq_len);
}

/* --- The weighted sum ------------------------------------------------------------------------ */

/* The tiles with most keys first. */
template <int COLUMNS, bool wide>
static __global__ void __launch_bounds__(KG_TILED_THREADS, wide ? 2 : 1)
    weighted_sum(struct kg_attention_shape shape, struct kg_tiled_problem p, int tiles)
{
    constexpr int ROWS = kg_tiled<COLUMNS>::ROWS;
    __shared__ struct kg_tiled<COLUMNS>::strips strips;
    const int head = (int)blockIdx.x / tiles;
    const int column = COLUMNS < TILE ? 0 : (int)blockIdx.y * COLUMNS; /* narrow heads have one */
    const int row = (tiles - 1 - (int)blockIdx.x % tiles) * ROWS;
    p.a = kg_head_scores(shape, p.a, head);
    p.b = kg_head_qkv(shape, p.b, head);
    p.c = kg_head_h(shape, p.c, head);
    if (shape.causal)
        p.k = min(p.k, row + ROWS);
    kg_tiled_product<COLUMNS, wide, false>(p, row, column, &strips, kg_tiled_plain{});
}

template <int COLUMNS>
static void weighted_sum_launch_columns(const struct kg_attention *attention, const float *weights)
{
    const struct kg_attention_shape shape = kg_attention_shape_of(attention);
    const struct kg_attention_arrays *arrays = &attention->device.arrays;
    const int n = shape.seq_len, d_model = shape.d_model, rows = kg_tiled<COLUMNS>::ROWS;
    const int tiles = (n + rows - 1) / rows, across = (shape.d_head + COLUMNS - 1) / COLUMNS;
    const struct kg_tiled_problem p = {
        weights, arrays->qkv + 2 * (size_t)d_model, arrays->h, n, shape.d_head, n, n, 3 * d_model,
        d_model};
    const auto kernel =
        kg_tiled_wide(p) ? weighted_sum<COLUMNS, true> : weighted_sum<COLUMNS, false>;
    const dim3 grid((unsigned)(shape.heads * tiles), (unsigned)across);
    KG_LAUNCH(kernel, grid, KG_TILED_THREADS, 0, attention->device.stream, shape, p, tiles);
}

static void weighted_sum_launch(const struct kg_attention *attention, const float *weights)
{
    if (attention->d_head <= 64)
        weighted_sum_launch_columns<64>(attention, weights);
    else
        weighted_sum_launch_columns<128>(attention, weights);
}

/* How far along a row of weights a tile of the above may read beyond its diagonal. */
enum { ZEROS = kg_tiled<64>::ROWS };
static_assert(ZEROS % kg_tiled<128>::ROWS == 0, "for both");

extern "C" void kg_attention_cuda_weighted_sum_fast(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("weighted_sum", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_WEIGHTED_SUM));
    weighted_sum_launch(attention, attention->device.arrays.p);
}

/* --- The projections, and the whole ---------------------------------------------------------- */
extern "C" void kg_attention_cuda_qkv_projection_fast(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("qkv_projection", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_QKV_PROJECTION));
    struct kg_gemm gemm = kg_attention_projection(attention, false);
    kg_gemm_cuda_tiled(&gemm);
}

extern "C" void kg_attention_cuda_output_projection_fast(struct kg_attention *attention)
{
    KGATE_SCOPE_CUDA("output_projection", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_OUTPUT_PROJECTION));
    struct kg_gemm gemm = kg_attention_projection(attention, true);
    kg_gemm_cuda_tiled(&gemm);
}

extern "C" void kg_attention_cuda_fused(struct kg_attention *attention)
{
    float *s = attention->device.arrays.s;
    kg_attention_cuda_qkv_projection_fast(attention);
    {
        KGATE_SCOPE_CUDA("scores", attention->device.stream,
                         KG_ATTENTION_BYTES(attention, KG_ATTENTION_SCORES));
        scores_launch(attention, false);
    }
    {
        KGATE_SCOPE_CUDA("softmax", attention->device.stream,
                         KG_ATTENTION_BYTES(attention, KG_ATTENTION_SOFTMAX));
        kg_attention_softmax_launch(attention, s, s, ZEROS);
    }
    {
        KGATE_SCOPE_CUDA("weighted_sum", attention->device.stream,
                         KG_ATTENTION_BYTES(attention, KG_ATTENTION_WEIGHTED_SUM));
        weighted_sum_launch(attention, s);
    }
    kg_attention_cuda_output_projection_fast(attention);
}
