#include <float.h>
#include <math.h>

#include "common/common.h"
#include "pipelines/host_device_pipeline.h"

/* The values side by side, so that a processor takes several at once. */
void kg_host_device_reference(const float *x, size_t n, unsigned intensity, double *value,
                              double *e)
{
    for (size_t i = 0; i < n; i++) {
        value[i] = 1;
        e[i] = 0;
    }
    for (unsigned k = 0; k < intensity; k++) {
#pragma omp simd
        for (size_t i = 0; i < n; i++) {
            value[i] = value[i] * (double)x[i] + 1;
            e[i] = e[i] * fabs((double)x[i]) + fabs(value[i]);
        }
    }
}

static double block_error(const float *x, const float *y, size_t n, unsigned intensity)
{
    const double u = (double)FLT_EPSILON / 2;
    double value[KG_HOST_DEVICE_BLOCK], e[KG_HOST_DEVICE_BLOCK], worst = 0;
    kg_host_device_reference(x, n, intensity, value, e);
    for (size_t i = 0; i < n; i++) {
        const double error = fabs((double)y[i] - value[i]);
        worst = kg_worse(worst, error > 0 ? error / (u * e[i]) : error);
    }
    return worst;
}

double kg_host_device_error(const float *x, const float *y, size_t n, unsigned intensity)
{
    const size_t block = KG_HOST_DEVICE_BLOCK;
    double worst = 0;
    for (size_t start = 0; start < n; start += block)
        worst = kg_worse(worst, block_error(x + start, y + start,
                                            n - start < block ? n - start : block, intensity));
    return worst;
}
