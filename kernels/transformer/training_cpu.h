/* training_cpu.h: the CPU's part of train_epoch. */
#pragma once
#include "transformer/slices.h"
#include "transformer/transformer.h"

/* Makes training->cpu and sets the version. False with context->message; what is made by then,
 * tear_down frees. */
bool kg_training_cpu_set_up(struct kgate_context *context, struct kg_training *training,
                            enum kg_transformer_version version);
void kg_training_cpu_tear_down(struct kgate_context *context, struct kg_training *training);
