/* 0 plain: the formulas of model.h with one thread, element after element. */
#include <math.h>

#include "transformer/passes.h"

static void multiply(size_t m, size_t n, size_t k, const float *a, const float *b, float *c)
{
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < k; l++)
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += a[i * k + l] * b[l * n + j];
}

static void multiply_transposed(size_t m, size_t n, size_t k, const float *a, const float *b,
                                float *c)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += a[i * k + l] * b[j * k + l];
            c[i * n + j] += sum;
        }
}

static void transposed_multiply(size_t m, size_t n, size_t k, const float *a, const float *b,
                                float *c)
{
    for (size_t l = 0; l < k; l++)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += a[l * m + i] * b[l * n + j];
}

#define REAL float
#define SLICE struct kg_slice
#define AT(name) kg_slice_##name
#define PASS(name) pass_##name
#define PASS_LINKAGE static
#define SCOPE(name) KGATE_SCOPE(name)
#define LAYER_SCOPE(layer) KG_LAYER_SCOPE(layer)
#define EXP expf
#define LOG logf
#define SQRT sqrtf
#define TANH tanhf
#define REDUCTION
#include "transformer/passes_template.h"

const struct kg_passes kg_passes_plain = {
    .layer_forward = pass_layer_forward,
    .layer_backward = pass_layer_backward,
    .forward = pass_forward,
    .loss = pass_loss,
    .backward = pass_backward,
};
