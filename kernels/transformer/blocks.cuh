/* blocks.cuh: common code of the blocks' .cu files. */
#pragma once
#include "common/rows.cuh"
#include "layernorm/layernorm.h"
#include "transformer/blocks.h"

/* The tanh form of GELU (Hendrycks and Gimpel 2016): x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715
 * x^3))) */
static __device__ __forceinline__ float kg_gelu_tanh(float x)
{
    return tanhf(0.7978845608F * (x + 0.044715F * x * x * x));
}

static __device__ __forceinline__ float kg_gelu(float x)
{
    return 0.5F * x * (1.0F + kg_gelu_tanh(x));
}

static __device__ __forceinline__ float kg_gelu_slope(float x)
{
    const float t = kg_gelu_tanh(x), inner = 0.7978845608F * (1.0F + 3 * 0.044715F * x * x);
    return 0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * inner;
}

static inline unsigned kg_blocks_for(size_t extent, unsigned tile)
{
    return (unsigned)((extent + tile - 1) / tile);
}

/* The depths from begin to end - 1 at which line i of a product's sum can be nonzero. */
static __device__ __forceinline__ unsigned kg_depth_begin(const struct kg_product &p, unsigned line)
{
    return p.triangle == KG_TRIANGLE_UPPER_A ? line : 0;
}

static __device__ __forceinline__ unsigned kg_depth_end(const struct kg_product &p, unsigned line)
{
    return p.triangle == KG_TRIANGLE_LOWER_A ? min(p.k, line + 1) : p.k;
}

/* Whether the calling block is the last of `count` to finish. It then sees the earlier blocks'
 * writes by __ldcg. The counter returns to 0 for the next launch. */
static __device__ __forceinline__ bool kg_blocks_last(unsigned *arrived, unsigned count)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicInc(arrived, count - 1) == count - 1;
    __syncthreads();
    __threadfence();
    return last;
}

static_assert(KG_BLOCKS_PART_FLOATS >= KG_ROWS_PARTS_MOST * KG_ROWS_PART_FLOATS, "");

/* layernorm's own kernels do the forward step. */
static inline struct kg_rows kg_norm_rows(const struct kg_blocks_space *space,
                                          const struct kg_norm *norm)
{
    struct kg_rows rows = {};
    rows.rows = norm->rows;
    rows.cols = norm->cols;
    rows.x = const_cast<float *>(norm->x);
    rows.y = norm->y;
    rows.gamma = const_cast<float *>(norm->gamma);
    rows.beta = const_cast<float *>(norm->beta);
    rows.parts = space->parts; /* for rows too long for one multiprocessor */
    rows.call.stream = space->stream;
    return rows;
}

/* Functions of the fast table in product.cu and norm_fast.cu. */
void kg_blocks_fast_products(const struct kg_blocks_space *space, const struct kg_product *products,
                             size_t count);
void kg_blocks_fast_norm(const struct kg_blocks_space *space, const struct kg_norm *norm);
void kg_blocks_fast_norm_backward(const struct kg_blocks_space *space,
                                  const struct kg_norm_backward *norm);
