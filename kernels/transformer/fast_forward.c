/* 1 fast, forward and loss: products by OpenBLAS, everything else vectorised, with an exponential
 * that is only arithmetic. Biases and residuals are stored first, and products add to them, so they
 * need no pass of their own. Attention's products skip most of the masked part. */
#include <math.h>
#include <string.h>

#include "transformer/fast.h"

/* y = x weight + bias */
static void affine(const struct kg_slice *slice, size_t inputs, size_t outputs, const float *x,
                   const float *weight, const float *bias, float *y)
{
    for (size_t i = 0; i < slice->rows; i++)
        memcpy(y + i * outputs, bias, outputs * sizeof *y);
    fast_multiply(false, false, slice->rows, outputs, inputs, 1, x, inputs, weight, outputs, 1, y,
                  outputs);
}

/* y = residual + x weight + bias */
static void affine_residual(const struct kg_slice *slice, size_t inputs, const float *x,
                            const float *weight, const float *restrict bias,
                            const float *restrict residual, float *restrict y)
{
    const size_t d = slice->model->d_model;
    for (size_t i = 0; i < slice->rows; i++)
#pragma omp simd
        for (size_t j = 0; j < d; j++)
            y[i * d + j] = residual[i * d + j] + bias[j];
    fast_multiply(false, false, slice->rows, d, inputs, 1, x, inputs, weight, d, 1, y, d);
}

/* One row: sums and squares in one pass, shifted by the first element. Without the shift, a row far
 * from zero would lose its variance in the difference of two large sums (Chan, Golub and LeVeque
 * 1983). */
static void row_normalize(size_t d, const float *restrict x, const float *restrict gain,
                          const float *restrict bias, float *restrict y, float *mean_out,
                          float *scale_out)
{
    const float n = (float)d, first = x[0];
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum, squares)
    for (size_t j = 0; j < d; j++) {
        const float difference = x[j] - first;
        sum += difference;
        squares += difference * difference;
    }
    const float shifted = sum / n, mean = first + shifted;
    const float variance = fmaxf(squares / n - shifted * shifted, 0);
    const float scale = 1.0F / sqrtf(variance + (float)KG_MODEL_EPSILON);
#pragma omp simd
    for (size_t j = 0; j < d; j++)
        y[j] = gain[j] * ((x[j] - mean) * scale) + bias[j];
    *mean_out = mean;
    *scale_out = scale;
}

static void normalize(const struct kg_slice *slice, const float *x, const float *gain,
                      const float *bias, float *y, float *means, float *scales)
{
    KGATE_SCOPE("layernorm");
    const size_t d = slice->model->d_model;
    for (size_t i = 0; i < slice->rows; i++)
        row_normalize(d, x + i * d, gain, bias, y + i * d, &means[i], &scales[i]);
}

static float row_max(const float *x, size_t n)
{
    float largest = x[0];
#pragma omp simd reduction(max : largest)
    for (size_t j = 0; j < n; j++)
        largest = x[j] > largest ? x[j] : largest;
    return largest;
}

/* x = exp(x - largest); gives the sum. */
static float row_exp(float *x, size_t n, float largest)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        x[j] = kg_softmax_exp(x[j] - largest);
        sum += x[j];
    }
    return sum;
}

static void row_scale(float *x, size_t n, float scale)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        x[j] *= scale;
}

static size_t block_end(size_t from, size_t length)
{
    return from + KG_ATTENTION_BLOCK < length ? from + KG_ATTENTION_BLOCK : length;
}

/* One head of one sequence; p is T by T. */
static void head_scores(size_t length, size_t width, size_t stride, const float *q, const float *k,
                        float *p)
{
    const float scale = 1.0F / sqrtf((float)width);
    for (size_t i = 0; i < length; i += KG_ATTENTION_BLOCK) {
        const size_t end = block_end(i, length);
        fast_multiply(false, true, end - i, end, width, scale, q + i * stride, stride, k, stride, 0,
                      p + i * length, length);
    }
}

/* A row's softmax extends to a multiple of LANES, over scores set to -1e30: whole vectors are
 * faster than a remainder. Elements beyond the row's block stay unwritten, as nothing reads
 * them. */
