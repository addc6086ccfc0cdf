#include "transformer/device_passes.h"

#include <math.h>
#include <stdio.h>

#include "transformer/device_products.h"

#ifdef KGATE_HAVE_CUDA
/* The parts of the scratch. */
struct scratch {
    float *dnormal;        /* rows by d */
    float *dattended;      /* rows by d */
    float *dqkv;           /* rows by 3 d */
    float *dwide;          /* rows by d_ff */
    float *dprobabilities; /* as the activation */
};

static size_t aligned(size_t floats)
{
    return (floats + KG_TENSOR_ALIGNMENT - 1) / KG_TENSOR_ALIGNMENT * KG_TENSOR_ALIGNMENT;
}

static struct scratch scratch_of(const struct kg_model *model, size_t rows, float *start)
{
    struct scratch scratch = {.dnormal = start};
    scratch.dattended = scratch.dnormal + aligned(rows * model->d_model);
    scratch.dqkv = scratch.dattended + aligned(rows * model->d_model);
    scratch.dwide = scratch.dqkv + aligned(rows * 3 * model->d_model);
    scratch.dprobabilities = scratch.dwide + aligned(rows * model->d_ff);
    return scratch;
}

size_t kg_device_scratch(const struct kg_model *model, size_t rows)
{
    const size_t widths = 2 * aligned(rows * model->d_model) + aligned(rows * 3 * model->d_model) +
                          aligned(rows * model->d_ff);
    return widths + aligned(rows * model->num_heads * model->seq_len);
}

struct kgate_site *kg_device_layer_site(size_t layer)
{
    static struct kgate_site sites[KG_MODEL_LAYERS_MOST];
    static char names[KG_MODEL_LAYERS_MOST][16];
    if (!sites[layer].name) {
        snprintf(names[layer], sizeof names[layer], "layer_%u", (unsigned)layer);
        sites[layer] = (struct kgate_site){.name = names[layer],
                                           .backend = "cuda",
                                           .file = __FILE__,
                                           .line = __LINE__,
                                           .device = KGATE_DEVICE_CUDA};
    }
    return &sites[layer];
}

/* --- A layer ---------------------------------------------------------------------------------- */
#define ACTIVATION(kind) kg_slice_activation(slice, (kind), layer)
#define PARAMETER(kind) kg_slice_parameter(slice, (kind), layer)
#define GRADIENT(kind) kg_slice_gradient(slice, (kind), layer)

static void multiply(const struct kg_device_batch *batch, struct kg_product product)
{
    batch->blocks->products(&batch->space, &product, 1);
}

static void normalize(const struct kg_device_batch *batch, const float *x, const float *gain,
                      const float *bias, float *y)
{
    const struct kg_norm norm = {x, gain, bias, y, batch->slice.rows, batch->slice.model->d_model};
    batch->blocks->norm(&batch->space, &norm);
}

static void attention(const struct kg_device_batch *batch, size_t layer)
{
    KGATE_SCOPE_CUDA("attention", batch->space.stream, 0);
    const struct kg_slice *slice = &batch->slice;
    const struct kg_heads heads = kg_heads_of(slice);
    const size_t rows = slice->rows, d = slice->model->d_model;
    const float *x = ACTIVATION(KG_INPUT);
    float *normal = ACTIVATION(KG_ATTENTION_NORM), *qkv = ACTIVATION(KG_QKV);
    float *p = ACTIVATION(KG_PROBABILITIES), *attended = ACTIVATION(KG_ATTENDED);
    const struct kg_causal causal = {.x = p, .rows = rows * heads.heads, .length = heads.length};
    normalize(batch, x, PARAMETER(KG_ATTENTION_NORM_GAIN), PARAMETER(KG_ATTENTION_NORM_BIAS),
              normal);
    multiply(batch, kg_affine(rows, d, 3 * d, normal, PARAMETER(KG_QKV_WEIGHT),
                              PARAMETER(KG_QKV_BIAS), qkv));
    multiply(batch, kg_heads_to_square(heads, qkv, 3 * d, qkv + d, 3 * d,
                                       1 / sqrtf((float)heads.columns), p));
    batch->blocks->causal(&batch->space, &causal);
    multiply(batch, kg_square_times_heads(heads, false, p, qkv + 2 * d, 3 * d, attended, d));
    struct kg_product projection = kg_affine(rows, d, d, attended, PARAMETER(KG_PROJECTION_WEIGHT),
                                             PARAMETER(KG_PROJECTION_BIAS), ACTIVATION(KG_MIDDLE));
    projection.residual = x;
    multiply(batch, projection);
}

