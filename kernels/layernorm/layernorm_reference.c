#include <math.h>

#include "layernorm/layernorm.h"

void kg_layernorm_reference(const struct kg_rows *rows, size_t row, double *value, double *size)
{
    const float *x = rows->x + row * rows->cols;
    const double n = (double)rows->cols, epsilon = 1e-5; /* of its own: the versions share one */
    double mean = 0, absolute = 0, variance = 0;
    for (size_t j = 0; j < rows->cols; j++) {
        mean += (double)x[j] / n;
        absolute += fabs((double)x[j]) / n;
    }
    for (size_t j = 0; j < rows->cols; j++)
        variance += ((double)x[j] - mean) * ((double)x[j] - mean) / n;
    const double scale = 1 / sqrt(variance + epsilon);
    for (size_t j = 0; j < rows->cols; j++) {
        const double gamma = (double)rows->gamma[j], beta = (double)rows->beta[j];
        value[j] = gamma * ((double)x[j] - mean) * scale + beta;
        size[j] = fabs(gamma) * (fabs((double)x[j]) + absolute) * scale + fabs(beta);
    }
}
