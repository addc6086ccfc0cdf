/* transformer.h: two workloads of one model (model.h): `transformer_layer`, a block on random
 * input, and `train_epoch`, a training run on text that a grammar makes (text.h). Both measure; the
 * device's part of each is behind a pointer and a few functions (transformer_device.h). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"
#include "transformer/model.h"
#include "transformer/quantize.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The versions, the same for both workloads and both devices. On the CPU: plain, one thread and the
 * formulas as loops (plain.c); fast, all threads over slices of the batch, vectorised, products by
 * OpenBLAS (slices.h, fast_forward.c, fast_backward.c). On the GPU as blocks.h says. */
enum kg_transformer_version { KG_TRANSFORMER_PLAIN, KG_TRANSFORMER_FAST };
extern const char *const kg_transformer_versions[];
#define KG_TRANSFORMER_VERSION_PARAM                                                               \
    {                                                                                              \
        .name = "version", .type = KGATE_PARAM_CHOICE, .default_text = "fast",                     \
        .choices = kg_transformer_versions,                                                        \
        .help = "plain: obvious loops, fast: all threads, vectorised, products by OpenBLAS; on "   \
                "the GPU plain: a thread an element, fast: tiles, steps fused"                     \
    }

/* For describe. False with context->message if d_model is no multiple of num_heads, or the device
 * lacks the version. Also if parameters or the activations of `rows` tokens take too much
 * memory. */
bool kg_transformer_possible(struct kgate_context *context, const struct kg_model *model,
                             size_t rows, enum kg_transformer_version version);

/* Fills x with NaN: unwritten elements must not pass a check. */
void kg_floats_blank(float *x, size_t n);

/* --- transformer_layer --------------------------------------------------------------------------
 * y = a layer of x, as model.h defines it. Parameters: batch, seq_len, d_model, num_heads, pass,
 * version. x is uniform in [-1, 1), parameters come from kg_model_randomize. With pass = backward,
 * forward and backward run together. backward gives the gradients of sum(dy * y) by x and by every
 * parameter, with dy uniform in [-1, 1). Items are tokens, batch * seq_len. flops:
 * kg_model_layer_forward_flops per token, three times as many with backward. bytes: x, y and the
 * parameters, twice as many with backward (dy, dx and the gradients).
 *
 * Check: y, and with backward dx and each tensor of gradients, against double precision
 * (reference.c). The error of a tensor is its largest deviation over its largest reference value.
 * For gradients, KG_GRADIENTS_SHARE of the largest of all gradients is added to this value.
 * Tolerance KG_LAYER_TOLERANCE * product_unit. A dozen steps follow each other, each a sum of up to
 * rows or d_ff terms. The error of a sum is about the root of the number of terms, in units of u
 * and of the sum's typical size. The largest value is several times this size. Measured errors: 3
 * to 62 u, for widths from 8 to 256.
 *
 * Rows of four to six values can be nearly constant: layernorm divides by their small deviation,
 * and earlier rounding errors grow. So the tolerance grows with the largest quotient of a value and
 * its row's deviation, above KG_LAYER_CONDITION. Measured errors: 5 to 18 u times the quotient, and
 * 33 once (4 wide, batch 300). A wrong term changes the result by hundredths, 10^5 u.
 *
 * For long sequences without backward, the check compares rows at equal distances, including the
 * last one. Their attention takes at most KG_LAYER_PAIRS pairs of positions. */
#define KG_LAYER_TOLERANCE 256
#define KG_LAYER_CONDITION 4
#define KG_LAYER_PAIRS 5e7
struct kg_layer_cpu;
struct kg_layer_device;

struct kg_layer {
    struct kg_model model; /* of kg_model_make_layer */
    size_t batch;
    bool backward;
    uint64_t seed;
    int threads;
    /* On the host, for both devices: made by set_up. Rows are batch * seq_len. */
    float *parameters;      /* of one layer: model.parameters.floats */
    float *input;           /* x: rows by d */
    float *output_gradient; /* dy, with backward */
    /* Results of run; on the GPU, fetch copies them here. NaN before. */
    float *output;         /* y */
    float *input_gradient; /* dx, with backward */
    float *gradients;      /* laid out as the parameters, with backward */
    /* The unit roundoff of the products' factors: 2^-24, unless a version on the GPU rounds them to
     * fewer bits (its set_up sets it). */
    double product_unit;
    void (*version)(struct kg_layer *layer);
    struct kg_layer_cpu *cpu;
    struct kg_layer_device *device;
};

