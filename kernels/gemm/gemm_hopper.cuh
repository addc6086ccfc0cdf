/* gemm_hopper.cuh: layout of the tiles of gemm's version `hopper` in shared memory, and their
 * descriptors for wgmma. The tiles of C are those of `tensor`, for pairs of blocks.
 *
 * TMA writes boxes of 64 elements, 128 bytes, by some number of lines, one line after the other. It
 * permutes 16-byte chunks by the 128-byte swizzle: address bits 4 to 6 are exclusive-ored with bits
 * 7 to 9 (PTX ISA 9.2, "Swizzling Modes" of tensors). wgmma reads the same swizzle if the
 * descriptor says so (9.7.15.5.1.2.2). Its layout, in elements and before the swizzle:
 *   of A, K-major:   (row % 8) 64 + (row / 8) SBO + k, k below 64;
 *   of B, N-major:   n % 64 + (n / 64) LBO + (k % 8) 64 + (k / 8) SBO.
 * These are the canonical layouts ((8,m),(T,2k)):((8T,SBO),(1,T)) and
 * ((T,8,m),(8,k)):((1,T,LBO),(8T,SBO)) with T = 8 of 9.7.15.5.1.2.1.3. A: one box of 128 lines, SBO
 * eight lines. B is four boxes of 64 columns by 64 lines, side by side in C, one after the other
 * here: SBO is eight lines, LBO a box. Every repetition begins at a multiple of 1024 bytes, so the
 * base offset is 0. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "gemm/gemm_tensor.cuh"

enum {
    KG_HOPPER_STAGES = 4,
    KG_HOPPER_BOX = 64, /* columns of a box */
    KG_HOPPER_LINE_BYTES = KG_HOPPER_BOX * 2,
    KG_HOPPER_REPEAT_BYTES = 8 * KG_HOPPER_LINE_BYTES,
    KG_HOPPER_B_BOXES = KG_TENSOR_N / KG_HOPPER_BOX,
    KG_HOPPER_B_BOX_BYTES = KG_TENSOR_K * KG_HOPPER_LINE_BYTES,
    KG_HOPPER_GROUP_M = 64, /* rows of a warpgroup and of one wgmma */
    KG_HOPPER_STEP = 16     /* of wgmma along k */
};

/* One stage, in the bytes that TMA writes; aligned to 1024. */
struct kg_hopper_slot {
    uint16_t a[KG_TENSOR_M][KG_HOPPER_BOX];
    uint16_t b[KG_HOPPER_B_BOXES][KG_TENSOR_K][KG_HOPPER_BOX];
};

/* A matrix descriptor of 9.7.15.5.1.2.2: bits 0 to 13 the start, 16 to 29 LBO, 32 to 45 SBO, all in
 * units of 16 bytes. Bits 62 and 63 are the swizzle; 1 means 128 bytes. */
static __host__ __device__ __forceinline__ uint64_t kg_hopper_descriptor(uint32_t start,
                                                                         uint32_t lbo, uint32_t sbo)
{
    return (uint64_t)((start & 0x3ffffU) >> 4) | (uint64_t)(lbo >> 4) << 16 |
           (uint64_t)(sbo >> 4) << 32 | UINT64_C(1) << 62;
}

/* Descriptors of step `step` along k: of the rows of A from 64 `group` on, and of B. Along a line
 * of A the start moves within the swizzle's repetition, which works on addresses. LBO has no
 * meaning for A, and is 1. */
static __host__ __device__ __forceinline__ uint64_t kg_hopper_a(uint32_t tile, int group, int step)
{
    return kg_hopper_descriptor(tile + (uint32_t)(group * KG_HOPPER_GROUP_M * KG_HOPPER_LINE_BYTES +
                                                  step * KG_HOPPER_STEP * 2),
                                1 << 4, KG_HOPPER_REPEAT_BYTES);
}

static __host__ __device__ __forceinline__ uint64_t kg_hopper_b(uint32_t tile, int step)
{
    return kg_hopper_descriptor(tile +
                                    (uint32_t)(step * KG_HOPPER_STEP / 8 * KG_HOPPER_REPEAT_BYTES),
                                KG_HOPPER_B_BOX_BYTES, KG_HOPPER_REPEAT_BYTES);
}

/* The tiles of C, for blocks in clusters. */
struct kg_hopper_tiling {
    int rows;    /* of a block's tile */
    int cluster; /* blocks, with tiles one below the other: 1 or 2 */
    int tiles_m; /* of all blocks of a cluster together */
    int tiles_n;
};

static inline int kg_hopper_tiles_for(size_t extent, size_t tile)
{
    return (int)((extent + tile - 1) / tile);
}

/* If the number of rows of tiles is odd and small, pairs would add too many missing tiles. */
static inline struct kg_hopper_tiling kg_hopper_tiling_of(size_t m, size_t n, int rows)
{
    const int tiles_m = kg_hopper_tiles_for(m, (size_t)rows);
    const int cluster = tiles_m % 2 == 0 || tiles_m > 8 ? 2 : 1;
    return {rows, cluster, (tiles_m + cluster - 1) / cluster, kg_hopper_tiles_for(n, KG_TENSOR_N)};
}

static inline struct kg_hopper_tiling kg_hopper_tiling_choose(size_t m, size_t n, int processors)
{
    const struct kg_hopper_tiling many = kg_hopper_tiling_of(m, n, KG_TENSOR_M);
    const struct kg_hopper_tiling few = kg_hopper_tiling_of(m, n, KG_TENSOR_M_FEW);
    const int large = many.tiles_m * many.tiles_n * many.cluster;
    const int small = few.tiles_m * few.tiles_n * few.cluster;
    return kg_tensor_small(large, small, processors) ? few : many;
}