static void feed_forward(const struct kg_device_batch *batch, size_t layer)
{
    KGATE_SCOPE_CUDA("feed_forward", batch->space.stream, 0);
    const struct kg_slice *slice = &batch->slice;
    const size_t rows = slice->rows, d = slice->model->d_model, wide = slice->model->d_ff;
    const float *x = ACTIVATION(KG_MIDDLE);
    float *normal = ACTIVATION(KG_FEED_FORWARD_NORM);
    normalize(batch, x, PARAMETER(KG_FEED_FORWARD_NORM_GAIN), PARAMETER(KG_FEED_FORWARD_NORM_BIAS),
              normal);
    struct kg_product expand = kg_affine(rows, d, wide, normal, PARAMETER(KG_EXPAND_WEIGHT),
                                         PARAMETER(KG_EXPAND_BIAS), ACTIVATION(KG_EXPANDED));
    struct kg_product contract =
        kg_affine(rows, wide, d, ACTIVATION(KG_HIDDEN), PARAMETER(KG_CONTRACT_WEIGHT),
                  PARAMETER(KG_CONTRACT_BIAS), kg_slice_x(slice, layer + 1));
    expand.gelu = ACTIVATION(KG_HIDDEN);
    contract.residual = x;
    multiply(batch, expand);
    multiply(batch, contract);
}

void kg_device_layer_forward(const struct kg_device_batch *batch, size_t layer)
{
    KG_DEVICE_LAYER_SCOPE(layer, batch->space.stream);
    attention(batch, layer);
    feed_forward(batch, layer);
}

static void feed_forward_backward(const struct kg_device_batch *batch, size_t layer)
{
    KGATE_SCOPE_CUDA("feed_forward", batch->space.stream, 0);
    const struct kg_slice *slice = &batch->slice;
    const size_t rows = slice->rows, d = slice->model->d_model, wide = slice->model->d_ff;
    const struct scratch scratch = scratch_of(slice->model, rows, slice->scratch);
    struct kg_product pair[2];
    kg_affine_backward(rows, wide, d, ACTIVATION(KG_HIDDEN), PARAMETER(KG_CONTRACT_WEIGHT),
                       slice->stream, scratch.dwide, GRADIENT(KG_CONTRACT_WEIGHT),
                       GRADIENT(KG_CONTRACT_BIAS), pair);
    pair[0].slope_of = ACTIVATION(KG_EXPANDED);
    batch->blocks->products(&batch->space, pair, 2);
    kg_affine_backward(rows, d, wide, ACTIVATION(KG_FEED_FORWARD_NORM), PARAMETER(KG_EXPAND_WEIGHT),
                       scratch.dwide, scratch.dnormal, GRADIENT(KG_EXPAND_WEIGHT),
                       GRADIENT(KG_EXPAND_BIAS), pair);
    batch->blocks->products(&batch->space, pair, 2);
    const struct kg_norm_backward norm = {.x = ACTIVATION(KG_MIDDLE),
                                          .gamma = PARAMETER(KG_FEED_FORWARD_NORM_GAIN),
                                          .dy = scratch.dnormal,
                                          .dx = slice->stream,
                                          .add = true,
                                          .dgamma = GRADIENT(KG_FEED_FORWARD_NORM_GAIN),
                                          .dbeta = GRADIENT(KG_FEED_FORWARD_NORM_BIAS),
                                          .mean = ACTIVATION(KG_FEED_FORWARD_MEAN),
                                          .scale = ACTIVATION(KG_FEED_FORWARD_SCALE),
                                          .rows = rows,
                                          .cols = d};
    batch->blocks->norm_backward(&batch->space, &norm);
}

