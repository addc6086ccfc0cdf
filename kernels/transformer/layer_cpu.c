#include "transformer/layer_cpu.h"

#include <string.h>

#include "common/common.h"

struct kg_layer_cpu {
    struct kg_slices slices;
};

/* Offset of the slice's part in an array of the batch. */
static size_t slice_from(const struct kg_slices *slices, size_t number,
                         const struct kg_model *model)
{
    return slices->first[number] * model->seq_len * model->d_model;
}

static size_t slice_bytes(const struct kg_slice *slice)
{
    return slice->rows * slice->model->d_model * sizeof(float);
}

static void forward(struct kg_layer *layer)
{
    KGATE_SCOPE("transformer_layer");
    const struct kg_slices *slices = &layer->cpu->slices;
    const size_t count = slices->count;
#pragma omp parallel for num_threads(slices->threads) schedule(dynamic)
    for (size_t i = 0; i < count; i++) {
        KGATE_SCOPE("forward_pass");
        slices->passes->layer_forward(&slices->slice[i], 0);
    }
}

static void slice_backward(const struct kg_layer *layer, const struct kg_slices *slices, size_t i)
{
    const struct kg_slice *slice = &slices->slice[i];
    {
        KGATE_SCOPE("forward_pass");
        slices->passes->layer_forward(slice, 0);
    }
    KGATE_SCOPE("backward_pass");
    memcpy(slice->stream, layer->output_gradient + slice_from(slices, i, &layer->model),
           slice_bytes(slice));
    slices->passes->layer_backward(slice, 0);
}

static void backward(struct kg_layer *layer)
{
    KGATE_SCOPE("transformer_layer");
    const struct kg_slices *slices = &layer->cpu->slices;
    const size_t count = slices->count;
#pragma omp parallel for num_threads(slices->threads) schedule(dynamic)
    for (size_t i = 0; i < count; i++)
        slice_backward(layer, slices, i);
    kg_slices_reduce(slices, layer->gradients);
}

bool kg_layer_cpu_set_up(struct kgate_context *context, struct kg_layer *layer,
                         enum kg_transformer_version version)
{
    layer->version = layer->backward ? backward : forward;
    layer->cpu = context->allocate(context, sizeof *layer->cpu);
    if (!layer->cpu)
        return kg_kernel_refuse(context, "no memory");
    struct kg_slices *slices = &layer->cpu->slices;
    if (!kg_slices_make(context, slices,
                        version == KG_TRANSFORMER_PLAIN ? &kg_passes_plain : &kg_passes_fast,
                        &layer->model, layer->parameters, layer->batch, layer->backward))
        return false;
    for (size_t i = 0; i < slices->count; i++)
        memcpy(kg_slice_x(&slices->slice[i], 0),
               layer->input + slice_from(slices, i, &layer->model), slice_bytes(&slices->slice[i]));
    return kg_layer_cpu_blank(layer);
}

bool kg_layer_cpu_blank(struct kg_layer *layer)
{
    const struct kg_slices *slices = &layer->cpu->slices;
    for (size_t i = 0; i < slices->count; i++) {
        const struct kg_slice *slice = &slices->slice[i];
        kg_floats_blank(kg_slice_x(slice, 1), slice->rows * layer->model.d_model);
        if (layer->backward)
            kg_floats_blank(slice->stream, slice->rows * layer->model.d_model);
    }
    return true;
}

bool kg_layer_cpu_fetch(struct kg_layer *layer)
{
    const struct kg_slices *slices = &layer->cpu->slices;
    for (size_t i = 0; i < slices->count; i++) {
        const struct kg_slice *slice = &slices->slice[i];
        const size_t from = slice_from(slices, i, &layer->model);
        memcpy(layer->output + from, kg_slice_x(slice, 1), slice_bytes(slice));
        if (layer->backward)
            memcpy(layer->input_gradient + from, slice->stream, slice_bytes(slice));
    }
    return true;
}

void kg_layer_cpu_tear_down(struct kgate_context *context, struct kg_layer *layer)
{
    if (!layer->cpu)
        return;
    kg_slices_free(context, &layer->cpu->slices);
    context->release(context, layer->cpu);
}
