#include <math.h>

#include "softmax/softmax.h"

void kg_softmax_reference(const struct kg_rows *rows, size_t row, double *value, double *size)
{
    const float *x = rows->x + row * rows->cols;
    double largest = (double)x[0], sum = 0;
    for (size_t j = 1; j < rows->cols; j++)
        largest = fmax(largest, (double)x[j]);
    for (size_t j = 0; j < rows->cols; j++)
        sum += value[j] = exp((double)x[j] - largest);
    for (size_t j = 0; j < rows->cols; j++)
        size[j] = value[j] /= sum;
}
