/* gemm_tile.h: the innermost part of kg_gemm_blocked: a tile of sums that stay in registers, as
 * large as the processor's registers allow. Pure; thread-safe.
 *
 * The wide tile runs if common/vectors.h allows it, which it never does under Valgrind. So
 * Callgrind counts the narrow tile's instructions, while times come from the wide one. With
 * KGATE_AVX512=no both use the narrow one. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kg_gemm_tile {
    const char *name;
    size_t rows;
    size_t columns;
    /* tile[i][j] = sum over l < depth of a[l][i] * b[l][j], row major: a has `rows` floats for each
     * l, b and tile have `columns`. */
    void (*multiply)(const float *restrict a, const float *restrict b, size_t depth,
                     float *restrict tile);
    bool (*available)(void); /* whether this processor can do it, and may */
};

enum { KG_GEMM_TILE_ROWS_MOST = 12, KG_GEMM_TILE_COLUMNS_MOST = 32 };

/* The widest first; the last does everywhere. */
enum { KG_GEMM_TILES = 2 };
extern const struct kg_gemm_tile kg_gemm_tiles[KG_GEMM_TILES];

/* The first that is available. */
const struct kg_gemm_tile *kg_gemm_tile(void);

#ifdef __cplusplus
}
#endif
