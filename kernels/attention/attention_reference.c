#include "attention/attention_reference.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"

enum { LANES = KG_ATTENTION_LANES, DRAWS = KG_ATTENTION_DRAWS };

static double square(double x)
{
    return x * x;
}

/* Rounding errors of sums (u) and of factors (v), relative. */
static double rounding_u(void)
{
    return (double)FLT_EPSILON / 2;
}

static double rounding_v(const struct kg_attention *attention)
{
    return attention->type == KG_ATTENTION_BF16 ? 0x1p-9 : rounding_u();
}

/* The error of a sum of n products is this times their squares' sum, and sum_factor times its own:
 * the partial sums' two parts. */
static double product_factor(const struct kg_attention *attention, size_t n)
{
    return square(rounding_u()) * (double)n + square(2 * rounding_v(attention));
}

static double sum_factor(size_t n)
{
    return square(rounding_u()) * (double)n;
}

/* --- The projections ------------------------------------------------------------------------- */

void kg_attention_lanes_prepare(const struct kg_attention *attention,
                                const struct kg_attention_lanes *lanes)
{
    const double factor = product_factor(attention, attention->d_model);
    for (size_t i = 0; i < attention->d_model * LANES; i++)
        lanes->error[i] += factor * square(lanes->value[i]);
}

void kg_attention_lanes_load(const struct kg_attention *attention, const float *const *rows,
                             size_t count, const struct kg_attention_lanes *lanes)
{
    for (size_t i = 0; i < attention->d_model * LANES; i++)
        lanes->value[i] = lanes->error[i] = 0;
    for (size_t r = 0; r < count; r++)
        for (size_t l = 0; l < attention->d_model; l++)
            lanes->value[l * LANES + r] = (double)rows[r][l];
    kg_attention_lanes_prepare(attention, lanes);
}

/* If inlined, `columns` is a constant, and the sums are registers. */
static inline void columns_multiply(const struct kg_attention_lanes *lanes, size_t depth,
                                    size_t rows, const float *w, size_t width, size_t columns,
                                    double *y, double *y_error, size_t stride)
{
    double sum[2][LANES] = {{0}}, size[2][LANES] = {{0}};
    const double *value = lanes->value, *error = lanes->error;
    for (size_t l = 0; l < depth; l++, value += LANES, error += LANES)
        for (size_t c = 0; c < columns; c++) {
            const double element = (double)w[l * width + c], squared = element * element;
#pragma omp simd
            for (size_t r = 0; r < LANES; r++) {
                sum[c][r] += value[r] * element;
                size[c][r] += error[r] * squared;
            }
        }
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++) {
            y[c * stride + r] = sum[c][r];
            y_error[c * stride + r] = size[c][r] + sum_factor(depth) * square(sum[c][r]);
        }
}

void kg_attention_lanes_multiply(const struct kg_attention *attention,
                                 const struct kg_attention_lanes *lanes, size_t rows,
                                 const float *w, size_t width, size_t n, double *y, double *y_error,
                                 size_t stride)
{
    const size_t depth = attention->d_model;
    size_t c = 0;
    for (; c + 2 <= n; c += 2)
        columns_multiply(lanes, depth, rows, w + c, width, 2, y + c * stride, y_error + c * stride,
                         stride);
    if (c < n)
        columns_multiply(lanes, depth, rows, w + c, width, 1, y + c * stride, y_error + c * stride,
                         stride);
}

/* --- Keys and values ------------------------------------------------------------------------- */

void kg_attention_operands_prepare(const struct kg_attention *attention, size_t columns,
                                   size_t first, size_t count,
                                   const struct kg_attention_operands *operands)
{
    const double k_factor = product_factor(attention, attention->d_head);
    const double v_factor = product_factor(attention, 0); /* the rest depends on the row */
    for (size_t c = 0; c < columns; c++)
        for (size_t j = first; j < first + count; j++) {
            const size_t at = c * attention->seq_len + j;
            operands->k_error[at] += k_factor * square(operands->k[at]);
            operands->v_error[at] += v_factor * square(operands->v[at]);
        }
}

void kg_attention_operands_load(const struct kg_attention *attention,
                                const struct kg_attention_head *head, size_t first, size_t count,
                                const struct kg_attention_operands *operands)
{
    for (size_t j = first; j < first + count; j++)
        for (size_t c = 0; c < attention->d_head; c++) {
            const size_t to = c * attention->seq_len + j;
            operands->k[to] = (double)head->k[j * head->stride + c];
            operands->v[to] = (double)head->v[j * head->stride + c];
            operands->k_error[to] = operands->v_error[to] = 0;
        }
    kg_attention_operands_prepare(attention, attention->d_head, first, count, operands);
}

/* --- One query ------------------------------------------------------------------------------- */

/* Adds one column's products. shift: error of q in each draw */
static void scores_add(const double *restrict k, const double *restrict k_error, size_t count,
                       double q, const double shift[DRAWS], size_t n,
                       const struct kg_attention_row *row)
{
    double *restrict s = row->s, *restrict error = row->error, *restrict shared = row->shared;
    const double squared = q * q;
#pragma omp simd
    for (size_t j = 0; j < count; j++) {
        s[j] += q * k[j];
        error[j] += squared * k_error[j];
        for (size_t draw = 0; draw < DRAWS; draw++)
            shared[draw * n + j] += shift[draw] * k[j];
    }
}

/* Divides by the root of depth, and adds the rounding of that and of the sum. */
static void scores_scale(size_t depth, size_t count, size_t n, const struct kg_attention_row *row)
{
    const double per_depth = 1 / (double)depth, scale = sqrt(per_depth);
    const double factor = sum_factor(depth) + square(rounding_u());
    for (size_t j = 0; j < count; j++) {
        row->s[j] *= scale;
        row->error[j] = row->error[j] * per_depth + factor * square(row->s[j]);
        for (size_t draw = 0; draw < DRAWS; draw++)
            row->shared[draw * n + j] *= scale;
    }
}

