#include "transformer/training_replay.h"

#include <math.h>
#include <stdlib.h>

#include "common/common.h"

bool kg_training_replay_make(struct kgate_context *context, const struct kg_training *training,
                             struct kg_training_replay *replay)
{
    const size_t floats = training->model.parameters.floats;
    double *all = calloc(4 * floats, sizeof *all);
    *replay = (struct kg_training_replay){.training = training, .parameters = all};
    if (!all)
        return kg_kernel_refuse(context, "no memory for the reference");
    replay->moment1 = all + floats;
    replay->moment2 = all + 2 * floats;
    replay->gradients = all + 3 * floats;
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
                             size_t step, double *loss)
{
    const struct kg_training *training = replay->training;
    const size_t tokens = training->batch * training->model.seq_len;
    struct kg_reference_batch batch = {
        .model = &training->model,
        .parameters = replay->parameters,
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

/* AdamW as adamw.h describes it, from the paper and with its numbers once more: what is wrong there
 * shows. */
static void update(struct kg_training_replay *replay)
{
    const double b1 = 0.9, b2 = 0.999, epsilon = 1e-8, decay = 0.01, warm_up = 10;
    const double t = (double)++replay->step;
    const double rate = replay->training->learning_rate * fmin(1, t / warm_up);
    const size_t floats = replay->training->model.parameters.floats;
    for (size_t i = 0; i < floats; i++) {
        const double g = replay->gradients[i];
        double *p = &replay->parameters[i], *m = &replay->moment1[i], *v = &replay->moment2[i];
        *m = b1 * *m + (1 - b1) * g;
        *v = b2 * *v + (1 - b2) * g * g;
        *p -= rate * (*m / (1 - pow(b1, t)) / (sqrt(*v / (1 - pow(b2, t))) + epsilon) + decay * *p);
    }
}

bool kg_training_replay_step(struct kgate_context *context, struct kg_training_replay *replay,
                             double *loss)
{
    if (!kg_training_replay_pass(context, replay, replay->step, loss))
        return false;
    update(replay);
    return true;
}
