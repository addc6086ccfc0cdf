#include "transformer/training_check.h"

#include <math.h>
#include <stdlib.h>

#include "common/common.h"
#include "transformer/adamw.h"
#include "transformer/check.h"

size_t kg_training_text_length(const struct kg_training *training)
{
    return training->steps * training->batch * training->model.seq_len + 1;
}

static size_t last_quarter(const struct kg_training *training)
{
    return training->steps < 4 ? 1 : training->steps / 4;
}

double kg_training_final_loss(const struct kg_training *training)
{
    const size_t count = last_quarter(training);
    double sum = 0;
    for (size_t i = training->steps - count; i < training->steps; i++)
        sum += (double)training->losses[i];
    return sum / (double)count;
}

/* AdamW moves a parameter by about the rate in a step: how far by all updates before the last loss,
 * its warm-up counted. */
static double path_of(const struct kg_training *training)
{
    const double updates = (double)training->steps - 1, warm_up = KG_ADAMW_WARM_UP;
    const double steps_at_rate =
        updates < warm_up ? updates * (updates + 1) / 2 / warm_up : updates - (warm_up - 1) / 2;
    return training->learning_rate * steps_at_rate;
}

/* What is asked of a path, found by trying models of 4 to 256 wide and 1 to 8 layers, and half of
 * what the slowest did: the narrowest fall slowly, and high rates linger at the unigram entropy. */
#define PATH_LEAST 0.02 /* shorter, batches differ by more than the loss falls */
#define FALL_PER_PATH 2
#define FALL_MOST 0.5
#define PATH_BELOW_UNIGRAM 0.07
#define RATE_BELOW_UNIGRAM 0.001
enum { WIDTH_BELOW_UNIGRAM = 64 };

double kg_training_demanded_loss(const struct kg_training *training)
{
    const double path = path_of(training), initial = (double)training->losses[0];
    const size_t tokens = last_quarter(training) * training->batch * training->model.seq_len;
    if (tokens < KG_TRAINING_TOKENS || path < PATH_LEAST)
        return INFINITY;
    const double fallen = initial - fmin(FALL_PER_PATH * path, FALL_MOST);
    const bool learned = path >= PATH_BELOW_UNIGRAM &&
                         training->learning_rate <= RATE_BELOW_UNIGRAM &&
                         training->model.d_model >= WIDTH_BELOW_UNIGRAM;
    return learned ? fmin(fallen, training->unigram_entropy) : fallen;
}

/* What a sequence of the reference needs to know. */
struct argument {
    const uint8_t *text;
    bool backward;
};

static double sequence_run(const struct kg_reference_slice *slice, size_t number, void *argument)
{
    const struct argument *what = argument;
    const uint8_t *tokens = what->text + number * slice->rows;
    kg_reference_forward(slice, tokens);
    const double loss = kg_reference_loss(slice, tokens + 1);
    if (what->backward)
        kg_reference_backward(slice, tokens);
    return loss;
}

/* The relative error of step `step`'s loss, and where `gradients` of its gradients. */
static bool step_error(struct kgate_context *context, const struct kg_training *training,
                       struct kg_reference_batch *batch, size_t step, bool gradients, double *error)
{
    const size_t tokens = training->batch * training->model.seq_len;
    struct argument argument = {training->text + step * tokens, gradients};
    batch->argument = &argument;
    if (!kg_reference_run(context, batch))
        return false;
    const double loss = batch->loss / (double)tokens;
    *error = kg_worse(*error, fabs((double)training->losses[step] - loss) / loss);
    if (gradients)
        *error = kg_worse(
            *error, kg_gradients_error(&training->model, training->gradients, batch->gradients));
    return true;
}

static bool compare(struct kgate_context *context, const struct kg_training *training,
                    double *parameters, double *gradients, double *error)
{
    const size_t floats = training->model.parameters.floats, last = training->steps - 1;
    struct kg_reference_batch batch = {
        .model = &training->model,
        .parameters = parameters,
        .batch = training->batch,
        .threads = training->threads,
        .gradients = gradients,
        .sequence = sequence_run,
    };
    for (size_t i = 0; i < floats; i++)
        parameters[i] = (double)training->initial[i];
    if (!step_error(context, training, &batch, 0, false, error))
        return false;
    for (size_t i = 0; i < floats; i++)
        parameters[i] =
            kg_adamw_undo(training->learning_rate, training->steps, (double)training->parameters[i],
                          (double)training->moment1[i], (double)training->moment2[i]);
    return step_error(context, training, &batch, last, true, error);
}

bool kg_training_check(struct kgate_context *context, const struct kg_training *training,
                       struct kgate_check *check)
{
    const size_t floats = training->model.parameters.floats;
    double *parameters = calloc(2 * floats, sizeof *parameters), error = 0;
    if (!parameters)
        return kg_kernel_refuse(context, "no memory for the reference");
    const bool good = compare(context, training, parameters, parameters + floats, &error);
    free(parameters);
    const double fall = kg_training_final_loss(training) / kg_training_demanded_loss(training);
    check->error = kg_worse(error / (KG_TRAINING_TOLERANCE * training->product_unit), fall);
    check->tolerance = 1;
    return good;
}
