/* 1 fast, backward: like fast_forward.c. The gradients of biases, gains and weights are sums over
 * rows. One pass or one product writes them for all rows of the slice. */
#include <math.h>
#include <string.h>

#include "transformer/fast.h"

/* sums = the sums of the columns of x, rows by n. */
static void column_sums(size_t rows, size_t n, const float *restrict x, float *restrict sums)
{
    memset(sums, 0, n * sizeof *sums);
    for (size_t i = 0; i < rows; i++)
#pragma omp simd
        for (size_t j = 0; j < n; j++)
            sums[j] += x[i * n + j];
}

/* dx = dy weight^T, dweight = x^T dy, dbias the sums of dy's columns. */
static void affine_backward(const struct kg_slice *slice, size_t layer, size_t inputs,
                            size_t outputs, const float *x, enum kg_parameter weight,
                            enum kg_parameter bias, const float *dy, float *dx)
{
    fast_multiply(false, true, slice->rows, inputs, outputs, 1, dy, outputs,
                  kg_slice_parameter(slice, weight, layer), outputs, 0, dx, inputs);
    fast_multiply(true, false, inputs, outputs, slice->rows, 1, x, inputs, dy, outputs, 0,
                  kg_slice_gradient(slice, weight, layer), outputs);
    column_sums(slice->rows, outputs, dy, kg_slice_gradient(slice, bias, layer));
}

/* One row of layernorm's backward. Adds scale (g - mean(g) - n mean(g n)) to dx, with n = (x -
 * mean) scale and g = gain dy. Adds the row's gradients to dgain and dbias. */
static void row_normalize_backward(size_t d, const float *restrict x, float mean, float scale,
                                   const float *restrict gain, const float *restrict dy,
                                   float *restrict dx, float *restrict dgain, float *restrict dbias)
{
    float sum = 0, sum_normal = 0;
#pragma omp simd reduction(+ : sum, sum_normal)
    for (size_t j = 0; j < d; j++) {
        const float normal = (x[j] - mean) * scale, g = gain[j] * dy[j];
        sum += g;
        sum_normal += g * normal;
        dgain[j] += dy[j] * normal;
        dbias[j] += dy[j];
    }
    sum /= (float)d;
    sum_normal /= (float)d;
#pragma omp simd
    for (size_t j = 0; j < d; j++) {
        const float normal = (x[j] - mean) * scale;
        dx[j] += scale * (gain[j] * dy[j] - sum - normal * sum_normal);
    }
}

/* The activations and parameters of one layernorm: statistics and bias come after their mates. */
struct norm {
    const float *x;
    enum kg_activation mean;
    enum kg_parameter gain;
};

static void normalize_backward(const struct kg_slice *slice, size_t layer, struct norm norm,
                               const float *dy)
{
    KGATE_SCOPE("layernorm");
    const size_t d = slice->model->d_model;
    const float *means = kg_slice_activation(slice, norm.mean, layer);
    const float *scales = kg_slice_activation(slice, norm.mean + 1, layer);
    const float *gain = kg_slice_parameter(slice, norm.gain, layer);
    float *dgain = kg_slice_gradient(slice, norm.gain, layer);
    float *dbias = kg_slice_gradient(slice, norm.gain + 1, layer);
    memset(dgain, 0, d * sizeof *dgain);
    memset(dbias, 0, d * sizeof *dbias);
    for (size_t i = 0; i < slice->rows; i++)
        row_normalize_backward(d, norm.x + i * d, means[i], scales[i], gain, dy + i * d,
                               slice->stream + i * d, dgain, dbias);
}

/* x *= gelu'(at), with s = gelu's share: gelu' = s + at s (1 - s) 2 z'. */
static void gelu_backward(size_t n, const float *restrict at, float *restrict x)
{
    KGATE_SCOPE("gelu");
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        const float s = fast_gelu_share(at[i]);
        const float slope = 1.595769122F * (1.0F + 0.134145F * at[i] * at[i]); /* 2 z' */
        x[i] *= s + at[i] * s * (1.0F - s) * slope;
    }
}

