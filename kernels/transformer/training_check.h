/* training_check.h: the checks of train_epoch's results; transformer.h has the rules. Pure, except
 * for memory that the check takes and frees. */
#pragma once
#include "transformer/training_replay.h"
#include "transformer/transformer.h"

/* Bytes of text for a run: one per token, and the target of the last token. */
size_t kg_training_text_length(const struct kg_training *training);

/* The mean loss of the last quarter of the steps, at least one. */
double kg_training_final_loss(const struct kg_training *training);

/* The limit of the final loss. Infinity for runs whose fall cannot be distinguished from chance. */
double kg_training_demanded_loss(const struct kg_training *training);

/* Number of first steps that the check computes again. */
size_t kg_training_replayed_steps(const struct kg_training *training);

/* Compares the results in the training's arrays. False with context->message without memory.
 * replay  replay of this training. The function makes its missing steps, so a second call compares
 *         with the same replay */
bool kg_training_check(struct kgate_context *context, const struct kg_training *training,
                       struct kg_training_replay *replay, struct kgate_check *check);
