/* gemm_tensor.cuh: the tiles of gemm's versions for tensor cores, and how those of `tensor` lie in
 * shared memory. */
#pragma once
#include <stdint.h>

#include "device/code/launch.cuh"

enum {
    KG_TENSOR_M = 128, /* a block's tile of C */
    KG_TENSOR_M_FEW = 64,
    KG_TENSOR_N = 256,
    KG_TENSOR_K = 64,
    KG_TENSOR_THREADS = 256,
    KG_TENSOR_CHUNK = 8, /* elements of what is copied and read at once: 16 bytes */
    KG_TENSOR_A_CHUNKS = KG_TENSOR_K / KG_TENSOR_CHUNK, /* in a line of A's tile */
    KG_TENSOR_B_CHUNKS = KG_TENSOR_N / KG_TENSOR_CHUNK,
    KG_TENSOR_STAGES_LEAST = 2,
    KG_TENSOR_STAGES_MOST = 4,
    KG_TENSOR_GROUP = 16 /* rows of tiles that go together */
};

/* Whether small tiles, of KG_TENSOR_M_FEW rows, are done sooner: by how often all multiprocessors
 * are filled with one block each. A small tile takes 3/5 of the time of a large one, not half: an
 * estimate by what its warps read from shared memory, 96 lines for 32 by 64 against 128 for 64 by
 * 64. */
static __host__ __device__ __forceinline__ bool kg_tensor_small(int large, int small,
                                                                int processors)
{
    const int waves = (large + processors - 1) / processors;
    const int waves_small = (small + processors - 1) / processors;
    return waves_small * 3 < waves * 5;
}

/* The first row and column of C of block `block`, of tiles of so many rows. Blocks that run at the
 * same time are those of KG_TENSOR_GROUP rows of tiles and about half as many columns, of large
 * tiles a square of elements: they read least that way, and find most of it in the second-level
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

/* Where chunk `chunk` of a line lies. Eight chunks are all 32 banks. Both who copies, eight chunks
 * of a line at a time, and who reads a matrix of 8 by 8, the same chunk of eight lines, meet each
 * bank once. */
static __host__ __device__ __forceinline__ int kg_tensor_place(int line, int chunk)
{
    return chunk ^ (line % 8);
}
