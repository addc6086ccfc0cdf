/* rows.h: the workload that softmax and layernorm share: a function of each row of a float matrix,
 * checked element by element in double precision. On the GPU the matrices are copied there by
 * set_up and the result is copied back by check. */
#pragma once
#include <stddef.h>

#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* On the GPU a row that is too long for one multiprocessor may be cut into parts, whose statistics
 * are put together from here: at most so many parts of all rows, three floats each. */
enum { KG_ROWS_PARTS_MOST = 1024, KG_ROWS_PART_FLOATS = 3 };

/* The same arrays in the GPU's memory. gamma and beta are NULL where the family has none. */
struct kg_rows_device {
    float *x;
    float *y;
    float *gamma;
    float *beta;
    float *parts;        /* KG_ROWS_PARTS_MOST * KG_ROWS_PART_FLOATS */
    size_t shared_bytes; /* for a row that the fast version keeps in shared memory; else 0 */
    void *stream;
};

struct kg_rows {
    float *x;     /* rows by cols */
    float *y;     /* the result, of the same shape */
    float *gamma; /* layernorm: cols each */
    float *beta;
    size_t rows;
    size_t cols;
    int threads;
    void (*version)(struct kg_rows *rows);
    struct kg_rows_device device;
};

/* What makes one of the families. */
struct kg_rows_family {
    float scale; /* input uniform in [-scale, scale) */
    bool affine; /* uses gamma and beta */
    void (*cpu[2])(struct kg_rows *rows);
    void (*cuda[2])(struct kg_rows *rows); /* only put on the stream; NULL without CUDA */
    /* What only has to be done once, by set_up; NULL for nothing. Gives NULL, or what CUDA said. */
    const char *(*cuda_prepare[2])(struct kg_rows *rows);
    /* cols doubles each: the value, and the size that the error is relative to. */
    void (*reference)(const struct kg_rows *rows, size_t row, double *value, double *size);
};

/* The parameters of both: rows, cols, version. */
enum { KG_ROWS_ROWS, KG_ROWS_COLS, KG_ROWS_VERSION, KG_ROWS_PARAMS };
extern const struct kgate_param kg_rows_params[KG_ROWS_PARAMS];

/* bytes 2 * 4 * rows * cols, items rows * cols, flops `flops_per_item` for each. */
bool kg_rows_describe(struct kgate_context *context, struct kgate_work *work,
                      double flops_per_item);
bool kg_rows_set_up(struct kgate_context *context, void **state,
                    const struct kg_rows_family *family);
void kg_rows_run(void *state);
void kg_rows_tear_down(struct kgate_context *context, void *state);

/* Compares each row with the reference's. */
bool kg_rows_check(struct kgate_context *context, const struct kg_rows *rows,
                   const struct kg_rows_family *family, struct kgate_check *check);

#ifdef __cplusplus
}
#endif
