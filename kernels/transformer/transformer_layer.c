#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"
#include "transformer/check.h"
#include "transformer/layer_cpu.h"
#include "transformer/transformer.h"
#include "transformer/transformer_device.h"

enum { BATCH, SEQ_LEN, D_MODEL, NUM_HEADS, PASS, VERSION };

static const char *const passes[] = {"forward", "backward", NULL};

static const struct kgate_param params[] = {
    {.name = "batch",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "8",
     .minimum = 1,
     .maximum = 1e6,
     .help = "sequences"},
    {.name = "seq_len",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "64",
     .minimum = 1,
     .maximum = 65536,
     .help = "tokens in a sequence"},
    {.name = "d_model",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "128",
     .minimum = KG_MODEL_WIDTH_LEAST,
     .maximum = 65536,
     .help = "width of the model, a multiple of num_heads"},
    {.name = "num_heads",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "4",
     .minimum = 1,
     .maximum = 1024,
     .help = "heads of attention"},
    {.name = "pass",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "forward",
     .choices = passes,
     .help = "forward, or backward: both, down to the gradients"},
    KG_TRANSFORMER_VERSION_PARAM,
};

static struct kg_model model_of(const struct kgate_value *values)
{
    return kg_model_make_layer((size_t)values[D_MODEL].integer, (size_t)values[NUM_HEADS].integer,
                               (size_t)values[SEQ_LEN].integer);
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const struct kgate_value *values = context->values;
    const int64_t tokens = values[BATCH].integer * values[SEQ_LEN].integer;
    const struct kg_model model = model_of(values);
    if (!kg_transformer_possible(context, &model, (size_t)tokens,
                                 (enum kg_transformer_version)values[VERSION].integer))
        return false;
    const double pass = values[PASS].integer ? 2 : 1;
    const double parameters = (double)kg_model_parameter_count(&model);
    *work = (struct kgate_work){
        .items = (double)tokens,
        .item_name = "tokens",
        .bytes = sizeof(float) * pass * (2 * (double)tokens * (double)model.d_model + parameters),
        .flops = (2 * pass - 1) * (double)tokens * kg_model_layer_forward_flops(&model),
    };
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_layer *layer = state;
    if (!layer)
        return;
    if (context->device == KGATE_DEVICE_CUDA)
        kg_layer_device_tear_down(context, layer);
    kg_layer_cpu_tear_down(context, layer);
    float *const arrays[] = {layer->parameters, layer->input,          layer->output_gradient,
                             layer->output,     layer->input_gradient, layer->gradients};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        context->release(context, arrays[i]);
    context->release(context, layer);
}

/* Arrays of the backward pass. */
static bool gradients_make(struct kgate_context *context, struct kg_layer *layer, size_t n)
{
    const size_t parameters = layer->model.parameters.floats;
    layer->output_gradient = context->allocate(context, n * sizeof(float));
    layer->input_gradient = context->allocate(context, n * sizeof(float));
    layer->gradients = context->allocate(context, parameters * sizeof(float));
    if (!layer->output_gradient || !layer->input_gradient || !layer->gradients)
        return kg_kernel_refuse(context, "no memory for the gradients of %zu sequences",
                                layer->batch);
    return true;
}

static void inputs_fill(struct kg_layer *layer, size_t n)
{
    const unsigned threads = (unsigned)layer->threads;
    kg_model_randomize(&layer->model, layer->parameters, layer->seed);
    kg_fill_floats(layer->input, n, layer->seed + 1, threads);
    if (layer->backward)
        kg_fill_floats(layer->output_gradient, n, layer->seed + 2, threads);
}

static void results_blank(struct kg_layer *layer, size_t n)
{
    kg_floats_blank(layer->output, n);
    if (!layer->backward)
        return;
    kg_floats_blank(layer->input_gradient, n);
    kg_floats_blank(layer->gradients, layer->model.parameters.floats);
}

