/* attention_tile.h: the common tile of Q K^T and P V. Sums of TILE_M rows stay in registers. The
 * left factor, rows of Q or of P, is read in place. The right factor comes from panels with TILE_N
 * elements of a row side by side: K transposed, or V.
 *
 * All threads pack keys and values once per head, before any product. The packed arrays have the
 * floats of K and V, rounded up to whole panels. The packed keys contain 1 / sqrt(d_head), so no
 * score is scaled. */
#pragma once
#include "attention/attention_heads.h"

/* GROUP: panels that a product handles at once. A caller that stores tiles of a product requests
 * this many. */
enum { KG_ATTENTION_TILE_M = 6, KG_ATTENTION_TILE_N = 16, KG_ATTENTION_GROUP = 4 };

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

/* Floats of attention->tiles per thread of kg_attention_flash. */
size_t kg_attention_flash_floats(const struct kg_attention *attention);

/* TILE_M rows, `stride` apart; beyond `rows`, which is at least 1, the last again. */
static inline void kg_attention_tile_rows(const float *first, size_t stride, size_t rows,
                                          const float *row[KG_ATTENTION_TILE_M])
{
    for (size_t r = 0; r < KG_ATTENTION_TILE_M; r++)
        row[r] = first + (r < rows ? r : rows - 1) * stride;
}

struct kg_attention_panels {
    const float *first;
    size_t stride; /* floats from one to the next */
    size_t count;
};

/* c = a b, or c += a b. a has TILE_M rows of `depth`. b has panels of `depth` rows. c has TILE_M
 * rows, `stride` apart, with TILE_N elements per panel. Pure; thread-safe. */
typedef void (*kg_attention_multiply_function)(const float *const a[KG_ATTENTION_TILE_M],
                                               const struct kg_attention_panels *b, size_t depth,
                                               float *c, size_t stride, bool add);

/* The widest version for this processor, and the version for every processor. */
kg_attention_multiply_function kg_attention_multiply(void);
void kg_attention_multiply_narrow(const float *const a[KG_ATTENTION_TILE_M],
                                  const struct kg_attention_panels *b, size_t depth, float *c,
                                  size_t stride, bool add);
