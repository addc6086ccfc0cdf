/* passes_template.h: forward, loss and backward as obvious loops, of no type yet: plain.c and
 * reference.c include it once each, after they define
 *
 *   REAL         float or double            SLICE        the struct of passes.h that has it
 *   PASS(name)   a pass's full name         PASS_LINKAGE static or nothing
 *   SCOPE(name), LAYER_SCOPE(layer)         scopes, or nothing
 *   EXP, LOG, SQRT, TANH                    of the type
 *   REDUCTION    before a loop that adds up `sum`: nothing, or leave to change the order
 *
 * and the products, c m by n, each added to what c holds:
 *
 *   multiply(m, n, k, a, b, c)              c += a b      a m by k, b k by n
 *   multiply_transposed(m, n, k, a, b, c)   c += a b^T    a m by k, b n by k
 *   transposed_multiply(m, n, k, a, b, c)   c += a^T b    a k by m, b k by n */
#include <string.h>

#include "transformer/steps_template.h"

/* --- A layer ------------------------------------------------------------------------------------
 */

/* Where the slice has tensor `kind`, of the model or of a layer. */
static REAL *activation(const SLICE *slice, enum kg_activation kind, size_t layer)
{
    const size_t from = kind < KG_INPUT ? 0 : kg_layout_layer(&slice->layout, layer);
    return slice->activations + from + slice->layout.offset[kind];
}

static size_t parameter_at(const SLICE *slice, enum kg_parameter kind, size_t layer)
{
    const struct kg_layout *layout = &slice->model->parameters;
    return layout->offset[kind] +
           (kind < KG_ATTENTION_NORM_GAIN ? 0 : kg_layout_layer(layout, layer));
}

static const REAL *parameter(const SLICE *slice, enum kg_parameter kind, size_t layer)
{
    return slice->parameters + parameter_at(slice, kind, layer);
}

static REAL *gradient(const SLICE *slice, enum kg_parameter kind, size_t layer)
{
    return slice->gradients + parameter_at(slice, kind, layer);
}

/* Where a layer's output goes. */
static REAL *layer_output(const SLICE *slice, size_t layer)
{
    return layer + 1 < slice->model->layers ? activation(slice, KG_INPUT, layer + 1)
                                            : activation(slice, KG_RESULT, 0);
}

static void heads_attend(const SLICE *slice, size_t layer)
{
    const size_t length = slice->model->seq_len, d = slice->model->d_model;
    const size_t heads = slice->model->num_heads, width = d / heads;
    for (size_t s = 0; s < slice->sequences; s++)
        for (size_t h = 0; h < heads; h++) {
            const REAL *q = activation(slice, KG_QKV, layer) + s * length * 3 * d + h * width;
            REAL *p =
                activation(slice, KG_PROBABILITIES, layer) + (s * heads + h) * length * length;
            REAL *attended = activation(slice, KG_ATTENDED, layer) + s * length * d + h * width;
            for (size_t i = 0; i < length; i++)
                attend(i, length, width, 3 * d, q, q + d, q + 2 * d, p + i * length,
                       attended + i * d);
        }
}

static void heads_attend_backward(const SLICE *slice, size_t layer, const REAL *dattended,
                                  REAL *dqkv, REAL *dp)
{
    const size_t length = slice->model->seq_len, d = slice->model->d_model;
    const size_t heads = slice->model->num_heads, width = d / heads;
    memset(dqkv, 0, slice->rows * 3 * d * sizeof *dqkv);
    for (size_t s = 0; s < slice->sequences; s++)
        for (size_t h = 0; h < heads; h++) {
            const size_t at = s * length * 3 * d + h * width;
            const REAL *q = activation(slice, KG_QKV, layer) + at, *qkv[] = {q, q + d, q + 2 * d};
            REAL *dq = dqkv + at, *dheads[] = {dq, dq + d, dq + 2 * d};
            const REAL *p =
                activation(slice, KG_PROBABILITIES, layer) + (s * heads + h) * length * length;
            for (size_t i = 0; i < length; i++)
                attend_backward(i, width, 3 * d, qkv, p + i * length,
                                dattended + (s * length + i) * d + h * width, dp, dheads);
        }
}

