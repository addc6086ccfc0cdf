/* transpose.h: b[j][i] = a[i][j] for a matrix of `rows` by `cols` floats, row major.
 *
 * bytes 2 * 4 * rows * cols, items rows * cols.
 * Versions on the CPU: plain, row by row; fast, in blocks on all threads. On the GPU: plain,
 * an element a thread; tiled, by way of shared memory; fast, the same with 16 bytes at once, where
 * rows and cols are multiples of 4, and tiled where not. Error: how many elements differ from
 * a[i][j], tolerance 0. */
#pragma once
#include <stddef.h>

#include "common/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* On the GPU the matrices are in its memory. */
struct kg_transpose {
    struct kg_call call;
    float *a;
    float *b;
    size_t rows;
    size_t cols;
};

void kg_transpose_plain(void *state);
void kg_transpose_fast(void *state);

void kg_transpose_cuda_plain(void *state);
void kg_transpose_cuda_tiled(void *state);
void kg_transpose_cuda_fast(void *state);

/* Where the element of row i and column j of `a` belongs in `b`. */
size_t kg_transpose_reference(const struct kg_transpose *transpose, size_t i, size_t j);

extern const struct kgate_workload kg_kernel_transpose;

#ifdef __cplusplus
}
#endif
