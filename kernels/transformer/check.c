#include "transformer/check.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/common.h"

static double largest_of(const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

static double error_over(const float *x, const double *reference, size_t n, double size)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        worst = kg_worse(worst, fabs((double)x[i] - reference[i]));
    return worst > 0 ? worst / size : worst;
}

double kg_tensor_error(const float *x, const double *reference, size_t n)
{
    return error_over(x, reference, n, largest_of(reference, n));
}

double kg_gradients_error(const struct kg_model *model, const float *gradients,
                          const double *reference)
{
    const double shared = KG_GRADIENTS_SHARE * largest_of(reference, model->parameters.floats);
    struct kg_tensor tensor;
    double worst = 0;
    for (size_t i = 0; kg_layout_tensor(&model->parameters, model, i, &tensor); i++) {
        const double *expected = reference + tensor.offset;
        const size_t n = tensor.rows * tensor.columns;
        worst = kg_worse(worst, error_over(gradients + tensor.offset, expected, n,
                                           largest_of(expected, n) + shared));
    }
    return worst;
}

static void slice_free(const struct kg_reference_slice *slice)
{
    free(slice->activations);
    free(slice->gradients);
    free(slice->stream);
    free(slice->scratch);
}

/* Makes a slice of one sequence. */
static bool slice_make(const struct kg_reference_batch *batch, struct kg_reference_slice *slice)
{
    const struct kg_model *model = batch->model;
    *slice = (struct kg_reference_slice){
        .model = model,
        .sequences = 1,
        .rows = model->seq_len,
        .layout = kg_activations_layout(model, model->seq_len),
        .parameters = batch->parameters,
        .attending = batch->attending,
        .loss_scale = 1 / (double)(batch->batch * model->seq_len),
    };
    slice->activations = calloc(slice->layout.floats, sizeof(double));
    slice->gradients = calloc(model->parameters.floats, sizeof(double));
    slice->stream = calloc(model->seq_len * model->d_model, sizeof(double));
    slice->scratch = calloc(kg_slice_scratch(model, model->seq_len), sizeof(double));
    return slice->activations && slice->gradients && slice->stream && slice->scratch;
}

/* Sequence after sequence, whichever is next. The sums' order depends on the threads: in double, so
 * little as makes no difference. */
static bool sequences_run(struct kg_reference_batch *batch)
{
    const size_t count = batch->batch, floats = batch->model->parameters.floats;
    bool good = true;
#pragma omp parallel num_threads(batch->threads)
    {
        struct kg_reference_slice slice;
        const bool made = slice_make(batch, &slice);
        if (!made) {
#pragma omp atomic write
            good = false;
        }
#pragma omp for schedule(dynamic)
        for (size_t number = 0; number < count; number++) {
            if (!made)
                continue;
            const double loss = batch->sequence(&slice, number, batch->argument);
#pragma omp critical(kg_reference_sum)
            {
                batch->loss += loss;
                for (size_t i = 0; i < floats; i++)
                    batch->gradients[i] += slice.gradients[i];
            }
        }
        slice_free(&slice);
    }
    return good;
}

bool kg_reference_run(struct kgate_context *context, struct kg_reference_batch *batch)
{
    openblas_set_num_threads(1);
    batch->loss = 0;
    memset(batch->gradients, 0, batch->model->parameters.floats * sizeof *batch->gradients);
    return sequences_run(batch) || kg_kernel_refuse(context, "no memory for the reference");
}