static void head_softmax(size_t length, float *p)
{
    enum { LANES = 8 };
    for (size_t i = 0; i < length; i++) {
        float *row = p + i * length;
        const size_t end = block_end(i / KG_ATTENTION_BLOCK * KG_ATTENTION_BLOCK, length);
        const size_t lanes = (i + LANES) / LANES * LANES, n = lanes < end ? lanes : end;
        for (size_t j = i + 1; j < n; j++)
            row[j] = -1e30F;
        const float sum = row_exp(row, n, row_max(row, n));
        row_scale(row, n, 1.0F / sum);
        memset(row + n, 0, (end - n) * sizeof *row);
    }
}

static void head_weighted_sum(size_t length, size_t width, size_t stride, const float *p,
                              const float *v, float *attended, size_t d)
{
    for (size_t i = 0; i < length; i += KG_ATTENTION_BLOCK) {
        const size_t end = block_end(i, length);
        fast_multiply(false, false, end - i, width, end, 1, p + i * length, length, v, stride, 0,
                      attended + i * d, d);
    }
}

/* All heads of all sequences, step by step: a scope each. */
static void heads_attend(const struct kg_slice *slice, size_t layer)
{
    const size_t length = slice->model->seq_len, d = slice->model->d_model;
    const size_t heads = slice->model->num_heads, width = d / heads, all = slice->sequences * heads;
    const float *qkv = kg_slice_activation(slice, KG_QKV, layer);
    float *p = kg_slice_activation(slice, KG_PROBABILITIES, layer);
    float *attended = kg_slice_activation(slice, KG_ATTENDED, layer);
    {
        KGATE_SCOPE("scores");
        for (size_t h = 0; h < all; h++) {
            const float *q = qkv + h / heads * length * 3 * d + h % heads * width;
            head_scores(length, width, 3 * d, q, q + d, p + h * length * length);
        }
    }
    {
        KGATE_SCOPE("softmax");
        for (size_t h = 0; h < all; h++)
            head_softmax(length, p + h * length * length);
    }
    {
        KGATE_SCOPE("weighted_sum");
        for (size_t h = 0; h < all; h++)
            head_weighted_sum(length, width, 3 * d, p + h * length * length,
                              qkv + h / heads * length * 3 * d + 2 * d + h % heads * width,
                              attended + h / heads * length * d + h % heads * width, d);
    }
}

static void attention(const struct kg_slice *slice, size_t layer)
{
    KGATE_SCOPE("attention");
    const size_t d = slice->model->d_model;
    const float *x = kg_slice_x(slice, layer);
    float *normal = kg_slice_activation(slice, KG_ATTENTION_NORM, layer);
    normalize(slice, x, kg_slice_parameter(slice, KG_ATTENTION_NORM_GAIN, layer),
              kg_slice_parameter(slice, KG_ATTENTION_NORM_BIAS, layer), normal,
              kg_slice_activation(slice, KG_ATTENTION_MEAN, layer),
              kg_slice_activation(slice, KG_ATTENTION_SCALE, layer));
    {
        KGATE_SCOPE_ON("qkv_projection", KGATE_DEVICE_CPU, "openblas", 0);
        affine(slice, d, 3 * d, normal, kg_slice_parameter(slice, KG_QKV_WEIGHT, layer),
               kg_slice_parameter(slice, KG_QKV_BIAS, layer),
               kg_slice_activation(slice, KG_QKV, layer));
    }
    heads_attend(slice, layer);
    KGATE_SCOPE_ON("output_projection", KGATE_DEVICE_CPU, "openblas", 0);
    affine_residual(slice, d, kg_slice_activation(slice, KG_ATTENDED, layer),
                    kg_slice_parameter(slice, KG_PROJECTION_WEIGHT, layer),
                    kg_slice_parameter(slice, KG_PROJECTION_BIAS, layer), x,
                    kg_slice_activation(slice, KG_MIDDLE, layer));
}

static void gelu(size_t n, const float *restrict x, float *restrict y)
{
    KGATE_SCOPE("gelu");
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * fast_gelu_share(x[i]);
}