static bool arrays_make(struct kgate_context *context, struct kg_layer *layer)
{
    const size_t n = layer->batch * layer->model.seq_len * layer->model.d_model;
    const size_t parameters = layer->model.parameters.floats;
    layer->parameters = context->allocate(context, parameters * sizeof(float));
    layer->input = context->allocate(context, n * sizeof(float));
    layer->output = context->allocate(context, n * sizeof(float));
    if (!layer->parameters || !layer->input || !layer->output)
        return kg_kernel_refuse(context, "no memory for the input of %zu sequences", layer->batch);
    if (layer->backward && !gradients_make(context, layer, n))
        return false;
    inputs_fill(layer, n);
    results_blank(layer, n);
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    const struct kgate_value *values = context->values;
    const enum kg_transformer_version version =
        (enum kg_transformer_version)values[VERSION].integer;
    struct kg_layer *layer = context->allocate(context, sizeof *layer);
    if (!layer)
        return kg_kernel_refuse(context, "no memory");
    *layer = (struct kg_layer){
        .model = model_of(values),
        .batch = (size_t)values[BATCH].integer,
        .backward = values[PASS].integer != 0,
        .seed = context->seed,
        .threads = (int)context->threads,
        .product_unit = (double)FLT_EPSILON / 2,
    };
    if (!arrays_make(context, layer) ||
        !(context->device == KGATE_DEVICE_CUDA ? kg_layer_device_set_up(context, layer, version)
                                               : kg_layer_cpu_set_up(context, layer, version))) {
        tear_down(context, layer);
        return false;
    }
    *state = layer;
    return true;
}

static void run(void *state)
{
    struct kg_layer *layer = state;
    layer->version(layer);
}

/* The expected results. Each sequence writes its part of y and dx. */
struct expected {
    const struct kg_layer *layer;
    double *parameters;
    double *gradients;
    double *output;
    double *input_gradient;
    double *conditions; /* of each sequence */
};

/* Factor by which a layernorm amplifies its rows' rounding errors: the largest value over the
 * deviation, of the worst row. */
static double condition_of(const struct kg_reference_slice *slice, enum kg_activation input,
                           enum kg_activation scale)
{
    const size_t d = slice->model->d_model;
    const double *x = kg_reference_slice_activation(slice, input, 0);
    const double *scales = kg_reference_slice_activation(slice, scale, 0);
    double worst = 0;
    for (size_t i = 0; i < slice->rows * d; i++)
        worst = fmax(worst, fabs(x[i]) * scales[i / d]);
    return worst;
}

static double sequence_expect(const struct kg_reference_slice *slice, size_t number, void *argument)
{
    const struct expected *expected = argument;
    const struct kg_layer *layer = expected->layer;
    const size_t n = slice->rows * layer->model.d_model, from = number * n;
    double *x = kg_reference_slice_x(slice, 0);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)layer->input[from + i];
    kg_reference_layer_forward(slice, 0);
    expected->conditions[number] = fmax(condition_of(slice, KG_INPUT, KG_ATTENTION_SCALE),
                                        condition_of(slice, KG_MIDDLE, KG_FEED_FORWARD_SCALE));
    memcpy(expected->output + from, kg_reference_slice_x(slice, 1), n * sizeof(double));
    if (layer->backward) {
        for (size_t i = 0; i < n; i++)
            slice->stream[i] = (double)layer->output_gradient[from + i];
        kg_reference_layer_backward(slice, 0);
        memcpy(expected->input_gradient + from, slice->stream, n * sizeof(double));
    }
    return 0;
}

/* Returns n: the reference computes the attention of every n-th row. With backward n is 1, since
 * each row contributes to the gradients. */
static size_t attending_of(const struct kg_layer *layer)
{
    const double length = (double)layer->model.seq_len;
    const double pairs =
        (double)layer->batch * (double)layer->model.num_heads * length * (length + 1) / 2;
    return layer->backward ? 1 : 1 + (size_t)(pairs / KG_LAYER_PAIRS);
}

