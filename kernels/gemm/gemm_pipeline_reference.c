#include <math.h>

#include "gemm/gemm_pipeline.h"

/* The first layer's row of values and of sizes s. */
static void hidden_row(const struct kg_gemm_pipeline *pipeline, size_t i, double *hidden,
                       double *size)
{
    kg_gemm_reference_row(&pipeline->hidden, i, hidden, size);
    for (size_t j = 0; j < pipeline->hidden.n; j++) {
        const double bias = (double)pipeline->hidden_bias[j];
        hidden[j] = fmax(hidden[j] + bias, 0);
        size[j] += fabs(bias);
    }
}

void kg_gemm_pipeline_reference_row(const struct kg_gemm_pipeline *pipeline, size_t i, double *row,
                                    double *size, double *scratch)
{
    const size_t inputs = pipeline->hidden.k, outputs = pipeline->output.n;
    const size_t width = pipeline->hidden.n;
    double *hidden = scratch, *hidden_size = hidden + width, *squares = hidden_size + width;
    hidden_row(pipeline, i, hidden, hidden_size);
    for (size_t k = 0; k < outputs; k++) {
        row[k] = (double)pipeline->output_bias[k];
        size[k] = fabs(row[k]);
        squares[k] = 0;
    }
    for (size_t j = 0; j < width; j++)
        for (size_t k = 0; k < outputs; k++) {
            const double weight = (double)pipeline->output.b[j * outputs + k];
            row[k] += hidden[j] * weight;
            size[k] += hidden[j] * fabs(weight);
            squares[k] += hidden_size[j] * weight * (hidden_size[j] * weight);
        }
    for (size_t k = 0; k < outputs; k++)
        size[k] = sqrt((double)width + 1) * size[k] + sqrt(((double)inputs + 1) * squares[k]);
}