/* y = x + y */
static void residual(size_t n, const REAL *x, REAL *y)
{
    add_scaled(n, 1, x, y);
}

static void attention(const SLICE *slice, size_t layer)
{
    SCOPE("attention");
    const size_t rows = slice->rows, d = slice->model->d_model;
    const REAL *x = activation(slice, KG_INPUT, layer);
    REAL *normal = activation(slice, KG_ATTENTION_NORM, layer);
    REAL *middle = activation(slice, KG_MIDDLE, layer);
    normalize(rows, d, x, parameter(slice, KG_ATTENTION_NORM_GAIN, layer),
              parameter(slice, KG_ATTENTION_NORM_BIAS, layer), normal,
              activation(slice, KG_ATTENTION_MEAN, layer),
              activation(slice, KG_ATTENTION_SCALE, layer));
    affine(rows, d, 3 * d, normal, parameter(slice, KG_QKV_WEIGHT, layer),
           parameter(slice, KG_QKV_BIAS, layer), activation(slice, KG_QKV, layer));
    heads_attend(slice, layer);
    affine(rows, d, d, activation(slice, KG_ATTENDED, layer),
           parameter(slice, KG_PROJECTION_WEIGHT, layer),
           parameter(slice, KG_PROJECTION_BIAS, layer), middle);
    residual(rows * d, x, middle);
}

static void feed_forward(const SLICE *slice, size_t layer)
{
    SCOPE("feed_forward");
    const size_t rows = slice->rows, d = slice->model->d_model, wide = slice->model->d_ff;
    const REAL *x = activation(slice, KG_MIDDLE, layer);
    REAL *normal = activation(slice, KG_FEED_FORWARD_NORM, layer);
    REAL *expanded = activation(slice, KG_EXPANDED, layer);
    REAL *hidden = activation(slice, KG_HIDDEN, layer), *y = layer_output(slice, layer);
    normalize(rows, d, x, parameter(slice, KG_FEED_FORWARD_NORM_GAIN, layer),
              parameter(slice, KG_FEED_FORWARD_NORM_BIAS, layer), normal,
              activation(slice, KG_FEED_FORWARD_MEAN, layer),
              activation(slice, KG_FEED_FORWARD_SCALE, layer));
    affine(rows, d, wide, normal, parameter(slice, KG_EXPAND_WEIGHT, layer),
           parameter(slice, KG_EXPAND_BIAS, layer), expanded);
    for (size_t i = 0; i < rows * wide; i++)
        hidden[i] = gelu(expanded[i]);
    affine(rows, wide, d, hidden, parameter(slice, KG_CONTRACT_WEIGHT, layer),
           parameter(slice, KG_CONTRACT_BIAS, layer), y);
    residual(rows * d, x, y);
}

static void feed_forward_backward(const SLICE *slice, size_t layer)
{
    SCOPE("feed_forward");
    const size_t rows = slice->rows, d = slice->model->d_model, wide = slice->model->d_ff;
    const REAL *expanded = activation(slice, KG_EXPANDED, layer);
    REAL *dwide = slice->scratch, *dnormal = dwide + rows * wide;
    affine_backward(rows, wide, d, activation(slice, KG_HIDDEN, layer),
                    parameter(slice, KG_CONTRACT_WEIGHT, layer), slice->stream, dwide,
                    gradient(slice, KG_CONTRACT_WEIGHT, layer),
                    gradient(slice, KG_CONTRACT_BIAS, layer));
    for (size_t i = 0; i < rows * wide; i++)
        dwide[i] *= gelu_slope(expanded[i]);
    affine_backward(rows, d, wide, activation(slice, KG_FEED_FORWARD_NORM, layer),
                    parameter(slice, KG_EXPAND_WEIGHT, layer), dwide, dnormal,
                    gradient(slice, KG_EXPAND_WEIGHT, layer),
                    gradient(slice, KG_EXPAND_BIAS, layer));
    normalize_backward(rows, d, activation(slice, KG_MIDDLE, layer),
                       activation(slice, KG_FEED_FORWARD_MEAN, layer),
                       activation(slice, KG_FEED_FORWARD_SCALE, layer),
                       parameter(slice, KG_FEED_FORWARD_NORM_GAIN, layer), dnormal, slice->stream,
                       gradient(slice, KG_FEED_FORWARD_NORM_GAIN, layer),
                       gradient(slice, KG_FEED_FORWARD_NORM_BIAS, layer));
}

