#include "transpose/transpose.h"

enum { BLOCK = 32 };

/* 0 plain: row by row. Every write goes to another cache line, and for a large matrix that line is
 * gone before its neighbour is written. */
void kg_transpose_plain(struct kg_transpose *transpose)
{
    for (size_t i = 0; i < transpose->rows; i++)
        for (size_t j = 0; j < transpose->cols; j++)
            transpose->b[j * transpose->rows + i] = transpose->a[i * transpose->cols + j];
}

static void block_transpose(const float *restrict a, float *restrict b, size_t rows, size_t cols,
                            size_t i_end, size_t j_end)
{
    for (size_t j = 0; j < j_end; j++)
#pragma omp simd
        for (size_t i = 0; i < i_end; i++)
            b[j * rows + i] = a[i * cols + j];
}

/* 1 fast: in blocks of 32 by 32, 4 KiB on each side: both stay in the first-level cache, so that
 * each line is fetched and written once. All threads, each its own rows of blocks. */
void kg_transpose_fast(struct kg_transpose *transpose)
{
    const size_t rows = transpose->rows, cols = transpose->cols;
    const float *a = transpose->a;
    float *b = transpose->b;
#pragma omp parallel for num_threads(transpose->threads) schedule(static)
    for (size_t j = 0; j < cols; j += BLOCK)
        for (size_t i = 0; i < rows; i += BLOCK)
            block_transpose(a + i * cols + j, b + j * rows + i, rows, cols,
                            rows - i < BLOCK ? rows - i : BLOCK,
                            cols - j < BLOCK ? cols - j : BLOCK);
}
