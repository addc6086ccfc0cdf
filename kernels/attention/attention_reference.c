/* Attention in double precision, a row at a time, with what rounding is expected to leave in each
 * element: attention.h says how it adds up. An array called …_error holds such expectations. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "attention/attention_heads.h"
#include "common/common.h"
#include "util/random.h"

static double square(double x)
{
    return x * x;
}

/* u and v: how far off one rounding is of what accumulates, and of what is multiplied. */
static double rounding_u(void)
{
    return (double)FLT_EPSILON / 2;
}

static double rounding_v(const struct kg_attention *attention)
{
    return attention->type == KG_ATTENTION_BF16 ? 0x1p-9 : rounding_u();
}

/* The square of the error of a sum of n products is this times the sum of their squares. */
static double product_factor(const struct kg_attention *attention, size_t n)
{
    return square(rounding_u()) * (double)n + square(2 * rounding_v(attention));
}

/* --- One row of each component ------------------------------------------------------------------
 */

/* y = x W, of columns `column` to column + n of W, which has `width` of them. x_error may be NULL.
 * error  n doubles; squares until the end */
static void row_project(const struct kg_attention *attention, const double *x,
                        const double *x_error, const float *w, size_t width, size_t column,
                        size_t n, double *y, double *error)
{
    const size_t depth = attention->d_model;
    const double factor = product_factor(attention, depth);
    for (size_t c = 0; c < n; c++)
        y[c] = error[c] = 0;
    for (size_t l = 0; l < depth; l++) {
        const float *row = w + l * width + column;
        const double size = factor * square(x[l]) + (x_error ? square(x_error[l]) : 0);
#pragma omp simd
        for (size_t c = 0; c < n; c++) {
            const double element = (double)row[c];
            y[c] += x[l] * element;
            error[c] += size * element * element;
        }
    }
    for (size_t c = 0; c < n; c++)
        error[c] = sqrt(error[c]);
}

static void floats_load(const float *x, size_t n, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (double)x[i];
}

/* What a head's rows are compared with: K and V of one sequence, seq_len by d_head. */
struct reference {
    const struct kg_attention *attention;
    double *k;
    double *k_error;
    double *v;
    double *v_error;
    double *q; /* of one row: d_head */
    double *q_error;
    double *s; /* likewise: seq_len */
    double *s_error;
    double *out; /* of the rows checked in a sequence, each d_model */
    double *out_error;
    double *value; /* of one row of the result */
    double *error;
    double *x; /* of all rows of X that a sequence has, or of one of a component's input */
};

/* s = q K^T / sqrt(d_head) of the first `keys` keys. */
static void row_scores(const struct reference *reference, size_t keys)
{
    const size_t depth = reference->attention->d_head;
    const double factor = product_factor(reference->attention, depth), root = sqrt((double)depth);
    for (size_t j = 0; j < keys; j++) {
        const double *k = reference->k + j * depth, *k_error = reference->k_error + j * depth;
        double sum = 0, size = 0;
        for (size_t c = 0; c < depth; c++) {
            sum += reference->q[c] * k[c];
            size += factor * square(reference->q[c] * k[c]) + square(reference->q_error[c] * k[c]) +
                    square(reference->q[c] * k_error[c]);
        }
        reference->s[j] = sum / root;
        reference->s_error[j] = sqrt(size) / root + rounding_u() * fabs(reference->s[j]);
    }
}

/* Replaces `keys` scores by their softmax, and their errors by those of what it gives. */
static void row_softmax(const struct reference *reference, size_t keys)
{
    double *s = reference->s, *error = reference->s_error;
    double largest = s[0], sum = 0, common = 0;
    for (size_t j = 1; j < keys; j++)
        largest = fmax(largest, s[j]);
    for (size_t j = 0; j < keys; j++) {
        error[j] += rounding_u() * (2 + largest - s[j]);
        s[j] = exp(s[j] - largest);
        sum += s[j];
    }
    for (size_t j = 0; j < keys; j++) {
        s[j] /= sum;
        common += square(s[j] * error[j]);
    }
    common += square(rounding_u()) * (double)keys;
    for (size_t j = 0; j < keys; j++)
        error[j] = s[j] * sqrt(square(error[j]) + common);
}