/* The error of y in the rows that the reference has. */
static double output_error(const struct kg_layer *layer, const double *expected, size_t every)
{
    const size_t d = layer->model.d_model, length = layer->model.seq_len;
    double worst = 0, largest = 0;
    for (size_t s = 0; s < layer->batch; s++)
        for (size_t i = (length - 1) % every; i < length; i += every)
            for (size_t at = (s * length + i) * d; at < (s * length + i + 1) * d; at++) {
                largest = fmax(largest, fabs(expected[at]));
                worst = kg_worse(worst, fabs((double)layer->output[at] - expected[at]));
            }
    return worst / largest;
}

/* The reference of the inputs, made again from the seed. */
static bool expect(struct kgate_context *context, struct kg_layer *layer, struct expected *expected)
{
    inputs_fill(layer, layer->batch * layer->model.seq_len * layer->model.d_model);
    for (size_t i = 0; i < layer->model.parameters.floats; i++)
        expected->parameters[i] = (double)layer->parameters[i];
    struct kg_reference_batch batch = {
        .model = &layer->model,
        .attending = attending_of(layer),
        .parameters = expected->parameters,
        .batch = layer->batch,
        .threads = layer->threads,
        .gradients = expected->gradients,
        .sequence = sequence_expect,
        .argument = expected,
    };
    return kg_reference_run(context, &batch);
}

static bool fetch(struct kgate_context *context, struct kg_layer *layer)
{
    return context->device == KGATE_DEVICE_CUDA ? kg_layer_device_fetch(context, layer)
                                                : kg_layer_cpu_fetch(layer);
}

static double error_of(const struct kg_layer *layer, const struct expected *expected)
{
    const size_t n = layer->batch * layer->model.seq_len * layer->model.d_model;
    double error = output_error(layer, expected->output, attending_of(layer));
    if (!layer->backward)
        return error;
    error = kg_worse(error, kg_tensor_error(layer->input_gradient, expected->input_gradient, n));
    return kg_worse(error,
                    kg_gradients_error(&layer->model, layer->gradients, expected->gradients));
}

static double tolerance_of(const struct kg_layer *layer, const struct expected *expected)
{
    double condition = KG_LAYER_CONDITION;
    for (size_t i = 0; i < layer->batch; i++)
        condition = fmax(condition, expected->conditions[i]);
    return KG_LAYER_TOLERANCE * layer->product_unit * condition / KG_LAYER_CONDITION;
}

/* Like kg_kernel_check: compares the result of the last call, then the result of one more call. */
static bool compare(struct kgate_context *context, struct kg_layer *layer,
                    struct expected *expected, struct kgate_check *check)
{
    if (!fetch(context, layer) || !expect(context, layer, expected))
        return false;
    const double left = error_of(layer, expected);
    results_blank(layer, layer->batch * layer->model.seq_len * layer->model.d_model);
    if (context->device == KGATE_DEVICE_CUDA ? !kg_layer_device_blank(context, layer)
                                             : !kg_layer_cpu_blank(layer))
        return false;
    layer->version(layer);
    if (!fetch(context, layer))
        return false;
    *check = (struct kgate_check){kg_worse(left, error_of(layer, expected)),
                                  tolerance_of(layer, expected)};
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    struct kg_layer *layer = state;
    const size_t parameters = layer->model.parameters.floats;
    const size_t n = layer->batch * layer->model.seq_len * layer->model.d_model;
    double *all = calloc(2 * parameters + 2 * n + layer->batch, sizeof *all);
    if (!all)
        return kg_kernel_refuse(context, "no memory for the reference");
    struct expected expected = {
        .layer = layer,
        .parameters = all,
        .gradients = all + parameters,
        .output = all + 2 * parameters,
        .input_gradient = all + 2 * parameters + n,
        .conditions = all + 2 * parameters + 2 * n,
    };
    const bool good = compare(context, layer, &expected, check);
    free(all);
    return good;
}

const struct kgate_workload kg_kernel_transformer_layer = {
    .name = "transformer_layer",
    .summary = "Runs a transformer's layer forward, or forward and backward: attention and "
               "feed-forward.",
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .devices = KG_KERNEL_DEVICES,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
