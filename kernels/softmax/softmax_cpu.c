#include <math.h>
#include <stdint.h>

#include "softmax/softmax.h"

/* 0 plain: three passes, the library's exponential, one element after the other. */
void kg_softmax_plain(struct kg_rows *rows)
{
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

static inline float exponential(float x)
{
    /* 1.5 * 2^23: adding and subtracting it rounds to a whole number, without a conversion */
    const float magic = 12582912.0F;
    const float log2_e = 1.44269504F, ln2_high = 0.693145752F, ln2_low = 1.42860677e-6F;
    const float clamped = x < -87.0F ? -87.0F : x;
    const float shifted = clamped * log2_e + magic, k = shifted - magic;
    const float r = clamped - k * ln2_high - k * ln2_low;
    float p = 1.0F / 720;
    p = p * r + 1.0F / 120;
    p = p * r + 1.0F / 24;
    p = p * r + 1.0F / 6;
    p = p * r + 0.5F;
    p = p * r + 1.0F;
    p = p * r + 1.0F;
    /* a union, not memcpy: the compiler vectorises through it */
    const union {
        uint32_t bits;
        float value;
    } power = {.bits = (uint32_t)((int32_t)k + 127) << 23};
    return p * power.value;
}

float kg_softmax_exp(float x)
{
    return exponential(x);
}

/* LANES maxima side by side: as one reduction a compiler may not reorder it, for the sake of NaN.
 */
static float row_max(const float *x, size_t n)
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
    for (size_t k = 0; k < LANES; k++)
        largest = lane[k] > largest ? lane[k] : largest;
    return largest;
}

static float row_exp(const float *restrict x, float *restrict y, size_t n, float largest)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        y[j] = exponential(x[j] - largest);
        sum += y[j];
    }
    return sum;
}

/* 1 fast: the same passes, vectorised, with an exponential that is only arithmetic, and one
 * division a row instead of one an element; all threads, a row each. */
void kg_softmax_fast(struct kg_rows *rows)
{
    const size_t cols = rows->cols, count = rows->rows;
#pragma omp parallel for num_threads(rows->threads) schedule(static)
    for (size_t i = 0; i < count; i++) {
        const float *x = rows->x + i * cols;
        float *y = rows->y + i * cols;
        const float scale = 1.0F / row_exp(x, y, cols, row_max(x, cols));
#pragma omp simd
        for (size_t j = 0; j < cols; j++)
            y[j] *= scale;
    }
}
