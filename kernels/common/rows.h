/* rows.h: the workload that softmax and layernorm share: a function of each row of a float matrix,
 * checked element by element in double precision. */
#pragma once
#include <stddef.h>

#include "common/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* On the GPU a row too long for one multiprocessor may be split into parts. Their statistics are
 * combined here: at most KG_ROWS_PARTS_MOST parts of all rows, three floats each. */
enum { KG_ROWS_PARTS_MOST = 1024, KG_ROWS_PART_FLOATS = 3 };

/* On the GPU the arrays are in its memory. */
struct kg_rows {
    struct kg_call call;
    float *x;     /* rows by cols */
    float *y;     /* the result, of the same shape */
    float *gamma; /* layernorm: cols each */
    float *beta;
    float *parts; /* GPU: KG_ROWS_PARTS_MOST * KG_ROWS_PART_FLOATS */
    size_t rows;
    size_t cols;
    size_t shared_bytes; /* GPU: for a row that the fast version keeps in shared memory; else 0 */
};

/* The parameters of both: rows, cols, version. */
enum { KG_ROWS_ROWS, KG_ROWS_COLS, KG_ROWS_VERSION, KG_ROWS_PARAMS };
extern const char *const kg_rows_versions[];
extern const struct kgate_param kg_rows_params[KG_ROWS_PARAMS];

/* Counts of the arrays: x and y, gamma and beta. */
size_t kg_rows_elements(const void *state);
size_t kg_rows_columns(const void *state);

/* bytes 2 * 4 * rows * cols, items rows * cols, flops `flops_per_item` for each. */
bool kg_rows_shape(struct kgate_context *context, struct kg_rows *rows, struct kgate_work *work,
                   double flops_per_item);

/* The largest error of an element of y, relative to its size. `reference` gives cols doubles each
 * of values and sizes. False if memory is missing. */
bool kg_rows_error(const struct kg_rows *rows, double *error,
                   void (*reference)(const struct kg_rows *rows, size_t row, double *value,
                                     double *size));

#ifdef __cplusplus
}
#endif
