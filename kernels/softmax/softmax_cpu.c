#include <math.h>

#include "softmax/softmax.h"
#include "softmax/softmax_row.h"

/* 0 plain: three passes, the library's exponential, one element after the other. */
void kg_softmax_plain(void *state)
{
    const struct kg_rows *rows = state;
    for (size_t i = 0; i < rows->rows; i++) {
        const float *x = rows->x + i * rows->cols;
        float *y = rows->y + i * rows->cols, largest = x[0], sum = 0;
        for (size_t j = 1; j < rows->cols; j++)
            largest = fmaxf(largest, x[j]);
        for (size_t j = 0; j < rows->cols; j++)
            sum += y[j] = expf(x[j] - largest);
        for (size_t j = 0; j < rows->cols; j++)
            y[j] /= sum;
    }
}

/* 1 fast: the same passes, vectorised, with an exponential that is only arithmetic, and one
 * division a row instead of one an element; all threads, a row each. */
void kg_softmax_fast(void *state)
{
    const struct kg_rows *rows = state;
    const size_t cols = rows->cols, count = rows->rows;
#pragma omp parallel for num_threads(rows->call.threads) schedule(static)
    for (size_t i = 0; i < count; i++)
        kg_softmax_row(rows->x + i * cols, rows->y + i * cols, cols, cols);
}