/* out = p V, p being what row_softmax left. */
static void row_weighted_sum(const struct reference *reference, size_t keys, double *out,
                             double *out_error)
{
    const size_t depth = reference->attention->d_head;
    const double factor = product_factor(reference->attention, keys);
    for (size_t c = 0; c < depth; c++)
        out[c] = out_error[c] = 0;
    for (size_t j = 0; j < keys; j++) {
        const double *v = reference->v + j * depth, *v_error = reference->v_error + j * depth;
        const double p = reference->s[j];
        const double size = square(reference->s_error[j]) + factor * square(p);
        for (size_t c = 0; c < depth; c++) {
            out[c] += p * v[c];
            out_error[c] += size * square(v[c]) + square(p * v_error[c]);
        }
    }
    for (size_t c = 0; c < depth; c++)
        out_error[c] = sqrt(out_error[c]);
}

/* --- Comparing ----------------------------------------------------------------------------------
 */

static double row_worst(const float *found, const double *value, const double *error, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        const double off = fabs((double)found[i] - value[i]);
        worst = kg_worse(worst, off > 0 ? off / (error[i] + (double)FLT_MIN) : off);
    }
    return worst;
}

/* What is masked must be exactly that. */
static double rest_worst(const float *found, float masked, size_t from, size_t n)
{
    for (size_t j = from; j < n; j++)
        if (!(found[j] <= masked && found[j] >= masked))
            return INFINITY;
    return 0;
}

static double projection_worst(const struct reference *reference, size_t row)
{
    const struct kg_attention *attention = reference->attention;
    const struct kg_attention_arrays *arrays = &attention->arrays;
    const bool first = attention->part == KG_ATTENTION_QKV_PROJECTION;
    const size_t depth = attention->d_model, n = first ? 3 * depth : depth;
    floats_load((first ? arrays->x : arrays->h) + row * depth, depth, reference->x);
    row_project(attention, reference->x, NULL, first ? arrays->w_qkv : arrays->w_out, n, 0, n,
                reference->value, reference->error);
    return row_worst((first ? arrays->qkv : arrays->y) + row * n, reference->value,
                     reference->error, n);
}

/* Rows of d_head that lie `stride` apart, without errors. */
static void matrix_load(const float *x, size_t stride, size_t rows, size_t depth, double *y,
                        double *error)
{
    for (size_t j = 0; j < rows; j++) {
        floats_load(x + j * stride, depth, y + j * depth);
        for (size_t c = 0; c < depth; c++)
            error[j * depth + c] = 0;
    }
}

static double scores_worst(const struct reference *reference, size_t row)
{
    const struct kg_attention *attention = reference->attention;
    const size_t n = attention->seq_len, i = row % n, keys = kg_attention_keys(attention, i);
    const struct kg_attention_head head = kg_attention_head_of(attention, row / n);
    matrix_load(head.k, head.stride, keys, attention->d_head, reference->k, reference->k_error);
    matrix_load(head.q + i * head.stride, 0, 1, attention->d_head, reference->q,
                reference->q_error);
    row_scores(reference, keys);
    const float *s = attention->arrays.s + row * n;
    return kg_worse(row_worst(s, reference->s, reference->s_error, keys),
                    rest_worst(s, -INFINITY, keys, n));
}

static double softmax_worst(const struct reference *reference, size_t row)
{
    const struct kg_attention *attention = reference->attention;
    const size_t n = attention->seq_len, keys = kg_attention_keys(attention, row % n);
    matrix_load(attention->arrays.s + row * n, 0, 1, keys, reference->s, reference->s_error);
    row_softmax(reference, keys);
    return kg_worse(
        row_worst(attention->arrays.p + row * n, reference->s, reference->s_error, keys),
        rest_worst(attention->arrays.p + row * n, 0, keys, n));
}

