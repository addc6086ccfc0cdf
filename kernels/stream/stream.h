/* stream.h: copy and triad, what memory can do (McCalpin 1995, STREAM).
 *
 * copy:  b[i] = a[i]              bytes 2 * `bytes`              items n
 * triad: c[i] = a[i] + s * b[i]   bytes 3 * `bytes`, flops 2 n   items n
 * over n = bytes / 4 floats; s = 3. Traffic to fetch a line that is then overwritten is not
 * counted.
 *
 * Versions: plain, one thread; fast, all threads of the case.
 * Error: copy, how many elements differ, tolerance 0; triad, |c - reference| / (|a| + |s b|),
 * tolerance 2 eps: one rounding of the product and one of the sum, each at most eps / 2 of a value
 * that is at most |a| + |s b|, or a single one where the two are fused. */
#pragma once
#include <stddef.h>

#include "kgate/plugin.h"

struct kg_stream {
    float *a;
    float *b;
    float *c; /* triad only */
    size_t n;
    int threads;
    void (*version)(struct kg_stream *stream);
};

extern const float kg_stream_scale;

void kg_copy_plain(struct kg_stream *stream);
void kg_copy_fast(struct kg_stream *stream);
void kg_triad_plain(struct kg_stream *stream);
void kg_triad_fast(struct kg_stream *stream);

/* In double precision. */
double kg_triad_reference(double a, double b);

extern const struct kgate_workload kg_kernel_copy;
extern const struct kgate_workload kg_kernel_triad;
