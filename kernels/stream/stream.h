/* stream.h: copy and triad, the peak rates of memory (McCalpin 1995, STREAM).
 *
 * copy:  b[i] = a[i]              bytes 2 * `bytes`              items n
 * triad: c[i] = a[i] + s * b[i]   bytes 3 * `bytes`, flops 2 n   items n
 * over n = bytes / 4 floats; s = 3. The bytes exclude fetches of lines before they are overwritten.
 *
 * Versions on the CPU: plain, one thread; fast, all threads of the case. On the GPU: plain, one
 * float per thread; vector, 16 bytes at once; fast, several such loads in flight, with lines that
 * the cache need not keep. copy also has memcpy, the driver's own copy within the device, as the
 * yardstick.
 * Error of copy: number of elements that differ, tolerance 0. Error of triad: |c - reference| /
 * (|a| + |s b|), tolerance 2 eps. Product and sum round once each, by at most eps / 2 of a value
 * that is at most |a| + |s b|. Fused, as on the GPU, they round once. */
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
