/* cublas.h: matrix products by NVIDIA's cuBLAS, which is opened at run time, so that neither the
 * build nor the program needs it. First thread only. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kg_cublas;
enum kg_cublas_type { KG_CUBLAS_F32, KG_CUBLAS_BF16 };

/* A handle on context->stream, in the library's default mathematics. It has a workspace of its own,
 * so no call allocates and a graph can capture every call. On failure NULL with context->message.
 * If no library is found, also context->unavailable. */
struct kg_cublas *kg_cublas_open(struct kgate_context *context);
/* NULL is ignored. */
void kg_cublas_close(struct kgate_context *context, struct kg_cublas *cublas);

/* Puts C = A B on the stream: row major, A m by k and B k by n of `type`, C m by n of float.
 * kg_cublas_good reports errors. */
void kg_cublas_multiply(struct kg_cublas *cublas, enum kg_cublas_type type, size_t m, size_t n,
                        size_t k, const void *a, const void *b, float *c);

/* Row-major matrices of floats. Rows are `step` floats apart, first elements of neighbouring
 * matrices `stride` floats. Matrices may interleave, like heads side by side in one matrix. */
struct kg_cublas_matrices {
    float *first;
    size_t step;
    size_t stride;
};

/* C = scale A B, or scale A B^T, `count` times. */
struct kg_cublas_batch {
    size_t count;
    size_t m;
    size_t n;
    size_t k;
    float scale;
    bool b_transposed;
    struct kg_cublas_matrices a; /* m by k */
    struct kg_cublas_matrices b; /* k by n, or, transposed, n by k */
    struct kg_cublas_matrices c; /* m by n; no two matrices may share an element */
};

/* Puts the products on the stream, as one call of the library. kg_cublas_good reports errors. */
void kg_cublas_multiply_batch(struct kg_cublas *cublas, const struct kg_cublas_batch *batch);

/* False with context->message if the library refused a call since the last kg_cublas_good. */
bool kg_cublas_good(struct kgate_context *context, struct kg_cublas *cublas);

#ifdef __cplusplus
}
#endif
