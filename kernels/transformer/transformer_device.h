/* transformer_device.h: the GPU's part of transformer.h's workloads. Present in every build;
 * without CUDA set_up refuses. First thread only. */
#pragma once
#include "transformer/transformer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the GPU has this version; pure, for describe. */
bool kg_transformer_device_has(enum kg_transformer_version version);

/* Makes layer->device or training->device, uploads what the host has, sets `version` (and
 * product_unit where it differs). False with context->message, and context->unavailable where the
 * device lacks something; what is made by then, tear_down frees. */
bool kg_layer_device_set_up(struct kgate_context *context, struct kg_layer *layer,
                            enum kg_transformer_version version);
bool kg_training_device_set_up(struct kgate_context *context, struct kg_training *training,
                               enum kg_transformer_version version);

/* Waits, and copies what run left to the host's arrays. False with context->message. */
bool kg_layer_device_fetch(struct kgate_context *context, struct kg_layer *layer);
bool kg_training_device_fetch(struct kgate_context *context, struct kg_training *training);

/* Makes what run writes on the device not a number. False with context->message. */
bool kg_layer_device_blank(struct kgate_context *context, struct kg_layer *layer);
bool kg_training_device_blank(struct kgate_context *context, struct kg_training *training);

/* Frees what set_up made; device may be NULL. */
void kg_layer_device_tear_down(struct kgate_context *context, struct kg_layer *layer);
void kg_training_device_tear_down(struct kgate_context *context, struct kg_training *training);

#ifdef __cplusplus
}
#endif
