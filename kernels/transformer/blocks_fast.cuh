/* blocks_fast.cuh: common code of the fast blocks for rows and columns: one warp per row, a block
 * of KG_BLOCKS_THREADS for columns. */
#pragma once
#include "transformer/blocks.cuh"

enum { KG_BLOCKS_THREADS = 512, KG_BLOCKS_WARPS = KG_BLOCKS_THREADS / 32 };

/* Unit i of WIDTH floats. */
template <int WIDTH>
static __device__ __forceinline__ struct kg_unit<WIDTH> kg_unit_at(const float *x, size_t i) {
    return reinterpret_cast<const struct kg_unit<WIDTH> *>(x)[i];
}

template <int WIDTH>
static __device__ __forceinline__ void kg_unit_put(float *x, size_t i, struct kg_unit<WIDTH> unit)
{
    reinterpret_cast<struct kg_unit<WIDTH> *>(x)[i] = unit;
}

static __device__ __forceinline__ float kg_warp_sum(float value)
{
    return kg_fold_lanes<32>(value, kg_add);
}

static __device__ __forceinline__ float kg_warp_most(float value)
{
    return kg_fold_lanes<32>(value, [](float a, float b) { return fmaxf(a, b); });
}

/* How a block shares out sums down `cols` columns: side by side `width` threads, a power of two,
 * and the block's other threads further down. */
struct kg_columns {
    unsigned width;
    unsigned groups;
    unsigned column; /* the thread's */
    unsigned group;
};

static __device__ __forceinline__ struct kg_columns kg_columns_of(size_t cols)
{
    unsigned width = 32;
    while (width < KG_BLOCKS_THREADS && width < cols)
        width *= 2;
    return {width, KG_BLOCKS_THREADS / width, threadIdx.x % width, threadIdx.x / width};
}

/* The sum over the groups, for the threads of group 0. All threads call it. */
static __device__ __forceinline__ float kg_groups_add(struct kg_columns columns, float value,
                                                      float slots[KG_BLOCKS_THREADS])
{
    __syncthreads();
    slots[threadIdx.x] = value;
    __syncthreads();
    float sum = value;
    for (unsigned g = 1; columns.group == 0 && g < columns.groups; g++)
        sum += slots[g * columns.width + columns.column];
    return sum;
}
