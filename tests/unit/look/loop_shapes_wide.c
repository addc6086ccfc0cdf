/* loop_shapes_wide.c: likewise, by vectors of eight (compiled for AVX2, never run). */
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
