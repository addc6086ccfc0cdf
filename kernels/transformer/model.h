/* model.h: a small decoder-only transformer after GPT-2 (Radford et al. 2019), and the layout of
 * its numbers in memory. Pure functions; thread-safe.
 *
 * A sequence has T tokens t_i; d = d_model, H = num_heads, c = d / H, F = d_ff = 4 d:
 *
 *   x        = token_embedding[t] + position_embedding                             T by d;
 *   a layer:
 *     n      = layernorm(x; attention_norm);
 *     q k v  = n qkv_weight + qkv_bias              T by 3 d: all of q, all of k, all of v; head h
 *                                                   has columns h c to (h + 1) c of each;
 *     p      = softmax over j <= i of q_i . k_j / sqrt(c), for each head, 0 for j > i;
 *     x      = x + (p v) projection_weight + projection_bias;
 *     n      = layernorm(x; feed_forward_norm);
 *     x      = x + gelu(n expand_weight + expand_bias) contract_weight + contract_bias;
 *   logits   = layernorm(x; final_norm) token_embedding^T                          T by V;
 *   loss_i   = log sum_v exp(logits_iv) - logits_i,target                 cross-entropy, in nats.
 *
 * The output weight is the token embedding (tied, Press and Wolf 2017, as in GPT-2), without a
 * bias. layernorm(x; g, b) = g (x - mean) / sqrt(variance + KG_MODEL_EPSILON) + b, the variance
 * with 1 / d. gelu is the tanh approximation (Hendrycks and Gimpel 2016): gelu(x) = x / 2 (1 +
 * tanh(z)) = x / (1 + exp(-2 z)), z = sqrt(2 / pi) (x + 0.044715 x^3). No dropout. All matrices are
 * row major. A weight has its inputs as rows, so a layer is rows times weight.
 *
 * Parameters lie in ONE buffer of floats, described by a layout: first the tensors of the model,
 * then the layers', layer after layer. Gradients and AdamW's moments have the same layout. One more
 * buffer has the activations of any number of rows (tokens). Each tensor begins at a multiple of
 * KG_TENSOR_ALIGNMENT floats. The gaps are zero in the parameters and their gradients, and AdamW
 * keeps them zero. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KG_MODEL_EPSILON 1e-5
enum { KG_MODEL_VOCABULARY = 128 }; /* the text is ASCII: a token is a byte */
enum { KG_TENSOR_ALIGNMENT = 16 };  /* floats: 64 bytes */
/* Narrower than that, layernorm leaves too little of a row: of two values nothing but a sign, whose
 * gradient is all rounding. */
enum { KG_MODEL_LAYERS_MOST = 64, KG_MODEL_WIDTH_LEAST = 4 };

/* How many rows or columns a tensor has. */
enum kg_extent {
    KG_EXTENT_ONE,
    KG_EXTENT_D,          /* d_model */
    KG_EXTENT_3D,         /* 3 d_model */
    KG_EXTENT_FF,         /* d_ff */
    KG_EXTENT_SEQ,        /* seq_len */
    KG_EXTENT_HEADS_SEQ,  /* num_heads * seq_len */
    KG_EXTENT_VOCABULARY, /* vocabulary */
    KG_EXTENT_ROWS        /* the layout's own number of rows */
};

/* The parameters of the model, then the parameters of every layer. */
enum kg_parameter {
    KG_TOKEN_EMBEDDING,    /* V by d */
    KG_POSITION_EMBEDDING, /* T by d */
    KG_FINAL_NORM_GAIN,
    KG_FINAL_NORM_BIAS,
    KG_ATTENTION_NORM_GAIN, /* a layer's, from here */
    KG_ATTENTION_NORM_BIAS,
    KG_QKV_WEIGHT, /* d by 3 d */
    KG_QKV_BIAS,
    KG_PROJECTION_WEIGHT, /* d by d */
    KG_PROJECTION_BIAS,
    KG_FEED_FORWARD_NORM_GAIN,
    KG_FEED_FORWARD_NORM_BIAS,
    KG_EXPAND_WEIGHT, /* d by F */
    KG_EXPAND_BIAS,
    KG_CONTRACT_WEIGHT, /* F by d */
    KG_CONTRACT_BIAS,
    KG_PARAMETERS
};

/* Values that forward stores for backward, by rows (tokens of all sequences, one after the
 * other). */
enum kg_activation {
    KG_RESULT,      /* d: x after the last layer */
    KG_FINAL_NORM,  /* d */
    KG_FINAL_MEAN,  /* 1: of the normalised row */
    KG_FINAL_SCALE, /* 1: 1 / sqrt(variance + epsilon) */
    KG_LOGITS,      /* V */
    KG_INPUT,       /* d: x before the layer; a layer's, from here */
    KG_ATTENTION_NORM,
    KG_ATTENTION_MEAN,
    KG_ATTENTION_SCALE,
    KG_QKV,           /* 3 d */
    KG_PROBABILITIES, /* H T: a sequence's H matrices T by T, one after the other */
    KG_ATTENDED,      /* d: p v, the heads side by side */
    KG_MIDDLE,        /* d: x between attention and feed-forward */
    KG_FEED_FORWARD_NORM,
    KG_FEED_FORWARD_MEAN,
    KG_FEED_FORWARD_SCALE,
    KG_EXPANDED, /* F: before gelu */
    KG_HIDDEN,   /* F: after it */
    KG_ACTIVATIONS
};

