/* The parts' inputs and outputs: the arrays of attention.h. */
#include <math.h>
#include <stddef.h>

#include "attention/attention_heads.h"
#include "common/bf16.h"
#include "common/common.h"

/* --- The parts ------------------------------------------------------------------------------- */

#define BIT(array) (1U << KG_ATTENTION_##array)

static const struct {
    unsigned inputs; /* bits 1 << enum kg_attention_array */
    enum kg_attention_array output;
} parts[KG_ATTENTION_PARTS] = {
    [KG_ATTENTION_QKV_PROJECTION] = {BIT(X) | BIT(W_QKV), KG_ATTENTION_QKV},
    [KG_ATTENTION_SCORES] = {BIT(QKV), KG_ATTENTION_S},
    [KG_ATTENTION_SOFTMAX] = {BIT(S), KG_ATTENTION_P},
    [KG_ATTENTION_WEIGHTED_SUM] = {BIT(QKV) | BIT(P), KG_ATTENTION_H},
    [KG_ATTENTION_OUTPUT_PROJECTION] = {BIT(H) | BIT(W_OUT), KG_ATTENTION_Y},
    [KG_ATTENTION_WHOLE] = {BIT(X) | BIT(W_QKV) | BIT(W_OUT), KG_ATTENTION_Y},
};

unsigned kg_attention_inputs(enum kg_attention_part part)
{
    return parts[part].inputs;
}

enum kg_attention_array kg_attention_output(enum kg_attention_part part)
{
    return parts[part].output;
}

/* --- The arrays ------------------------------------------------------------------------------ */

float **kg_attention_array(struct kg_attention_arrays *arrays, enum kg_attention_array array)
{
    static const size_t offsets[KG_ATTENTION_ARRAYS] = {
        [KG_ATTENTION_X] = offsetof(struct kg_attention_arrays, x),
        [KG_ATTENTION_W_QKV] = offsetof(struct kg_attention_arrays, w_qkv),
        [KG_ATTENTION_QKV] = offsetof(struct kg_attention_arrays, qkv),
        [KG_ATTENTION_S] = offsetof(struct kg_attention_arrays, s),
        [KG_ATTENTION_P] = offsetof(struct kg_attention_arrays, p),
        [KG_ATTENTION_H] = offsetof(struct kg_attention_arrays, h),
        [KG_ATTENTION_W_OUT] = offsetof(struct kg_attention_arrays, w_out),
        [KG_ATTENTION_Y] = offsetof(struct kg_attention_arrays, y),
    };
    return (float **)(void *)((char *)arrays + offsets[array]);
}

/* An array's extents, rows and columns. Their product may exceed a size_t. */
static void extents_of(const struct kg_attention *attention, enum kg_attention_array array,
                       uint64_t *rows, uint64_t *columns)
{
    const uint64_t tokens = kg_attention_tokens(attention), d = attention->d_model;
    const uint64_t n = attention->seq_len;
    switch (array) {
    case KG_ATTENTION_S:
    case KG_ATTENTION_P:
        *rows = attention->batch * attention->num_heads;
        *columns = n * n;
        return;
    case KG_ATTENTION_W_QKV:
    case KG_ATTENTION_W_OUT:
        *rows = d;
        *columns = array == KG_ATTENTION_W_QKV ? 3 * d : d;
        return;
    default:
        *rows = tokens;
        *columns = array == KG_ATTENTION_QKV ? 3 * d : d;
    }
}

size_t kg_attention_floats(const struct kg_attention *attention, enum kg_attention_array array)
{
    uint64_t rows, columns;
    extents_of(attention, array, &rows, &columns);
    return rows * columns;
}

uint64_t kg_attention_bytes(const struct kg_attention *attention, enum kg_attention_array array)
{
    uint64_t rows, columns;
    extents_of(attention, array, &rows, &columns);
    return kg_array_bytes((int64_t)rows, (int64_t)columns, sizeof(float));
}

size_t kg_attention_stored_bytes(const struct kg_attention *attention,
                                 enum kg_attention_array array)
{
    const bool bf16 = attention->type == KG_ATTENTION_BF16 && array != KG_ATTENTION_Y;
    return kg_attention_floats(attention, array) * (bf16 ? sizeof(uint16_t) : sizeof(float));
}

/* Rows of a matrix of scores: masked elements become `masked`, any other r becomes add + r *
 * scale. */
static void matrix_fill(const struct kg_attention *attention, float *x, float add, float scale,
                        float masked)
{
    const size_t n = attention->seq_len, rows = kg_attention_heads(attention) * n;
#pragma omp parallel for num_threads(attention->threads) schedule(static)
    for (size_t row = 0; row < rows; row++)
        for (size_t j = 0; j < n; j++)
            x[row * n + j] =
                j < kg_attention_keys(attention, row % n) ? add + scale * x[row * n + j] : masked;
}

static void values_scale(const struct kg_attention *attention, float *x, size_t n, float scale)
{
    const bool bf16 = attention->type == KG_ATTENTION_BF16;
#pragma omp parallel for num_threads(attention->threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        x[i] = bf16 ? kg_bf16_value(kg_bf16_round(scale * x[i])) : scale * x[i];
}

void kg_attention_fill(const struct kg_attention *attention, enum kg_attention_array array,
                       float *x)
{
    const size_t n = kg_attention_floats(attention, array);
    const float per_key = 1 / (float)attention->seq_len;
    kg_fill_floats(x, n, attention->seed + (uint64_t)array, (unsigned)attention->threads);
    if (array == KG_ATTENTION_S)
        matrix_fill(attention, x, 0, 8, -INFINITY);
    else if (array == KG_ATTENTION_P)
        matrix_fill(attention, x, per_key, per_key, 0);
    else if (array == KG_ATTENTION_W_QKV || array == KG_ATTENTION_W_OUT)
        values_scale(attention, x, n, 4 / sqrtf((float)attention->d_model));
    else
        values_scale(attention, x, n, array == KG_ATTENTION_QKV ? 2 : 1);
}
