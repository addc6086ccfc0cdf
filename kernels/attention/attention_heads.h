/* attention_heads.h: the operands of one head of one sequence for the products. Pure. */
#pragma once
#include "attention/attention.h"

struct kg_attention_head {
    const float *q; /* seq_len rows of d_head, `stride` apart, as in k and v */
    const float *k;
    const float *v;
    size_t matrix; /* offset of its seq_len by seq_len scores in S and in P */
    size_t out;    /* offset of its first row in H: rows of d_head, `h_stride` apart */
    size_t stride;
    size_t h_stride;
};

static inline size_t kg_attention_heads(const struct kg_attention *attention)
{
    return attention->batch * attention->num_heads;
}

/* Needs an attention with Q, K and V. head counts through the heads of the first sequence, then
 * those of the next. */
static inline struct kg_attention_head kg_attention_head_of(const struct kg_attention *attention,
                                                            size_t head)
{
    const size_t n = attention->seq_len, d_model = attention->d_model;
    const size_t first = head / attention->num_heads * n; /* token */
    const size_t column = head % attention->num_heads * attention->d_head;
    const float *q = attention->arrays.qkv + first * 3 * d_model + column;
    return (struct kg_attention_head){
        .q = q,
        .k = q + d_model,
        .v = q + 2 * d_model,
        .matrix = n * n * head,
        .out = first * d_model + column,
        .stride = 3 * d_model,
        .h_stride = d_model,
    };
}

/* How many keys query i sees. */
static inline size_t kg_attention_keys(const struct kg_attention *attention, size_t i)
{
    return attention->causal ? i + 1 : attention->seq_len;
}
