/* softmax.h: y_ij = exp(x_ij - max_i) / sum_l exp(x_il - max_i) over each row of a float matrix.
 * Input: uniform in [-8, 8), in the last row in [92, 108).
 *
 * bytes 2 * 4 * rows * cols, items rows * cols; flops 4 per item, the exponential counted as one.
 * Versions: plain, the library's expf; fast, a polynomial that the compiler vectorises, all
 * threads. On the GPU: plain, three passes over device memory; fast, one read (common/rows.cuh).
 *
 * Error: |y - reference| / reference. Tolerance (cols / 2 + 24) u, u = eps / 2 ~ 6e-8. The sum of
 * positive terms is within (cols - 1) u in any order (Higham 2002, 4.2). Half of this never occurs
 * with pairs of lanes. The other 24 u are:
 * - the argument's rounding, 8 u: half an ulp below 16. The last row adds nothing: differences of
 *   its elements, whole multiples of an ulp, are exact;
 * - the exponential, 5 u: softmax_exp.h;
 * - both again for the sum's terms: 5 u, and little for the argument, since the terms that matter
 *   are near the largest;
 * - the division, 2 u.
 * The bound also holds on the GPU. It allows any order of the sum. CUDA's expf is within 2 u (1
 * ulp; __expf with its 2 + 1.17 |x| ulp would not be). Multiplying by 1 / sum rounds once more. If
 * a row is too long to be kept, each change of the running maximum multiplies the sum by an
 * exponential. This adds some 20 u, a few times per thread; cols / 2 of such rows is above
 * 10000. */
#pragma once
#include "common/rows.h"
#ifndef __cplusplus
#include "softmax/softmax_exp.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

void kg_softmax_plain(void *state);
void kg_softmax_fast(void *state);
void kg_softmax_cuda_plain(void *state);
void kg_softmax_cuda_fast(void *state);
bool kg_softmax_cuda_prepare(struct kgate_context *context, void *state); /* for the fast one */

void kg_softmax_reference(const struct kg_rows *rows, size_t row, double *value, double *size);

extern const struct kgate_workload kg_kernel_softmax;

#ifdef __cplusplus
}
#endif
