/* gemm_tensor.cuh: the tiles of gemm's version `tensor` and how they lie in shared memory. */
#pragma once
#include <stdint.h>

#include "common/launch.cuh"

enum {
    KG_TENSOR_M = 128, /* a block's tile of C */
    KG_TENSOR_N = 256,
    KG_TENSOR_K = 64,
    KG_TENSOR_THREADS = 256,
    KG_TENSOR_CHUNK = 8, /* elements of what is copied and read at once: 16 bytes */
    KG_TENSOR_A_CHUNKS = KG_TENSOR_K / KG_TENSOR_CHUNK, /* in a line of A's tile */
    KG_TENSOR_B_CHUNKS = KG_TENSOR_N / KG_TENSOR_CHUNK,
    KG_TENSOR_STAGES_LEAST = 2,
    KG_TENSOR_STAGES_MOST = 4
};

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