/* --- train_epoch --------------------------------------------------------------------------------
 * `steps` steps of AdamW (adamw.h) from the initial parameters. Each step takes the next `batch`
 * sequences of seq_len bytes of the text, once through it. Sequence b of step s has the bytes from
 * (s batch + b) seq_len on. Its targets are the bytes one further. A step's loss is the mean over
 * its batch * seq_len tokens, and so is its gradient. Every call begins by copying the initial
 * parameters and clearing the moments, so that all calls do the same work.
 *
 * Parameters: layers, d_model, num_heads, seq_len, batch, steps, learning_rate, activations,
 * quantization, version. With `activations` recomputed, backward repeats the forward pass of each
 * layer (gradient checkpointing, model.h). `quantization` rounds the weights (quantize.h). Both are
 * for the CPU. Items are tokens, steps * batch * seq_len. flops: three times kg_model_forward_flops
 * per token, also with repeated passes. bytes: 24 per parameter and step, as AdamW reads and writes
 * a parameter and its two moments. Reported values, in nats per byte: initial_loss is the first
 * step's loss, final_loss the mean of the last quarter of steps. unigram_entropy is the loss of a
 * guess by the bytes' frequencies.
 *
 * Check, tolerance 1. A replay in double precision makes the first steps again: the reference, and
 * an AdamW of its own (training_replay.h), from the same first parameters. It makes all steps if
 * they take at most KG_REPLAY_FLOPS, and at least KG_REPLAY_STEPS. The error is the largest of:
 *   - each replayed step's loss against the replay: relative, over KG_TRAINING_TOLERANCE *
 *     product_unit. Two runs drift apart, as each update amplifies earlier differences. So the
 *     tolerance doubles with every KG_REPLAY_DOUBLING of the parameters' path, about the rate per
 *     step. Measured: 1 to 5 u at first, up to 3400 u after a path of 0.1. Steps beyond
 *     KG_REPLAY_PATH are not compared;
 *   - if the replay has all steps: each tensor's parameters and moments against the replay. The
 *     error is the root mean square of the elements' deviations, each divided by its limit. The
 *     limit grows like the tolerance above. It has three parts: KG_REPLAY_STATE_TOLERANCE *
 *     product_unit of the tensor's path, one rounding of the parameter per step, and the effect of
 *     a gradient's error. A gradient's error is KG_TRAINING_TOLERANCE * product_unit of the
 *     tensor's largest gradient (plus KG_GRADIENTS_SHARE of the model's). It changes a moment by as
 *     much. It changes a parameter by the step's rate times its share of the gradients so far, at
 *     most 2. AdamW divides by a gradient's size. So a gradient near 0 in the first steps explains
 *     a step of its parameter in the opposite direction: found once in 700 models of 8 columns;
 *   - the last step's loss against the reference with the parameters of this step (kg_adamw_undo),
 *     over KG_TRAINING_TOLERANCE * product_unit. If the rate is at most KG_TRAINING_RATE_MOST, also
 *     each tensor of its gradients. A gradient's error is relative to the tensor's largest, as in
 *     transformer_layer, plus KG_GRADIENTS_SHARE of the model's. Before attention has learned
 *     anything, the gradients of a layernorm nearly cancel;
 *   - with quantization, a weight halfway between two points may go to either, and later steps
 *     differ. So losses of replayed steps after the first one have the tolerance KG_QUANTIZED_LOSS,
 *     and the replay's parameters are not compared. The last step's passes are compared at the
 *     points that they used. These must be points of the quantization, and no farther from the
 *     weights than the nearest ones, within KG_POINT_TOLERANCE steps;
 *   - infinity if a tensor still has its first values, or has moments of only 0;
 *   - final_loss over its limit. The limit is below initial_loss, by more if the parameters could
 *     go further. For a long run of a wide model at a moderate rate it is also below
 *     unigram_entropy: the model must use the preceding bytes. training_check.c has the numbers,
 *     which hold for the defaults. There is no limit if the last quarter of steps has fewer than
 *     KG_TRAINING_TOKENS tokens: such losses differ by more than the fall. There is none for rates
 *     above KG_TRAINING_RATE_MOST, at which AdamW does not learn such models. */
#define KG_TRAINING_TOLERANCE 1024
#define KG_TRAINING_RATE_MOST 0.02
#define KG_REPLAY_FLOPS 2e10 /* one to two seconds of a core */
enum { KG_REPLAY_STEPS = 12 };
#define KG_REPLAY_PATH 0.1
#define KG_REPLAY_DOUBLING 0.02
#define KG_REPLAY_STATE_TOLERANCE 16384
enum { KG_TRAINING_TOKENS = 256 };
#define KG_QUANTIZED_LOSS 0.02
#define KG_POINT_TOLERANCE 0.01
struct kg_training_cpu;
struct kg_training_device;

struct kg_training {
    struct kg_model model;
    size_t batch;
    size_t steps;
    double learning_rate;
    enum kg_quantization quantization; /* of the weights in forward and backward */
    uint64_t seed;
    int threads;
    struct kgate_context *context; /* run reports by it */
    /* On the host, for both devices: made by set_up. */
    uint8_t *text;  /* steps * batch * seq_len + 1 bytes, each below the vocabulary */
    float *initial; /* the parameters that training begins with */
    double unigram_entropy;
    /* Results of run; on the GPU, fetch copies them here. NaN before. */
    float *parameters; /* after the last step; these four laid out as model.parameters */
    float *gradients;  /* of the last step */
    float *moment1;
    float *moment2;
    float *quantized; /* parameters of the last step's passes; NULL without quantization */
    /* Loss of each step, before its update. For the GPU page-locked: the work of run on the stream
     * ends with a copy to here. So the next run can report the losses without waiting. */
    float *losses;
    double product_unit; /* as in struct kg_layer */
    void (*version)(struct kg_training *training);
    struct kg_training_cpu *cpu;
    struct kg_training_device *device;
};

extern const struct kgate_workload kg_kernel_transformer_layer;
extern const struct kgate_workload kg_kernel_train_epoch;

#ifdef __cplusplus
}
#endif
