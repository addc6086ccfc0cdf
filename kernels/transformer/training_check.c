#include "transformer/training_check.h"

#include <math.h>

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

/* Length of the parameters' path after some updates, including the warm-up: AdamW moves a parameter
 * by about the rate per step. */
static double path_after(const struct kg_training *training, size_t update_count)
{
    const double updates = (double)update_count, warm_up = KG_ADAMW_WARM_UP;
    const double steps_at_rate =
        updates < warm_up ? updates * (updates + 1) / 2 / warm_up : updates - (warm_up - 1) / 2;
    return training->learning_rate * steps_at_rate;
}

/* Demands on a path: half of the result of the slowest model, from trials with widths of 4 to 256
 * and 1 to 8 layers. The narrowest models fall slowly, and high rates linger at the unigram
 * entropy. */
#define PATH_LEAST 0.02 /* shorter, batches differ by more than the loss falls */
#define FALL_PER_PATH 2
#define FALL_MOST 0.5
#define PATH_BELOW_UNIGRAM 0.07
#define RATE_BELOW_UNIGRAM 0.001
enum { WIDTH_BELOW_UNIGRAM = 64 };

double kg_training_demanded_loss(const struct kg_training *training)
{
    const double path = path_after(training, training->steps - 1),
                 initial = (double)training->losses[0];
    const size_t tokens = last_quarter(training) * training->batch * training->model.seq_len;
    if (tokens < KG_TRAINING_TOKENS || path < PATH_LEAST ||
        training->learning_rate > KG_TRAINING_RATE_MOST)
        return INFINITY;
    const double fallen = initial - fmin(FALL_PER_PATH * path, FALL_MOST);
    const bool learned = path >= PATH_BELOW_UNIGRAM &&
                         training->learning_rate <= RATE_BELOW_UNIGRAM &&
                         training->model.d_model >= WIDTH_BELOW_UNIGRAM;
    return learned ? fmin(fallen, training->unigram_entropy) : fallen;
}

/* --- The first steps once more ---------------------------------------------------------------- */

/* Growth of the distance of two runs over `updates` updates, relative to the rounding of one:
 * training amplifies differences. */
static double growth_after(const struct kg_training *training, size_t updates)
{
    return exp2(path_after(training, updates) / KG_REPLAY_DOUBLING);
}

/* Whether rounding leaves comparable values after `updates` updates. */
static bool comparable_after(const struct kg_training *training, size_t updates)
{
    return path_after(training, updates) <= KG_REPLAY_PATH * (1 + 1e-9);
}

size_t kg_training_replayed_steps(const struct kg_training *training)
{
    const double tokens = (double)training->batch * (double)training->model.seq_len;
    const double affordable =
        KG_REPLAY_FLOPS / (3 * tokens * kg_model_forward_flops(&training->model));
    size_t steps = 0;
    while (steps < training->steps && (steps < KG_REPLAY_STEPS || (double)steps < affordable) &&
           comparable_after(training, steps))
        steps++;
    return steps;
}

/* Root mean square of a tensor's distance from `from`; from 0 if it is NULL. */
static double size_of(const double *x, const float *from, size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += pow(x[i] - (from ? (double)from[i] : 0), 2);
    return sqrt(squares / (double)n);
}

/* Limits of a tensor's element errors. */
struct bounds {
    const struct kg_training *training;
    const double *drift; /* the tensor's, of the replay */
    double gradient;     /* how far rounding may drive a gradient */
    double correction;   /* of the second moment: 1 - b2^steps */
};

/* The drift, and one rounding of the parameter per step. */
static double parameter_bound(const struct bounds *bounds, size_t i, double expected)
{
    const double steps = (double)bounds->training->steps;
    return bounds->drift[i] + steps * bounds->training->product_unit * fabs(expected);
}

static double moment1_bound(const struct bounds *bounds, size_t i, double expected)
{
    (void)i;
    (void)expected;
    return bounds->gradient;
}

/* The error of g^2: 2 g times the error, plus its square. */
static double moment2_bound(const struct bounds *bounds, size_t i, double expected)
{
    const double gradient = sqrt(expected / bounds->correction);
    (void)i;
    return bounds->correction * bounds->gradient * (2 * gradient + bounds->gradient);
}

/* The root mean square of the elements' deviations, each divided by its limit. The limit is a share
 * of the tensor's path, plus `bound`, the effect of its own gradients' rounding. */
static double tensor_error(const struct bounds *bounds, const float *x, const double *expected,
                           const float *from, size_t n,
                           double (*bound)(const struct bounds *, size_t, double))
{
    const double unit = bounds->training->product_unit;
    const double common = KG_REPLAY_STATE_TOLERANCE * unit * size_of(expected, from, n);
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double off = fabs((double)x[i] - expected[i]);
        squares += pow(kg_relative(off, common + bound(bounds, i, expected[i])), 2);
    }
    return sqrt(squares / (double)n);
}

/* The error of parameters and moments after the last step against the replay, divided by the
 * limits. */
