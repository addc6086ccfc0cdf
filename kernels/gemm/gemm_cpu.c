#include <cblas.h>
#include <omp.h>
#include <string.h>

#include "gemm/gemm.h"
#include "gemm/gemm_tile.h"
#include "kgate/profiler.h"

/* 0 naive: the definition, one element after the other. B is read down its columns, a cache line
 * for each float. */
void kg_gemm_naive(struct kg_gemm *gemm)
{
    for (size_t i = 0; i < gemm->m; i++)
        for (size_t j = 0; j < gemm->n; j++) {
            float sum = 0;
            for (size_t l = 0; l < gemm->k; l++)
                sum += gemm->a[i * gemm->k + l] * gemm->b[l * gemm->n + j];
            gemm->c[i * gemm->n + j] = sum;
        }
}

/* The blocking of Goto and van de Geijn (2008). Registers hold a tile of sums (gemm_tile.h). The
 * first-level cache holds a panel of B, the second a block of A, the last B's strip. BLOCK_M is a
 * multiple of every tile's rows. */
enum { BLOCK_M = 96, BLOCK_K = 256 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t round_up(size_t value, size_t to)
{
    return (value + to - 1) / to * to;
}

size_t kg_gemm_packed_a_floats(const struct kg_gemm *gemm)
{
    return (size_t)gemm->threads * BLOCK_M * BLOCK_K;
}

size_t kg_gemm_packed_b_floats(const struct kg_gemm *gemm)
{
    return round_up(gemm->n, kg_gemm_tile()->columns) * BLOCK_K;
}

/* Packs rows of A for the tile: the elements of a column side by side, zeros beyond the edge. Reads
 * each row from left to right. */
static void pack_a(const float *restrict a, size_t stride, size_t rows, size_t depth,
                   size_t tile_rows, float *restrict packed)
{
    for (size_t i = 0; i < rows; i += tile_rows, packed += tile_rows * depth)
        for (size_t r = 0; r < tile_rows; r++)
            if (i + r < rows)
                for (size_t l = 0; l < depth; l++)
                    packed[l * tile_rows + r] = a[(i + r) * stride + l];
            else
                for (size_t l = 0; l < depth; l++)
                    packed[l * tile_rows + r] = 0;
}

/* One panel of B: the tile's columns of a row side by side. */
static void pack_b(const float *restrict b, size_t stride, size_t columns, size_t depth,
                   size_t tile_columns, float *restrict packed)
{
    for (size_t l = 0; l < depth; l++, packed += tile_columns) {
        memcpy(packed, b + l * stride, columns * sizeof *packed);
        memset(packed + columns, 0, (tile_columns - columns) * sizeof *packed);
    }
}

static void tile_store(const float *restrict tile, size_t tile_columns, float *restrict c,
                       size_t stride, size_t rows, size_t columns, bool first)
{
    for (size_t i = 0; i < rows; i++, tile += tile_columns, c += stride)
        if (first)
            memcpy(c, tile, columns * sizeof *c);
        else
            for (size_t j = 0; j < columns; j++)
                c[j] += tile[j];
}

/* One strip along k, which all threads read. */
struct strip {
    const struct kg_gemm_tile *tile;
    size_t height; /* rows of a block */
    size_t from;   /* along k */
    size_t depth;
};

/* One block of rows of C against all panels of B. */
static void block_multiply(struct kg_gemm *gemm, const struct strip *strip, size_t i0)
{
    KGATE_SCOPE_ON("multiply", KGATE_DEVICE_CPU, "openmp", 0);
    const struct kg_gemm_tile *tile = strip->tile;
    const size_t rows = least(strip->height, gemm->m - i0), depth = strip->depth;
    float *packed = gemm->packed_a + (size_t)omp_get_thread_num() * BLOCK_M * BLOCK_K;
    float sums[KG_GEMM_TILE_ROWS_MOST * KG_GEMM_TILE_COLUMNS_MOST];
    pack_a(gemm->a + i0 * gemm->k + strip->from, gemm->k, rows, depth, tile->rows, packed);
    for (size_t j = 0; j < gemm->n; j += tile->columns)
        for (size_t i = 0; i < rows; i += tile->rows) {
            tile->multiply(packed + i * depth, gemm->packed_b + j * depth, depth, sums);
            tile_store(sums, tile->columns, gemm->c + (i0 + i) * gemm->n + j, gemm->n,
                       least(tile->rows, rows - i), least(tile->columns, gemm->n - j),
                       strip->from == 0);
        }
}

/* A thread's share of B's panels. The scope ends before it waits for the others. */
static void strip_pack(struct kg_gemm *gemm, const struct strip *strip)
{
    KGATE_SCOPE_ON("pack_b", KGATE_DEVICE_CPU, "openmp", 0);
    const size_t width = strip->tile->columns;
#pragma omp for schedule(static) nowait
    for (size_t j = 0; j < gemm->n; j += width)
        pack_b(gemm->b + strip->from * gemm->n + j, gemm->n, least(width, gemm->n - j),
               strip->depth, width, gemm->packed_b + j * strip->depth);
}

/* Rows of a block: at most BLOCK_M, and such that all threads have equally many blocks. */
static size_t block_height(const struct kg_gemm *gemm, size_t tile_rows)
{
    const size_t threads = (size_t)gemm->threads;
    const size_t blocks = round_up((gemm->m + BLOCK_M - 1) / BLOCK_M, threads);
    return round_up((gemm->m + blocks - 1) / blocks, tile_rows);
}

/* 1 blocked: copies repeatedly read data once to a place with sequential reads. */
void kg_gemm_blocked(struct kg_gemm *gemm)
{
    struct strip strip = {.tile = kg_gemm_tile()};
    strip.height = block_height(gemm, strip.tile->rows);
    for (; strip.from < gemm->k; strip.from += BLOCK_K) {
        strip.depth = least(BLOCK_K, gemm->k - strip.from);
#pragma omp parallel num_threads(gemm->threads)
        {
            strip_pack(gemm, &strip);
#pragma omp barrier
#pragma omp for schedule(dynamic)
            for (size_t i = 0; i < gemm->m; i += strip.height)
                block_multiply(gemm, &strip, i);
        }
    }
}

/* 2 blas: the library's product, assembly for each processor. The reference speed for other
 * versions. */
void kg_gemm_blas(struct kg_gemm *gemm)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)gemm->m, (blasint)gemm->n,
                (blasint)gemm->k, 1.0F, gemm->a, (blasint)gemm->k, gemm->b, (blasint)gemm->n, 0.0F,
                gemm->c, (blasint)gemm->n);
}