static void feed_forward(const struct kg_slice *slice, size_t layer)
{
    KGATE_SCOPE("feed_forward");
    const size_t d = slice->model->d_model, wide = slice->model->d_ff;
    const float *x = kg_slice_activation(slice, KG_MIDDLE, layer);
    float *normal = kg_slice_activation(slice, KG_FEED_FORWARD_NORM, layer);
    float *expanded = kg_slice_activation(slice, KG_EXPANDED, layer);
    float *hidden = kg_slice_activation(slice, KG_HIDDEN, layer);
    normalize(slice, x, kg_slice_parameter(slice, KG_FEED_FORWARD_NORM_GAIN, layer),
              kg_slice_parameter(slice, KG_FEED_FORWARD_NORM_BIAS, layer), normal,
              kg_slice_activation(slice, KG_FEED_FORWARD_MEAN, layer),
              kg_slice_activation(slice, KG_FEED_FORWARD_SCALE, layer));
    {
        KGATE_SCOPE_ON("expand", KGATE_DEVICE_CPU, "openblas", 0);
        affine(slice, d, wide, normal, kg_slice_parameter(slice, KG_EXPAND_WEIGHT, layer),
               kg_slice_parameter(slice, KG_EXPAND_BIAS, layer), expanded);
    }
    gelu(slice->rows * wide, expanded, hidden);
    KGATE_SCOPE_ON("contract", KGATE_DEVICE_CPU, "openblas", 0);
    affine_residual(slice, wide, hidden, kg_slice_parameter(slice, KG_CONTRACT_WEIGHT, layer),
                    kg_slice_parameter(slice, KG_CONTRACT_BIAS, layer), x,
                    kg_slice_x(slice, layer + 1));
}

void kg_fast_layer_forward(const struct kg_slice *slice, size_t layer)
{
    KG_LAYER_SCOPE(layer);
    attention(slice, layer);
    feed_forward(slice, layer);
}

static void embed(const struct kg_slice *slice, const uint8_t *tokens)
{
    KGATE_SCOPE("embedding");
    const size_t d = slice->model->d_model, length = slice->model->seq_len;
    const float *vectors = kg_slice_parameter(slice, KG_TOKEN_EMBEDDING, 0);
    const float *positions = kg_slice_parameter(slice, KG_POSITION_EMBEDDING, 0);
    float *x = kg_slice_x(slice, 0);
    for (size_t i = 0; i < slice->rows; i++) {
        const float *vector = vectors + tokens[i] * d, *position = positions + i % length * d;
#pragma omp simd
        for (size_t j = 0; j < d; j++)
            x[i * d + j] = vector[j] + position[j];
    }
}

static void logits(const struct kg_slice *slice)
{
    KGATE_SCOPE_ON("output_projection", KGATE_DEVICE_CPU, "openblas", 0);
    const size_t d = slice->model->d_model, all = slice->model->vocabulary;
    float *normal = kg_slice_activation(slice, KG_FINAL_NORM, 0);
    normalize(slice, kg_slice_x(slice, slice->model->layers),
              kg_slice_parameter(slice, KG_FINAL_NORM_GAIN, 0),
              kg_slice_parameter(slice, KG_FINAL_NORM_BIAS, 0), normal,
              kg_slice_activation(slice, KG_FINAL_MEAN, 0),
              kg_slice_activation(slice, KG_FINAL_SCALE, 0));
    fast_multiply(false, true, slice->rows, all, d, 1, normal, d,
                  kg_slice_parameter(slice, KG_TOKEN_EMBEDDING, 0), d, 0,
                  kg_slice_activation(slice, KG_LOGITS, 0), all);
}

void kg_fast_forward(const struct kg_slice *slice, const uint8_t *tokens)
{
    KGATE_SCOPE("forward_pass");
    embed(slice, tokens);
    for (size_t layer = 0; layer < slice->model->layers; layer++)
        kg_fast_layer_forward(slice, layer);
    logits(slice);
}

double kg_fast_loss(const struct kg_slice *slice, const uint8_t *targets)
{
    KGATE_SCOPE("loss_computation");
    const size_t all = slice->model->vocabulary;
    double loss = 0;
    for (size_t i = 0; i < slice->rows; i++) {
        float *row = kg_slice_activation(slice, KG_LOGITS, 0) + i * all;
        const float largest = row_max(row, all), target = row[targets[i]] - largest;
        const float sum = row_exp(row, all, largest);
        row_scale(row, all, slice->loss_scale / sum);
        row[targets[i]] -= slice->loss_scale;
        loss += (double)(logf(sum) - target);
    }
    return loss;
}