static void attention_backward(const SLICE *slice, size_t layer)
{
    SCOPE("attention");
    const size_t rows = slice->rows, d = slice->model->d_model;
    REAL *dqkv = slice->scratch, *dnormal = dqkv + rows * 3 * d, *dattended = dnormal + rows * d;
    affine_backward(rows, d, d, activation(slice, KG_ATTENDED, layer),
                    parameter(slice, KG_PROJECTION_WEIGHT, layer), slice->stream, dattended,
                    gradient(slice, KG_PROJECTION_WEIGHT, layer),
                    gradient(slice, KG_PROJECTION_BIAS, layer));
    heads_attend_backward(slice, layer, dattended, dqkv, dattended + rows * d);
    affine_backward(rows, d, 3 * d, activation(slice, KG_ATTENTION_NORM, layer),
                    parameter(slice, KG_QKV_WEIGHT, layer), dqkv, dnormal,
                    gradient(slice, KG_QKV_WEIGHT, layer), gradient(slice, KG_QKV_BIAS, layer));
    normalize_backward(rows, d, activation(slice, KG_INPUT, layer),
                       activation(slice, KG_ATTENTION_MEAN, layer),
                       activation(slice, KG_ATTENTION_SCALE, layer),
                       parameter(slice, KG_ATTENTION_NORM_GAIN, layer), dnormal, slice->stream,
                       gradient(slice, KG_ATTENTION_NORM_GAIN, layer),
                       gradient(slice, KG_ATTENTION_NORM_BIAS, layer));
}

PASS_LINKAGE void PASS(layer_forward)(const SLICE *slice, size_t layer)
{
    LAYER_SCOPE(layer);
    attention(slice, layer);
    feed_forward(slice, layer);
}

PASS_LINKAGE void PASS(layer_backward)(const SLICE *slice, size_t layer)
{
    LAYER_SCOPE(layer);
    REAL *gradients = slice->gradients + kg_layout_layer(&slice->model->parameters, layer);
    memset(gradients, 0, slice->model->parameters.layer_floats * sizeof *gradients);
    feed_forward_backward(slice, layer);
    attention_backward(slice, layer);
}

/* --- The model ----------------------------------------------------------------------------------
 */

static void embed(const SLICE *slice, const uint8_t *tokens)
{
    SCOPE("embedding");
    const size_t d = slice->model->d_model;
    const REAL *vectors = parameter(slice, KG_TOKEN_EMBEDDING, 0);
    const REAL *positions = parameter(slice, KG_POSITION_EMBEDDING, 0);
    REAL *x =
        slice->model->layers > 0 ? activation(slice, KG_INPUT, 0) : activation(slice, KG_RESULT, 0);
    for (size_t i = 0; i < slice->rows; i++)
        for (size_t j = 0; j < d; j++)
            x[i * d + j] =
                vectors[tokens[i] * d + j] + positions[i % slice->model->seq_len * d + j];
}

