/* fast.h: what fast_forward.c and fast_backward.c share: products by OpenBLAS, on the calling
 * thread alone, and an exponential that the compiler vectorises. */
#pragma once
#include <cblas.h>
#include <stdint.h>

#include "transformer/passes.h"

/* c = scale a b + keep c with a m by k, b k by n, each transposed where `…_t`; the strides are of
 * the rows as they lie. */
static inline void fast_multiply(bool a_t, bool b_t, size_t m, size_t n, size_t k, float scale,
                                 const float *a, size_t a_stride, const float *b, size_t b_stride,
                                 float keep, float *c, size_t c_stride)
{
    cblas_sgemm(CblasRowMajor, a_t ? CblasTrans : CblasNoTrans, b_t ? CblasTrans : CblasNoTrans,
                (blasint)m, (blasint)n, (blasint)k, scale, a, (blasint)a_stride, b,
                (blasint)b_stride, keep, c, (blasint)c_stride);
}

/* exp(x) to 2 u for |x| up to 87, clamped there: x = k ln 2 + r, a polynomial of degree 6 in r, the
 * power of two by its bits (as in softmax). */
static inline float fast_exp(float x)
{
    const float magic = 12582912.0F; /* 1.5 * 2^23: rounds to a whole number */
    const float low = x < -87.0F ? -87.0F : x, clamped = low > 87.0F ? 87.0F : low;
    const float shifted = clamped * 1.44269504F + magic, k = shifted - magic;
    const float r = clamped - k * 0.693145752F - k * 1.42860677e-6F;
    float p = 1.0F / 720;
    p = p * r + 1.0F / 120;
    p = p * r + 1.0F / 24;
    p = p * r + 1.0F / 6;
    p = p * r + 0.5F;
    p = p * r + 1.0F;
    p = p * r + 1.0F;
    const union {
        uint32_t bits;
        float value;
    } power = {.bits = (uint32_t)((int32_t)k + 127) << 23};
    return p * power.value;
}

/* gelu(x) = x s(x) with s = 1 / (1 + exp(-2 z)), as model.h has it: z over x, and s. */
static inline float fast_gelu_share(float x)
{
    const float z = 0.797884561F * x * (1.0F + 0.044715F * x * x);
    return 1.0F / (1.0F + fast_exp(-2.0F * z));
}

void kg_fast_layer_forward(const struct kg_slice *slice, size_t layer);
void kg_fast_forward(const struct kg_slice *slice, const uint8_t *tokens);
double kg_fast_loss(const struct kg_slice *slice, const uint8_t *targets);
