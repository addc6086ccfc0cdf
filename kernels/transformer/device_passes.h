/* device_passes.h: forward, loss and backward of a model on the GPU, made of blocks (blocks.h):
 * each call puts its launches on the stream and returns. Plain C; no CUDA of its own.
 *
 * Launches with `fast`: 9 per layer forward and 9 backward, and 8 for the rest of a step, including
 * AdamW. This is 8 + 18 layers per step, and three copies per run. With `plain` 12 + 38 layers. A
 * blocking kernel cannot hold a run of more than about a thousand launches (docs/gpu.md). With
 * `fast`, the limit is 22 steps if there are 2 layers, 12 steps if 4 layers. With `timing: graph`
 * there is no such limit. */
#pragma once
#include "transformer/blocks.h"
#include "transformer/passes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A whole batch: all pointers of `slice` are to the GPU's memory. */
struct kg_device_batch {
    struct kg_slice slice;
    struct kg_blocks_space space;
    const struct kg_blocks *blocks;
    float *parameters; /* slice.parameters */
    float *losses;     /* one for each row: scratch */
};

/* Floats of the scratch that backward takes: slice.scratch. */
size_t kg_device_scratch(const struct kg_model *model, size_t rows);

/* Like the functions of struct kg_passes. */
void kg_device_layer_forward(const struct kg_device_batch *batch, size_t layer);
void kg_device_layer_backward(const struct kg_device_batch *batch, size_t layer);
void kg_device_forward(const struct kg_device_batch *batch, const uint8_t *tokens);
/* Writes the mean loss of all rows; the logits become its gradients. */
void kg_device_loss(const struct kg_device_batch *batch, const uint8_t *targets, float *loss);
void kg_device_backward(const struct kg_device_batch *batch, const uint8_t *tokens);

/* A scope "layer_3", timed on the stream too, to the end of the block. */
struct kgate_site *kg_device_layer_site(size_t layer);
#define KG_DEVICE_LAYER_SCOPE(layer, stream)                                                       \
    KGATE_PROFILER_GUARD(__COUNTER__,                                                              \
                         kgate_scope_begin_cuda(NULL, kg_device_layer_site(layer), (stream), 0))

#ifdef __cplusplus
}
#endif