static void feed_forward_backward(const struct kg_slice *slice, size_t layer)
{
    KGATE_SCOPE("feed_forward");
    const size_t rows = slice->rows, d = slice->model->d_model, wide = slice->model->d_ff;
    float *dwide = slice->scratch, *dnormal = dwide + rows * wide;
    {
        KGATE_SCOPE_ON("contract", KGATE_DEVICE_CPU, "openblas", 0);
        affine_backward(slice, layer, wide, d, kg_slice_activation(slice, KG_HIDDEN, layer),
                        KG_CONTRACT_WEIGHT, KG_CONTRACT_BIAS, slice->stream, dwide);
    }
    gelu_backward(rows * wide, kg_slice_activation(slice, KG_EXPANDED, layer), dwide);
    {
        KGATE_SCOPE_ON("expand", KGATE_DEVICE_CPU, "openblas", 0);
        affine_backward(slice, layer, d, wide,
                        kg_slice_activation(slice, KG_FEED_FORWARD_NORM, layer), KG_EXPAND_WEIGHT,
                        KG_EXPAND_BIAS, dwide, dnormal);
    }
    const struct norm norm = {kg_slice_activation(slice, KG_MIDDLE, layer), KG_FEED_FORWARD_MEAN,
                              KG_FEED_FORWARD_NORM_GAIN};
    normalize_backward(slice, layer, norm, dnormal);
}

/* From the gradients by probabilities, rows first to last of a head, to those by scores:
 * ds = scale p (dp - sum p dp). Both blocks are `columns` wide, zero above the diagonal of p. */
static void scores_backward(size_t rows, size_t columns, size_t stride, float scale, const float *p,
                            float *dp)
{
    for (size_t i = 0; i < rows; i++) {
        const float *restrict row = p + i * stride;
        float *restrict drow = dp + i * columns, sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < columns; j++)
            sum += row[j] * drow[j];
#pragma omp simd
        for (size_t j = 0; j < columns; j++)
            drow[j] = scale * row[j] * (drow[j] - sum);
    }
}

/* One head of one sequence in attention's backward. */
struct head {
    const float *q; /* k and v are d and 2 d further, as are their gradients */
    const float *p;
    const float *dattended;
    float *dq;
};

/* Rows `from` to `end`, which see the first `end` positions. Adds to the gradients by k and v,
 * since later rows contribute to earlier positions. */
static void block_backward(const struct kg_slice *slice, struct head head, size_t from, size_t end)
{
    const size_t length = slice->model->seq_len, d = slice->model->d_model, stride = 3 * d;
    const size_t width = d / slice->model->num_heads, rows = end - from;
    const float *p = head.p + from * length, *dattended = head.dattended + from * d;
    float *dp = slice->scratch + slice->rows * 5 * d;
    fast_multiply(false, true, rows, end, width, 1, dattended, d, head.q + 2 * d, stride, 0, dp,
                  end);
    fast_multiply(true, false, end, width, rows, 1, p, length, dattended, d, 1, head.dq + 2 * d,
                  stride);
    scores_backward(rows, end, length, 1.0F / sqrtf((float)width), p, dp);
    fast_multiply(false, false, rows, width, end, 1, dp, end, head.q + d, stride, 0,
                  head.dq + from * stride, stride);
    fast_multiply(true, false, end, width, rows, 1, dp, end, head.q + from * stride, stride, 1,
                  head.dq + d, stride);
}

static void heads_attend_backward(const struct kg_slice *slice, size_t layer,
                                  const float *dattended, float *dqkv)
{
    KGATE_SCOPE("heads");
    const size_t length = slice->model->seq_len, d = slice->model->d_model;
    const size_t heads = slice->model->num_heads, width = d / heads;
    memset(dqkv, 0, slice->rows * 3 * d * sizeof *dqkv);
    for (size_t h = 0; h < slice->sequences * heads; h++) {
        const size_t first = h / heads * length, column = h % heads * width;
        const struct head head = {
            .q = kg_slice_activation(slice, KG_QKV, layer) + first * 3 * d + column,
            .p = kg_slice_activation(slice, KG_PROBABILITIES, layer) + h * length * length,
            .dattended = dattended + first * d + column,
            .dq = dqkv + first * 3 * d + column,
        };
        for (size_t i = 0; i < length; i += KG_ATTENTION_BLOCK)
            block_backward(slice, head, i,
                           i + KG_ATTENTION_BLOCK < length ? i + KG_ATTENTION_BLOCK : length);
    }
}

