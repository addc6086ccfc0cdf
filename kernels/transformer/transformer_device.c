#include "transformer/transformer_device.h"

#include <stdlib.h>

#include "common/common.h"
#include "common/device.h"
#include "transformer/device_passes.h"

#ifdef KGATE_HAVE_CUDA
static const struct kg_blocks *const versions[] = {
    [KG_TRANSFORMER_PLAIN] = &kg_blocks_plain,
    [KG_TRANSFORMER_FAST] = &kg_blocks_fast,
};

struct kg_layer_device {
    struct kg_device_batch batch;
    float *output_gradient;
};

struct kg_training_device {
    struct kg_device_batch batch;
    uint8_t *text;
    float *initial;
    float *moments; /* the first, then the second */
    float *losses;
};

bool kg_transformer_device_has(enum kg_transformer_version version)
{
    (void)version;
    return true;
}

/* --- Memory ----------------------------------------------------------------------------------- */
/* Device memory for a batch of whole sequences. Results and intermediate values are bytes 0xff at
 * first, so that unwritten elements show. */
static bool batch_make(struct kgate_context *context, const struct kg_model *model,
                       size_t sequences, bool backward, struct kg_device_batch *batch)
{
    const size_t rows = sequences * model->seq_len;
    struct kg_slice *slice = &batch->slice;
    struct kg_blocks_space *space = &batch->space;
    slice->model = model;
    slice->sequences = sequences;
    slice->rows = rows;
    slice->layout = kg_activations_layout(model, rows);
    space->stream = context->stream;
    const struct {
        float **memory;
        size_t floats;
    } arrays[] = {
        {&slice->activations, slice->layout.floats},
        {&batch->parameters, model->parameters.floats},
        {&space->parts, KG_BLOCKS_PART_FLOATS},
        {&slice->gradients, backward ? model->parameters.floats : 0},
        {&slice->stream, backward ? rows * model->d_model : 0},
        {&slice->scratch, backward ? kg_device_scratch(model, rows) : 0},
        {&batch->losses, backward ? rows : 0},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (arrays[i].floats > 0) {
            *arrays[i].memory = kg_device_blank(context, arrays[i].floats * sizeof(float));
            if (!*arrays[i].memory)
                return false;
        }
    slice->parameters = batch->parameters;
    space->arrived = kg_device_blank(context, KG_BLOCKS_WANTED * sizeof *space->arrived);
    if (!space->arrived)
        return false;
    kg_blocks_clear(space, space->arrived, KG_BLOCKS_WANTED * sizeof *space->arrived);
    return true;
}

static void batch_free(struct kgate_context *context, struct kg_device_batch *batch)
{
    void *const arrays[] = {
        batch->slice.activations, batch->parameters,    batch->space.parts, batch->slice.gradients,
        batch->slice.stream,      batch->slice.scratch, batch->losses,      batch->space.arrived,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        context->release_device(context, arrays[i]);
}

/* NaN in all gradients, but zeros between the tensors, which nothing writes and AdamW reads. */
static bool gradients_blank(struct kgate_context *context, const struct kg_device_batch *batch)
{
    const struct kg_model *model = batch->slice.model;
    const size_t floats = model->parameters.floats;
    float *blank = calloc(floats, sizeof *blank);
    struct kg_tensor tensor;
    if (!blank)
        return kg_kernel_refuse(context, "no memory for %zu gradients", floats);
    for (size_t i = 0; kg_layout_tensor(&model->parameters, model, i, &tensor); i++)
        kg_floats_blank(blank + tensor.offset, tensor.rows * tensor.columns);
    const bool good =
        kg_device_upload(context, batch->slice.gradients, blank, floats * sizeof *blank);
    free(blank);
    return good;
}

/* A copy of the host's `bytes`, to be freed with release_device. */
static void *upload_copy(struct kgate_context *context, const void *host, size_t bytes)
{
    void *memory = kg_device_blank(context, bytes);
    if (memory && !kg_device_upload(context, memory, host, bytes)) {
        context->release_device(context, memory);
        memory = NULL;
    }
    return memory;
}

/* --- A layer ---------------------------------------------------------------------------------- */
static void layer_backward(const struct kg_layer_device *device)
{
    const struct kg_device_batch *batch = &device->batch;
    KGATE_SCOPE_CUDA("backward_pass", batch->space.stream, 0);
    kg_blocks_copy(&batch->space, batch->slice.stream, device->output_gradient,
                   batch->slice.rows * batch->slice.model->d_model * sizeof(float));
    kg_device_layer_backward(batch, 0);
}

static void layer_run(struct kg_layer *layer)
{
    const struct kg_device_batch *batch = &layer->device->batch;
    KGATE_SCOPE_CUDA("transformer_layer", batch->space.stream, 0);
    {
        KGATE_SCOPE_CUDA("forward_pass", batch->space.stream, 0);
        kg_device_layer_forward(batch, 0);
    }
    if (layer->backward)
        layer_backward(layer->device);
}

bool kg_layer_device_set_up(struct kgate_context *context, struct kg_layer *layer,
                            enum kg_transformer_version version)
{
    const size_t x_bytes =
        layer->batch * layer->model.seq_len * layer->model.d_model * sizeof(float);
    struct kg_layer_device *device = context->allocate(context, sizeof *device);
    if (!device)
        return kg_kernel_refuse(context, "no memory");
    struct kg_device_batch *batch = &device->batch;
    kg_device_begin(context);
    layer->device = device;
    layer->version = layer_run;
    batch->blocks = versions[version];
    if (!batch_make(context, &layer->model, layer->batch, layer->backward, batch) ||
        !kg_device_upload(context, batch->parameters, layer->parameters,
                          layer->model.parameters.floats * sizeof(float)) ||
        !kg_device_upload(context, kg_slice_x(&batch->slice, 0), layer->input, x_bytes))
        return false;
    if (!layer->backward)
        return true;
    device->output_gradient = upload_copy(context, layer->output_gradient, x_bytes);
    return device->output_gradient && gradients_blank(context, batch);
}

bool kg_layer_device_fetch(struct kgate_context *context, struct kg_layer *layer)
{
    const struct kg_slice *slice = &layer->device->batch.slice;
    const size_t x_bytes = slice->rows * layer->model.d_model * sizeof(float);
    if (!kg_device_good(context) ||
        !kg_device_download(context, layer->output, kg_slice_x(slice, 1), x_bytes))
        return false;
    return !layer->backward ||
           (kg_device_download(context, layer->input_gradient, slice->stream, x_bytes) &&
            kg_device_download(context, layer->gradients, slice->gradients,
                               layer->model.parameters.floats * sizeof(float)));
}

bool kg_layer_device_blank(struct kgate_context *context, struct kg_layer *layer)
{
    const struct kg_device_batch *batch = &layer->device->batch;
    const size_t x_bytes = batch->slice.rows * layer->model.d_model * sizeof(float);
    return kg_device_poison(context, kg_slice_x(&batch->slice, 1), x_bytes) &&
           (!layer->backward || (kg_device_poison(context, batch->slice.stream, x_bytes) &&
                                 gradients_blank(context, batch)));
}

void kg_layer_device_tear_down(struct kgate_context *context, struct kg_layer *layer)
{
    if (!layer->device)
        return;
    batch_free(context, &layer->device->batch);
    context->release_device(context, layer->device->output_gradient);
    context->release(context, layer->device);
}

/* --- Training --------------------------------------------------------------------------------- */
static void optimize(const struct kg_training *training, size_t step)
{
    const struct kg_training_device *device = training->device;
    const struct kg_device_batch *batch = &device->batch;
    KGATE_SCOPE_CUDA("optimizer", batch->space.stream, 0);
    const size_t floats = training->model.parameters.floats;
    const struct kg_adamw adamw = {.parameters = batch->parameters,
                                   .gradients = batch->slice.gradients,
                                   .moment1 = device->moments,
                                   .moment2 = device->moments + floats,
                                   .n = floats,
                                   .scales = kg_adamw_scales_of(training->learning_rate, step)};
    batch->blocks->adamw(&batch->space, &adamw);
}

static void train_step(const struct kg_training *training, const uint8_t *text, float *loss)
{
    const struct kg_device_batch *batch = &training->device->batch;
    KGATE_SCOPE_CUDA("train_step", batch->space.stream, 0);
    kg_device_forward(batch, text);
    kg_device_loss(batch, text + 1, loss);
    kg_device_backward(batch, text);
}

static void restore(const struct kg_training *training)
{
    const struct kg_training_device *device = training->device;
    const struct kg_device_batch *batch = &device->batch;
    KGATE_SCOPE_CUDA("restore", batch->space.stream, 0);
    const size_t bytes = training->model.parameters.floats * sizeof(float);
    kg_blocks_copy(&batch->space, batch->parameters, device->initial, bytes);
    kg_blocks_clear(&batch->space, device->moments, 2 * bytes);
}

/* All steps, one after the other on the stream. The host decides nothing by the device's
 * results. */
static void train_epoch(struct kg_training *training)
{
    const struct kg_training_device *device = training->device;
    const struct kg_device_batch *batch = &device->batch;
    KGATE_SCOPE_CUDA("train_epoch", batch->space.stream, 0);
    restore(training);
    for (size_t step = 0; step < training->steps; step++) {
        KGATE_SCOPE_CUDA("batch_processing", batch->space.stream, 0);
        train_step(training, device->text + step * batch->slice.rows, device->losses + step);
        optimize(training, step + 1);
    }
    kg_blocks_fetch(&batch->space, training->losses, device->losses,
                    training->steps * sizeof *training->losses);
}

bool kg_training_device_set_up(struct kgate_context *context, struct kg_training *training,
                               enum kg_transformer_version version)
{
    const size_t bytes = training->model.parameters.floats * sizeof(float);
    const size_t text_bytes = training->steps * training->batch * training->model.seq_len + 1;
    struct kg_training_device *device = context->allocate(context, sizeof *device);
    if (!device)
        return kg_kernel_refuse(context, "no memory");
    kg_device_begin(context);
    training->device = device;
    training->version = train_epoch;
    device->batch.blocks = versions[version];
    return batch_make(context, &training->model, training->batch, true, &device->batch) &&
           gradients_blank(context, &device->batch) &&
           (device->text = upload_copy(context, training->text, text_bytes)) &&
           (device->initial = upload_copy(context, training->initial, bytes)) &&
           (device->moments = kg_device_blank(context, 2 * bytes)) &&
           (device->losses = kg_device_blank(context, training->steps * sizeof(float)));
}

bool kg_training_device_fetch(struct kgate_context *context, struct kg_training *training)
{
    const struct kg_training_device *device = training->device;
    const size_t floats = training->model.parameters.floats, bytes = floats * sizeof(float);
    return kg_device_good(context) && /* the losses are there by then */
           kg_device_download(context, training->parameters, device->batch.parameters, bytes) &&
           kg_device_download(context, training->gradients, device->batch.slice.gradients, bytes) &&
           kg_device_download(context, training->moment1, device->moments, bytes) &&
           kg_device_download(context, training->moment2, device->moments + floats, bytes);
}

bool kg_training_device_blank(struct kgate_context *context, struct kg_training *training)
{
    const struct kg_training_device *device = training->device;
    return gradients_blank(context, &device->batch) &&
           kg_device_poison(context, device->losses, training->steps * sizeof(float));
}

void kg_training_device_tear_down(struct kgate_context *context, struct kg_training *training)
{
    struct kg_training_device *device = training->device;
    if (!device)
        return;
    batch_free(context, &device->batch);
    context->release_device(context, device->text);
    context->release_device(context, device->initial);
    context->release_device(context, device->moments);
    context->release_device(context, device->losses);
    context->release(context, device);
}

#else
bool kg_transformer_device_has(enum kg_transformer_version version)
{
    (void)version;
    return false;
}

static bool refuse(struct kgate_context *context)
{
    return kg_kernel_refuse(context, "this kgate was built without CUDA");
}

bool kg_layer_device_set_up(struct kgate_context *context, struct kg_layer *layer,
                            enum kg_transformer_version version)
{
    (void)layer, (void)version;
    return refuse(context);
}

bool kg_training_device_set_up(struct kgate_context *context, struct kg_training *training,
                               enum kg_transformer_version version)
{
    (void)training, (void)version;
    return refuse(context);
}

bool kg_layer_device_fetch(struct kgate_context *context, struct kg_layer *layer)
{
    (void)layer;
    return refuse(context);
}

bool kg_training_device_fetch(struct kgate_context *context, struct kg_training *training)
{
    (void)training;
    return refuse(context);
}

bool kg_layer_device_blank(struct kgate_context *context, struct kg_layer *layer)
{
    (void)layer;
    return refuse(context);
}

bool kg_training_device_blank(struct kgate_context *context, struct kg_training *training)
{
    (void)training;
    return refuse(context);
}

void kg_layer_device_tear_down(struct kgate_context *context, struct kg_layer *layer)
{
    (void)context, (void)layer;
}

void kg_training_device_tear_down(struct kgate_context *context, struct kg_training *training)
{
    (void)context, (void)training;
}
#endif
