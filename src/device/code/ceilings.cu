/* ceilings.cu: kernels that reach a GPU's peaks. Each does one thing only, as fast as possible,
 * and its result can be checked. ceilings_measure.c launches them, with blocks of
 * KG_CEILING_THREADS. */
#include "device/code/ceilings_code.h"

#include "device/code/mma.cuh"
#include "device/code/ceilings_wgmma.cuh"

static __device__ uint64_t thread_number()
{
    return (uint64_t)blockIdx.x * KG_CEILING_THREADS + threadIdx.x;
}

/* As many blocks as `words` asks for. */
extern "C" __global__ void __launch_bounds__(KG_CEILING_THREADS)
    kg_ceiling_fill(uint32_t *target, uint64_t words)
{
    const uint64_t step = (uint64_t)gridDim.x * KG_CEILING_THREADS;
    for (uint64_t i = thread_number(); i < words; i += step)
        target[i] = kg_ceiling_word(i);
}

extern "C" __global__ void __launch_bounds__(KG_CEILING_THREADS)
    kg_ceiling_check(const uint32_t *words, uint64_t count, struct kg_ceiling_found *found)
{
    const uint64_t step = (uint64_t)gridDim.x * KG_CEILING_THREADS;
    unsigned long long seen = 0, wrong = 0;
    for (uint64_t i = thread_number(); i < count; i += step) {
        wrong += words[i] != kg_ceiling_word(i);
        seen++;
    }
    atomicAdd((unsigned long long *)&found->words, seen);
    atomicAdd((unsigned long long *)&found->wrong, wrong);
}

/* A block copies one tile: all loads of a thread are on their way before its first store. The
 * hardware schedules blocks, and so keeps every multiprocessor supplied without a loop here. */
template <bool streaming> static __device__ void tile_copy(const uint4 *source, uint4 *target)
{
    const uint64_t first =
        (uint64_t)blockIdx.x * KG_CEILING_THREADS * KG_CEILING_VECTORS + threadIdx.x;
    uint4 x[KG_CEILING_VECTORS];
#pragma unroll
    for (int i = 0; i < KG_CEILING_VECTORS; i++) {
        const uint4 *const from = source + first + (uint64_t)i * KG_CEILING_THREADS;
        x[i] = streaming ? __ldcs(from) : *from;
    }
#pragma unroll
    for (int i = 0; i < KG_CEILING_VECTORS; i++) {
        uint4 *const to = target + first + (uint64_t)i * KG_CEILING_THREADS;
        if (streaming)
            __stcs(to, x[i]);
        else
            *to = x[i];
    }
}

/* One block per KG_CEILING_TILE_BYTES. */
extern "C" __global__ void __launch_bounds__(KG_CEILING_THREADS)
    kg_ceiling_copy(const uint4 *__restrict__ source, uint4 *__restrict__ target)
{
    tile_copy<false>(source, target);
}

/* The same, with a hint to the caches that no data is used again. Which copy is faster depends on
 * the GPU. */
extern "C" __global__ void __launch_bounds__(KG_CEILING_THREADS)
    kg_ceiling_copy_streaming(const uint4 *__restrict__ source, uint4 *__restrict__ target)
{
    tile_copy<true>(source, target);
}

/* Reads `tiles` tiles and adds the sum of all words, modulo 2^32, to *sum. For one wave of blocks;
 * each block reads every gridDim-th tile. */
extern "C" __global__ void __launch_bounds__(KG_CEILING_THREADS)
    kg_ceiling_read(const uint4 *__restrict__ source, uint64_t tiles, uint32_t *sum)
{
    uint32_t mine = 0;
    for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const uint64_t first = tile * KG_CEILING_THREADS * KG_CEILING_VECTORS + threadIdx.x;
        uint4 x[KG_CEILING_VECTORS];
#pragma unroll
        for (int i = 0; i < KG_CEILING_VECTORS; i++)
            x[i] = source[first + (uint64_t)i * KG_CEILING_THREADS];
#pragma unroll
        for (int i = 0; i < KG_CEILING_VECTORS; i++)
            mine += x[i].x + x[i].y + x[i].z + x[i].w;
    }
    for (int distance = 16; distance; distance /= 2)
        mine += __shfl_down_sync(0xffffffffU, mine, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

/* Multiply-adds in registers. With a = b = 1, chain c ends exactly at c plus the number of steps. A
 * multiply-add takes about four cycles. Eight chains per thread, and all threads of a
 * multiprocessor, more than cover that. */
extern "C" __global__ void __launch_bounds__(KG_CEILING_THREADS)
    kg_ceiling_fma(float *result, uint32_t iterations, float a, float b)
{
    float x[KG_CEILING_CHAINS];
#pragma unroll
    for (int c = 0; c < KG_CEILING_CHAINS; c++)
        x[c] = (float)c;
#pragma unroll 1
    for (uint32_t i = 0; i < iterations; i++) {
#pragma unroll
        for (int step = 0; step < KG_CEILING_CHAIN_STEPS; step++)
#pragma unroll
            for (int c = 0; c < KG_CEILING_CHAINS; c++)
                x[c] = __fmaf_rn(x[c], a, b);
    }
    float sum = 0;
#pragma unroll
    for (int c = 0; c < KG_CEILING_CHAINS; c++)
        sum += x[c];
    result[thread_number()] = sum;
}

/* Products of bf16 in registers, by mma.sync. `one` holds two ones: every sum grows by exactly 16
 * per step. With `random`, kg_ceiling_operands gives the operands. No sum of a warp depends on
 * another sum. */
extern "C" __global__ void __launch_bounds__(KG_CEILING_THREADS)
    kg_ceiling_tensor(float *result, uint32_t iterations, uint32_t one, uint32_t random)
{
    uint32_t a[4], b[2];
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
        a[i] = random ? kg_ceiling_operands(6 * (uint32_t)thread_number() + i) : one;
#pragma unroll
    for (uint32_t i = 0; i < 2; i++)
        b[i] = random ? kg_ceiling_operands(6 * (uint32_t)thread_number() + 4 + i) : one;
    float c[KG_CEILING_TILES][4] = {};
#pragma unroll 1
    for (uint32_t i = 0; i < iterations; i++) {
#pragma unroll
        for (int step = 0; step < KG_CEILING_TILE_STEPS; step++)
#pragma unroll
            for (int tile = 0; tile < KG_CEILING_TILES; tile++)
                kg_mma_bf16_16x8x16(c[tile], a, b);
    }
    float sum = 0;
#pragma unroll
    for (int tile = 0; tile < KG_CEILING_TILES; tile++)
        sum += c[tile][0] + c[tile][1] + c[tile][2] + c[tile][3];
    result[thread_number()] = sum;
}