/* From dattended to dqkv. */
static void heads_backward(const struct kg_device_batch *batch, size_t layer,
                           const struct scratch *scratch)
{
    const struct kg_slice *slice = &batch->slice;
    const struct kg_heads heads = kg_heads_of(slice);
    const size_t d = slice->model->d_model;
    float *qkv = ACTIVATION(KG_QKV), *p = ACTIVATION(KG_PROBABILITIES), *dqkv = scratch->dqkv;
    const struct kg_causal causal = {.x = p,
                                     .dx = scratch->dprobabilities,
                                     .scale = 1 / sqrtf((float)heads.columns),
                                     .rows = slice->rows * heads.heads,
                                     .length = heads.length};
    const struct kg_product by_values[2] = {
        kg_heads_to_square(heads, scratch->dattended, d, qkv + 2 * d, 3 * d, 1,
                           scratch->dprobabilities),
        kg_square_times_heads(heads, true, p, scratch->dattended, d, dqkv + 2 * d, 3 * d),
    };
    const struct kg_product by_scores[2] = {
        kg_square_times_heads(heads, false, scratch->dprobabilities, qkv + d, 3 * d, dqkv, 3 * d),
        kg_square_times_heads(heads, true, scratch->dprobabilities, qkv, 3 * d, dqkv + d, 3 * d),
    };
    batch->blocks->products(&batch->space, by_values, 2);
    batch->blocks->causal_backward(&batch->space, &causal);
    batch->blocks->products(&batch->space, by_scores, 2);
}

static void attention_backward(const struct kg_device_batch *batch, size_t layer)
{
    KGATE_SCOPE_CUDA("attention", batch->space.stream, 0);
    const struct kg_slice *slice = &batch->slice;
    const size_t rows = slice->rows, d = slice->model->d_model;
    const struct scratch scratch = scratch_of(slice->model, rows, slice->scratch);
    struct kg_product pair[2];
    kg_affine_backward(rows, d, d, ACTIVATION(KG_ATTENDED), PARAMETER(KG_PROJECTION_WEIGHT),
                       slice->stream, scratch.dattended, GRADIENT(KG_PROJECTION_WEIGHT),
                       GRADIENT(KG_PROJECTION_BIAS), pair);
    batch->blocks->products(&batch->space, pair, 2);
    heads_backward(batch, layer, &scratch);
    kg_affine_backward(rows, d, 3 * d, ACTIVATION(KG_ATTENTION_NORM), PARAMETER(KG_QKV_WEIGHT),
                       scratch.dqkv, scratch.dnormal, GRADIENT(KG_QKV_WEIGHT),
                       GRADIENT(KG_QKV_BIAS), pair);
    batch->blocks->products(&batch->space, pair, 2);
    const struct kg_norm_backward norm = {.x = ACTIVATION(KG_INPUT),
                                          .gamma = PARAMETER(KG_ATTENTION_NORM_GAIN),
                                          .dy = scratch.dnormal,
                                          .dx = slice->stream,
                                          .add = true,
                                          .dgamma = GRADIENT(KG_ATTENTION_NORM_GAIN),
                                          .dbeta = GRADIENT(KG_ATTENTION_NORM_BIAS),
                                          .mean = ACTIVATION(KG_ATTENTION_MEAN),
                                          .scale = ACTIVATION(KG_ATTENTION_SCALE),
                                          .rows = rows,
                                          .cols = d};
    batch->blocks->norm_backward(&batch->space, &norm);
}

void kg_device_layer_backward(const struct kg_device_batch *batch, size_t layer)
{
    KG_DEVICE_LAYER_SCOPE(layer, batch->space.stream);
    feed_forward_backward(batch, layer);
    attention_backward(batch, layer);
}

/* --- The model -----------------------------------------------------------------------------------
 * Its tensors belong to no layer. */
static struct kg_embedding embedding_of(const struct kg_slice *slice, const uint8_t *tokens,
                                        float *vectors, float *positions, float *x)
{
    return (struct kg_embedding){.tokens = tokens,
                                 .vectors = vectors,
                                 .positions = positions,
                                 .x = x,
                                 .batch = slice->sequences,
                                 .length = slice->model->seq_len,
                                 .cols = slice->model->d_model,
                                 .vocabulary = slice->model->vocabulary};
}

static void embed(const struct kg_device_batch *batch, const uint8_t *tokens)
{
    KGATE_SCOPE_CUDA("embedding", batch->space.stream, 0);
    const struct kg_slice *slice = &batch->slice;
    const struct kg_model *model = slice->model;
    /* The blocks' struct serves both ways; forward only reads the parameters. */
    const struct kg_embedding embedding = embedding_of(
        slice, tokens, batch->parameters + kg_layout_at(&model->parameters, KG_TOKEN_EMBEDDING, 0),
        batch->parameters + kg_layout_at(&model->parameters, KG_POSITION_EMBEDDING, 0),
        kg_slice_x(slice, 0));
    batch->blocks->embedding(&batch->space, &embedding);
}

