/* attention_reference.h: attention in double precision, and the expected rounding error of each
 * element (formulas: attention.h). An array called …_error holds squares of such expectations. The
 * longest extent is the last one of every array, so vector instructions fit every d_head. Also the
 * choice of the compared rows. Pure. */
#pragma once
#include <stdint.h>

#include "attention/attention_heads.h"
#include "base/random.h"

/* Rows of a matrix per product. */
enum { KG_ATTENTION_LANES = 8 };

/* At most KG_ATTENTION_LANES rows: element l of row r is at l * KG_ATTENTION_LANES + r. Before a
 * product, `error` becomes the error per squared element of the other factor. */
struct kg_attention_lanes {
    double *value;
    double *error;
};

/* load takes `count` rows of d_model floats without errors, and zeros for the other lanes. prepare
 * takes lanes that have errors. Both make them ready for a product. */
void kg_attention_lanes_load(const struct kg_attention *attention, const float *const *rows,
                             size_t count, const struct kg_attention_lanes *lanes);
void kg_attention_lanes_prepare(const struct kg_attention *attention,
                                const struct kg_attention_lanes *lanes);

/* The product of lanes, with `rows` rows of d_model elements, and n columns of W. W has `width`
 * columns; w is the first one. Column c of the result begins at c * stride. */
void kg_attention_lanes_multiply(const struct kg_attention *attention,
                                 const struct kg_attention_lanes *lanes, size_t rows,
                                 const float *w, size_t width, size_t n, double *y, double *y_error,
                                 size_t stride);

/* Keys and values of one head: element c of token j is at c * seq_len + j. */
struct kg_attention_operands {
    double *k;
    double *k_error;
    double *v;
    double *v_error;
};

/* Loads the head's keys and values of `count` tokens from `first` on, from a component's input
 * floats, and makes them ready for its products. */
void kg_attention_operands_load(const struct kg_attention *attention,
                                const struct kg_attention_head *head, size_t first, size_t count,
                                const struct kg_attention_operands *operands);
/* Adds the rounding errors of the products to the errors of the first `columns` columns of `count`
 * tokens. */
void kg_attention_operands_prepare(const struct kg_attention *attention, size_t columns,
                                   size_t first, size_t count,
                                   const struct kg_attention_operands *operands);

/* Number of random draws of the effect of Q's error. */
enum { KG_ATTENTION_DRAWS = 4 };

/* One query against its keys: seq_len elements each, per draw in `shared`. */
struct kg_attention_row {
    double *s;      /* scores, then weights */
    double *error;  /* squared error of each element alone; relative for a weight */
    double *shared; /* draws of the common error of all scores by Q, not squared */
};

/* Scores of the first `keys` keys; element c of q is at c * stride. Signs are drawn by the seed. */
void kg_attention_row_scores(const struct kg_attention *attention,
                             const struct kg_attention_operands *operands, const double *q,
                             const double *q_error, size_t stride, size_t keys, uint64_t seed,
                             const struct kg_attention_row *row);
/* Scores become weights. Returns the error that their sum gives to all, relative. */
double kg_attention_row_softmax(const struct kg_attention_row *row, size_t keys);
/* Turns the relative errors of the weights, and of their sum, into absolute ones. */
void kg_attention_row_weights(const struct kg_attention_row *row, size_t keys, double sum_error);
/* out = p V, element c at c * stride. sum_error: of kg_attention_row_softmax, 0 for weights that
 * were given. Of the row only the weights are left. */
void kg_attention_row_weighted_sum(const struct kg_attention *attention,
                                   const struct kg_attention_operands *operands,
                                   const struct kg_attention_row *row, size_t keys,
                                   double sum_error, double *out, double *out_error, size_t stride);

/* --- Which rows are compared: attention_rows.c ----------------------------------------------- */

/* Most compared rows of a component, or of a sequence. */
enum { KG_ATTENTION_ROWS_MOST = 1 << 14 };

/* The rows of a component's result. */
size_t kg_attention_rows(const struct kg_attention *attention);
/* Number of compared sequences of the whole, and of compared rows in each. A component has one
 * count over all its rows. */
void kg_attention_rows_count(const struct kg_attention *attention, size_t *sequences, size_t *rows);
/* Chooses `count` of `all` rows: one at random from each of `count` equal parts, always the first
 * and the last. Every second one moves beside the edge of a tile, in the same head or sequence.
 * tile_rows  seq_len, the distance at which tiles start again; 0 if there are no edges */
void kg_attention_rows_choose(struct kg_random *random, size_t all, size_t tile_rows, size_t count,
                              size_t *rows);
