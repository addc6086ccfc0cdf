#include <math.h>

#include "reduce/reduce.h"

double kg_reduce_reference(const float *x, size_t n, double *size)
{
    double sum = 0;
    *size = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        *size += fabs((double)x[i]);
    }
    return sum;
}