static void output_projection(const struct kg_device_batch *batch)
{
    KGATE_SCOPE_CUDA("output_projection", batch->space.stream, 0);
    const struct kg_slice *slice = &batch->slice;
    const size_t layer = 0, d = slice->model->d_model;
    float *normal = ACTIVATION(KG_FINAL_NORM);
    normalize(batch, ACTIVATION(KG_RESULT), PARAMETER(KG_FINAL_NORM_GAIN),
              PARAMETER(KG_FINAL_NORM_BIAS), normal);
    multiply(batch,
             kg_product_of(slice->rows, slice->model->vocabulary, d, kg_by_rows(normal, d),
                           kg_by_rows(PARAMETER(KG_TOKEN_EMBEDDING), d), ACTIVATION(KG_LOGITS)));
}

void kg_device_forward(const struct kg_device_batch *batch, const uint8_t *tokens)
{
    KGATE_SCOPE_CUDA("forward_pass", batch->space.stream, 0);
    embed(batch, tokens);
    for (size_t layer = 0; layer < batch->slice.model->layers; layer++)
        kg_device_layer_forward(batch, layer);
    output_projection(batch);
}

void kg_device_loss(const struct kg_device_batch *batch, const uint8_t *targets, float *loss)
{
    KGATE_SCOPE_CUDA("loss_computation", batch->space.stream, 0);
    const struct kg_slice *slice = &batch->slice;
    const size_t layer = 0;
    const struct kg_loss block = {.logits = ACTIVATION(KG_LOGITS),
                                  .targets = targets,
                                  .losses = batch->losses,
                                  .loss = loss,
                                  .rows = slice->rows,
                                  .cols = slice->model->vocabulary};
    batch->blocks->loss(&batch->space, &block);
}

/* The token embedding is the output's weight, too: here its gradient as that is written. */
static void output_projection_backward(const struct kg_device_batch *batch)
{
    KGATE_SCOPE_CUDA("output_projection", batch->space.stream, 0);
    const struct kg_slice *slice = &batch->slice;
    const size_t layer = 0, rows = slice->rows, d = slice->model->d_model;
    const size_t all = slice->model->vocabulary;
    const float *dlogits = ACTIVATION(KG_LOGITS);
    const struct scratch scratch = scratch_of(slice->model, rows, slice->scratch);
    const struct kg_product pair[2] = {
        kg_product_of(rows, d, all, kg_by_rows(dlogits, all),
                      kg_by_columns(PARAMETER(KG_TOKEN_EMBEDDING), d), scratch.dnormal),
        kg_product_of(all, d, rows, kg_by_columns(dlogits, all),
                      kg_by_columns(ACTIVATION(KG_FINAL_NORM), d), GRADIENT(KG_TOKEN_EMBEDDING)),
    };
    batch->blocks->products(&batch->space, pair, 2);
    const struct kg_norm_backward norm = {.x = ACTIVATION(KG_RESULT),
                                          .gamma = PARAMETER(KG_FINAL_NORM_GAIN),
                                          .dy = scratch.dnormal,
                                          .dx = slice->stream,
                                          .dgamma = GRADIENT(KG_FINAL_NORM_GAIN),
                                          .dbeta = GRADIENT(KG_FINAL_NORM_BIAS),
                                          .mean = ACTIVATION(KG_FINAL_MEAN),
                                          .scale = ACTIVATION(KG_FINAL_SCALE),
                                          .rows = rows,
                                          .cols = d};
    batch->blocks->norm_backward(&batch->space, &norm);
}

static void embed_backward(const struct kg_device_batch *batch, const uint8_t *tokens)
{
    KGATE_SCOPE_CUDA("embedding", batch->space.stream, 0);
    const struct kg_slice *slice = &batch->slice;
    const size_t layer = 0;
    const struct kg_embedding embedding =
        embedding_of(slice, tokens, GRADIENT(KG_TOKEN_EMBEDDING), GRADIENT(KG_POSITION_EMBEDDING),
                     slice->stream);
    batch->blocks->embedding_backward(&batch->space, &embedding);
}

void kg_device_backward(const struct kg_device_batch *batch, const uint8_t *tokens)
{
    KGATE_SCOPE_CUDA("backward_pass", batch->space.stream, 0);
    output_projection_backward(batch);
    for (size_t layer = batch->slice.model->layers; layer-- > 0;)
        kg_device_layer_backward(batch, layer);
    embed_backward(batch, tokens);
}
#endif
