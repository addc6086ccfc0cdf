#include "stream/stream.h"

#include "common/multiply_add.h"
#include "common/streaming.h"

/* 0 plain: the loop as written. Without the attribute gcc replaces it by a call of memcpy, and
 * plain would be the library's fast version. */
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif
void kg_copy_plain(void *state)
{
    const struct kg_stream *stream = state;
    const float *a = stream->a;
    float *b = stream->b;
    for (size_t i = 0; i < stream->n; i++)
        b[i] = a[i];
}

/* Whole lines, past the caches. */
static void copy_lines(const float *a, float *b, size_t n, int threads)
{
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < n; i += KG_LINE_FLOATS)
            kg_stream_line(b + i, a + i);
        kg_stream_end();
    }
}

/* 1 fast: all threads, each a contiguous part. One core alone cannot keep enough misses in flight
 * to fill a server's memory channels. Outputs too large for the caches are written past them. This
 * saves the fetch of each line before its overwrite. */
void kg_copy_fast(void *state)
{
    const struct kg_stream *stream = state;
    const float *a = stream->a;
    float *b = stream->b;
    const size_t n = stream->n;
    const size_t lines = kg_streams(b, n * sizeof *b) ? n - n % KG_LINE_FLOATS : 0;
    if (lines)
        copy_lines(a, b, lines, stream->call.threads);
#pragma omp parallel for simd num_threads(stream->call.threads) schedule(static) if (!lines)
    for (size_t i = lines; i < n; i++)
        b[i] = a[i];
}

/* 0 plain: the loop as it is written. */
void kg_triad_plain(void *state)
{
    const struct kg_stream *stream = state;
    for (size_t i = 0; i < stream->n; i++)
        stream->c[i] = stream->a[i] + kg_stream_scale * stream->b[i];
}

static void triad_line(const float *restrict a, const float *restrict b, float *restrict line,
                       float scale)
{
#pragma omp simd
    for (size_t k = 0; k < KG_LINE_FLOATS; k++)
        line[k] = kg_multiply_add(scale, b[k], a[k]);
}

/* Whole lines, past the caches. */
static void triad_lines(const float *a, const float *b, float *c, size_t n, int threads)
{
    const float scale = kg_stream_scale;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < n; i += KG_LINE_FLOATS) {
            float line[KG_LINE_FLOATS];
            triad_line(a + i, b + i, line, scale);
            kg_stream_line(c + i, line);
        }
        kg_stream_end();
    }
}

/* 1 fast: all threads, and pointers of its own, so that the compiler need not fear that a store
 * changes them; past the caches like copy. */
void kg_triad_fast(void *state)
{
    const struct kg_stream *stream = state;
    const float *restrict a = stream->a, *restrict b = stream->b;
    float *restrict c = stream->c;
    const float scale = kg_stream_scale;
    const size_t n = stream->n;
    const size_t lines = kg_streams(c, n * sizeof *c) ? n - n % KG_LINE_FLOATS : 0;
    if (lines)
        triad_lines(a, b, c, lines, stream->call.threads);
#pragma omp parallel for simd num_threads(stream->call.threads) schedule(static) if (!lines)
    for (size_t i = lines; i < n; i++)
        c[i] = kg_multiply_add(scale, b[i], a[i]);
}
