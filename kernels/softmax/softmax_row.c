#include "softmax/softmax_row.h"

#include "softmax/softmax_exp.h"

/* LANES maxima side by side: a compiler may not reorder one reduction, for the sake of NaN. */
float kg_softmax_row_max(const float *x, size_t n)
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

float kg_softmax_row_exp(const float *x, float *y, size_t n, float largest)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        const float power = kg_softmax_exp(x[j] - largest);
        y[j] = power;
        sum += power;
    }
    return sum;
}

void kg_softmax_row(const float *x, float *y, size_t count, size_t n)
{
    const float scale = 1.0F / kg_softmax_row_exp(x, y, count, kg_softmax_row_max(x, count));
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        y[j] *= scale;
    for (size_t j = count; j < n; j++)
        y[j] = 0;
}
