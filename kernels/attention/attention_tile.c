#include "attention/attention_tile.h"

#include "base/cpu/vectors.h"
#include "common/multiply_add.h"

/* AVX-512 is asked for at run time: the program is built for processors without it too. */
#if defined __x86_64__ && defined __GNUC__
#define HAS_WIDE
#include <immintrin.h>
#endif

enum { TILE_M = KG_ATTENTION_TILE_M, TILE_N = KG_ATTENTION_TILE_N };

/* One panel: twelve vectors of eight sums, of AVX2's sixteen registers; the others hold the panel's
 * row and an element of a. */
static inline void panel_multiply(const float *const a[TILE_M], const float *restrict b,
                                  size_t depth, float *restrict c, size_t stride, bool add)
{
    float sum[TILE_M][TILE_N] = {{0}};
    for (size_t l = 0; l < depth; l++, b += TILE_N)
        for (size_t i = 0; i < TILE_M; i++)
#pragma omp simd
            for (size_t j = 0; j < TILE_N; j++)
                sum[i][j] = kg_multiply_add(a[i][l], b[j], sum[i][j]);
    for (size_t i = 0; i < TILE_M; i++)
#pragma omp simd
        for (size_t j = 0; j < TILE_N; j++)
            c[i * stride + j] = sum[i][j] + (add ? c[i * stride + j] : 0);
}

void kg_attention_multiply_narrow(const float *const a[TILE_M], const struct kg_attention_panels *b,
                                  size_t depth, float *c, size_t stride, bool add)
{
    for (size_t p = 0; p < b->count; p++)
        panel_multiply(a, b->first + p * b->stride, depth, c + p * TILE_N, stride, add);
}

#ifdef HAS_WIDE
/* Up to four panels at once: twenty-four vectors of sixteen sums, of AVX-512's thirty-two
 * registers. All panels share one read of an element of a. If inlined, `panels` is a constant. */
#define WIDE __attribute__((target("avx512f")))
WIDE static inline __attribute__((always_inline)) void
panels_multiply(const float *const a[TILE_M], const float *restrict b, size_t panel_stride,
                size_t panels, size_t depth, float *restrict c, size_t stride, bool add)
{
    __m512 sum[TILE_M][KG_ATTENTION_GROUP], row[KG_ATTENTION_GROUP];
    for (size_t i = 0; i < TILE_M; i++)
        for (size_t p = 0; p < panels; p++)
            sum[i][p] = add ? _mm512_loadu_ps(c + i * stride + p * TILE_N) : _mm512_setzero_ps();
    for (size_t l = 0; l < depth; l++, b += TILE_N) {
        for (size_t p = 0; p < panels; p++)
            row[p] = _mm512_loadu_ps(b + p * panel_stride);
        for (size_t i = 0; i < TILE_M; i++)
            for (size_t p = 0; p < panels; p++)
                sum[i][p] = _mm512_fmadd_ps(_mm512_set1_ps(a[i][l]), row[p], sum[i][p]);
    }
    for (size_t i = 0; i < TILE_M; i++)
        for (size_t p = 0; p < panels; p++)
            _mm512_storeu_ps(c + i * stride + p * TILE_N, sum[i][p]);
}

WIDE static void wide_multiply(const float *const a[TILE_M], const struct kg_attention_panels *b,
                               size_t depth, float *c, size_t stride, bool add)
{
    size_t p = 0;
    for (; p + 4 <= b->count; p += 4)
        panels_multiply(a, b->first + p * b->stride, b->stride, 4, depth, c + p * TILE_N, stride,
                        add);
    const float *rest = b->first + p * b->stride;
    c += p * TILE_N;
    if (b->count - p == 3)
        panels_multiply(a, rest, b->stride, 3, depth, c, stride, add);
    else if (b->count - p == 2)
        panels_multiply(a, rest, b->stride, 2, depth, c, stride, add);
    else if (b->count - p == 1)
        panels_multiply(a, rest, b->stride, 1, depth, c, stride, add);
}
#endif

kg_attention_multiply_function kg_attention_multiply(void)
{
#ifdef HAS_WIDE
    if (kg_avx512())
        return wide_multiply;
#endif
    return kg_attention_multiply_narrow;
}
