/* softmax_row.h: the steps of softmax on one row, vectorised. Pure functions; thread-safe. */
#pragma once
#include <stddef.h>

/* The largest of n values, at least one. */
float kg_softmax_row_max(const float *x, size_t n);

/* y_j = exp(x_j - largest); y may be x. Their sum. */
float kg_softmax_row_exp(const float *x, float *y, size_t n, float largest);

/* Softmax of the first `count` of n values, at least one, and zeros behind; y may be x. */
void kg_softmax_row(const float *x, float *y, size_t count, size_t n);
