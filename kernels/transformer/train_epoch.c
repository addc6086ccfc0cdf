#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"
#include "transformer/text.h"
#include "transformer/training_check.h"
#include "transformer/training_cpu.h"
#include "transformer/transformer_device.h"

enum {
    LAYERS,
    D_MODEL,
    NUM_HEADS,
    SEQ_LEN,
    BATCH,
    STEPS,
    LEARNING_RATE,
    ACTIVATIONS,
    QUANTIZATION,
    VERSION
};

static const char *const activations[] = {"kept", "recomputed", NULL};

#define WHOLE(param_name, default_value, least, most, text)                                        \
    {                                                                                              \
        .name = (param_name), .type = KGATE_PARAM_INTEGER, .default_text = (default_value),        \
        .minimum = (least), .maximum = (most), .help = (text)                                      \
    }
static const struct kgate_param params[] = {
    WHOLE("layers", "2", 1, KG_MODEL_LAYERS_MOST, "layers"),
    WHOLE("d_model", "64", KG_MODEL_WIDTH_LEAST, 65536,
          "width of the model, a multiple of num_heads"),
    WHOLE("num_heads", "4", 1, 1024, "heads of attention"),
    WHOLE("seq_len", "32", 1, 65536, "bytes in a sequence"),
    WHOLE("batch", "8", 1, 1e6, "sequences in a step"),
    WHOLE("steps", "80", 1, 1e6, "steps of the optimizer"),
    {.name = "learning_rate",
     .type = KGATE_PARAM_REAL,
     .default_text = "0.001",
     .minimum = 1e-6,
     .maximum = 1,
     .help = "of AdamW, after ten steps of warm-up"},
    {.name = "activations",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "kept",
     .choices = activations,
     .help = "recomputed: gradient checkpointing, backward repeats each layer's forward pass; CPU "
             "only"},
    {.name = "quantization",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "none",
     .choices = kg_quantizations,
     .help = "fake quantization of the weights: int8, or d4 to points of a lattice; CPU only"},
    KG_TRANSFORMER_VERSION_PARAM,
};

static struct kg_model model_of(const struct kgate_value *values)
{
    struct kg_model model =
        kg_model_make((size_t)values[LAYERS].integer, (size_t)values[D_MODEL].integer,
                      (size_t)values[NUM_HEADS].integer, (size_t)values[SEQ_LEN].integer);
    model.recomputed = values[ACTIVATIONS].integer;
    return model;
}

/* The GPU's passes keep all activations and do not quantize. */
static bool device_can(struct kgate_context *context)
{
    const struct kgate_value *values = context->values;
    context->unavailable = context->device == KGATE_DEVICE_CUDA &&
                           (values[ACTIVATIONS].integer || values[QUANTIZATION].integer);
    return !context->unavailable ||
           kg_kernel_refuse(context, "%s does not exist on the GPU",
                            values[ACTIVATIONS].integer ? "activations: recomputed"
                                                        : "quantization");
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const struct kgate_value *values = context->values;
    const struct kg_model model = model_of(values);
    const double rows = (double)values[BATCH].integer * (double)model.seq_len;
    const double tokens = rows * (double)values[STEPS].integer;
    if (!device_can(context))
        return false;
    if (rows > 1e9 || tokens > 1e12)
        return kg_kernel_refuse(context, "a text of so many bytes is above what can be made");
    if (!kg_transformer_possible(context, &model, (size_t)rows,
                                 (enum kg_transformer_version)values[VERSION].integer))
        return false;
    *work = (struct kgate_work){
        .items = tokens,
        .item_name = "tokens",
        .bytes = 24 * (double)kg_model_parameter_count(&model) * (double)values[STEPS].integer,
        .flops = 3 * tokens * kg_model_forward_flops(&model),
    };
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_training *training = state;
    if (!training)
        return;
    if (context->device == KGATE_DEVICE_CUDA) {
        kg_training_device_tear_down(context, training);
        context->release_pinned(context, training->losses);
    } else {
        kg_training_cpu_tear_down(context, training);
        context->release(context, training->losses);
    }
    float *const arrays[] = {training->initial, training->parameters, training->gradients,
                             training->moment1, training->moment2,    training->quantized};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        context->release(context, arrays[i]);
    context->release(context, training->text);
    context->release(context, training);
}

static bool results_make(struct kgate_context *context, struct kg_training *training)
{
    const size_t floats = training->model.parameters.floats;
    float **const arrays[] = {&training->parameters, &training->gradients, &training->moment1,
                              &training->moment2, &training->quantized};
    const size_t count = sizeof arrays / sizeof *arrays - !training->quantization;
    for (size_t i = 0; i < count; i++) {
        *arrays[i] = context->allocate(context, floats * sizeof(float));
        if (!*arrays[i])
            return kg_kernel_refuse(
                context, "no memory for %zu parameters, gradients and two moments", floats);
    }
    const size_t bytes = training->steps * sizeof(float);
    training->losses = context->device == KGATE_DEVICE_CUDA
                           ? context->allocate_pinned(context, bytes)
                           : context->allocate(context, bytes);
    if (!training->losses)
        return kg_kernel_refuse(context, "no memory for %zu losses", training->steps);
    return true;
}

