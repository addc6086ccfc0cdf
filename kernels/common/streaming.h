/* streaming.h: writing past the caches. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX__
#include <immintrin.h>
#endif

/* One store past the caches writes a line. */
enum { KG_LINE_BYTES = 64, KG_LINE_FLOATS = 16 };

/* More than a core's share of the last-level cache of any processor of today. */
#define KG_STREAM_BYTES_LEAST (UINT64_C(16) << 20)

/* Whether an output of `bytes` at `to` should be written past the caches. A large output evicts the
 * caches' content and does not stay there itself. And an ordinary store first fetches the line that
 * it overwrites, a third of the traffic of a copy. Only for whole lines. */
static inline bool kg_streams(const void *to, size_t bytes)
{
#ifdef __AVX__
    return bytes >= KG_STREAM_BYTES_LEAST && (uintptr_t)to % KG_LINE_BYTES == 0;
#else
    (void)to;
    (void)bytes;
    return false;
#endif
}

/* Writes the line at `from`, which may lie anywhere, to `to`, which begins one. */
static inline void kg_stream_line(void *to, const void *from)
{
#ifdef __AVX__
    __m256i *line = to;
    const __m256i *half = from;
    _mm256_stream_si256(line, _mm256_loadu_si256(half));
    _mm256_stream_si256(line + 1, _mm256_loadu_si256(half + 1));
#else
    memcpy(to, from, KG_LINE_BYTES);
#endif
}

/* To be called by each thread after its last line: until then other threads need not see them. */
static inline void kg_stream_end(void)
{
#ifdef __AVX__
    _mm_sfence();
#endif
}
