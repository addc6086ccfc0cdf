/* device_products.h: the products of a transformer in terms of its matrices (blocks.h). Pure. */
#pragma once
#include "transformer/blocks.h"
#include "transformer/passes.h"

/* A matrix as a factor, rows of `width`: its rows are lines, as of A in A B and of B in A B^T; or
 * its columns are, as of B in A B and of A in A^T B. */
struct kg_factor kg_by_rows(const float *x, size_t width);
struct kg_factor kg_by_columns(const float *x, size_t width);

/* c = a b, m by n, of depth k. */
struct kg_product kg_product_of(size_t m, size_t n, size_t k, struct kg_factor a,
                                struct kg_factor b, float *c);

/* y = x W + bias, W inputs by outputs. */
struct kg_product kg_affine(size_t rows, size_t inputs, size_t outputs, const float *x,
                            const float *weight, const float *bias, float *y);

/* The gradients of kg_affine: pair[0] by x, pair[1] by the weight, including the bias. */
void kg_affine_backward(size_t rows, size_t inputs, size_t outputs, const float *x,
                        const float *weight, const float *dy, float *dx, float *dweight,
                        float *dbias, struct kg_product pair[2]);

/* The matrices of attention's products. Each head has a matrix of seq_len rows, beside the other
 * heads in rows of `width`. Alternatively it has a separate square matrix. */
struct kg_heads {
    size_t sequences;
    size_t heads;
    size_t length;
    size_t columns;
};

struct kg_heads kg_heads_of(const struct kg_slice *slice);

/* The lower triangle of a b^T, of two matrices of heads. */
struct kg_product kg_heads_to_square(struct kg_heads heads, const float *a, size_t a_width,
                                     const float *b, size_t b_width, float scale, float *c);

/* s b, or s^T b, of a lower triangle s and a matrix of heads. */
struct kg_product kg_square_times_heads(struct kg_heads heads, bool transposed, const float *s,
                                        const float *b, size_t b_width, float *c, size_t c_width);
