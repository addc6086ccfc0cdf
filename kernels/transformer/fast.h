/* fast.h: common code of fast_forward.c and fast_backward.c. Products by OpenBLAS, on the calling
 * thread alone, and gelu as arithmetic that the compiler vectorises. */
#pragma once
#include <cblas.h>
#include <math.h>
#include <stdint.h>

#include "common/multiply_add.h"
#include "softmax/softmax_exp.h"
#include "transformer/passes.h"

/* c = scale a b + keep c with a m by k, b k by n, each transposed if `…_t` is true. Strides are
 * distances of rows in memory. */
static inline void fast_multiply(bool a_t, bool b_t, size_t m, size_t n, size_t k, float scale,
                                 const float *a, size_t a_stride, const float *b, size_t b_stride,
                                 float keep, float *c, size_t c_stride)
{
    cblas_sgemm(CblasRowMajor, a_t ? CblasTrans : CblasNoTrans, b_t ? CblasTrans : CblasNoTrans,
                (blasint)m, (blasint)n, (blasint)k, scale, a, (blasint)a_stride, b,
                (blasint)b_stride, keep, c, (blasint)c_stride);
}

/* (1 + tanh(z)) / 2 of gelu's z at x, as in model.h. tanh uses exp(-2 |z|), which never overflows,
 * and sets the sign without a branch. */
static inline float fast_gelu_share(float x)
{
    const float z = 0.797884561F * x * kg_multiply_add(0.044715F * x, x, 1.0F);
    const float e = kg_softmax_exp(-2.0F * fabsf(z));
    return 0.5F + copysignf(0.5F * (1.0F - e) / (1.0F + e), z);
}

void kg_fast_layer_forward(const struct kg_slice *slice, size_t layer);
void kg_fast_forward(const struct kg_slice *slice, const uint8_t *tokens);
double kg_fast_loss(const struct kg_slice *slice, const uint8_t *targets);
