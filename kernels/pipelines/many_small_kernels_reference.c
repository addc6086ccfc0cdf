#include "pipelines/many_small_kernels.h"

/* Side by side, so that a processor takes several at once. */
void kg_many_small_kernels_reference(const struct kg_oscillator *start, size_t count,
                                     unsigned steps, double *x, double *v)
{
    const double h = 1.0 / 16;
    for (size_t i = 0; i < count; i++) {
        x[i] = (double)start[i].x;
        v[i] = (double)start[i].v;
    }
    for (unsigned s = 0; s < steps; s++) {
#pragma omp simd
        for (size_t i = 0; i < count; i++) {
            v[i] -= h * x[i];
            x[i] += h * v[i];
        }
    }
}
