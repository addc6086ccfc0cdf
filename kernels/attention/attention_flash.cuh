/* attention_flash.cuh: the tiles of attention's level 3 on the GPU, and how they lie in shared
 * memory. */
#pragma once
#include <stdint.h>

#include "device/code/launch.cuh"

enum {
    KG_FLASH_ROWS = 128,    /* queries of a block, and its threads */
    KG_FLASH_ROWS_FEW = 64, /* if blocks of KG_FLASH_ROWS would leave multiprocessors idle */
    KG_FLASH_KEYS = 64,     /* keys of a tile */
    KG_FLASH_CHUNK = 8,     /* elements per 16-byte chunk: the unit of copies and reads */
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

/* The place of chunk `chunk` of a line. A line has 8 or 16 chunks, and eight chunks cover all 32
 * banks. ldmatrix reads one chunk of eight lines as a matrix (8 by 8). Unpermuted, these reads
 * would meet the same four banks eight times. So a chunk's place differs in each of the eight
 * lines. Eight neighbouring chunks, copied together, still meet each bank once. */
static __host__ __device__ __forceinline__ int kg_flash_place(int line, int chunk)
{
    return chunk ^ (line % 8);
}

/* The work of block `block` of `blocks`: .x its head, counted through all sequences, .y its tile of
 * queries. The blocks of a head follow each other, so they find its keys and values in the
 * second-level cache. If causal, the last tile has most work. Then the last tiles of all heads come
 * first: with head after head, the last head's largest tile would start when the others are half
 * done. */
static __host__ __device__ __forceinline__ int2 kg_flash_block(int tiles, int blocks, bool causal,
                                                               int block)
{
    const int heads = blocks / tiles;
    return causal ? make_int2(block % heads, tiles - 1 - block / heads)
                  : make_int2(block / tiles, tiles - 1 - block % tiles);
}
