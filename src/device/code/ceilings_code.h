/* ceilings_code.h: shapes and check values of the kernels that measure a GPU's peaks (ceilings.cu),
 * for the kernels and their launchers. For C and CUDA C. */
#pragma once
#ifdef __CUDACC__
#include <cstdint>
#define KG_CEILING_SHARED static __host__ __device__
#else
#include <stdint.h>
#define KG_CEILING_SHARED static
#endif

enum {
    KG_CEILING_THREADS = 256, /* per block of every kernel */
    KG_CEILING_VECTORS = 4,   /* 16-byte accesses in flight, per thread */
    KG_CEILING_TILE_BYTES = 16 * KG_CEILING_THREADS * KG_CEILING_VECTORS, /* copied per block */
    KG_CEILING_CHAINS = 8,                     /* independent chains of multiply-adds, per thread */
    KG_CEILING_CHAIN_STEPS = 32,               /* per iteration */
    KG_CEILING_TILES = 8,                      /* independent tiles of 16 by 8 sums, per warp */
    KG_CEILING_TILE_STEPS = 4,                 /* per iteration: 16 by 8 by 16 products each */
    KG_CEILING_WGMMA_SUMS = 128,               /* per thread; 64 by 256 per warpgroup */
    KG_CEILING_WGMMA_STEPS = 4,                /* per iteration: 64 by 256 by 16 products each */
    KG_CEILING_WGMMA_SHARED_BYTES = 41 * 1024, /* 64 by 64 and 64 by 256 of bf16, and to align */
};

/* Result of kg_ceiling_check, in device memory, added up by all threads. */
struct kg_ceiling_found {
    uint64_t words;
    uint64_t wrong;
};

/* Word i of the copied data. The sum of all words, modulo 2^32, has a formula
 * (kg_ceiling_words_sum). */
KG_CEILING_SHARED inline uint32_t kg_ceiling_word(uint64_t i)
{
    return (uint32_t)i * UINT32_C(0x9e3779b1) + UINT32_C(0x85ebca6b);
}

/* The i-th pair of bf16 for timed products of tensor cores: either sign, from 0.5 up to 2, all
 * mantissas. Equal words take less power than data, and so may allow a higher clock than any real
 * multiplication gets. */
KG_CEILING_SHARED inline uint32_t kg_ceiling_operands(uint32_t i)
{
    uint32_t x = kg_ceiling_word(i);
    x = (x ^ x >> 16) * UINT32_C(0x7feb352d);
    x = (x ^ x >> 15) * UINT32_C(0x846ca68b);
    return ((x ^ x >> 16) & UINT32_C(0x80ff80ff)) | UINT32_C(0x3f003f00);
}
