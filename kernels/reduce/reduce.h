/* reduce.h: the sum of n = bytes / 4 floats.
 *
 * bytes `bytes`, flops n, items n.
 * Versions on the CPU: plain, one accumulator; fast, many accumulators and all threads. On the GPU:
 * plain, one float at a time, a tree in shared memory and a second kernel; vector, 16 bytes at a
 * time and sums within warps; fast, several such loads in flight and one kernel. Each version
 * repeats its result exactly for the same number of threads, or on the same GPU.
 *
 * Error: |sum - reference| / sum |x|. Any order of additions is within (n - 1) u, u = eps / 2
 * (Higham 1993). Here the numbers have random signs. The i-th partial sum is about sqrt(i / 3), and
 * its rounding at most u times this size. n such roundings of random sign add up to at most u n /
 * 4, half a u of sum |x| = n / 2. The tolerance is 16 u, as a random walk may go far, or the bound
 * itself if n is small. */
#pragma once
#include <stddef.h>

#include "common/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most blocks of a kernel here: room for one sum per block. */
enum { KG_REDUCE_BLOCKS_MOST = 4096 };
enum { KG_REDUCE_TOLERANCE = 16 };

struct kg_reduce {
    struct kg_call call;
    float *x; /* on the GPU in its memory, like the next three */
    size_t n;
    float *total;
    float *part;       /* KG_REDUCE_BLOCKS_MOST sums of blocks */
    unsigned *arrived; /* how many blocks are done; 0 between calls */
    unsigned blocks;
    float sum; /* the CPU's result; the GPU's is in `total` */
};

void kg_reduce_plain(void *state);
void kg_reduce_fast(void *state);

void kg_reduce_cuda_plain(void *state);
void kg_reduce_cuda_vector(void *state);
void kg_reduce_cuda_fast(void *state);

/* Sets `blocks`: as many as the device can run at once, so that each has an equal share, but not
 * more than the work needs. False with CUDA's text in context->message. */
bool kg_reduce_cuda_prepare(struct kgate_context *context, void *state);

/* The sum in double precision, and the sum of absolute values into *size. */
double kg_reduce_reference(const float *x, size_t n, double *size);

extern const struct kgate_workload kg_kernel_reduce;

#ifdef __cplusplus
}
#endif
