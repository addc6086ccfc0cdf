/* Level 0: the formula, one element after the other, on one thread. */
#include <math.h>

#include "attention/attention_heads.h"
#include "kgate/profiler.h"

static void product(const float *a, const float *b, float *c, size_t m, size_t n, size_t k)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += a[i * k + l] * b[l * n + j];
            c[i * n + j] = sum;
        }
}

void kg_attention_qkv_projection_plain(struct kg_attention *attention)
{
    KGATE_SCOPE("qkv_projection");
    product(attention->arrays.x, attention->arrays.w_qkv, attention->arrays.qkv,
            kg_attention_tokens(attention), 3 * attention->d_model, attention->d_model);
}

static void head_scores(const struct kg_attention *attention, const struct kg_attention_head *head)
{
    const size_t n = attention->seq_len;
    const float root = sqrtf((float)attention->d_head);
    float *s = attention->arrays.s + head->matrix;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t c = 0; c < attention->d_head; c++)
                sum += head->q[i * head->stride + c] * head->k[j * head->stride + c];
            s[i * n + j] = j < kg_attention_keys(attention, i) ? sum / root : -INFINITY;
        }
}

void kg_attention_scores_plain(struct kg_attention *attention)
{
    KGATE_SCOPE("scores");
    for (size_t h = 0; h < kg_attention_heads(attention); h++) {
        const struct kg_attention_head head = kg_attention_head_of(attention, h);
        head_scores(attention, &head);
    }
}

static void row_softmax(const float *s, float *p, size_t n)
{
    float largest = s[0], sum = 0;
    for (size_t j = 1; j < n; j++)
        largest = fmaxf(largest, s[j]);
    for (size_t j = 0; j < n; j++)
        sum += p[j] = expf(s[j] - largest);
    for (size_t j = 0; j < n; j++)
        p[j] /= sum;
}

void kg_attention_softmax_plain(struct kg_attention *attention)
{
    KGATE_SCOPE("softmax");
    const size_t n = attention->seq_len;
    for (size_t row = 0; row < kg_attention_heads(attention) * n; row++)
        row_softmax(attention->arrays.s + row * n, attention->arrays.p + row * n, n);
}

static void head_weighted_sum(const struct kg_attention *attention,
                              const struct kg_attention_head *head)
{
    const size_t n = attention->seq_len;
    const float *p = attention->arrays.p + head->matrix;
    float *h = attention->arrays.h + head->out;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < attention->d_head; c++) {
            float sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += p[i * n + j] * head->v[j * head->stride + c];
            h[i * head->h_stride + c] = sum;
        }
}

void kg_attention_weighted_sum_plain(struct kg_attention *attention)
{
    KGATE_SCOPE("weighted_sum");
    for (size_t h = 0; h < kg_attention_heads(attention); h++) {
        const struct kg_attention_head head = kg_attention_head_of(attention, h);
        head_weighted_sum(attention, &head);
    }
}

void kg_attention_output_projection_plain(struct kg_attention *attention)
{
    KGATE_SCOPE("output_projection");
    product(attention->arrays.h, attention->arrays.w_out, attention->arrays.y,
            kg_attention_tokens(attention), attention->d_model, attention->d_model);
}

void kg_attention_plain(struct kg_attention *attention)
{
    kg_attention_qkv_projection_plain(attention);
    kg_attention_scores_plain(attention);
    kg_attention_softmax_plain(attention);
    kg_attention_weighted_sum_plain(attention);
    kg_attention_output_projection_plain(attention);
}