static void attention_backward(const struct kg_slice *slice, size_t layer)
{
    KGATE_SCOPE("attention");
    const size_t rows = slice->rows, d = slice->model->d_model;
    float *dqkv = slice->scratch, *dnormal = dqkv + rows * 3 * d, *dattended = dnormal + rows * d;
    {
        KGATE_SCOPE_ON("output_projection", KGATE_DEVICE_CPU, "openblas", 0);
        affine_backward(slice, layer, d, d, kg_slice_activation(slice, KG_ATTENDED, layer),
                        KG_PROJECTION_WEIGHT, KG_PROJECTION_BIAS, slice->stream, dattended);
    }
    heads_attend_backward(slice, layer, dattended, dqkv);
    {
        KGATE_SCOPE_ON("qkv_projection", KGATE_DEVICE_CPU, "openblas", 0);
        affine_backward(slice, layer, d, 3 * d,
                        kg_slice_activation(slice, KG_ATTENTION_NORM, layer), KG_QKV_WEIGHT,
                        KG_QKV_BIAS, dqkv, dnormal);
    }
    const struct norm norm = {kg_slice_x(slice, layer), KG_ATTENTION_MEAN, KG_ATTENTION_NORM_GAIN};
    normalize_backward(slice, layer, norm, dnormal);
}

static void fast_layer_backward(const struct kg_slice *slice, size_t layer)
{
    KG_LAYER_SCOPE(layer);
    feed_forward_backward(slice, layer);
    attention_backward(slice, layer);
}

static void logits_backward(const struct kg_slice *slice)
{
    KGATE_SCOPE_ON("output_projection", KGATE_DEVICE_CPU, "openblas", 0);
    const size_t rows = slice->rows, d = slice->model->d_model, all = slice->model->vocabulary;
    const float *dlogits = kg_slice_activation(slice, KG_LOGITS, 0);
    const struct norm norm = {kg_slice_x(slice, slice->model->layers), KG_FINAL_MEAN,
                              KG_FINAL_NORM_GAIN};
    fast_multiply(false, false, rows, d, all, 1, dlogits, all,
                  kg_slice_parameter(slice, KG_TOKEN_EMBEDDING, 0), d, 0, slice->scratch, d);
    fast_multiply(true, false, all, d, rows, 1, dlogits, all,
                  kg_slice_activation(slice, KG_FINAL_NORM, 0), d, 0,
                  kg_slice_gradient(slice, KG_TOKEN_EMBEDDING, 0), d);
    memset(slice->stream, 0, rows * d * sizeof *slice->stream);
    normalize_backward(slice, 0, norm, slice->scratch);
}

static void embed_backward(const struct kg_slice *slice, const uint8_t *tokens)
{
    KGATE_SCOPE("embedding");
    const size_t d = slice->model->d_model, length = slice->model->seq_len;
    float *vectors = kg_slice_gradient(slice, KG_TOKEN_EMBEDDING, 0);
    float *positions = kg_slice_gradient(slice, KG_POSITION_EMBEDDING, 0);
    memset(positions, 0, length * d * sizeof *positions);
    for (size_t i = 0; i < slice->rows; i++) {
        const float *restrict row = slice->stream + i * d;
        float *restrict vector = vectors + tokens[i] * d;
        float *restrict position = positions + i % length * d;
#pragma omp simd
        for (size_t j = 0; j < d; j++) {
            vector[j] += row[j];
            position[j] += row[j];
        }
    }
}

static void fast_backward(const struct kg_slice *slice, const uint8_t *tokens)
{
    KGATE_SCOPE("backward_pass");
    logits_backward(slice);
    for (size_t layer = slice->model->layers; layer-- > 0;) {
        if (kg_is_recomputed(slice->model, layer))
            kg_fast_layer_forward(slice, layer);
        fast_layer_backward(slice, layer);
    }
    embed_backward(slice, tokens);
}

const struct kg_passes kg_passes_fast = {
    .layer_forward = kg_fast_layer_forward,
    .layer_backward = fast_layer_backward,
    .forward = kg_fast_forward,
    .loss = kg_fast_loss,
    .backward = fast_backward,
};
