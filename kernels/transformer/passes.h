/* passes.h: forward, loss and backward of a model on a slice of a batch, on the CPU, three times:
 * in float as obvious loops (plain.c), in float fast (fast_forward.c, fast_backward.c), and in
 * double (reference.c), which is the first with another type (passes_template.h). All write what
 * model.h defines. A slice belongs to one thread at a time; slices of one model are independent. */
#pragma once
#include "kgate/profiler.h"
#include "transformer/model.h"

/* struct NAME: whole sequences, and where what is computed of them goes; and functions NAME_… that
 * say where a slice has a tensor; `layer` is ignored for those of the model. */
#define KG_SLICE(name, real)                                                                       \
    struct name {                                                                                  \
        const struct kg_model *model;                                                              \
        size_t sequences;                                                                          \
        size_t rows;             /* sequences * seq_len */                                         \
        struct kg_layout layout; /* of the activations */                                          \
        const real *parameters;  /* laid out as model->parameters */                               \
        real *activations;                                                                         \
        real *gradients; /* as the parameters; written, what lies between left as it is */         \
        real *stream;  /* rows by d: backward's gradient of x, from the last layer to the first */ \
        real *scratch; /* kg_slice_scratch(model, rows) of them */                                 \
        real loss_scale; /* 1 / the tokens of the whole batch: what gradients are of */            \
    };                                                                                             \
                                                                                                   \
    static inline real *name##_activation(const struct name *slice, enum kg_activation kind,       \
                                          size_t layer)                                            \
    {                                                                                              \
        return slice->activations + kg_layout_at(&slice->layout, kind, layer);                     \
    }                                                                                              \
                                                                                                   \
    static inline const real *name##_parameter(const struct name *slice, enum kg_parameter kind,   \
                                               size_t layer)                                       \
    {                                                                                              \
        return slice->parameters + kg_layout_at(&slice->model->parameters, kind, layer);           \
    }                                                                                              \
                                                                                                   \
    static inline real *name##_gradient(const struct name *slice, enum kg_parameter kind,          \
                                        size_t layer)                                              \
    {                                                                                              \
        return slice->gradients + kg_layout_at(&slice->model->parameters, kind, layer);            \
    }                                                                                              \
                                                                                                   \
    /* x before a layer; of number `layers`, after the last. */                                    \
    static inline real *name##_x(const struct name *slice, size_t layer)                           \
    {                                                                                              \
        return layer < slice->model->layers ? name##_activation(slice, KG_INPUT, layer)            \
                                            : name##_activation(slice, KG_RESULT, 0);              \
    }
KG_SLICE(kg_slice, float)
KG_SLICE(kg_reference_slice, double)

/* The fast attention goes by blocks of so many rows: of what a block does not see, above the
 * diagonal, its products take no more than a block; larger blocks have faster products. */
enum { KG_ATTENTION_BLOCK = 64 };

/* Elements of a slice's scratch. */
static inline size_t kg_slice_scratch(const struct kg_model *model, size_t rows)
{
    return rows * 5 * model->d_model + KG_ATTENTION_BLOCK * model->seq_len;
}

struct kg_passes {
    /* Reads the activation KG_INPUT of the layer; writes the layer's others, and its output to
     * KG_INPUT of the next, or to KG_RESULT. */
    void (*layer_forward)(const struct kg_slice *slice, size_t layer);
    /* From the gradient by the layer's output in `stream` makes the one by its input there, and
     * those of its parameters. */
    void (*layer_backward)(const struct kg_slice *slice, size_t layer);
    /* tokens: the slice's, one after the other */
    void (*forward)(const struct kg_slice *slice, const uint8_t *tokens);
    /* The sum of the rows' losses; the logits become the gradients by them, times loss_scale. */
    double (*loss)(const struct kg_slice *slice, const uint8_t *targets);
    void (*backward)(const struct kg_slice *slice, const uint8_t *tokens);
};
extern const struct kg_passes kg_passes_plain;
extern const struct kg_passes kg_passes_fast;

/* The same in double. */
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
