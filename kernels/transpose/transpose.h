/* transpose.h: b[j][i] = a[i][j] for a matrix of `rows` by `cols` floats, row major.
 *
 * bytes 2 * 4 * rows * cols, items rows * cols.
 * Versions on the CPU: plain, row by row; fast, in blocks on all threads. On the GPU: plain, one
 * thread per element; tiled, through shared memory; fast, like tiled with 16 bytes at once. If rows
 * or cols is not a multiple of 4, fast runs tiled. Error: number of elements that differ from
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

/* The place in `b` of the element of row i and column j of `a`. */
size_t kg_transpose_reference(const struct kg_transpose *transpose, size_t i, size_t j);

extern const struct kgate_workload kg_kernel_transpose;

#ifdef __cplusplus
}
#endif
