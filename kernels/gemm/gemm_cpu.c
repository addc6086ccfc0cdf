#include <cblas.h>
#include <omp.h>
#include <string.h>

#include "common/multiply_add.h"
#include "gemm/gemm.h"
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

/* The blocking of Goto and van de Geijn (2008): a tile of TILE_M by TILE_N sums in registers
 * (twelve vectors of eight, of AVX2's sixteen), a panel of B that stays in the first-level cache, a
 * block of A in the second, B's strip in the last. */
enum { TILE_M = 6, TILE_N = 16, BLOCK_M = 96, BLOCK_K = 256 };

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
    return round_up(gemm->n, TILE_N) * BLOCK_K;
}

/* Rows of A as the tile reads them: TILE_M of a column side by side, zeros beyond the edge. A row
 * is read from left to right. */
static void pack_a(const float *restrict a, size_t stride, size_t rows, size_t depth,
                   float *restrict packed)
{
    for (size_t i = 0; i < rows; i += TILE_M, packed += TILE_M * depth)
        for (size_t r = 0; r < TILE_M; r++)
            if (i + r < rows)
                for (size_t l = 0; l < depth; l++)
                    packed[l * TILE_M + r] = a[(i + r) * stride + l];
            else
                for (size_t l = 0; l < depth; l++)
                    packed[l * TILE_M + r] = 0;
}

/* One panel of B: TILE_N of a row side by side. */
static void pack_b(const float *restrict b, size_t stride, size_t columns, size_t depth,
                   float *restrict packed)
{
    if (columns < TILE_N)
        memset(packed, 0, depth * TILE_N * sizeof *packed);
    for (size_t l = 0; l < depth; l++)
        if (columns == TILE_N)
            memcpy(packed + l * TILE_N, b + l * stride, TILE_N * sizeof *packed);
        else
            memcpy(packed + l * TILE_N, b + l * stride, columns * sizeof *packed);
}

/* The sums of one tile over `depth`, in registers from begin to end. */
static void tile_multiply(const float *restrict a, const float *restrict b, size_t depth,
                          float *restrict tile)
{
    float sum[TILE_M][TILE_N] = {{0}};
    for (size_t l = 0; l < depth; l++, a += TILE_M, b += TILE_N)
        for (size_t i = 0; i < TILE_M; i++)
#pragma omp simd
            for (size_t j = 0; j < TILE_N; j++)
                sum[i][j] = kg_multiply_add(a[i], b[j], sum[i][j]);
    for (size_t i = 0; i < TILE_M; i++)
        for (size_t j = 0; j < TILE_N; j++)
            tile[i * TILE_N + j] = sum[i][j];
}

static void tile_store(const float *restrict tile, float *restrict c, size_t stride, size_t rows,
                       size_t columns, int first)
{
    for (size_t i = 0; i < rows; i++)
        if (columns == TILE_N && first)
            memcpy(c + i * stride, tile + i * TILE_N, TILE_N * sizeof *c);
        else
            for (size_t j = 0; j < columns; j++)
                c[i * stride + j] = tile[i * TILE_N + j] + (first ? 0 : c[i * stride + j]);
}

/* One block of rows of C against all panels of B. */
static void block_multiply(struct kg_gemm *gemm, size_t i0, size_t height, size_t l0, size_t depth)
{
    KGATE_SCOPE_ON("multiply", KGATE_DEVICE_CPU, "openmp", 0);
    float *packed = gemm->packed_a + (size_t)omp_get_thread_num() * BLOCK_M * BLOCK_K;
    const size_t rows = least(height, gemm->m - i0);
    float tile[TILE_M * TILE_N];
    pack_a(gemm->a + i0 * gemm->k + l0, gemm->k, rows, depth, packed);
    for (size_t j = 0; j < gemm->n; j += TILE_N)
        for (size_t i = 0; i < rows; i += TILE_M) {
            tile_multiply(packed + i * depth, gemm->packed_b + j * depth, depth, tile);
            tile_store(tile, gemm->c + (i0 + i) * gemm->n + j, gemm->n, least(TILE_M, rows - i),
                       least(TILE_N, gemm->n - j), l0 == 0);
        }
}

/* A thread's share of B's panels. The scope ends before it waits for the others. */
static void strip_pack(struct kg_gemm *gemm, size_t l0, size_t depth)
{
    KGATE_SCOPE_ON("pack_b", KGATE_DEVICE_CPU, "openmp", 0);
#pragma omp for schedule(static) nowait
    for (size_t j = 0; j < gemm->n; j += TILE_N)
        pack_b(gemm->b + l0 * gemm->n + j, gemm->n, least(TILE_N, gemm->n - j), depth,
               gemm->packed_b + j * depth);
}

/* How many rows a block has: at most BLOCK_M, and so many that all threads have equally many
 * blocks.
 */
static size_t block_height(const struct kg_gemm *gemm)
{
    const size_t threads = (size_t)gemm->threads;
    const size_t blocks = round_up((gemm->m + BLOCK_M - 1) / BLOCK_M, threads);
    return round_up((gemm->m + blocks - 1) / blocks, TILE_M);
}

/* 1 blocked: everything that is read again and again is copied once to where it is read in order.
 */
void kg_gemm_blocked(struct kg_gemm *gemm)
{
    const size_t height = block_height(gemm);
    for (size_t l0 = 0; l0 < gemm->k; l0 += BLOCK_K) {
        const size_t depth = least(BLOCK_K, gemm->k - l0);
#pragma omp parallel num_threads(gemm->threads)
        {
            strip_pack(gemm, l0, depth);
#pragma omp barrier
#pragma omp for schedule(dynamic)
            for (size_t i = 0; i < gemm->m; i += height)
                block_multiply(gemm, i, height, l0, depth);
        }
    }
}

/* 2 blas: the library's, assembly for each processor. What the others are measured by. */
void kg_gemm_blas(struct kg_gemm *gemm)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)gemm->m, (blasint)gemm->n,
                (blasint)gemm->k, 1.0F, gemm->a, (blasint)gemm->k, gemm->b, (blasint)gemm->n, 0.0F,
                gemm->c, (blasint)gemm->n);
}