static double weighted_sum_worst(const struct reference *reference, size_t row)
{
    const struct kg_attention *attention = reference->attention;
    const size_t n = attention->seq_len, i = row % n, depth = attention->d_head;
    const struct kg_attention_head head = kg_attention_head_of(attention, row / n);
    const size_t keys = kg_attention_keys(attention, i);
    matrix_load(head.v, head.stride, keys, depth, reference->v, reference->v_error);
    matrix_load(attention->arrays.p + row * n, 0, 1, keys, reference->s, reference->s_error);
    row_weighted_sum(reference, keys, reference->value, reference->error);
    return row_worst(attention->arrays.h + head.out + i * head.h_stride, reference->value,
                     reference->error, depth);
}

/* --- The whole ----------------------------------------------------------------------------------
 */

/* Keys and values of one head of one sequence, from X. */
static void head_project(const struct reference *reference, size_t sequence, size_t head)
{
    const struct kg_attention *attention = reference->attention;
    const size_t d = attention->d_model, depth = attention->d_head;
#pragma omp parallel for num_threads(attention->threads) schedule(static)
    for (size_t j = 0; j < attention->seq_len; j++) {
        const float *token = attention->arrays.x + (sequence * attention->seq_len + j) * d;
        double *x = reference->x + j * d, *k = reference->k + j * depth;
        floats_load(token, d, x);
        row_project(attention, x, NULL, attention->arrays.w_qkv, 3 * d, d + head * depth, depth, k,
                    reference->k_error + j * depth);
        row_project(attention, x, NULL, attention->arrays.w_qkv, 3 * d, 2 * d + head * depth, depth,
                    reference->v + j * depth, reference->v_error + j * depth);
    }
}

/* Row `slot` of reference->out: head `head` of query i of the sequence whose X, K and V are there.
 */
static void head_attend(const struct reference *reference, size_t head, size_t i, size_t slot)
{
    const struct kg_attention *attention = reference->attention;
    const size_t d = attention->d_model, depth = attention->d_head;
    const size_t keys = kg_attention_keys(attention, i), at = slot * d + head * depth;
    row_project(attention, reference->x + i * d, NULL, attention->arrays.w_qkv, 3 * d, head * depth,
                depth, reference->q, reference->q_error);
    row_scores(reference, keys);
    row_softmax(reference, keys);
    row_weighted_sum(reference, keys, reference->out + at, reference->out_error + at);
}

/* The given rows of one sequence. */
static double sequence_worst(const struct reference *reference, size_t sequence, const size_t *rows,
                             size_t count)
{
    const struct kg_attention *attention = reference->attention;
    const size_t d = attention->d_model;
    double worst = 0;
    for (size_t head = 0; head < attention->num_heads; head++) {
        head_project(reference, sequence, head);
        for (size_t r = 0; r < count; r++)
            head_attend(reference, head, rows[r], r);
    }
    for (size_t r = 0; r < count; r++) {
        row_project(attention, reference->out + r * d, reference->out_error + r * d,
                    attention->arrays.w_out, d, 0, d, reference->value, reference->error);
        const float *y = attention->arrays.y + (sequence * attention->seq_len + rows[r]) * d;
        worst = kg_worse(worst, row_worst(y, reference->value, reference->error, d));
    }
    return worst;
}

/* --- Which rows ---------------------------------------------------------------------------------
 */

/* All of `all` rows, or the first, the last and others at random; how many. */
static size_t rows_choose(struct kg_random *random, size_t all, size_t *rows)
{
    const size_t count = all < KG_ATTENTION_CHECKED ? all : KG_ATTENTION_CHECKED;
    for (size_t r = 0; r < count; r++)
        rows[r] = count == all ? r : (size_t)kg_random_below(random, all);
    rows[0] = 0;
    rows[count - 1] = all - 1;
    return count;
}

