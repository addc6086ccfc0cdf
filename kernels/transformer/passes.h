/* passes.h: forward, loss and backward of a model on a slice of a batch, on the CPU, in three ways.
 * plain.c has obvious loops in float; fast_forward.c and fast_backward.c are fast, in float.
 * reference.c has the same loops in double (passes_template.h). All write the values that model.h
 * defines. A slice belongs to one thread at a time; slices of one model are independent. */
#pragma once
#include "kgate/profiler.h"
#include "transformer/model.h"

#define REAL float
#define SLICE kg_slice
#include "transformer/slice_template.h"

#define REAL double
#define SLICE kg_reference_slice
#include "transformer/slice_template.h"

/* Rows per block of the fast attention. A block's products include at most a square of this size
 * above the diagonal, which is masked. Larger blocks have faster products. */
enum { KG_ATTENTION_BLOCK = 64 };

/* Elements of a slice's scratch. */
static inline size_t kg_slice_scratch(const struct kg_model *model, size_t rows)
{
    return rows * 5 * model->d_model + KG_ATTENTION_BLOCK * model->seq_len;
}

/* Whether backward runs the layer's forward pass again. The last layer's activations are still there. */
static inline bool kg_is_recomputed(const struct kg_model *model, size_t layer)
{
    return model->recomputed && layer + 1 < model->layers;
}

struct kg_passes {
    /* Reads the activation KG_INPUT of the layer; writes the layer's others, and its output to
     * KG_INPUT of the next, or to KG_RESULT. */
    void (*layer_forward)(const struct kg_slice *slice, size_t layer);
    /* Replaces the gradient by the layer's output in `stream` by the gradient by its input, and
     * makes the gradients of the layer's parameters. */
    void (*layer_backward)(const struct kg_slice *slice, size_t layer);
    /* tokens: the slice's, one after the other */
    void (*forward)(const struct kg_slice *slice, const uint8_t *tokens);
    /* The sum of the rows' losses; the logits become the gradients by them, times loss_scale. */
    double (*loss)(const struct kg_slice *slice, const uint8_t *targets);
    void (*backward)(const struct kg_slice *slice, const uint8_t *tokens);
};
extern const struct kg_passes kg_passes_plain;
extern const struct kg_passes kg_passes_fast;

/* The passes in double. */
void kg_reference_layer_forward(const struct kg_reference_slice *slice, size_t layer);
void kg_reference_layer_backward(const struct kg_reference_slice *slice, size_t layer);
void kg_reference_forward(const struct kg_reference_slice *slice, const uint8_t *tokens);
double kg_reference_loss(const struct kg_reference_slice *slice, const uint8_t *targets);
void kg_reference_backward(const struct kg_reference_slice *slice, const uint8_t *tokens);

/* A scope of <kgate/profiler.h> named "layer_3", to the end of the block. */
struct kgate_scope kg_layer_scope_begin(size_t layer);
#define KG_LAYER_SCOPE(layer)                                                                      \
    struct kgate_scope layer_scope __attribute__((cleanup(kgate_scope_end), unused)) =             \
        kg_layer_scope_begin(layer)
