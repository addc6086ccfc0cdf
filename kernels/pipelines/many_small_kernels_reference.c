#include "pipelines/many_small_kernels.h"

void kg_many_small_kernels_reference(struct kg_oscillator start, unsigned steps, double *x,
                                     double *v)
{
    const double h = 1.0 / 16;
    *x = (double)start.x;
    *v = (double)start.v;
    for (unsigned s = 0; s < steps; s++) {
        *v -= h * *x;
        *x += h * *v;
    }
}
