#include "transformer/quantize.h"

#include <math.h>
#include <string.h>

#include "kgate/profiler.h"

const char *const kg_quantizations[] = {"none", "int8", "d4", NULL};

enum { D4_DIMENSIONS = 4 };

double kg_quantization_levels(enum kg_quantization quantization)
{
    static const double levels[] = {
        [KG_QUANTIZATION_NONE] = 0, [KG_QUANTIZATION_INT8] = 127, [KG_QUANTIZATION_D4] = 7};
    return levels[quantization];
}

bool kg_is_quantized(size_t kind)
{
    return kind == KG_QKV_WEIGHT || kind == KG_PROJECTION_WEIGHT || kind == KG_EXPAND_WEIGHT ||
           kind == KG_CONTRACT_WEIGHT;
}

/* Distance between two levels. */
static float step_of(const float *restrict x, size_t n, enum kg_quantization quantization,
                     int threads)
{
    float largest = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(max : largest)
    for (size_t i = 0; i < n; i++)
        largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
    return largest / (float)kg_quantization_levels(quantization);
}

static void round_each(const float *restrict x, float *restrict y, size_t n, float step,
                       int threads)
{
    const float inverse = 1 / step;
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        y[i] = step * rintf(x[i] * inverse);
}

/* If the sum of the rounded coordinates is odd, the coordinate with the largest remainder is rounded the other way. No
 * branches, so that compilers vectorise a loop over points. */
static inline void d4_round(const float *x, float *y, float step, float inverse)
{
    float rounded[D4_DIMENSIONS], rest[D4_DIMENSIONS], sum = 0, largest = -1;
    for (int i = 0; i < D4_DIMENSIONS; i++) {
        rounded[i] = rintf(x[i] * inverse);
        rest[i] = x[i] * inverse - rounded[i];
        sum += rounded[i];
        largest = fmaxf(largest, fabsf(rest[i]));
    }
    float odd = sum - 2 * floorf(sum / 2);
    for (int i = 0; i < D4_DIMENSIONS; i++) {
        const float moved = fabsf(rest[i]) == largest ? odd : 0;
        y[i] = step * (rounded[i] + copysignf(moved, rest[i]));
        odd -= moved;
    }
}

static void round_groups(const float *restrict x, float *restrict y, size_t groups, float step,
                         int threads)
{
    const float inverse = 1 / step;
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (size_t i = 0; i < groups; i++)
        d4_round(x + i * D4_DIMENSIONS, y + i * D4_DIMENSIONS, step, inverse);
}

static void matrix_quantize(enum kg_quantization quantization, const float *x, float *y, size_t n,
                            int threads)
{
    const float step = step_of(x, n, quantization, threads);
    const size_t groups = quantization == KG_QUANTIZATION_D4 ? n / D4_DIMENSIONS : 0;
    const size_t grouped = groups * D4_DIMENSIONS;
    if (!(step > 0))
        return; /* zeros, or a training that has diverged */
    round_groups(x, y, groups, step, threads);
    round_each(x + grouped, y + grouped, n - grouped, step, threads);
}

void kg_quantize(const struct kg_model *model, enum kg_quantization quantization,
                 const float *parameters, float *quantized, int threads)
{
    KGATE_SCOPE("fake_quantization");
    struct kg_tensor tensor;
    memcpy(quantized, parameters, model->parameters.floats * sizeof *quantized);
    for (size_t k = 0; kg_layout_tensor(&model->parameters, model, k, &tensor); k++)
        if (kg_is_quantized(tensor.kind))
            matrix_quantize(quantization, parameters + tensor.offset, quantized + tensor.offset,
                            tensor.rows * tensor.columns, threads);
}
