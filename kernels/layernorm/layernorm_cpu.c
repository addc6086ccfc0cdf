#include <math.h>

#include "layernorm/layernorm.h"

const float kg_layernorm_epsilon = 1e-5F;

/* 0 plain: mean, variance and result in three passes, each with one accumulator that the next
 * addition waits for. */
void kg_layernorm_plain(struct kg_rows *rows)
{
    const float n = (float)rows->cols;
    for (size_t i = 0; i < rows->rows; i++) {
        const float *x = rows->x + i * rows->cols;
        float *y = rows->y + i * rows->cols, sum = 0, squares = 0;
        for (size_t j = 0; j < rows->cols; j++)
            sum += x[j];
        const float mean = sum / n;
        for (size_t j = 0; j < rows->cols; j++)
            squares += (x[j] - mean) * (x[j] - mean);
        const float scale = 1.0F / sqrtf(squares / n + kg_layernorm_epsilon);
        for (size_t j = 0; j < rows->cols; j++)
            y[j] = rows->gamma[j] * (x[j] - mean) * scale + rows->beta[j];
    }
}

static void row_normalize(const struct kg_rows *rows, const float *restrict x, float *restrict y)
{
    const float n = (float)rows->cols, first = x[0];
    const float *restrict gamma = rows->gamma, *restrict beta = rows->beta;
    const size_t cols = rows->cols;
    float sum = 0, squares = 0;
    /* Shifted by the first element: without it a row far from zero would lose its variance in the
     * difference of two large sums (Chan, Golub and LeVeque 1983). */
#pragma omp simd reduction(+ : sum, squares)
    for (size_t j = 0; j < cols; j++) {
        const float d = x[j] - first;
        sum += d;
        squares += d * d;
    }
    const float shifted = sum / n, mean = first + shifted;
    const float variance = fmaxf(squares / n - shifted * shifted, 0);
    const float scale = 1.0F / sqrtf(variance + kg_layernorm_epsilon);
#pragma omp simd
    for (size_t j = 0; j < cols; j++)
        y[j] = gamma[j] * (x[j] - mean) * scale + beta[j];
}

/* 1 fast: sum and sum of squares in one pass with several accumulators, vectorised; all threads, a
 * row each. */
void kg_layernorm_fast(struct kg_rows *rows)
{
    const size_t cols = rows->cols, count = rows->rows;
#pragma omp parallel for num_threads(rows->threads) schedule(static)
    for (size_t i = 0; i < count; i++)
        row_normalize(rows, rows->x + i * cols, rows->y + i * cols);
}
