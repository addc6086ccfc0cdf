/* stream.h: copy and triad, what memory can do (McCalpin 1995, STREAM).
 *
 * copy:  b[i] = a[i]              bytes 2 * `bytes`              items n
 * triad: c[i] = a[i] + s * b[i]   bytes 3 * `bytes`, flops 2 n   items n
 * over n = bytes / 4 floats; s = 3. Traffic to fetch a line that is then overwritten is not
 * counted.
 *
 * Versions on the CPU: plain, one thread; fast, all threads of the case. On the GPU: plain, a float
 * a thread; vector, 16 bytes at once; fast, several such loads in flight and lines that the cache
 * need not keep; for copy memcpy, the driver's own copy within the device, the yardstick. Error:
 * copy, how many elements differ, tolerance 0; triad, |c - reference| / (|a| + |s b|), tolerance 2
 * eps: one rounding of the product and one of the sum, each at most eps / 2 of a value that is at
 * most |a| + |s b|, or a single one where the two are fused, as they are on the GPU. */
#pragma once
#include <stddef.h>

#include "common/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* On the GPU the arrays are in its memory. */
struct kg_stream {
    struct kg_call call;
    float *a;
    float *b;
    float *c; /* triad only */
    size_t n;
};

extern const float kg_stream_scale;

void kg_copy_plain(void *state);
void kg_copy_fast(void *state);
void kg_triad_plain(void *state);
void kg_triad_fast(void *state);

void kg_copy_cuda_plain(void *state);
void kg_copy_cuda_vector(void *state);
void kg_copy_cuda_fast(void *state);
void kg_copy_cuda_memcpy(void *state);
void kg_triad_cuda_plain(void *state);
void kg_triad_cuda_vector(void *state);
void kg_triad_cuda_fast(void *state);

/* In double precision. */
double kg_triad_reference(double a, double b);

extern const struct kgate_workload kg_kernel_copy;
extern const struct kgate_workload kg_kernel_triad;

#ifdef __cplusplus
}
#endif
