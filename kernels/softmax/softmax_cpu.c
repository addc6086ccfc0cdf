#include <math.h>
#include <stdint.h>

#include "common/multiply_add.h"
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

union bits {
    float value;
    uint32_t bits;
};

/* Without a branch, a conversion or a call, so that a compiler can do it for a vector at once: gcc
 * gives up on `x < -87 ? ...`, of which it makes a branch. */
static inline float exponential(float x)
{
    /* 1.5 * 2^23: adding and subtracting it rounds to a whole number, which is then to be found in
     * the lowest bits of the sum */
    const float magic = 12582912.0F;
    const float log2_e = 1.44269504F, ln2_high = 0.693145752F, ln2_low = 1.42860677e-6F;
    const float shifted = kg_multiply_add(x, log2_e, magic), k = shifted - magic;
    const float r = kg_multiply_add(k, -ln2_low, kg_multiply_add(k, -ln2_high, x));
    float p = 1.0F / 720;
    p = kg_multiply_add(p, r, 1.0F / 120);
    p = kg_multiply_add(p, r, 1.0F / 24);
    p = kg_multiply_add(p, r, 1.0F / 6);
    p = kg_multiply_add(p, r, 0.5F);
    p = kg_multiply_add(p, r, 1.0F);
    p = kg_multiply_add(p, r, 1.0F);
    /* 2^k: unions, not memcpy: clang vectorises through them */
    union bits power = {.value = shifted};
    power.bits = (power.bits + 127) << 23;
    union bits result = {.value = p * power.value};
    result.bits &= 0U - (uint32_t) !(x < -87.0F);
    return result.value;
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
