/* passes_template.h: forward, loss and backward as obvious loops for any type. plain.c and
 * reference.c each include it once. Before, they define
 *
 *   REAL         float or double            SLICE        the struct of passes.h for REAL;
 *   AT(name)     its functions;
 *   PASS(name)   a pass's full name         PASS_LINKAGE static or nothing;
 *   SCOPE(name), LAYER_SCOPE(layer)         scopes, or nothing;
 *   EXP, LOG, SQRT, TANH                    functions of the type;
 *   REDUCTION    before a loop that adds up `sum`: nothing, or leave to change the order;
 *
 * and the products, c m by n, each added to c:
 *
 *   multiply(m, n, k, a, b, c)              c += a b      a m by k, b k by n;
 *   multiply_transposed(m, n, k, a, b, c)   c += a b^T    a m by k, b n by k;
 *   transposed_multiply(m, n, k, a, b, c)   c += a^T b    a k by m, b k by n. */
#include <string.h>

#include "transformer/steps_template.h"

/* --- A layer ---------------------------------------------------------------------------------- */

static void heads_attend(const SLICE *slice, size_t layer)
{
    const size_t length = slice->model->seq_len, d = slice->model->d_model;
    const size_t heads = slice->model->num_heads, width = d / heads;
    const size_t every = slice->attending > 0 ? slice->attending : 1;
    for (size_t s = 0; s < slice->sequences; s++)
        for (size_t h = 0; h < heads; h++) {
            const REAL *q = AT(activation)(slice, KG_QKV, layer) + s * length * 3 * d + h * width;
            REAL *p =
                AT(activation)(slice, KG_PROBABILITIES, layer) + (s * heads + h) * length * length;
            REAL *attended = AT(activation)(slice, KG_ATTENDED, layer) + s * length * d + h * width;
            for (size_t i = (length - 1) % every; i < length; i += every)
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
            const REAL *q = AT(activation)(slice, KG_QKV, layer) + at,
                       *qkv[] = {q, q + d, q + 2 * d};
            REAL *dq = dqkv + at, *dheads[] = {dq, dq + d, dq + 2 * d};
            const REAL *p =
                AT(activation)(slice, KG_PROBABILITIES, layer) + (s * heads + h) * length * length;
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
    const REAL *x = AT(x)(slice, layer);
    REAL *normal = AT(activation)(slice, KG_ATTENTION_NORM, layer);
    REAL *middle = AT(activation)(slice, KG_MIDDLE, layer);
    normalize(rows, d, x, AT(parameter)(slice, KG_ATTENTION_NORM_GAIN, layer),
              AT(parameter)(slice, KG_ATTENTION_NORM_BIAS, layer), normal,
              AT(activation)(slice, KG_ATTENTION_MEAN, layer),
              AT(activation)(slice, KG_ATTENTION_SCALE, layer));
    affine(rows, d, 3 * d, normal, AT(parameter)(slice, KG_QKV_WEIGHT, layer),
           AT(parameter)(slice, KG_QKV_BIAS, layer), AT(activation)(slice, KG_QKV, layer));
    heads_attend(slice, layer);
    affine(rows, d, d, AT(activation)(slice, KG_ATTENDED, layer),
           AT(parameter)(slice, KG_PROJECTION_WEIGHT, layer),
           AT(parameter)(slice, KG_PROJECTION_BIAS, layer), middle);
    residual(rows * d, x, middle);
}

static void feed_forward(const SLICE *slice, size_t layer)
{
    SCOPE("feed_forward");
    const size_t rows = slice->rows, d = slice->model->d_model, wide = slice->model->d_ff;
    const REAL *x = AT(activation)(slice, KG_MIDDLE, layer);
    REAL *normal = AT(activation)(slice, KG_FEED_FORWARD_NORM, layer);
    REAL *expanded = AT(activation)(slice, KG_EXPANDED, layer);
    REAL *hidden = AT(activation)(slice, KG_HIDDEN, layer), *y = AT(x)(slice, layer + 1);
    normalize(rows, d, x, AT(parameter)(slice, KG_FEED_FORWARD_NORM_GAIN, layer),
              AT(parameter)(slice, KG_FEED_FORWARD_NORM_BIAS, layer), normal,
              AT(activation)(slice, KG_FEED_FORWARD_MEAN, layer),
              AT(activation)(slice, KG_FEED_FORWARD_SCALE, layer));
    affine(rows, d, wide, normal, AT(parameter)(slice, KG_EXPAND_WEIGHT, layer),
           AT(parameter)(slice, KG_EXPAND_BIAS, layer), expanded);
    for (size_t i = 0; i < rows * wide; i++)
        hidden[i] = gelu(expanded[i]);
    affine(rows, wide, d, hidden, AT(parameter)(slice, KG_CONTRACT_WEIGHT, layer),
           AT(parameter)(slice, KG_CONTRACT_BIAS, layer), y);
    residual(rows * d, x, y);
}

static void feed_forward_backward(const SLICE *slice, size_t layer)
{
    SCOPE("feed_forward");
    const size_t rows = slice->rows, d = slice->model->d_model, wide = slice->model->d_ff;
    const REAL *expanded = AT(activation)(slice, KG_EXPANDED, layer);
    REAL *dwide = slice->scratch, *dnormal = dwide + rows * wide;
    affine_backward(rows, wide, d, AT(activation)(slice, KG_HIDDEN, layer),
                    AT(parameter)(slice, KG_CONTRACT_WEIGHT, layer), slice->stream, dwide,
                    AT(gradient)(slice, KG_CONTRACT_WEIGHT, layer),
                    AT(gradient)(slice, KG_CONTRACT_BIAS, layer));
    for (size_t i = 0; i < rows * wide; i++)
        dwide[i] *= gelu_slope(expanded[i]);
    affine_backward(rows, d, wide, AT(activation)(slice, KG_FEED_FORWARD_NORM, layer),
                    AT(parameter)(slice, KG_EXPAND_WEIGHT, layer), dwide, dnormal,
                    AT(gradient)(slice, KG_EXPAND_WEIGHT, layer),
                    AT(gradient)(slice, KG_EXPAND_BIAS, layer));
    normalize_backward(rows, d, AT(activation)(slice, KG_MIDDLE, layer),
                       AT(activation)(slice, KG_FEED_FORWARD_MEAN, layer),
                       AT(activation)(slice, KG_FEED_FORWARD_SCALE, layer),
                       AT(parameter)(slice, KG_FEED_FORWARD_NORM_GAIN, layer), dnormal,
                       slice->stream, AT(gradient)(slice, KG_FEED_FORWARD_NORM_GAIN, layer),
                       AT(gradient)(slice, KG_FEED_FORWARD_NORM_BIAS, layer));
}

static void attention_backward(const SLICE *slice, size_t layer)
{
    SCOPE("attention");
    const size_t rows = slice->rows, d = slice->model->d_model;
    REAL *dqkv = slice->scratch, *dnormal = dqkv + rows * 3 * d, *dattended = dnormal + rows * d;
    affine_backward(rows, d, d, AT(activation)(slice, KG_ATTENDED, layer),
                    AT(parameter)(slice, KG_PROJECTION_WEIGHT, layer), slice->stream, dattended,
                    AT(gradient)(slice, KG_PROJECTION_WEIGHT, layer),
                    AT(gradient)(slice, KG_PROJECTION_BIAS, layer));
    heads_attend_backward(slice, layer, dattended, dqkv, dattended + rows * d);
    affine_backward(rows, d, 3 * d, AT(activation)(slice, KG_ATTENTION_NORM, layer),
                    AT(parameter)(slice, KG_QKV_WEIGHT, layer), dqkv, dnormal,
                    AT(gradient)(slice, KG_QKV_WEIGHT, layer),
                    AT(gradient)(slice, KG_QKV_BIAS, layer));
    normalize_backward(rows, d, AT(x)(slice, layer),
                       AT(activation)(slice, KG_ATTENTION_MEAN, layer),
                       AT(activation)(slice, KG_ATTENTION_SCALE, layer),
                       AT(parameter)(slice, KG_ATTENTION_NORM_GAIN, layer), dnormal, slice->stream,
                       AT(gradient)(slice, KG_ATTENTION_NORM_GAIN, layer),
                       AT(gradient)(slice, KG_ATTENTION_NORM_BIAS, layer));
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

/* --- The model -------------------------------------------------------------------------------- */

static void embed(const SLICE *slice, const uint8_t *tokens)
{
    SCOPE("embedding");
    const size_t d = slice->model->d_model;
    const REAL *vectors = AT(parameter)(slice, KG_TOKEN_EMBEDDING, 0);
    const REAL *positions = AT(parameter)(slice, KG_POSITION_EMBEDDING, 0);
    REAL *x = slice->model->layers > 0 ? AT(activation)(slice, KG_INPUT, 0)
                                       : AT(x)(slice, slice->model->layers);
    for (size_t i = 0; i < slice->rows; i++)
        for (size_t j = 0; j < d; j++)
            x[i * d + j] =
                vectors[tokens[i] * d + j] + positions[i % slice->model->seq_len * d + j];
}

static void logits(const SLICE *slice)
{
    SCOPE("output_projection");
    const size_t rows = slice->rows, d = slice->model->d_model, all = slice->model->vocabulary;
    const REAL *vectors = AT(parameter)(slice, KG_TOKEN_EMBEDDING, 0);
    REAL *normal = AT(activation)(slice, KG_FINAL_NORM, 0),
         *y = AT(activation)(slice, KG_LOGITS, 0);
    normalize(rows, d, AT(x)(slice, slice->model->layers),
              AT(parameter)(slice, KG_FINAL_NORM_GAIN, 0),
              AT(parameter)(slice, KG_FINAL_NORM_BIAS, 0), normal,
              AT(activation)(slice, KG_FINAL_MEAN, 0), AT(activation)(slice, KG_FINAL_SCALE, 0));
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
        REAL *row = AT(activation)(slice, KG_LOGITS, 0) + i * all, largest = row[0], sum = 0;
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

/* From the logits' gradients to the stream's gradients, and to the gradients of the token embedding
 * as output weight. */
static void logits_backward(const SLICE *slice)
{
    SCOPE("output_projection");
    const size_t rows = slice->rows, d = slice->model->d_model, all = slice->model->vocabulary;
    const REAL *dlogits = AT(activation)(slice, KG_LOGITS, 0);
    const REAL *normal = AT(activation)(slice, KG_FINAL_NORM, 0);
    REAL *dnormal = slice->scratch;
    memset(slice->stream, 0, rows * d * sizeof *slice->stream);
    memset(dnormal, 0, rows * d * sizeof *dnormal);
    multiply(rows, d, all, dlogits, AT(parameter)(slice, KG_TOKEN_EMBEDDING, 0), dnormal);
    transposed_multiply(all, d, rows, dlogits, normal, AT(gradient)(slice, KG_TOKEN_EMBEDDING, 0));
    normalize_backward(
        rows, d, AT(x)(slice, slice->model->layers), AT(activation)(slice, KG_FINAL_MEAN, 0),
        AT(activation)(slice, KG_FINAL_SCALE, 0), AT(parameter)(slice, KG_FINAL_NORM_GAIN, 0),
        dnormal, slice->stream, AT(gradient)(slice, KG_FINAL_NORM_GAIN, 0),
        AT(gradient)(slice, KG_FINAL_NORM_BIAS, 0));
}

static void embed_backward(const SLICE *slice, const uint8_t *tokens)
{
    SCOPE("embedding");
    const size_t d = slice->model->d_model, length = slice->model->seq_len;
    for (size_t i = 0; i < slice->rows; i++) {
        add_scaled(d, 1, slice->stream + i * d,
                   AT(gradient)(slice, KG_TOKEN_EMBEDDING, 0) + tokens[i] * d);
        add_scaled(d, 1, slice->stream + i * d,
                   AT(gradient)(slice, KG_POSITION_EMBEDDING, 0) + i % length * d);
    }
}

PASS_LINKAGE void PASS(backward)(const SLICE *slice, const uint8_t *tokens)
{
    SCOPE("backward_pass");
    memset(slice->gradients, 0, slice->model->parameters.layers_at * sizeof *slice->gradients);
    logits_backward(slice);
    for (size_t layer = slice->model->layers; layer-- > 0;) {
        if (kg_is_recomputed(slice->model, layer))
            PASS(layer_forward)(slice, layer);
        PASS(layer_backward)(slice, layer);
    }
    embed_backward(slice, tokens);
}
