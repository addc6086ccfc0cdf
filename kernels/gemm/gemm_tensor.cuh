/* gemm_tensor.cuh: the tiles of gemm's versions for tensor cores, and the layout of the tiles of
 * `tensor` in shared memory. */
#pragma once
#include <stdint.h>

#include "device/code/launch.cuh"

enum {
    KG_TENSOR_M = 128, /* a block's tile of C */
    KG_TENSOR_M_FEW = 64,
    KG_TENSOR_N = 256,
    KG_TENSOR_K = 64,
    KG_TENSOR_THREADS = 256,
    KG_TENSOR_CHUNK = 8, /* elements per 16-byte chunk: the unit of copies and reads */
    KG_TENSOR_A_CHUNKS = KG_TENSOR_K / KG_TENSOR_CHUNK, /* in a line of A's tile */
    KG_TENSOR_B_CHUNKS = KG_TENSOR_N / KG_TENSOR_CHUNK,
    KG_TENSOR_STAGES_LEAST = 2,
    KG_TENSOR_STAGES_MOST = 4,
    KG_TENSOR_GROUP = 16 /* rows of tiles that go together */
};

/* Whether small tiles, of KG_TENSOR_M_FEW rows, finish sooner, with one block per multiprocessor
 * and wave. A small tile takes 3/5 of the time of a large one, not half. This is an estimate from
 * shared memory. `tensor`: a warp reads 96 lines for 32 by 64, 128 for 64 by 64. `hopper`: a stage
 * moves 80 KiB in and out of shared memory, a large one 128 KiB. */
static __host__ __device__ __forceinline__ bool kg_tensor_small(int large, int small,
                                                                int processors)
{
    const int waves = (large + processors - 1) / processors;
    const int waves_small = (small + processors - 1) / processors;
    return waves_small * 3 < waves * 5;
}

/* The first row and column of C of block `block`, with tiles of `tile_rows` rows. Concurrent blocks
 * cover KG_TENSOR_GROUP rows of tiles and about half as many columns. With large tiles this is a
 * square of elements. So they read least, and find most of their reads in the second-level
 * cache. */
static __host__ __device__ __forceinline__ int2 kg_tensor_tile(int tile_rows, int tiles_m,
                                                               int tiles_n, int block)
{
    const int group = block / (KG_TENSOR_GROUP * tiles_n);
    const int within = block % (KG_TENSOR_GROUP * tiles_n);
    const int left = tiles_m - group * KG_TENSOR_GROUP;
    const int rows = left < KG_TENSOR_GROUP ? left : KG_TENSOR_GROUP;
    return make_int2((group * KG_TENSOR_GROUP + within % rows) * tile_rows,
                     within / rows * KG_TENSOR_N);
}

/* One stage of the pipeline: a tile of A and of B. Chunks are permuted within their lines. */
struct kg_tensor_slot {
    uint16_t a[KG_TENSOR_M][KG_TENSOR_K];
    uint16_t b[KG_TENSOR_K][KG_TENSOR_N];
};

/* The place of chunk `chunk` of a line. Eight chunks cover all 32 banks. A copy takes eight chunks
 * of a line, a read of an 8 by 8 matrix takes one chunk of eight lines. Both meet each bank
 * once. */
static __host__ __device__ __forceinline__ int kg_tensor_place(int line, int chunk)
{
    return chunk ^ (line % 8);
}
