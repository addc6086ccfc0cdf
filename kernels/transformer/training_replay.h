/* training_replay.h: train_epoch once more in double precision, on its own: the reference's passes
 * and an AdamW that shares nothing with adamw.h. First thread only. */
#pragma once
#include "kgate/plugin.h"
#include "transformer/check.h"
#include "transformer/transformer.h"

struct kg_training_replay {
    const struct kg_training *training;
    struct kg_model model; /* of the training, with kept activations */
    size_t step;           /* how many steps are done */
    double *losses;        /* of each of these */
    /* Laid out as model.parameters: the parameters of this step, AdamW's moments, and the gradients
     * of the last pass. */
    double *parameters;
    double *moment1;
    double *moment2;
    double *gradients;
    double *drift;       /* limit of each parameter's change by rounding */
    double *before_last; /* parameters of a training's last step, for the check */
    double *quantized;   /* parameters of a pass, if the training quantizes */
};

/* Begins with the training's first parameters. False with context->message without memory; to be
 * freed in any case. */
bool kg_training_replay_make(struct kgate_context *context, const struct kg_training *training,
                             struct kg_training_replay *replay);
void kg_training_replay_free(struct kg_training_replay *replay);

/* The mean loss and the gradients of step `step`'s text with these parameters. False with
 * context->message without memory. */
bool kg_training_replay_pass(struct kgate_context *context, struct kg_training_replay *replay,
                             const double *parameters, size_t step, double *loss);

/* How far rounding may drive a gradient of a tensor, from the second moments of its n elements.
 * largest     second moment of the model
 * correction  1 - b2^t */
double kg_training_gradient_bound(const struct kg_training *training, const double *moment2,
                                  size_t n, double largest, double correction);
/* The largest of n squares. */
double kg_training_largest(const double *squares, size_t n);

/* Makes steps, with pass and update, until `steps` are done. False with context->message without
 * memory. */
bool kg_training_replay_steps(struct kgate_context *context, struct kg_training_replay *replay,
                              size_t steps);
