#include "stream/stream.h"

/* 0 plain: the loop as it is written. Without the attribute gcc makes a call of memcpy of it, and
 * the plain version would be the library's fast one. */
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif
void kg_copy_plain(struct kg_stream *stream)
{
    const float *a = stream->a;
    float *b = stream->b;
    for (size_t i = 0; i < stream->n; i++)
        b[i] = a[i];
}

/* 1 fast: all threads, each a contiguous part. One core alone cannot keep enough misses in flight
 * to fill a server's memory channels. */
void kg_copy_fast(struct kg_stream *stream)
{
    const float *a = stream->a;
    float *b = stream->b;
    const size_t n = stream->n;
#pragma omp parallel for simd num_threads(stream->threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        b[i] = a[i];
}

/* 0 plain: the loop as it is written. */
void kg_triad_plain(struct kg_stream *stream)
{
    for (size_t i = 0; i < stream->n; i++)
        stream->c[i] = stream->a[i] + kg_stream_scale * stream->b[i];
}

/* 1 fast: all threads, and pointers of its own, so that the compiler need not fear that a store
 * changes them. */
void kg_triad_fast(struct kg_stream *stream)
{
    const float *restrict a = stream->a, *restrict b = stream->b;
    float *restrict c = stream->c;
    const float scale = kg_stream_scale;
    const size_t n = stream->n;
#pragma omp parallel for simd num_threads(stream->threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] + scale * b[i];
}
