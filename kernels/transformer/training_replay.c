#include "transformer/training_replay.h"

#include <math.h>
#include <stdlib.h>

#include "common/common.h"

bool kg_training_replay_make(struct kgate_context *context, const struct kg_training *training,
                             struct kg_training_replay *replay)
{
    const size_t floats = training->model.parameters.floats;
    double *all = calloc(7 * floats + training->steps, sizeof *all);
    *replay = (struct kg_training_replay){
        .training = training, .model = training->model, .parameters = all};
    replay->model.recomputed = false;
    if (!all)
        return kg_kernel_refuse(context, "no memory for the reference");
    replay->moment1 = all + floats;
    replay->moment2 = all + 2 * floats;
    replay->gradients = all + 3 * floats;
    replay->before_last = all + 4 * floats;
    replay->drift = all + 5 * floats;
    replay->quantized = all + 6 * floats;
    replay->losses = all + 7 * floats;
    for (size_t i = 0; i < floats; i++)
        replay->parameters[i] = (double)training->initial[i];
    return true;
}

void kg_training_replay_free(struct kg_training_replay *replay)
{
    free(replay->parameters);
}

static double sequence_pass(const struct kg_reference_slice *slice, size_t number, void *argument)
{
    const uint8_t *tokens = (const uint8_t *)argument + number * slice->rows;
    kg_reference_forward(slice, tokens);
    const double loss = kg_reference_loss(slice, tokens + 1);
    kg_reference_backward(slice, tokens);
    return loss;
}

bool kg_training_replay_pass(struct kgate_context *context, struct kg_training_replay *replay,
                             const double *parameters, size_t step, double *loss)
{
    const struct kg_training *training = replay->training;
    const size_t tokens = training->batch * training->model.seq_len;
    struct kg_reference_batch batch = {
        .model = &replay->model,
        .parameters = parameters,
        .batch = training->batch,
        .threads = training->threads,
        .gradients = replay->gradients,
        .sequence = sequence_pass,
        .argument = training->text + step * tokens,
    };
    if (!kg_reference_run(context, &batch))
        return false;
    *loss = batch.loss / (double)tokens;
    return true;
}

/* AdamW of adamw.h once more, from the paper and with its constants, so that errors there show. */
static const double b1 = 0.9, b2 = 0.999, epsilon = 1e-8, decay = 0.01, warm_up = 10;

static double step_rate(const struct kg_training_replay *replay)
{
    return replay->training->learning_rate * fmin(1, (double)replay->step / warm_up);
}

static void update(struct kg_training_replay *replay)
{
    const double t = (double)++replay->step, rate = step_rate(replay);
    const size_t floats = replay->training->model.parameters.floats;
    for (size_t i = 0; i < floats; i++) {
        const double g = replay->gradients[i];
        double *p = &replay->parameters[i], *m = &replay->moment1[i], *v = &replay->moment2[i];
        *m = b1 * *m + (1 - b1) * g;
        *v = b2 * *v + (1 - b2) * g * g;
        *p -= rate * (*m / (1 - pow(b1, t)) / (sqrt(*v / (1 - pow(b2, t))) + epsilon) + decay * *p);
    }
}

double kg_training_largest(const double *squares, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, squares[i]);
    return largest;
}

double kg_training_gradient_bound(const struct kg_training *training, const double *moment2,
                                  size_t n, double largest, double correction)
{
    const double size = sqrt(kg_training_largest(moment2, n)) + KG_GRADIENTS_SHARE * sqrt(largest);
    return KG_TRAINING_TOLERANCE * training->product_unit * size / sqrt(correction);
}

/* Adds the last step's effect to the parameters' drift. The step went by m / sqrt(v). The smaller
 * the gradients so far, the larger the share of a gradient's rounding. Some gradients are only
 * rounding: the keys' bias, which softmax does not see, or gradients near 0. Such a step may have
 * gone either way. */
static void drift_add(struct kg_training_replay *replay)
{
    const struct kg_model *model = &replay->training->model;
    const double correction = 1 - pow(b2, (double)replay->step), rate = step_rate(replay);
    const double largest = kg_training_largest(replay->moment2, model->parameters.floats);
    struct kg_tensor tensor;
    for (size_t k = 0; kg_layout_tensor(&model->parameters, model, k, &tensor); k++) {
        const size_t n = tensor.rows * tensor.columns;
        const double *moment2 = replay->moment2 + tensor.offset;
        const double bound =
            kg_training_gradient_bound(replay->training, moment2, n, largest, correction);
        for (size_t i = 0; i < n; i++)
            replay->drift[tensor.offset + i] +=
                rate * fmin(2, bound / sqrt(moment2[i] / correction));
    }
}

static const double *pass_parameters(struct kg_training_replay *replay)
{
    const enum kg_quantization quantization = replay->training->quantization;
    if (quantization == KG_QUANTIZATION_NONE)
        return replay->parameters;
    kg_reference_quantize(&replay->model, quantization, replay->parameters, replay->quantized);
    return replay->quantized;
}

bool kg_training_replay_steps(struct kgate_context *context, struct kg_training_replay *replay,
                              size_t steps)
{
    while (replay->step < steps) {
        if (!kg_training_replay_pass(context, replay, pass_parameters(replay), replay->step,
                                     &replay->losses[replay->step]))
            return false;
        update(replay);
        drift_add(replay);
    }
    return true;
}
