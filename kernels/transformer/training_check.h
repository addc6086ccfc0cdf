/* training_check.h: what train_epoch's results are judged by, as transformer.h says. Pure but for
 * the memory that the check takes and gives back. */
#pragma once
#include "transformer/training_replay.h"
#include "transformer/transformer.h"

/* Bytes of text that a run needs: one more than its tokens, the last one's target. */
size_t kg_training_text_length(const struct kg_training *training);

/* The mean loss of the last quarter of the steps, at least one. */
double kg_training_final_loss(const struct kg_training *training);

/* What the final loss must be at the most, or infinity where nothing is asked: of runs too short
 * for a fall to be told from chance. */
double kg_training_demanded_loss(const struct kg_training *training);

/* How many of the first steps the check computes once more. */
size_t kg_training_replayed_steps(const struct kg_training *training);

/* Compares what lies in the training's arrays. False with context->message without memory.
 * replay  of this training, whose steps it makes where they are not made yet: a second call is
 *         compared with the same one */
bool kg_training_check(struct kgate_context *context, const struct kg_training *training,
                       struct kg_training_replay *replay, struct kgate_check *check);
