#include <math.h>

#include "pipelines/host_device_pipeline.h"

void kg_host_device_reference(const float *x, size_t n, unsigned intensity, double *value,
                              double *size)
{
    for (size_t i = 0; i < n; i++)
        value[i] = size[i] = 1;
    for (unsigned k = 0; k < intensity; k++)
        for (size_t i = 0; i < n; i++) {
            value[i] = value[i] * (double)x[i] + 1;
            size[i] = size[i] * fabs((double)x[i]) + 1;
        }
}
