/* loop_shapes_wide.c: loops like loop_shapes.c, with vectors of eight (compiled for AVX2 and
 * AVX-512, never run). */
#include <immintrin.h>
#include <stddef.h>

#define SHAPE __attribute__((noinline, used, visibility("default")))

SHAPE void gathered(float *restrict to, const float *restrict from, const int *restrict at,
                    size_t n)
{
    for (size_t i = 0; i < n; i += 8)
        _mm256_storeu_ps(
            to + i, _mm256_i32gather_ps(from, _mm256_loadu_si256((const __m256i *)(at + i)), 4));
}

SHAPE void vector_loop(float *restrict to, const float *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] * from[i] + to[i];
}

/* Capstone 4 does not know the comparison. */
__attribute__((target("avx512bw,avx512vl"))) SHAPE size_t unknown_bytes(const char *from, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i += 32)
        count += (size_t)_mm256_cmpeq_epi8_mask(_mm256_loadu_si256((const __m256i *)(from + i)),
                                                _mm256_set1_epi8('x'));
    return count;
}
