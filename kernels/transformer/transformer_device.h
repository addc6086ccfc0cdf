/* transformer_device.h: the GPU's part of transformer.h's workloads. Present in every build;
 * without CUDA set_up refuses. First thread only. */
#pragma once
#include "transformer/transformer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the GPU has this version; pure, for describe. */
bool kg_transformer_device_has(enum kg_transformer_version version);

/* Makes layer->device or training->device, uploads the host's arrays, sets `version` (and
 * product_unit if it differs). False with context->message, and context->unavailable if the device
 * lacks a feature. tear_down frees a partial result. */
bool kg_layer_device_set_up(struct kgate_context *context, struct kg_layer *layer,
                            enum kg_transformer_version version);
bool kg_training_device_set_up(struct kgate_context *context, struct kg_training *training,
                               enum kg_transformer_version version);

/* Waits, and copies the results of run to the host's arrays. False with context->message. */
bool kg_layer_device_fetch(struct kgate_context *context, struct kg_layer *layer);
bool kg_training_device_fetch(struct kgate_context *context, struct kg_training *training);

/* Sets the results of run on the device to NaN. False with context->message. */
bool kg_layer_device_blank(struct kgate_context *context, struct kg_layer *layer);
bool kg_training_device_blank(struct kgate_context *context, struct kg_training *training);

/* Frees the memory of set_up; device may be NULL. */
void kg_layer_device_tear_down(struct kgate_context *context, struct kg_layer *layer);
void kg_training_device_tear_down(struct kgate_context *context, struct kg_training *training);

#ifdef __cplusplus
}
#endif
