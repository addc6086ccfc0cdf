/* ceilings_code.h: what the kernels that measure a GPU's ceilings (ceilings.cu) and those that
 * launch them share: shapes, and the values by which what they did is checked. For C and CUDA C. */
#pragma once
#ifdef __CUDACC__
#include <cstdint>
#define KG_CEILING_SHARED static __host__ __device__
#else
#include <stdint.h>
#define KG_CEILING_SHARED static
#endif

enum {
    KG_CEILING_THREADS = 256, /* a block of every kernel */
    KG_CEILING_VECTORS = 4,   /* 16-byte accesses of a thread in flight */
    KG_CEILING_TILE_BYTES = 16 * KG_CEILING_THREADS * KG_CEILING_VECTORS, /* what a block copies */
    KG_CEILING_CHAINS = 8,       /* of multiply-adds, independent of each other, a thread */
    KG_CEILING_CHAIN_STEPS = 32, /* an iteration */
    KG_CEILING_TILES = 8,        /* of 16 by 8 sums, likewise, a warp */
    KG_CEILING_TILE_STEPS = 4,   /* an iteration: 16 by 8 by 16 products each */
    KG_CEILING_WGMMA_SUMS = 128, /* of a thread, of 64 by 256 a warpgroup */
    KG_CEILING_WGMMA_STEPS = 4,  /* an iteration: 64 by 256 by 16 products each */
    KG_CEILING_WGMMA_SHARED_BYTES = 41 * 1024, /* 64 by 64 and 64 by 256 of bf16, and to align */
};

/* What kg_ceiling_check found: in device memory, added up by all threads. */
struct kg_ceiling_found {
    uint64_t words;
    uint64_t wrong;
};

/* Word i of what is copied. Their sum, modulo 2^32, has a formula (kg_ceiling_words_sum). */
KG_CEILING_SHARED inline uint32_t kg_ceiling_word(uint64_t i)
{
    return (uint32_t)i * UINT32_C(0x9e3779b1) + UINT32_C(0x85ebca6b);
}

/* The i-th pair of bf16 that tensor cores multiply while they are timed: of either sign, from 0.5 up to 2,
 * with all mantissas. Equal words take less power than data does, and so may keep a higher clock than
 * any real multiplication has. */
KG_CEILING_SHARED inline uint32_t kg_ceiling_operands(uint32_t i)
{
    uint32_t x = kg_ceiling_word(i);
    x = (x ^ x >> 16) * UINT32_C(0x7feb352d);
    x = (x ^ x >> 15) * UINT32_C(0x846ca68b);
    return ((x ^ x >> 16) & UINT32_C(0x80ff80ff)) | UINT32_C(0x3f003f00);
}