static double state_error(const struct kg_training *training,
                          const struct kg_training_replay *replay)
{
    const struct kg_model *model = &training->model;
    const double largest = kg_training_largest(replay->moment2, model->parameters.floats);
    struct bounds bounds = {.training = training,
                            .correction = 1 - pow(0.999, (double)training->steps)};
    struct kg_tensor tensor;
    double worst = 0;
    for (size_t i = 0; kg_layout_tensor(&model->parameters, model, i, &tensor); i++) {
        const size_t at = tensor.offset, n = tensor.rows * tensor.columns;
        bounds.drift = replay->drift + at;
        bounds.gradient = kg_training_gradient_bound(training, replay->moment2 + at, n, largest,
                                                     bounds.correction);
        const double errors[] = {tensor_error(&bounds, training->parameters + at,
                                              replay->parameters + at, training->initial + at, n,
                                              parameter_bound),
                                 tensor_error(&bounds, training->moment1 + at, replay->moment1 + at,
                                              NULL, n, moment1_bound),
                                 tensor_error(&bounds, training->moment2 + at, replay->moment2 + at,
                                              NULL, n, moment2_bound)};
        for (size_t j = 0; j < sizeof errors / sizeof *errors; j++)
            worst = kg_worse(worst, errors[j]);
    }
    return worst / growth_after(training, training->steps);
}

static double loss_tolerance(const struct kg_training *training, size_t step)
{
    return training->quantization != KG_QUANTIZATION_NONE && step > 0
               ? KG_QUANTIZED_LOSS
               : KG_TRAINING_TOLERANCE * training->product_unit * growth_after(training, step);
}

static double replay_error(const struct kg_training *training,
                           const struct kg_training_replay *replay)
{
    double worst = 0;
    for (size_t step = 0; step < replay->step; step++) {
        const double off = fabs((double)training->losses[step] - replay->losses[step]);
        worst = kg_worse(worst, off / replay->losses[step] / loss_tolerance(training, step));
    }
    if (training->quantization == KG_QUANTIZATION_NONE && replay->step == training->steps &&
        comparable_after(training, replay->step))
        worst = kg_worse(worst, state_error(training, replay));
    return worst;
}

/* --- The whole check -------------------------------------------------------------------------- */

static bool differs(const float *x, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != (from ? from[i] : 0))
            return true;
    return false;
}

/* Whether every tensor has been trained at all. */
static bool all_moved(const struct kg_training *training)
{
    const struct kg_model *model = &training->model;
    struct kg_tensor tensor;
    for (size_t i = 0; kg_layout_tensor(&model->parameters, model, i, &tensor); i++) {
        const size_t at = tensor.offset, n = tensor.rows * tensor.columns;
        if (!differs(training->parameters + at, training->initial + at, n) ||
            !differs(training->moment1 + at, NULL, n) || !differs(training->moment2 + at, NULL, n))
            return false;
    }
    return true;
}

/* Takes the points that the last step's passes used. Compares them with the step's parameters. */
static const double *points_take(const struct kg_training *training,
                                 struct kg_training_replay *replay, double *error)
{
    if (training->quantization == KG_QUANTIZATION_NONE)
        return replay->before_last;
    for (size_t i = 0; i < training->model.parameters.floats; i++)
        replay->quantized[i] = (double)training->quantized[i];
    *error = kg_worse(*error, kg_quantization_error(&training->model, training->quantization,
                                                    replay->before_last, replay->quantized) /
                                  KG_POINT_TOLERANCE);
    return replay->quantized;
}

/* Compares the last step's loss and gradients, with the step's parameters. */
static bool last_step_compare(struct kgate_context *context, const struct kg_training *training,
                              struct kg_training_replay *replay, double *error)
{
    const double tolerance = KG_TRAINING_TOLERANCE * training->product_unit;
    const size_t floats = training->model.parameters.floats, last = training->steps - 1;
    double loss;
    for (size_t i = 0; i < floats; i++)
        replay->before_last[i] =
            kg_adamw_undo(training->learning_rate, training->steps, (double)training->parameters[i],
                          (double)training->moment1[i], (double)training->moment2[i]);
    if (!kg_training_replay_pass(context, replay, points_take(training, replay, error), last,
                                 &loss))
        return false;
    *error = kg_worse(*error, fabs((double)training->losses[last] - loss) / loss / tolerance);
    if (training->learning_rate <= KG_TRAINING_RATE_MOST)
        *error = kg_worse(
            *error, kg_gradients_error(&training->model, training->gradients, replay->gradients) /
                        tolerance);
    return true;
}

bool kg_training_check(struct kgate_context *context, const struct kg_training *training,
                       struct kg_training_replay *replay, struct kgate_check *check)
{
    double error =
        kg_training_final_loss(training) / kg_training_demanded_loss(training); /* 0 of infinity */
    if (!all_moved(training))
        error = kg_worse(error, INFINITY);
    if (!kg_training_replay_steps(context, replay, kg_training_replayed_steps(training)))
        return false;
    error = kg_worse(error, replay_error(training, replay));
    const bool good = last_step_compare(context, training, replay, &error);
    check->error = error;
    check->tolerance = 1;
    return good;
}
