/* softmax.h: y_ij = exp(x_ij - max_i) / sum_l exp(x_il - max_i) over each row of a float matrix;
 * input uniform in [-8, 8), in the last row in [92, 108).
 *
 * bytes 2 * 4 * rows * cols, items rows * cols; flops 4 an item, the exponential counted as one.
 * Versions: plain, the library's expf; fast, a polynomial that the compiler vectorises, all
 * threads. Error: |y - reference| / reference. Tolerance (cols / 2 + 24) u, u = eps / 2 ~ 6e-8: the
 * sum of positive terms is within (cols - 1) u in any order (Higham 2002, 4.2), half of which is
 * never seen with pairs of lanes. On top come the argument's rounding (8 u, half an ulp below 16;
 * of the last row too, whose elements are whole multiples of its ulp, so that differences are
 * exact), the exponential (5 u: softmax_exp.h), both again for the sum's terms (5 u, and little for
 * the argument, since those that count are near the largest), and the division (2 u). On the GPU:
 * plain, three passes over device memory; fast, one read of it (common/rows.cuh). The same bound
 * holds: the order of the sum is free in it, CUDA's expf is within 2 u (1 ulp; __expf with its 2 +
 * 1.17 |x| ulp would not be), and multiplying by 1 / sum rounds once more. Where a row is too long
 * to be kept, each change of the running maximum scales the sum by an exponential of its own, some
 * 20 u each, a few times a thread: of rows that long cols / 2 is above 10000. */
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