enum { KG_TENSOR_KINDS_MOST = 24 };

/* A row of a layout's table. */
struct kg_tensor_kind {
    const char *name;
    bool of_layer; /* there is one for each layer; these come last */
    enum kg_extent rows;
    enum kg_extent columns;
};

/* Offsets of the tensors of a table, in floats. */
struct kg_layout {
    const struct kg_tensor_kind *kinds;
    size_t kind_count;
    size_t rows;                         /* KG_EXTENT_ROWS; of parameters 0 */
    bool recomputed;                     /* activations: layers share all tensors except KG_INPUT */
    size_t offset[KG_TENSOR_KINDS_MOST]; /* of the model's from the buffer's begin, of a layer's
                                            from the layer's */
    size_t layers_at;                    /* offset of the first layer */
    size_t layer_floats;                 /* from a layer to the next */
    size_t floats;                       /* of the whole buffer */
};

struct kg_model {
    size_t layers;
    size_t d_model; /* a multiple of num_heads */
    size_t num_heads;
    size_t d_ff; /* 4 d_model */
    size_t seq_len;
    size_t vocabulary;
    bool layer_only; /* a layer by itself: without parameters of the model; vocabulary 0 */
    /* Gradient checkpointing (Chen et al. 2016), each layer a segment: of a layer's activations
     * only its input is kept. backward computes the others again, layer after layer, in one buffer. */
    bool recomputed;
    struct kg_layout parameters;
};

/* A tensor of a layout: one of the model, or a layer's. */
struct kg_tensor {
    const char *name;
    size_t kind; /* index into the table */
    size_t layer;
    bool of_layer;
    size_t offset; /* from the buffer's begin */
    size_t rows;
    size_t columns;
};

/* layers may be 0: nothing but embedding and output. */
struct kg_model kg_model_make(size_t layers, size_t d_model, size_t num_heads, size_t seq_len);

/* One layer by itself: its parameters are all of the buffer. */
struct kg_model kg_model_make_layer(size_t d_model, size_t num_heads, size_t seq_len);

/* The layout of the activations of `rows` tokens. */
struct kg_layout kg_activations_layout(const struct kg_model *model, size_t rows);

/* Tensors by number, from 0 in memory order; false beyond the last. A tensor that the model lacks
 * has no rows. */
bool kg_layout_tensor(const struct kg_layout *layout, const struct kg_model *model, size_t number,
                      struct kg_tensor *tensor);

/* Offset of layer `layer` in a buffer of this layout. */
static inline size_t kg_layout_layer(const struct kg_layout *layout, size_t layer)
{
    return layout->layers_at + layer * layout->layer_floats;
}

/* Whether each layer has a tensor of this kind of its own. */
static inline bool kg_layout_is_of_layer(const struct kg_layout *layout, size_t kind)
{
    return layout->kinds[kind].of_layer && !(layout->recomputed && kind != KG_INPUT);
}

/* Offset of tensor `kind` in a buffer of this layout; shared tensors ignore `layer`. */
static inline size_t kg_layout_at(const struct kg_layout *layout, size_t kind, size_t layer)
{
    return layout->offset[kind] +
           (kg_layout_is_of_layer(layout, kind) ? kg_layout_layer(layout, layer) : 0);
}

/* The number of parameters, without the gaps between the tensors. */
size_t kg_model_parameter_count(const struct kg_model *model);

/* Writes the initial parameters of training: gains 1, biases 0, weights and embeddings uniform with
 * GPT-2's deviation 0.02. Projection and contraction have it divided by sqrt(2 layers). */
void kg_model_initialize(const struct kg_model *model, float *parameters, uint64_t seed);

/* Writes random parameters of a size that affects every gradient: gains in [0.5, 1.5), biases in
 * [-0.5, 0.5), weights uniform with deviation 1 / sqrt(rows). For checks. */
void kg_model_randomize(const struct kg_model *model, float *parameters, uint64_t seed);

/* Floating-point operations of products, one multiply-add counted as two. A token's forward pass
 * takes 2 * 12 d^2 in each layer and 2 V d for its logits; its attention 4 d for each position that
 * it sees, (T + 1) / 2 on average. Backward takes twice as much: 6 N and attention's 12 d a token
 * and position, in all (N the parameters in products; Kaplan et al. 2020). Softmax, layernorm, gelu
 * and AdamW are not counted. Of a layer: without the logits. */
double kg_model_layer_forward_flops(const struct kg_model *model); /* a token, one layer */
double kg_model_forward_flops(const struct kg_model *model);       /* a token */

#ifdef __cplusplus
}
#endif