static double whole_worst(const struct reference *reference)
{
    const struct kg_attention *attention = reference->attention;
    struct kg_random random = {attention->seed};
    const bool all = attention->batch <= KG_ATTENTION_SEQUENCES ||
                     kg_attention_tokens(attention) <= KG_ATTENTION_CHECKED;
    const size_t count = all ? attention->batch : KG_ATTENTION_SEQUENCES;
    size_t rows[KG_ATTENTION_CHECKED];
    double worst = 0;
    for (size_t b = 0; b < count; b++) {
        const size_t sequence = all ? b : (size_t)kg_random_below(&random, attention->batch);
        const size_t checked = rows_choose(&random, attention->seq_len, rows);
        worst = kg_worse(worst, sequence_worst(reference, sequence, rows, checked));
    }
    return worst;
}

static double (*const row_checks[KG_ATTENTION_WHOLE])(const struct reference *reference,
                                                      size_t row) = {
    [KG_ATTENTION_QKV_PROJECTION] = projection_worst,
    [KG_ATTENTION_SCORES] = scores_worst,
    [KG_ATTENTION_SOFTMAX] = softmax_worst,
    [KG_ATTENTION_WEIGHTED_SUM] = weighted_sum_worst,
    [KG_ATTENTION_OUTPUT_PROJECTION] = projection_worst,
};

static double component_worst(const struct reference *reference)
{
    const struct kg_attention *attention = reference->attention;
    const bool projects = row_checks[attention->part] == projection_worst;
    const size_t all = projects ? kg_attention_tokens(attention)
                                : kg_attention_heads(attention) * attention->seq_len;
    struct kg_random random = {attention->seed};
    size_t rows[KG_ATTENTION_CHECKED];
    const size_t count = rows_choose(&random, all, rows);
    double worst = 0;
    for (size_t r = 0; r < count; r++)
        worst = kg_worse(worst, row_checks[attention->part](reference, rows[r]));
    return worst;
}

/* NaN where an element of the result is. */
static double unwritten(const struct kg_attention *attention)
{
    struct kg_attention_arrays arrays = attention->arrays;
    const enum kg_attention_array output = kg_attention_output(attention->part);
    const float *result = *kg_attention_array(&arrays, output);
    const size_t n = kg_attention_floats(attention, output);
    for (size_t i = 0; i < n; i++)
        if (isnan(result[i]))
            return NAN;
    return 0;
}

bool kg_attention_error(const struct kg_attention *attention, double *error)
{
    const size_t n = attention->seq_len, d = attention->d_model, depth = attention->d_head;
    const size_t checked = KG_ATTENTION_CHECKED * d;
    const size_t floats = 4 * n * depth + 2 * depth + 2 * n + 2 * checked + 2 * 3 * d + n * d;
    double *memory = calloc(floats, sizeof *memory), *next = memory;
    if (!memory)
        return false;
    struct reference reference = {.attention = attention};
    const struct {
        double **place;
        size_t count;
    } parts[] = {
        {&reference.k, n * depth},   {&reference.k_error, n * depth}, {&reference.v, n * depth},
        {&reference.q, depth},       {&reference.v_error, n * depth}, {&reference.s, n},
        {&reference.q_error, depth}, {&reference.out, checked},       {&reference.s_error, n},
        {&reference.value, 3 * d},   {&reference.out_error, checked}, {&reference.x, n * d},
        {&reference.error, 3 * d},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].place = next;
        next += parts[i].count;
    }
    *error = unwritten(attention);
    if (!isnan(*error))
        *error = attention->part == KG_ATTENTION_WHOLE ? whole_worst(&reference)
                                                       : component_worst(&reference);
    free(memory);
    return true;
}
