/* training_replay.h: train_epoch once more in double precision, on its own: the reference's passes
 * and an AdamW that shares nothing with adamw.h. First thread only. */
#pragma once
#include "kgate/plugin.h"
#include "transformer/check.h"
#include "transformer/transformer.h"

struct kg_training_replay {
    const struct kg_training *training;
    size_t step; /* how many steps are done */
    /* Laid out as model.parameters: first the parameters of this step, then what AdamW keeps, and
     * the gradients of the last pass. */
    double *parameters;
    double *moment1;
    double *moment2;
    double *gradients;
};

/* Begins with the training's first parameters. False with context->message without memory; to be
 * freed in any case. */
bool kg_training_replay_make(struct kgate_context *context, const struct kg_training *training,
                             struct kg_training_replay *replay);
void kg_training_replay_free(struct kg_training_replay *replay);

/* The mean loss and the gradients of step `step`'s text with the replay's parameters as they are.
 * False with context->message without memory. */
bool kg_training_replay_pass(struct kgate_context *context, struct kg_training_replay *replay,
                             size_t step, double *loss);

/* The next step: pass and update. Likewise. */
bool kg_training_replay_step(struct kgate_context *context, struct kg_training_replay *replay,
                             double *loss);