static void results_blank(struct kg_training *training)
{
    float *const arrays[] = {training->parameters, training->gradients, training->moment1,
                             training->moment2, training->quantized};
    const size_t count = sizeof arrays / sizeof *arrays - !training->quantized;
    for (size_t i = 0; i < count; i++)
        kg_floats_blank(arrays[i], training->model.parameters.floats);
    kg_floats_blank(training->losses, training->steps);
}

static void inputs_fill(struct kg_training *training)
{
    kg_text_fill(training->text, kg_training_text_length(training), training->seed);
    kg_model_initialize(&training->model, training->initial, training->seed + 1);
}

static bool arrays_make(struct kgate_context *context, struct kg_training *training)
{
    const size_t length = kg_training_text_length(training);
    const size_t floats = training->model.parameters.floats;
    training->text = context->allocate(context, length);
    if (!training->text)
        return kg_kernel_refuse(context, "no memory for a text of %zu bytes", length);
    training->initial = context->allocate(context, floats * sizeof(float));
    if (!training->initial)
        return kg_kernel_refuse(context, "no memory for %zu initial parameters", floats);
    if (!results_make(context, training))
        return false;
    results_blank(training);
    inputs_fill(training);
    training->unigram_entropy = kg_text_unigram_entropy(training->text, length);
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    const struct kgate_value *values = context->values;
    const enum kg_transformer_version version =
        (enum kg_transformer_version)values[VERSION].integer;
    struct kg_training *training = context->allocate(context, sizeof *training);
    if (!training)
        return kg_kernel_refuse(context, "no memory");
    *training = (struct kg_training){
        .model = model_of(values),
        .batch = (size_t)values[BATCH].integer,
        .steps = (size_t)values[STEPS].integer,
        .learning_rate = values[LEARNING_RATE].real,
        .quantization = (enum kg_quantization)values[QUANTIZATION].integer,
        .seed = context->seed,
        .threads = (int)context->threads,
        .context = context,
        .product_unit = (double)FLT_EPSILON / 2,
    };
    if (!arrays_make(context, training) ||
        !(context->device == KGATE_DEVICE_CUDA
              ? kg_training_device_set_up(context, training, version)
              : kg_training_cpu_set_up(context, training, version))) {
        tear_down(context, training);
        return false;
    }
    *state = training;
    return true;
}

/* On the GPU the losses come from an earlier call, if any: they are the same. */
static void figures_report(struct kg_training *training)
{
    struct kgate_context *context = training->context;
    const double initial = (double)training->losses[0], final = kg_training_final_loss(training);
    if (!context->report || !isfinite(initial) || !isfinite(final))
        return;
    context->report(context, "initial_loss", initial);
    context->report(context, "final_loss", final);
    context->report(context, "unigram_entropy", training->unigram_entropy);
}

static void run(void *state)
{
    struct kg_training *training = state;
    training->version(training);
    figures_report(training);
}

/* With the inputs made again from the seed. */
static bool compare(struct kgate_context *context, struct kg_training *training,
                    struct kg_training_replay *replay, struct kgate_check *check)
{
    const bool gpu = context->device == KGATE_DEVICE_CUDA;
    inputs_fill(training);
    return (!gpu || kg_training_device_fetch(context, training)) &&
           kg_training_check(context, training, replay, check);
}

/* Another epoch into blank results. */
static bool call_again(struct kgate_context *context, struct kg_training *training)
{
    results_blank(training);
    if (context->device == KGATE_DEVICE_CUDA && !kg_training_device_blank(context, training))
        return false;
    training->version(training);
    return true;
}

/* Compares the losses with the call before, also for steps beyond the replay. Each call begins with
 * the same parameters, but the GPU may add in another order. */
static double losses_error(const struct kg_training *training, const float *before)
{
    const double tolerance = 0.01;
    double worst = 0;
    for (size_t i = 0; i < training->steps; i++) {
        const double was = (double)before[i], now = (double)training->losses[i];
        worst = kg_worse(worst, fabs(now - was) / (tolerance * was));
    }
    return worst;
}

/* Like kg_kernel_check, but compares both calls with one replay, as a replay takes longer than a
 * call. */
static bool calls_compare(struct kgate_context *context, struct kg_training *training,
                          struct kg_training_replay *replay, float *losses,
                          struct kgate_check *check)
{
    struct kgate_check again = {.error = NAN};
    if (!compare(context, training, replay, check))
        return false;
    if (!(check->error <= check->tolerance))
        return true;
    memcpy(losses, training->losses, training->steps * sizeof *losses);
    if (!call_again(context, training) || !compare(context, training, replay, &again))
        return false;
    check->error = kg_worse(kg_worse(check->error, again.error), losses_error(training, losses));
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    struct kg_training *training = state;
    struct kg_training_replay replay;
    inputs_fill(training);
    float *losses = malloc(training->steps * sizeof *losses);
    if (!losses)
        return kg_kernel_refuse(context, "no memory for the losses");
    const bool good = kg_training_replay_make(context, training, &replay) &&
                      calls_compare(context, training, &replay, losses, check);
    kg_training_replay_free(&replay);
    free(losses);
    return good;
}

const struct kgate_workload kg_kernel_train_epoch = {
    .name = "train_epoch",
    .summary = "Trains a small transformer on generated text: forward, backward and AdamW.",
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
