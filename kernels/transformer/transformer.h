/* transformer.h: two workloads of one model (model.h): `transformer_layer`, a block on random
 * input, and `train_epoch`, a training run on text that a grammar makes (text.h). Both measure; the
 * device's part of each is behind a pointer and a few functions (transformer_device.h). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"
#include "transformer/model.h"

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

/* For describe: false with context->message where d_model is no multiple of num_heads, the device
 * lacks the version, or parameters or the activations of `rows` tokens take too much memory. */
bool kg_transformer_possible(struct kgate_context *context, const struct kg_model *model,
                             size_t rows, enum kg_transformer_version version);

/* Fills x with NaN: what is never written must not pass a check. */
void kg_floats_blank(float *x, size_t n);

/* --- transformer_layer --------------------------------------------------------------------------
 * y = a layer of x, as model.h defines it: parameters batch, seq_len, d_model, num_heads, pass,
 * version. x uniform in [-1, 1), parameters of kg_model_randomize. With pass = backward also the
 * gradients by x and by every parameter of sum(dy * y), dy uniform in [-1, 1): forward and backward
 * together. Items are tokens, batch * seq_len; flops kg_model_layer_forward_flops a token, times
 * three with backward; bytes those of x, y and the parameters, with backward twice as many (dy, dx
 * and the gradients).
 *
 * Check: y, and with backward dx and each tensor of gradients, against double precision
 * (reference.c). The error of a tensor is its largest deviation over its largest reference value;
 * of gradients, KG_GRADIENTS_SHARE of the largest of all of them is added to it. Tolerance
 * KG_LAYER_TOLERANCE * product_unit. A dozen steps follow each other, each a sum of up to rows or
 * d_ff terms, off by about the root of their number in units of u and of the sum's typical size, of
 * which the largest value is several times: 3 to 62 u were found from 8 to 256 wide. Among rows of
 * four to six values are some that are nearly constant: layernorm divides by their small deviation,
 * and what rounding did to them grows. So the tolerance grows with the largest quotient of a value
 * and its row's deviation, where it is above KG_LAYER_CONDITION: found were 5 to 18 u times the
 * quotient, and 33 once (4 wide, batch 300). A wrong term is off by hundredths, 10^5 u. Of long
 * sequences without backward, rows at equal distances are compared, the last one among them, so
 * that their attention takes no more than KG_LAYER_PAIRS pairs of positions. */
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
    /* What run leaves; on the GPU, what fetch puts here. NaN before. */
    float *output;         /* y */
    float *input_gradient; /* dx, with backward */
    float *gradients;      /* laid out as the parameters, with backward */
    /* The unit roundoff of what the products are computed in: 2^-24 but where a version on the GPU
     * rounds their factors to less (its set_up says so). */
    double product_unit;
    void (*version)(struct kg_layer *layer);
    struct kg_layer_cpu *cpu;
    struct kg_layer_device *device;
};

/* --- train_epoch --------------------------------------------------------------------------------
 * `steps` steps of AdamW (adamw.h) from the initial parameters, each on the next `batch` sequences
 * of seq_len bytes of the text: once through it. Sequence b of step s has the bytes from
 * (s batch + b) seq_len on, and as targets those one further. A step's loss is the mean over its
 * batch * seq_len tokens, and so is its gradient. Every call begins by copying the initial
 * parameters and clearing the moments, so that all do the same work.
 *
 * Parameters layers, d_model, num_heads, seq_len, batch, steps, learning_rate, version. Items are
 * tokens, steps * batch * seq_len; flops three times kg_model_forward_flops a token; bytes 24 for
 * each parameter and step: AdamW reads and writes a parameter and its two moments. Figures of its
 * own: initial_loss and final_loss, that of the first step and the mean of the last quarter of
 * steps (nats a byte), and unigram_entropy, what guessing by the bytes' frequencies would give.
 *
 * Check, tolerance 1. In double precision the first steps are made once more, all of them where
 * that takes no more than KG_REPLAY_FLOPS, and KG_REPLAY_STEPS in any case: reference and an AdamW
 * of its own (training_replay.h), from the same first parameters. The largest of
 *   - each of these steps' losses against the replay's: relative, over KG_TRAINING_TOLERANCE *
 *     product_unit. Two runs drift apart, as what one update has changed is amplified by the next:
 *     the tolerance doubles with every KG_REPLAY_DOUBLING that the parameters go, a step by about
 *     the rate (found: 1 to 5 u at first, up to 3400 u after 0.1), and what is further than
 *     KG_REPLAY_PATH is not compared;
 *   - where that were all steps, each tensor's parameters and moments against the replay's: the
 *     root mean square of the elements' deviations, each over what it may be; the tolerance grows
 *     likewise. That is KG_REPLAY_STATE_TOLERANCE * product_unit of how far the tensor went, a
 *     rounding of the parameter a step, and what a gradient that is off by KG_TRAINING_TOLERANCE *
 *     product_unit of the tensor's largest (and of KG_GRADIENTS_SHARE of the model's) may do: to a
 *     moment as much, to a parameter the step's rate times its share of the gradients so far, at
 *     most 2. A gradient that is nearly 0 in the first steps, and AdamW divides by its size, thus
 *     explains a step the other way of that one parameter: found once in 700 models of 8 columns;
 *   - the last step's loss, and each tensor of its gradients where the rate is at most
 *     KG_TRAINING_RATE_MOST, against the reference's with the parameters that the step had
 *     (kg_adamw_undo): over KG_TRAINING_TOLERANCE * product_unit. Of gradients that is relative
 *     to the tensor's largest, as in transformer_layer, and to KG_GRADIENTS_SHARE of the model's:
 *     where attention has learned nothing yet, a layernorm's all but cancel;
 *   - infinity where a tensor is as it was at first, or has moments of nothing but 0;
 *   - final_loss over what it must be at the most: below initial_loss by more the further the
 *     parameters could go, and of a run that is long, of a wide model at a moderate rate below
 *     unigram_entropy, too: it must look at what came before (training_check.c has the figures;
 *     they hold for the defaults). Not asked of few steps, where the last quarter of them has fewer
 *     than KG_TRAINING_TOKENS tokens, since those differ by more than the fall, or of rates above
 *     KG_TRAINING_RATE_MOST, at which AdamW does not learn such models. */
#define KG_TRAINING_TOLERANCE 1024
#define KG_TRAINING_RATE_MOST 0.02
#define KG_REPLAY_FLOPS 2e10 /* one to two seconds of a core */
enum { KG_REPLAY_STEPS = 12 };
#define KG_REPLAY_PATH 0.1
#define KG_REPLAY_DOUBLING 0.02
#define KG_REPLAY_STATE_TOLERANCE 16384
enum { KG_TRAINING_TOKENS = 256 };
struct kg_training_cpu;
struct kg_training_device;

struct kg_training {
    struct kg_model model;
    size_t batch;
    size_t steps;
    double learning_rate;
    uint64_t seed;
    int threads;
    struct kgate_context *context; /* run reports by it */
    /* On the host, for both devices: made by set_up. */
    uint8_t *text;  /* steps * batch * seq_len + 1 bytes, each below the vocabulary */
    float *initial; /* the parameters that training begins with */
    double unigram_entropy;
    /* What run leaves; on the GPU, what fetch puts here. NaN before. */
    float *parameters; /* after the last step; these four laid out as model.parameters */
    float *gradients;  /* of the last step */
    float *moment1;
    float *moment2;
    /* Of each step, before its update. For the GPU page-locked: what run puts on the stream ends by
     * copying them here, so that the next run can report them without waiting. */
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