/* Errors of element c in each draw: `size` with random signs. The signs of four consecutive
 * elements form a Walsh matrix, so the squares of the four draws sum to four times those of the
 * elements. */
static void shifts_draw(struct kg_random *random, size_t c, double size, double shift[DRAWS])
{
    const bool up = kg_random_next(random) >> 63;
    for (size_t draw = 0; draw < DRAWS; draw++) {
        const size_t both = draw & c, odd = (both ^ both >> 1) & 1;
        shift[draw] = up == (odd != 0) ? size : -size;
    }
}

void kg_attention_row_scores(const struct kg_attention *attention,
                             const struct kg_attention_operands *operands, const double *q,
                             const double *q_error, size_t stride, size_t keys, uint64_t seed,
                             const struct kg_attention_row *row)
{
    enum { TILE = 256 }; /* keys whose scores stay in the first-level cache */
    const size_t depth = attention->d_head, n = attention->seq_len;
    const double v2 = square(rounding_v(attention));
    for (size_t j = 0; j < keys; j += TILE) {
        const size_t count = keys - j < TILE ? keys - j : TILE;
        const struct kg_attention_row part = {row->s + j, row->error + j, row->shared + j};
        struct kg_random random = {seed}; /* the same signs for all keys */
        double shift[DRAWS];
        memset(part.s, 0, count * sizeof *part.s);
        memset(part.error, 0, count * sizeof *part.error);
        for (size_t draw = 0; draw < DRAWS; draw++)
            memset(part.shared + draw * n, 0, count * sizeof *part.shared);
        for (size_t c = 0; c < depth; c++) {
            const double element = q[c * stride];
            shifts_draw(&random, c, sqrt(q_error[c * stride] + v2 * square(element)), shift);
            scores_add(operands->k + c * n + j, operands->k_error + c * n + j, count, element,
                       shift, n, &part);
        }
        scores_scale(depth, count, n, &part);
    }
}

double kg_attention_row_softmax(const struct kg_attention_row *row, size_t keys)
{
    double *s = row->s, largest = s[0], sum = 0;
    for (size_t j = 1; j < keys; j++)
        largest = fmax(largest, s[j]);
    for (size_t j = 0; j < keys; j++) {
        row->error[j] += square(rounding_u() * (2 + largest - s[j]));
        sum += s[j] = exp(s[j] - largest);
    }
    for (size_t j = 0; j < keys; j++)
        s[j] /= sum;
    return sum_factor(keys);
}

void kg_attention_row_weights(const struct kg_attention_row *row, size_t keys, double sum_error)
{
    for (size_t j = 0; j < keys; j++)
        sum_error += square(row->s[j]) * row->error[j];
    for (size_t j = 0; j < keys; j++)
        row->error[j] = square(row->s[j]) * (row->error[j] + sum_error);
}

/* Makes relative errors and draws those of the weights themselves. Returns the squared error of the
 * sum of exponentials; tilt: its draws. */
static double weights_errors(const struct kg_attention_row *row, size_t keys, size_t n,
                             double tilt[DRAWS])
{
    const double factor = sum_factor(keys);
    double own = 0;
    for (size_t j = 0; j < keys; j++) {
        const double p = row->s[j], squared = p * p;
        own += squared * row->error[j];
        row->error[j] = squared * (row->error[j] + factor);
    }
    for (size_t draw = 0; draw < DRAWS; draw++) {
        tilt[draw] = 0;
        for (size_t j = 0; j < keys; j++)
            tilt[draw] += row->shared[draw * n + j] *= row->s[j];
    }
    return own;
}

/* One column of the values. Returns its sum with the weights; shift: its sums with the draws. */
static double values_add(const struct kg_attention_row *row, const double *restrict v,
                         const double *restrict v_error, size_t keys, size_t n, double *size,
                         double shift[DRAWS])
{
    const double *restrict p = row->s, *restrict error = row->error, *restrict shared = row->shared;
    double sum = 0, squares = 0, first = 0, second = 0, third = 0, fourth = 0;
    static_assert(DRAWS == 4, "a sum each");
#pragma omp simd reduction(+ : sum, squares, first, second, third, fourth)
    for (size_t j = 0; j < keys; j++) {
        sum += p[j] * v[j];
        squares += error[j] * v[j] * v[j] + p[j] * p[j] * v_error[j];
        first += shared[j] * v[j];
        second += shared[n + j] * v[j];
        third += shared[2 * n + j] * v[j];
        fourth += shared[3 * n + j] * v[j];
    }
    *size = squares;
    shift[0] = first, shift[1] = second, shift[2] = third, shift[3] = fourth;
    return sum;
}

void kg_attention_row_weighted_sum(const struct kg_attention *attention,
                                   const struct kg_attention_operands *operands,
                                   const struct kg_attention_row *row, size_t keys,
                                   double sum_error, double *out, double *out_error, size_t stride)
{
    const size_t n = attention->seq_len;
    double tilt[DRAWS], shift[DRAWS];
    const double own = weights_errors(row, keys, n, tilt);
    for (size_t c = 0; c < attention->d_head; c++) {
        double size;
        const double sum =
            values_add(row, operands->v + c * n, operands->v_error + c * n, keys, n, &size, shift);
        size += square(sum) * (own + sum_error + sum_factor(keys));
        for (size_t draw = 0; draw < DRAWS; draw++)
            size += square(shift[draw] - sum * tilt[draw]) / DRAWS;
        out[c * stride] = sum;
        out_error[c * stride] = size;
    }
}
