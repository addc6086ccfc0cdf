/* histogram.h: how often each of the 256 values of a byte occurs in n random bytes.
 *
 * items n, bytes n; no flops. Versions on the CPU: plain, one table; fast, tables of each thread's
 * own. On the GPU: plain, one table for all threads; fast, one for each block. Error: how many of
 * the 256 counts differ from the reference's, tolerance 0. */
#pragma once
#include "common/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KG_HISTOGRAM_BINS = 256 };

/* On the GPU the arrays are in its memory. */
struct kg_histogram {
    struct kg_call call;
    uint64_t *words; /* eight bytes each */
    uint32_t *counts;
    size_t n; /* words */
};

void kg_histogram_plain(void *state);
void kg_histogram_fast(void *state);
void kg_histogram_cuda_plain(void *state);
void kg_histogram_cuda_fast(void *state);

void kg_histogram_reference(const struct kg_histogram *histogram, uint64_t *counts);

extern const struct kgate_workload kg_kernel_histogram;

#ifdef __cplusplus
}
#endif
