/* gemm_pipeline.h: a perceptron of two layers on rows of input, float, row major:
 * H = relu(X W1 + b1), Y = H W2 + b2, X rows by inputs, H rows by hidden, Y rows by outputs.
 *
 * flops 2 rows hidden (inputs + outputs) of the products and rows (2 hidden + outputs) of biases
 * and relu; bytes 4 (rows inputs + (inputs + 1) hidden + (hidden + 1) outputs + rows outputs), as H
 * need not leave the cache; items rows.
 * Versions: plain, naive products, one thread; fast, blocked products, all threads. In both each
 * stage is a pass of its own and a scope of <kgate/profiler.h>: hidden, bias_relu, output, bias;
 * the blocked products show their own inside.
 * Check: rows against double precision, element by element: all of them up to
 * KG_GEMM_PIPELINE_CHECKED multiply-adds, beyond that as many, at least KG_GEMM_ROWS, chosen at
 * random. The error is |y - reference| / (sqrt(hidden + 1) A + sqrt(inputs + 1) D), where A is
 * sum_j h_j |w2_j| + |b2|, what the second layer adds up, and D the root of sum_j (s_j w2_j)^2 with
 * s_j = sum_l |x_l w1_lj| + |b1_j|, what the first does. Tolerance 2 u: a sum of n terms is off by
 * at most n u of its terms' sizes, and hardly ever by more than 2 sqrt(n) u (Higham and Mary 2019);
 * relu enlarges no error; those of the hidden elements are independent and reach the output as the
 * root of their squares. */
#pragma once
#include "common/kernel.h"
#include "gemm/gemm.h"

enum { KG_GEMM_PIPELINE_CHECKED = 1 << 30 };

struct kg_gemm_pipeline {
    struct kg_call call;
    struct kg_gemm hidden; /* X, W1, H */
    struct kg_gemm output; /* H, W2, Y; its packing space is that of `hidden` */
    float *hidden_bias;
    float *output_bias;
};

void kg_gemm_pipeline_plain(void *state);
void kg_gemm_pipeline_fast(void *state);

/* Row i of Y in double precision, and of what its errors are relative to; `outputs` of each.
 * scratch  2 * hidden + outputs doubles */
void kg_gemm_pipeline_reference_row(const struct kg_gemm_pipeline *pipeline, size_t i, double *row,
                                    double *size, double *scratch);

extern const struct kgate_workload kg_kernel_gemm_pipeline;
