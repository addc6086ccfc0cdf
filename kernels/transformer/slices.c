#include "transformer/slices.h"

#include <cblas.h>

#include "common/common.h"

size_t kg_slices_count(const struct kg_passes *passes, size_t batch, size_t seq_len)
{
    size_t count = batch * seq_len / KG_SLICE_TOKENS;
    if (passes == &kg_passes_plain)
        return 1;
    count = count < KG_SLICES_LEAST ? KG_SLICES_LEAST : count;
    count = count > KG_SLICES_MOST ? KG_SLICES_MOST : count;
    return count < batch ? count : batch;
}

static bool slice_make(struct kgate_context *context, struct kg_slice *slice,
                       const struct kg_model *model, const float *parameters, size_t sequences,
                       bool backward)
{
    const size_t rows = sequences * model->seq_len;
    *slice = (struct kg_slice){
        .model = model,
        .sequences = sequences,
        .rows = rows,
        .layout = kg_activations_layout(model, rows),
        .parameters = parameters,
    };
    slice->activations = context->allocate(context, slice->layout.floats * sizeof(float));
    if (!slice->activations || !backward)
        return slice->activations;
    slice->gradients = context->allocate(context, model->parameters.floats * sizeof(float));
    slice->stream = context->allocate(context, rows * model->d_model * sizeof(float));
    slice->scratch = context->allocate(context, kg_slice_scratch(model, rows) * sizeof(float));
    return slice->gradients && slice->stream && slice->scratch;
}

bool kg_slices_make(struct kgate_context *context, struct kg_slices *slices,
                    const struct kg_passes *passes, const struct kg_model *model,
                    const float *parameters, size_t batch, bool backward)
{
    const size_t count = kg_slices_count(passes, batch, model->seq_len);
    *slices = (struct kg_slices){
        .passes = passes,
        .threads = passes == &kg_passes_plain ? 1 : (int)context->threads,
        .count = count,
    };
    /* The threads are ours: within each, the library is to use that one alone. */
    openblas_set_num_threads(1);
    for (size_t i = 0; i < count; i++) {
        slices->first[i] = i * batch / count;
        const size_t sequences = (i + 1) * batch / count - slices->first[i];
        if (!slice_make(context, &slices->slice[i], model, parameters, sequences, backward))
            return kg_kernel_refuse(context, "no memory for a batch of %zu sequences", batch);
        slices->slice[i].loss_scale = (float)(1 / (double)(batch * model->seq_len));
    }
    return true;
}

void kg_slices_free(struct kgate_context *context, struct kg_slices *slices)
{
    for (size_t i = 0; i < slices->count; i++) {
        context->release(context, slices->slice[i].activations);
        context->release(context, slices->slice[i].gradients);
        context->release(context, slices->slice[i].stream);
        context->release(context, slices->slice[i].scratch);
    }
}

/* A thread's share at a time: it stays in the first-level cache while the slices are added. */
enum { REDUCED_AT_ONCE = 2048 };

static void part_reduce(const struct kg_slices *slices, size_t from, size_t end,
                        float *restrict gradients)
{
    for (size_t i = from; i < end; i++)
        gradients[i] = slices->slice[0].gradients[i];
    for (size_t s = 1; s < slices->count; s++) {
        const float *restrict part = slices->slice[s].gradients;
#pragma omp simd
        for (size_t i = from; i < end; i++)
            gradients[i] += part[i];
    }
}

void kg_slices_reduce(const struct kg_slices *slices, float *gradients)
{
    KGATE_SCOPE_ON("gradient_reduction", KGATE_DEVICE_CPU, "openmp", 0);
    const size_t floats = slices->slice[0].model->parameters.floats;
#pragma omp parallel for num_threads(slices->threads) schedule(static)
    for (size_t from = 0; from < floats; from += REDUCED_AT_ONCE)
        part_reduce(slices, from, from + REDUCED_AT_ONCE < floats ? from + REDUCED_AT_ONCE : floats,
                    gradients);
}
