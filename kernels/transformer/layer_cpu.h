/* layer_cpu.h: the CPU's part of transformer_layer. */
#pragma once
#include "transformer/slices.h"
#include "transformer/transformer.h"

/* Makes layer->cpu and sets the version. False with context->message; tear_down frees a partial
 * result. */
bool kg_layer_cpu_set_up(struct kgate_context *context, struct kg_layer *layer,
                         enum kg_transformer_version version);
/* Copies the results of run to the layer's arrays. Always true. */
bool kg_layer_cpu_fetch(struct kg_layer *layer);
/* Sets the results of run to NaN. Always true. */
bool kg_layer_cpu_blank(struct kg_layer *layer);
void kg_layer_cpu_tear_down(struct kgate_context *context, struct kg_layer *layer);
