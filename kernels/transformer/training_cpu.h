/* training_cpu.h: the CPU's part of train_epoch. */
#pragma once
#include "transformer/slices.h"
#include "transformer/transformer.h"

/* Makes training->cpu and sets the version. False with context->message; tear_down frees a partial
 * result. */
bool kg_training_cpu_set_up(struct kgate_context *context, struct kg_training *training,
                            enum kg_transformer_version version);
void kg_training_cpu_tear_down(struct kgate_context *context, struct kg_training *training);
