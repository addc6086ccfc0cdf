/* attention_hopper.cuh: layout of the tiles of attention's version `hopper` in shared memory, and
 * their descriptors for wgmma. A tile is a row of boxes of 64 columns as TMA writes them
 * (gemm/gemm_hopper.cuh). */
#pragma once
#include <stdint.h>

#include "gemm/gemm_hopper.cuh"

enum {
    KG_HEADS_LINES = 128, /* queries of a block, and keys or values of a tile */
    KG_HEADS_SLOTS = 4,   /* tiles of keys and values, arrived or on their way */
    KG_HEADS_BOX_BYTES = KG_HEADS_LINES * KG_HOPPER_LINE_BYTES,
    KG_HEADS_WIDTH_MOST = 128,
    KG_HEADS_CHUNK = 8 /* elements: TMA takes strides of 16 bytes */
};

/* 128 lines of a head. Elements beyond the sequence's end and the head's last column are 0. */
template <int WIDTH> struct kg_heads_tile {
    uint16_t boxes[WIDTH / KG_HOPPER_BOX][KG_HEADS_LINES][KG_HOPPER_BOX];
};

template <int WIDTH> struct kg_heads_shared {
    struct kg_heads_tile<WIDTH> queries;
    struct kg_heads_tile<WIDTH> slots[KG_HEADS_SLOTS];
    uint64_t queries_full;
    uint64_t full[KG_HEADS_SLOTS];
    uint64_t empty[KG_HEADS_SLOTS];
    uint64_t turn[KG_HEADS_LINES / KG_HOPPER_GROUP_M]; /* a warpgroup may begin its products */
};

/* Descriptor of columns from 16 `step` on, in the lines from `line` on, a multiple of 8. These are
 * rows of A, or columns of B in a sum over columns (K-major). */
static __host__ __device__ __forceinline__ uint64_t kg_heads_lines(uint32_t tile, int line,
                                                                   int step)
{
    const int column = step * KG_HOPPER_STEP;
    return kg_hopper_descriptor(tile + (uint32_t)(column / KG_HOPPER_BOX * KG_HEADS_BOX_BYTES +
                                                  line * KG_HOPPER_LINE_BYTES +
                                                  column % KG_HOPPER_BOX * 2),
                                1 << 4, KG_HOPPER_REPEAT_BYTES);
}

/* Descriptor of the lines from 16 `step` on as B in a sum over lines (N-major). */
static __host__ __device__ __forceinline__ uint64_t kg_heads_values(uint32_t tile, int step)
{
    return kg_hopper_descriptor(tile +
                                    (uint32_t)(step * KG_HOPPER_STEP / 8 * KG_HOPPER_REPEAT_BYTES),
                                KG_HEADS_BOX_BYTES, KG_HOPPER_REPEAT_BYTES);
}
