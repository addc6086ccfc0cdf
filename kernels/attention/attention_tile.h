/* attention_tile.h: what Q K^T and P V are both made of, and what it reads. A tile of
 * TILE_M by TILE_N sums stays in registers (twelve vectors of eight, of AVX2's sixteen), as in
 * gemm_cpu.c; its left factor is read where it lies, a row of Q or of P, its right factor from
 * panels in which TILE_N of a row lie side by side: K transposed, or V.
 *
 * Keys and values are packed once for each head, before any product, by all threads: as many floats
 * as K and V have, rounded up to whole panels. The packed keys have 1 / sqrt(d_head) in them, so
 * that no score is scaled. */
#pragma once
#include "attention/attention_heads.h"
#include "common/multiply_add.h"

enum { KG_ATTENTION_TILE_M = 6, KG_ATTENTION_TILE_N = 16 };

static inline size_t kg_attention_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t kg_attention_panels(size_t columns)
{
    return (columns + KG_ATTENTION_TILE_N - 1) / KG_ATTENTION_TILE_N;
}

/* A head's packed keys: panel p holds keys TILE_N p and following, d_head by TILE_N; and values:
 * panel p holds columns TILE_N p and following, seq_len by TILE_N. */
static inline size_t kg_attention_keys_floats(const struct kg_attention *attention)
{
    return kg_attention_panels(attention->seq_len) * KG_ATTENTION_TILE_N * attention->d_head;
}

static inline size_t kg_attention_values_floats(const struct kg_attention *attention)
{
    return kg_attention_panels(attention->d_head) * KG_ATTENTION_TILE_N * attention->seq_len;
}

/* Inside a parallel region: each thread its share. No wait at the end. */
void kg_attention_keys_pack(struct kg_attention *attention);
void kg_attention_values_pack(struct kg_attention *attention);

/* What a thread of kg_attention_flash needs of attention->tiles. */
size_t kg_attention_flash_floats(const struct kg_attention *attention);

/* TILE_M rows, `stride` apart; beyond `rows`, which is at least 1, the last again. */
static inline void kg_attention_tile_rows(const float *first, size_t stride, size_t rows,
                                          const float *row[KG_ATTENTION_TILE_M])
{
    for (size_t r = 0; r < KG_ATTENTION_TILE_M; r++)
        row[r] = first + (r < rows ? r : rows - 1) * stride;
}

/* c = a b, or c += a b: a TILE_M rows of `depth`, b a panel of as many rows, c TILE_M rows of
 * TILE_N that are `stride` apart. */
static inline void kg_attention_tile(const float *const a[KG_ATTENTION_TILE_M],
                                     const float *restrict b, size_t depth, float *restrict c,
                                     size_t stride, bool add)
{
    float sum[KG_ATTENTION_TILE_M][KG_ATTENTION_TILE_N] = {{0}};
    for (size_t l = 0; l < depth; l++, b += KG_ATTENTION_TILE_N)
        for (size_t i = 0; i < KG_ATTENTION_TILE_M; i++)
#pragma omp simd
            for (size_t j = 0; j < KG_ATTENTION_TILE_N; j++)
                sum[i][j] = kg_multiply_add(a[i][l], b[j], sum[i][j]);
    for (size_t i = 0; i < KG_ATTENTION_TILE_M; i++)
#pragma omp simd
        for (size_t j = 0; j < KG_ATTENTION_TILE_N; j++)
            c[i * stride + j] = sum[i][j] + (add ? c[i * stride + j] : 0);
}
