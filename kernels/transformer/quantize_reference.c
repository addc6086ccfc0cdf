/* The reference of quantize.c: double precision, and the nearest point of D4 by comparing candidates. */
#include <math.h>
#include <string.h>

#include "transformer/quantize.h"

enum { DIMENSIONS = 4 };

static double distance(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < DIMENSIONS; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

/* The nearest point with an even sum is the rounded x, or has one coordinate that is one more or one less. */
static void d4_nearest(const double *x, double *nearest)
{
    double rounded[DIMENSIONS], sum = 0, least = INFINITY;
    for (int i = 0; i < DIMENSIONS; i++)
        sum += rounded[i] = rint(x[i]);
    if (fmod(sum, 2) == 0) {
        memcpy(nearest, rounded, sizeof rounded);
        return;
    }
    for (int i = 0; i < 2 * DIMENSIONS; i++) {
        double candidate[DIMENSIONS];
        memcpy(candidate, rounded, sizeof rounded);
        candidate[i / 2] += i % 2 ? 1 : -1;
        if (distance(x, candidate) < least) {
            least = distance(x, candidate);
            memcpy(nearest, candidate, sizeof candidate);
        }
    }
}

static double step_of(enum kg_quantization quantization, const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest / kg_quantization_levels(quantization);
}

/* Number of weights from `i` of n that go to a point together. */
static size_t group_at(enum kg_quantization quantization, size_t i, size_t n)
{
    return quantization == KG_QUANTIZATION_D4 && i + DIMENSIONS <= n ? DIMENSIONS : 1;
}

static void matrix_quantize(enum kg_quantization quantization, const double *x, double *y, size_t n)
{
    const double step = step_of(quantization, x, n);
    size_t group;
    if (!(step > 0))
        return;
    for (size_t i = 0; i < n; i += group) {
        double scaled[DIMENSIONS], point[DIMENSIONS];
        group = group_at(quantization, i, n);
        for (size_t j = 0; j < group; j++)
            scaled[j] = x[i + j] / step;
        if (group == DIMENSIONS)
            d4_nearest(scaled, point);
        else
            point[0] = rint(scaled[0]);
        for (size_t j = 0; j < group; j++)
            y[i + j] = step * point[j];
    }
}

void kg_reference_quantize(const struct kg_model *model, enum kg_quantization quantization,
                           const double *parameters, double *quantized)
{
    struct kg_tensor tensor;
    memcpy(quantized, parameters, model->parameters.floats * sizeof *quantized);
    for (size_t k = 0; kg_layout_tensor(&model->parameters, model, k, &tensor); k++)
        if (kg_is_quantized(tensor.kind))
            matrix_quantize(quantization, parameters + tensor.offset, quantized + tensor.offset,
                            tensor.rows * tensor.columns);
}

/* --- The error of points ---------------------------------------------------------------------- */

/* x and y are in steps. */
static double group_error(const double *x, const double *y, size_t group)
{
    double nearest[DIMENSIONS], sum = 0, off = 0, least = 0, grid = 0;
    if (group == DIMENSIONS)
        d4_nearest(x, nearest);
    else
        nearest[0] = rint(x[0]);
    for (size_t i = 0; i < group; i++) {
        sum += rint(y[i]);
        grid = fmax(grid, fabs(y[i] - rint(y[i])));
        off += (x[i] - y[i]) * (x[i] - y[i]);
        least += (x[i] - nearest[i]) * (x[i] - nearest[i]);
    }
    if (group == DIMENSIONS && fmod(sum, 2) != 0)
        return INFINITY;
    return fmax(grid, sqrt(off) - sqrt(least));
}

static double matrix_error(enum kg_quantization quantization, const double *x, const double *y,
                           size_t n)
{
    const double step = step_of(quantization, x, n);
    double worst = 0;
    size_t group;
    for (size_t i = 0; i < n; i += group) {
        double scaled[DIMENSIONS], point[DIMENSIONS];
        group = group_at(quantization, i, n);
        for (size_t j = 0; j < group; j++) {
            scaled[j] = x[i + j] / step;
            point[j] = y[i + j] / step;
        }
        const double error = group_error(scaled, point, group);
        worst = isnan(error) || error > worst ? error : worst;
        if (isnan(worst))
            break;
    }
    return worst;
}

/* Parameters that are not quantized, against float's rounding of the undone step. */
static double copied_error(const double *x, const double *y, size_t n)
{
    const double tolerance = 1e-5;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= tolerance * (1 + fabs(x[i]))))
            return INFINITY;
    return 0;
}

double kg_quantization_error(const struct kg_model *model, enum kg_quantization quantization,
                             const double *parameters, const double *quantized)
{
    struct kg_tensor tensor;
    double worst = 0;
    for (size_t k = 0; kg_layout_tensor(&model->parameters, model, k, &tensor); k++) {
        const double *x = parameters + tensor.offset, *y = quantized + tensor.offset;
        const size_t n = tensor.rows * tensor.columns;
        const double error = kg_is_quantized(tensor.kind) ? matrix_error(quantization, x, y, n)
                                                          : copied_error(x, y, n);
        if (isnan(error))
            return error;
        worst = fmax(worst, error);
    }
    return worst;
}