static void logits(const SLICE *slice)
{
    SCOPE("output_projection");
    const size_t rows = slice->rows, d = slice->model->d_model, all = slice->model->vocabulary;
    const REAL *vectors = parameter(slice, KG_TOKEN_EMBEDDING, 0);
    REAL *normal = activation(slice, KG_FINAL_NORM, 0), *y = activation(slice, KG_LOGITS, 0);
    normalize(rows, d, activation(slice, KG_RESULT, 0), parameter(slice, KG_FINAL_NORM_GAIN, 0),
              parameter(slice, KG_FINAL_NORM_BIAS, 0), normal, activation(slice, KG_FINAL_MEAN, 0),
              activation(slice, KG_FINAL_SCALE, 0));
    memset(y, 0, rows * all * sizeof *y);
    multiply_transposed(rows, all, d, normal, vectors, y);
}

PASS_LINKAGE void PASS(forward)(const SLICE *slice, const uint8_t *tokens)
{
    SCOPE("forward_pass");
    embed(slice, tokens);
    for (size_t layer = 0; layer < slice->model->layers; layer++)
        PASS(layer_forward)(slice, layer);
    logits(slice);
}

PASS_LINKAGE double PASS(loss)(const SLICE *slice, const uint8_t *targets)
{
    SCOPE("loss_computation");
    const size_t all = slice->model->vocabulary;
    double loss = 0;
    for (size_t i = 0; i < slice->rows; i++) {
        REAL *row = activation(slice, KG_LOGITS, 0) + i * all, largest = row[0], sum = 0;
        for (size_t j = 1; j < all; j++)
            largest = row[j] > largest ? row[j] : largest;
        const REAL target = row[targets[i]] - largest;
        for (size_t j = 0; j < all; j++)
            sum += row[j] = EXP(row[j] - largest);
        for (size_t j = 0; j < all; j++)
            row[j] = slice->loss_scale * (row[j] / sum - (j == targets[i]));
        loss += (double)(LOG(sum) - target);
    }
    return loss;
}

/* From the logits' gradients to the stream's, and to those of the token embedding as a weight. */
static void logits_backward(const SLICE *slice)
{
    SCOPE("output_projection");
    const size_t rows = slice->rows, d = slice->model->d_model, all = slice->model->vocabulary;
    const REAL *dlogits = activation(slice, KG_LOGITS, 0);
    const REAL *normal = activation(slice, KG_FINAL_NORM, 0);
    REAL *dnormal = slice->scratch;
    memset(slice->stream, 0, rows * d * sizeof *slice->stream);
    memset(dnormal, 0, rows * d * sizeof *dnormal);
    multiply(rows, d, all, dlogits, parameter(slice, KG_TOKEN_EMBEDDING, 0), dnormal);
    transposed_multiply(all, d, rows, dlogits, normal, gradient(slice, KG_TOKEN_EMBEDDING, 0));
    normalize_backward(rows, d, activation(slice, KG_RESULT, 0),
                       activation(slice, KG_FINAL_MEAN, 0), activation(slice, KG_FINAL_SCALE, 0),
                       parameter(slice, KG_FINAL_NORM_GAIN, 0), dnormal, slice->stream,
                       gradient(slice, KG_FINAL_NORM_GAIN, 0),
                       gradient(slice, KG_FINAL_NORM_BIAS, 0));
}

static void embed_backward(const SLICE *slice, const uint8_t *tokens)
{
    SCOPE("embedding");
    const size_t d = slice->model->d_model, length = slice->model->seq_len;
    for (size_t i = 0; i < slice->rows; i++) {
        add_scaled(d, 1, slice->stream + i * d,
                   gradient(slice, KG_TOKEN_EMBEDDING, 0) + tokens[i] * d);
        add_scaled(d, 1, slice->stream + i * d,
                   gradient(slice, KG_POSITION_EMBEDDING, 0) + i % length * d);
    }
}

PASS_LINKAGE void PASS(backward)(const SLICE *slice, const uint8_t *tokens)
{
    SCOPE("backward_pass");
    memset(slice->gradients, 0, slice->model->parameters.layers_at * sizeof *slice->gradients);
    logits_backward(slice);
    for (size_t layer = slice->model->layers; layer-- > 0;)
        PASS(layer_backward)(slice, layer);
    embed_backward(slice, tokens);
}
