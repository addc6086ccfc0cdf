/* softmax_row.h: the steps of softmax on one row, vectorised, to be inlined. Pure functions; C
 * only.
 */
#pragma once
#include <stddef.h>

#include "softmax/softmax_exp.h"

/* The largest of n values, at least one. LANES maxima side by side: as one reduction a compiler may
 * not reorder it, for the sake of NaN. */
static inline float kg_softmax_row_max(const float *x, size_t n)
{
    enum { LANES = 16 };
    float lane[LANES], largest = x[0];
    size_t j = 0;
    for (size_t k = 0; k < LANES; k++)
        lane[k] = x[0];
    for (; j + LANES <= n; j += LANES)
#pragma omp simd
        for (size_t k = 0; k < LANES; k++)
            lane[k] = x[j + k] > lane[k] ? x[j + k] : lane[k];
    for (; j < n; j++)
        largest = x[j] > largest ? x[j] : largest;
    for (size_t half = LANES / 2; half; half /= 2)
#pragma omp simd
        for (size_t k = 0; k < half; k++)
            lane[k] = lane[k + half] > lane[k] ? lane[k + half] : lane[k];
    return lane[0] > largest ? lane[0] : largest;
}

/* y_j = exp(x_j - largest); y may be x. Their sum. */
static inline float kg_softmax_row_exp(const float *x, float *y, size_t n, float largest)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        y[j] = kg_softmax_exp(x[j] - largest);
        sum += y[j];
    }
    return sum;
}

/* Softmax of the first `count` of n values, at least one, and zeros behind; y may be x. */
static inline void kg_softmax_row(const float *x, float *y, size_t count, size_t n)
{
    const float scale = 1.0F / kg_softmax_row_exp(x, y, count, kg_softmax_row_max(x, count));
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        y[j] *= scale;
    for (size_t j = count; j < n; j++)
        y[j] = 0;
}
