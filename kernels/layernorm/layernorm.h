/* layernorm.h: y_ij = gamma_j (x_ij - mean_i) / sqrt(variance_i + eps) + beta_j over each row of a
 * float matrix (Ba, Kiros and Hinton 2016). The variance has 1 / cols, eps = 1e-5. Input: uniform
 * in [-1, 1), in the last row a thousandth of it.
 *
 * bytes 2 * 4 * rows * cols, items rows * cols, flops 8 per item.
 * Versions: plain, three passes; fast, sums and squares in one vectorised pass, all threads.
 * Error: |y - reference| / (|gamma| (|x| + mean of |x|) / sd + |beta|), relative to the size of the
 * summed terms. Tolerance (6 sqrt(cols) + 12) u. It allows six standard deviations of the sums'
 * rounding with random signs (Higham 1993), and a dozen operations more. A row's mean square is as
 * large as its variance here. So their difference loses a bit or two, not more.
 * On the GPU: plain, three passes over device memory; fast, one read (common/rows.cuh). Both add up
 * squares of deviations from the mean. They add each sum's parts as a tree, so no chain is as long
 * as the CPU's. The same bound holds with room. */
#pragma once
#include "common/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

void kg_layernorm_plain(void *state);
void kg_layernorm_fast(void *state);
void kg_layernorm_cuda_plain(void *state);
void kg_layernorm_cuda_fast(void *state);
bool kg_layernorm_cuda_prepare(struct kgate_context *context, void *state); /* for the fast one */

void kg_layernorm_reference(const struct kg_rows *rows, size_t row, double *value, double *size);

extern const float kg_layernorm_epsilon;
extern const struct kgate_workload kg_kernel_layernorm;

#ifdef __cplusplus
}
#endif
