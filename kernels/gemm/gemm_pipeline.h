/* gemm_pipeline.h: a perceptron of two layers on rows of input, float, row major: H = relu(X W1 +
 * b1), Y = H W2 + b2, X rows by inputs, H rows by hidden, Y rows by outputs.
 *
 * flops: 2 rows hidden (inputs + outputs) for the products, rows (2 hidden + outputs) for biases
 * and relu; items rows. bytes: 4 (rows inputs + (inputs + 1) hidden + (hidden + 1) outputs + rows
 * outputs). They exclude H, which need not leave the cache.
 * Versions: plain, naive products, one thread; fast, blocked products, all threads. In both, each
 * stage is a pass of its own and a scope of <kgate/profiler.h>: hidden, bias_relu, output, bias.
 * The blocked products have their own scopes inside.
 * Check: rows against double precision, element by element. It takes all rows up to
 * KG_GEMM_PIPELINE_CHECKED multiply-adds. Beyond, it takes as many random rows as fit, at least
 * KG_GEMM_ROWS.
 * Error: |y - reference| / (sqrt(hidden + 1) A + sqrt(inputs + 1) D). A is the size of the second
 * layer's sum, sum_j h_j |w2_j| + |b2|. D is the effect of the first layer's sums: the root of
 * sum_j (s_j w2_j)^2 with s_j = sum_l |x_l w1_lj| + |b1_j|.
 * Tolerance 2 u: a sum of n terms errs by at most n u of its terms' sizes, and rarely above 2
 * sqrt(n) u (Higham and Mary 2019). relu enlarges no error. The errors of hidden elements are
 * independent, so the output has the root of the sum of their squares. */
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

/* Row i of Y in double precision, and the sizes for its relative errors; `outputs` each.
 * scratch  2 * hidden + outputs doubles */
void kg_gemm_pipeline_reference_row(const struct kg_gemm_pipeline *pipeline, size_t i, double *row,
                                    double *size, double *scratch);

extern const struct kgate_workload kg_kernel_gemm_pipeline;
