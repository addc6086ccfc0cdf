/* rows.h: the workload that softmax and layernorm share: a function of each row of a float matrix,
 * checked element by element in double precision. */
#pragma once
#include <stddef.h>

#include "kgate/plugin.h"

struct kg_rows {
    float *x;     /* rows by cols */
    float *y;     /* the result, of the same shape */
    float *gamma; /* layernorm: cols each */
    float *beta;
    size_t rows;
    size_t cols;
    int threads;
    void (*version)(struct kg_rows *rows);
};

/* The parameters of both: rows, cols, version. */
enum { KG_ROWS_ROWS, KG_ROWS_COLS, KG_ROWS_VERSION, KG_ROWS_PARAMS };
extern const struct kgate_param kg_rows_params[KG_ROWS_PARAMS];

/* bytes 2 * 4 * rows * cols, items rows * cols, flops `flops_per_item` for each. */
bool kg_rows_describe(struct kgate_context *context, struct kgate_work *work,
                      double flops_per_item);
/* Input uniform in [-scale, scale). */
bool kg_rows_set_up(struct kgate_context *context, void **state, float scale,
                    void (*const versions[2])(struct kg_rows *));
void kg_rows_run(void *state);
void kg_rows_tear_down(struct kgate_context *context, void *state);

/* Compares each row with what `reference` gives for it, cols doubles each: the value, and the size
 * that the error is relative to. */
bool kg_rows_check(struct kgate_context *context, const struct kg_rows *rows,
                   void (*reference)(const struct kg_rows *rows, size_t row, double *value,
                                     double *size),
                   struct kgate_check *check);
