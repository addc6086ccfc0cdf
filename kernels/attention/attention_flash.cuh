/* attention_flash.cuh: the tiles of attention's level 3 on the GPU, and how they lie in shared
 * memory. */
#pragma once
#include <stdint.h>

#include "device/code/launch.cuh"

enum {
    KG_FLASH_ROWS = 128,    /* queries of a block, and its threads, */
    KG_FLASH_ROWS_FEW = 64, /* where blocks of so many would leave multiprocessors idle */
    KG_FLASH_KEYS = 64,     /* that they meet at once */
    KG_FLASH_CHUNK = 8,     /* elements of what is copied and read at once: 16 bytes */
    KG_FLASH_WIDTH_MOST = 128
};

/* Tiles of lines of WIDTH elements, at least d_head; chunks are permuted within their lines. Two
 * slots: while one is multiplied, the next keys and values are copied to the other. */
template <int WIDTH> struct kg_flash_slot {
    uint16_t k[KG_FLASH_KEYS][WIDTH];
    uint16_t v[KG_FLASH_KEYS][WIDTH];
};
template <int WIDTH, int ROWS> struct kg_flash_shared {
    uint16_t q[ROWS][WIDTH];
    struct kg_flash_slot<WIDTH> slots[2];
};

/* Where chunk `chunk` of a line lies. A line is 8 or 16 chunks, and eight chunks are all 32 banks:
 * unpermuted, the same chunk of eight lines, which is what a matrix of 8 by 8 is read from, would
 * meet the same four banks eight times. So it lies elsewhere in each of the eight, and the eight
 * chunks side by side that are copied at once still meet each bank once. */
static __host__ __device__ __forceinline__ int kg_flash_place(int line, int chunk)
{
    return chunk ^ (line % 8);
}

/* What block `block` makes: .x, its head, counted through all sequences, and .y, its tile of
 * queries. The blocks of a head follow each other, so that its keys and values are found in the
 * second-level cache; the last tile first, since of causal ones it has most work. */
static __host__ __device__ __forceinline__ int2 kg_flash_block(int tiles, int block)
{
    return make_int2(block / tiles, tiles - 1 - block % tiles);
}
