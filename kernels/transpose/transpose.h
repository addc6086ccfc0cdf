/* transpose.h: b[j][i] = a[i][j] for a matrix of `rows` by `cols` floats, row major.
 *
 * bytes 2 * 4 * rows * cols, items rows * cols.
 * Versions: plain, row by row; fast, in square blocks on all threads.
 * Error: how many elements differ from a[i][j], tolerance 0. */
#pragma once
#include <stddef.h>

#include "kgate/plugin.h"

struct kg_transpose {
    float *a;
    float *b;
    size_t rows;
    size_t cols;
    int threads;
    void (*version)(struct kg_transpose *transpose);
};

void kg_transpose_plain(struct kg_transpose *transpose);
void kg_transpose_fast(struct kg_transpose *transpose);

/* Where the element of row i and column j of `a` belongs in `b`. */
size_t kg_transpose_reference(const struct kg_transpose *transpose, size_t i, size_t j);

extern const struct kgate_workload kg_kernel_transpose;
