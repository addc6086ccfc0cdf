/* blocks.h: the parts of a transformer, forward and backward, on plain pointers to the GPU's
 * memory: a table of functions for each version. Each function puts its launches on the stream,
 * without waiting and without allocating. Results do not depend on the order of blocks, since no
 * atomics add floats. Matrices are row major; sizes are at least 1 and below 2^31.
 *
 * Versions: plain, one thread per element and one launch per step of the formula. fast: tiles in
 * shared memory, one warp per row, 16 bytes at once. It fuses steps into the launch that has their
 * data in registers. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transformer/adamw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version `fast`: most blocks into which a launch is split, and the floats for their partial sums.
 * A constant, not the GPU's count of multiprocessors, so that all GPUs have the same results. */
enum { KG_BLOCKS_WANTED = 256 };
#define KG_BLOCKS_PART_FLOATS ((size_t)KG_BLOCKS_WANTED * (64 * 64 + 64))

/* Arguments of all functions. */
struct kg_blocks_space {
    void *stream;
    float *parts;      /* KG_BLOCKS_PART_FLOATS: partial sums */
    unsigned *arrived; /* KG_BLOCKS_WANTED counters, 0 between launches */
};

/* A factor of a product: a matrix of `lines` (rows of A, columns of B) by depth. Element l of line
 * i is x[i * stride + l] if depth_first, else x[l * stride + i]. So a plain A and a transposed B
 * are depth_first. */
struct kg_factor {
    const float *x;
    unsigned stride;
    bool depth_first;
    size_t outer; /* floats from one batch to the next: batch (o, i) is at o * outer + i * inner */
    size_t inner;
};

/* The triangle of a product of square matrices that is 0 or not needed. */
enum kg_triangle {
    KG_TRIANGLE_NONE,
    KG_TRIANGLE_LOWER_C, /* C above its diagonal is not needed and may stay unwritten */
    KG_TRIANGLE_LOWER_A, /* A is 0 above its diagonal: depth l up to row i */
    KG_TRIANGLE_UPPER_A  /* A is 0 below its diagonal: from row i on */
};

/* C = scale A B + bias + residual, times GELU'(slope_of). NULL pointers drop their term. */
struct kg_product {
    struct kg_factor a; /* m lines */
    struct kg_factor b; /* n lines */
    float *c;
    unsigned c_stride;
    size_t c_outer;
    size_t c_inner;
    unsigned m;
    unsigned n;
    unsigned k;
    unsigned outer; /* batches: outer * inner */
    unsigned inner;
    enum kg_triangle triangle;
    float scale;
    /* Only for a product without batches. Laid out like C, except bias. NULL: none. */
    const float *bias;     /* n */
    const float *residual; /* added; not C itself */
    const float *slope_of;
    float *gelu; /* GELU(C) is written here, too */
    float *sums; /* n: sums of B's columns, the gradient of a bias if B is its output's */
};

/* rows by cols. */
struct kg_norm {
    const float *x;
    const float *gamma;
    const float *beta;
    float *y;
    size_t rows;
    size_t cols;
};
/* dx = the gradient, or dx += it; dgamma and dbeta are written. */
struct kg_norm_backward {
    const float *x;
    const float *gamma;
    const float *dy;
    float *dx;
    bool add; /* to dx */
    float *dgamma;
    float *dbeta;
    float *mean; /* rows each: scratch */
    float *scale;
    size_t rows;
    size_t cols;
};

/* Row i of `rows` rows of a batch of `length` by `length` matrices has the first i % length + 1
 * elements; the others become 0. */
struct kg_causal {
    float *x;    /* forward: scores, which become probabilities; backward: probabilities */
    float *dx;   /* backward: gradients of probabilities, which become gradients of scores ... */
    float scale; /* ... times this */
    size_t rows;
    size_t length;
};

/* x_bt = vectors_token + positions_t */
struct kg_embedding {
    const uint8_t *tokens; /* batch by length */
    float *vectors;        /* vocabulary by cols; backward: the gradient is added to it */
    float *positions;      /* length by cols; backward: the gradient is written here */
    float *x;              /* batch * length by cols: the sums, or their gradients */
    size_t batch;
    size_t length;
    size_t cols;
    size_t vocabulary;
};

/* Softmax and cross-entropy: *loss = mean of -log p_target over the rows; the logits become their
 * gradients. */
struct kg_loss {
    float *logits;
    const uint8_t *targets; /* rows */
    float *losses;          /* rows: scratch */
    float *loss;
    size_t rows;
    size_t cols;
};

/* A step of AdamW (adamw.h) of n parameters, which begin at multiples of 16
 * bytes like the others. */
struct kg_adamw {
    float *parameters;
    const float *gradients;
    float *moment1;
    float *moment2;
    size_t n;
    struct kg_adamw_scales scales;
};

struct kg_blocks {
    /* 1 or 2 products that do not depend on each other. */
    void (*products)(const struct kg_blocks_space *space, const struct kg_product *products,
                     size_t count);
    void (*norm)(const struct kg_blocks_space *space, const struct kg_norm *norm);
    void (*norm_backward)(const struct kg_blocks_space *space, const struct kg_norm_backward *norm);
    void (*causal)(const struct kg_blocks_space *space, const struct kg_causal *causal);
    void (*causal_backward)(const struct kg_blocks_space *space, const struct kg_causal *causal);
    void (*embedding)(const struct kg_blocks_space *space, const struct kg_embedding *embedding);
    void (*embedding_backward)(const struct kg_blocks_space *space,
                               const struct kg_embedding *embedding);
    void (*loss)(const struct kg_blocks_space *space, const struct kg_loss *loss);
    void (*adamw)(const struct kg_blocks_space *space, const struct kg_adamw *adamw);
};
extern const struct kg_blocks kg_blocks_plain;
extern const struct kg_blocks kg_blocks_fast;

/* From the GPU's memory to the GPU's, and to page-locked memory of the host; and zeros. Put on the
 * stream, too. */
void kg_blocks_copy(const struct kg_blocks_space *space, void *to, const void *from, size_t bytes);
void kg_blocks_fetch(const struct kg_blocks_space *space, void *to, const void *from, size_t bytes);
void kg_blocks_clear(const struct kg_blocks_space *space, void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif
