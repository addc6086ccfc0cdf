#include "gemm/gemm_tile.h"

#include "base/cpu/vectors.h"
#include "common/multiply_add.h"

/* AVX-512 is asked for at run time: the program is built for processors without it too. */
#if defined __x86_64__ && defined __GNUC__
#define HAS_WIDE
#include <immintrin.h>
#endif

/* Twelve vectors of eight sums, of AVX2's sixteen registers; the others hold B's row and A's
 * element. */
enum { ROWS = 6, COLUMNS = 16 };

static void narrow_multiply(const float *restrict a, const float *restrict b, size_t depth,
                            float *restrict tile)
{
    float sum[ROWS][COLUMNS] = {{0}};
    for (size_t l = 0; l < depth; l++, a += ROWS, b += COLUMNS)
        for (size_t i = 0; i < ROWS; i++)
#pragma omp simd
            for (size_t j = 0; j < COLUMNS; j++)
                sum[i][j] = kg_multiply_add(a[i], b[j], sum[i][j]);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            tile[i * COLUMNS + j] = sum[i][j];
}

static bool always(void)
{
    return true;
}

#ifdef HAS_WIDE
/* Twenty-four vectors of sixteen sums, of AVX-512's thirty-two registers: four times the sums, and
 * twice the arithmetic for each element that is read. */
enum { WIDE_ROWS = KG_GEMM_TILE_ROWS_MOST, WIDE_COLUMNS = KG_GEMM_TILE_COLUMNS_MOST, VECTOR = 16 };

__attribute__((target("avx512f"))) static void
wide_multiply(const float *restrict a, const float *restrict b, size_t depth, float *restrict tile)
{
    __m512 sum[WIDE_ROWS][2];
    for (size_t i = 0; i < WIDE_ROWS; i++)
        sum[i][0] = sum[i][1] = _mm512_setzero_ps();
    for (size_t l = 0; l < depth; l++, a += WIDE_ROWS, b += WIDE_COLUMNS) {
        const __m512 left = _mm512_loadu_ps(b), right = _mm512_loadu_ps(b + VECTOR);
        for (size_t i = 0; i < WIDE_ROWS; i++) {
            const __m512 element = _mm512_set1_ps(a[i]);
            sum[i][0] = _mm512_fmadd_ps(element, left, sum[i][0]);
            sum[i][1] = _mm512_fmadd_ps(element, right, sum[i][1]);
        }
    }
    for (size_t i = 0; i < WIDE_ROWS; i++) {
        _mm512_storeu_ps(tile + i * WIDE_COLUMNS, sum[i][0]);
        _mm512_storeu_ps(tile + i * WIDE_COLUMNS + VECTOR, sum[i][1]);
    }
}
#else
#define WIDE_ROWS ROWS
#define WIDE_COLUMNS COLUMNS
#define wide_multiply narrow_multiply
#endif

const struct kg_gemm_tile kg_gemm_tiles[KG_GEMM_TILES] = {
    {"12 by 32, AVX-512", WIDE_ROWS, WIDE_COLUMNS, wide_multiply, kg_avx512},
    {"6 by 16", ROWS, COLUMNS, narrow_multiply, always},
};

const struct kg_gemm_tile *kg_gemm_tile(void)
{
    const struct kg_gemm_tile *tile = kg_gemm_tiles;
    while (!tile->available())
        tile++;
    return tile;
}
