/* reduce.h: the sum of n = bytes / 4 floats.
 *
 * bytes `bytes`, flops n, items n.
 * Versions: plain, one accumulator; fast, many accumulators and all threads. The result of fast is
 * the same each time for the same number of threads. Error: |sum - reference| / sum |x|. Any order
 * of adding is within (n - 1) u of that, u = eps / 2 (Higham 1993); rounding errors of random sign
 * come to about sqrt(n) u, and the tolerance is six times that, or the bound itself where n is
 * small. */
#pragma once
#include <stddef.h>

#include "kgate/plugin.h"

struct kg_reduce {
    float *x;
    size_t n;
    int threads;
    float sum;
    void (*version)(struct kg_reduce *reduce);
};

void kg_reduce_plain(struct kg_reduce *reduce);
void kg_reduce_fast(struct kg_reduce *reduce);

/* The sum in double precision, and the sum of absolute values into *size. */
double kg_reduce_reference(const float *x, size_t n, double *size);

extern const struct kgate_workload kg_kernel_reduce;
