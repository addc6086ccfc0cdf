/* The check: which rows of the result are compared with double precision, and the comparison. */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "attention/attention_projection.h"
#include "attention/attention_reference.h"
#include "common/common.h"

enum { LANES = KG_ATTENTION_LANES };

/* The check of the whole makes keys and values for several heads at a time, COLUMNS columns in all,
 * at least one head. Then their part of a row of W is at least a cache line. */
enum { COLUMNS = 64 };

/* A thread's. */
struct workspace {
    struct kg_attention_lanes lanes;
    struct kg_attention_row row;
    double *value; /* of the result's rows, up to LANES by 3 d_model, or of a
                      head's queries */
    double *error;
};

struct reference {
    const struct kg_attention *attention;
    struct kg_attention_operands operands; /* operands of `heads` heads, compared together */
    size_t heads;
    size_t *rows; /* the compared rows */
    size_t count;
    double *out; /* the whole: H in lanes, d_model each; element l of row r of
                    LANES lies like A's */
    double *out_error;
    struct workspace *workspaces;
    double *memory;
};

/* --- Comparing ------------------------------------------------------------------------------- */

/* n elements, of the reference `stride` apart. */
static double row_worst(const float *found, const double *value, const double *error, size_t stride,
                        size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        const double off = fabs((double)found[i] - value[i * stride]);
        const double unit = sqrt(error[i * stride]) + (double)FLT_MIN;
        worst = kg_worse(worst, off > 0 ? off / unit : off);
    }
    return worst;
}

/* Masked elements must equal `masked` exactly. */
static double rest_worst(const float *found, float masked, size_t from, size_t n)
{
    for (size_t j = from; j < n; j++)
        if (!(found[j] <= masked && found[j] >= masked))
            return INFINITY;
    return 0;
}

/* Rows of the result that are lanes times a matrix of `width` columns. found: of each row */
static double lanes_worst(const struct kg_attention *attention, const struct workspace *workspace,
                          const struct kg_attention_lanes *lanes, const float *const *found,
                          size_t rows, const float *w, size_t width)
{
    double worst = 0;
    kg_attention_lanes_multiply(attention, lanes, rows, w, width, width, workspace->value,
                                workspace->error, LANES);
    for (size_t r = 0; r < rows; r++)
        worst = kg_worse(
            worst, row_worst(found[r], workspace->value + r, workspace->error + r, LANES, width));
    return worst;
}

static size_t lanes_of(size_t count, size_t first)
{
    return count - first < LANES ? count - first : LANES;
}

/* --- Components: `count` rows from number `first` of the chosen, with one thread -------------- */

static double projection_worst(const struct reference *reference, const struct workspace *workspace,
                               size_t first, size_t count)
{
    const struct kg_attention *attention = reference->attention;
    const struct kg_attention_arrays *arrays = &attention->arrays;
    const bool qkv = attention->part == KG_ATTENTION_QKV_PROJECTION;
    const size_t d = attention->d_model, n = qkv ? 3 * d : d;
    const float *from[LANES], *found[LANES];
    for (size_t r = 0; r < count; r++) {
        from[r] = (qkv ? arrays->x : arrays->h) + reference->rows[first + r] * d;
        found[r] = (qkv ? arrays->qkv : arrays->y) + reference->rows[first + r] * n;
    }
    kg_attention_lanes_load(attention, from, count, &workspace->lanes);
    return lanes_worst(attention, workspace, &workspace->lanes, found, count,
                       qkv ? arrays->w_qkv : arrays->w_out, n);
}

/* n floats without errors. */
static void row_load(const float *x, size_t n, double *y, double *error)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = (double)x[i];
        error[i] = 0;
    }
}

static double scores_worst(const struct reference *reference, const struct workspace *workspace,
                           size_t row)
{
    const struct kg_attention *attention = reference->attention;
    const size_t n = attention->seq_len, i = row % n, keys = kg_attention_keys(attention, i);
    const struct kg_attention_head head = kg_attention_head_of(attention, row / n);
    const float *s = attention->arrays.s + row * n;
    row_load(head.q + i * head.stride, attention->d_head, workspace->value, workspace->error);
    kg_attention_row_scores(attention, &reference->operands, workspace->value, workspace->error, 1,
                            keys, 0, &workspace->row);
    return kg_worse(row_worst(s, workspace->row.s, workspace->row.error, 1, keys),
                    rest_worst(s, -INFINITY, keys, n));
}

static double softmax_worst(const struct reference *reference, const struct workspace *workspace,
                            size_t row)
{
    const struct kg_attention *attention = reference->attention;
    const size_t n = attention->seq_len, keys = kg_attention_keys(attention, row % n);
    const float *p = attention->arrays.p + row * n;
    row_load(attention->arrays.s + row * n, keys, workspace->row.s, workspace->row.error);
    kg_attention_row_weights(&workspace->row, keys,
                             kg_attention_row_softmax(&workspace->row, keys));
    return kg_worse(row_worst(p, workspace->row.s, workspace->row.error, 1, keys),
                    rest_worst(p, 0, keys, n));
}

static double weighted_sum_worst(const struct reference *reference,
                                 const struct workspace *workspace, size_t row)
{
    const struct kg_attention *attention = reference->attention;
    const size_t n = attention->seq_len, i = row % n, keys = kg_attention_keys(attention, i);
    const struct kg_attention_head head = kg_attention_head_of(attention, row / n);
    row_load(attention->arrays.p + row * n, keys, workspace->row.s, workspace->row.error);
    memset(workspace->row.shared, 0, KG_ATTENTION_DRAWS * n * sizeof *workspace->row.shared);
    kg_attention_row_weighted_sum(attention, &reference->operands, &workspace->row, keys, 0,
                                  workspace->value, workspace->error, 1);
    return row_worst(attention->arrays.h + head.out + i * head.h_stride, workspace->value,
                     workspace->error, 1, attention->d_head);
}

static const struct {
    double (*row)(const struct reference *reference, const struct workspace *workspace, size_t row);
    bool operands; /* keys or values */
} components[KG_ATTENTION_WHOLE] = {
    [KG_ATTENTION_SCORES] = {scores_worst, true},
    [KG_ATTENTION_SOFTMAX] = {softmax_worst, false},
    [KG_ATTENTION_WEIGHTED_SUM] = {weighted_sum_worst, true},
};

static double projections_worst(const struct reference *reference)
{
    double worst = 0;
#pragma omp parallel for num_threads(reference->attention->threads) schedule(dynamic)
    for (size_t first = 0; first < reference->count; first += LANES) {
        const double off = projection_worst(reference, &reference->workspaces[omp_get_thread_num()],
                                            first, lanes_of(reference->count, first));
#pragma omp critical(kg_attention_worst)
        worst = kg_worse(worst, off);
    }
    return worst;
}

/* The chosen rows from number `first` to `end`, which have one head's keys and values. */
static double head_worst(const struct reference *reference, size_t first, size_t end)
{
    const struct kg_attention *attention = reference->attention;
    double worst = 0;
    if (components[attention->part].operands) {
        const struct kg_attention_head head =
            kg_attention_head_of(attention, reference->rows[first] / attention->seq_len);
#pragma omp parallel for num_threads(attention->threads) schedule(static)
        for (size_t j = 0; j < attention->seq_len; j += LANES)
            kg_attention_operands_load(attention, &head, j, lanes_of(attention->seq_len, j),
                                       &reference->operands);
    }
#pragma omp parallel for num_threads(attention->threads) schedule(dynamic)
    for (size_t r = first; r < end; r++) {
        const double off = components[attention->part].row(
            reference, &reference->workspaces[omp_get_thread_num()], reference->rows[r]);
#pragma omp critical(kg_attention_worst)
        worst = kg_worse(worst, off);
    }
    return worst;
}

static double heads_worst(const struct reference *reference)
{
    const size_t n = reference->attention->seq_len;
    double worst = 0;
    for (size_t first = 0, end; first < reference->count; first = end) {
        for (end = first + 1; end < reference->count; end++)
            if (reference->rows[end] / n != reference->rows[first] / n)
                break;
        worst = kg_worse(worst, head_worst(reference, first, end));
    }
    return worst;
}

static double component_worst(const struct reference *reference)
{
    const struct kg_attention *attention = reference->attention;
    struct kg_random random = kg_check_random(attention->seed, attention->draws);
    const bool projects = !components[attention->part].row;
    const size_t all = kg_attention_rows(attention);
    kg_attention_rows_choose(&random, all, projects ? all : attention->seq_len, reference->count,
                             reference->rows);
    return projects ? projections_worst(reference) : heads_worst(reference);
}

/* --- The whole ------------------------------------------------------------------------------- */

/* Keys and values of reference->heads heads from `head` on, LANES tokens from `first` on. */
static void tokens_project(const struct reference *reference, const struct workspace *workspace,
                           size_t sequence, size_t head, size_t first)
{
    const struct kg_attention *attention = reference->attention;
    const struct kg_attention_operands *operands = &reference->operands;
    const size_t d = attention->d_model, n = attention->seq_len, rows = lanes_of(n, first);
    const size_t left = attention->num_heads - head;
    const size_t columns = (left < reference->heads ? left : reference->heads) * attention->d_head;
    const float *w = attention->arrays.w_qkv + head * attention->d_head, *from[LANES];
    for (size_t r = 0; r < rows; r++)
        from[r] = attention->arrays.x + (sequence * n + first + r) * d;
    kg_attention_lanes_load(attention, from, rows, &workspace->lanes);
    kg_attention_lanes_multiply(attention, &workspace->lanes, rows, w + d, 3 * d, columns,
                                operands->k + first, operands->k_error + first, n);
    kg_attention_lanes_multiply(attention, &workspace->lanes, rows, w + 2 * d, 3 * d, columns,
                                operands->v + first, operands->v_error + first, n);
    kg_attention_operands_prepare(attention, columns, first, rows, operands);
}

/* The chosen rows from `first` on, for one head. The workspace has their queries, the operands have
 * keys and values. */
static void queries_attend(const struct reference *reference, const struct workspace *workspace,
                           const struct kg_attention_operands *operands, size_t head, size_t first)
{
    const struct kg_attention *attention = reference->attention;
    const size_t rows = lanes_of(reference->count, first);
    const size_t to = first * attention->d_model + head * attention->d_head * LANES;
    for (size_t r = 0; r < rows; r++) {
        const size_t i = reference->rows[first + r], keys = kg_attention_keys(attention, i);
        kg_attention_row_scores(attention, operands, workspace->value + r, workspace->error + r,
                                LANES, keys, attention->seed + i, &workspace->row);
        const double sum_error = kg_attention_row_softmax(&workspace->row, keys);
        kg_attention_row_weighted_sum(attention, operands, &workspace->row, keys, sum_error,
                                      reference->out + to + r, reference->out_error + to + r,
                                      LANES);
    }
}

/* queries_attend for all heads whose keys and values are operands. */
static void heads_attend(const struct reference *reference, const struct workspace *workspace,
                         size_t sequence, size_t head, size_t first)
{
    const struct kg_attention *attention = reference->attention;
    const size_t d = attention->d_model, depth = attention->d_head, n = attention->seq_len;
    const size_t rows = lanes_of(reference->count, first);
    const float *from[LANES];
    for (size_t r = 0; r < rows; r++)
        from[r] = attention->arrays.x + (sequence * n + reference->rows[first + r]) * d;
    kg_attention_lanes_load(attention, from, rows, &workspace->lanes);
    for (size_t h = 0; h < reference->heads && head + h < attention->num_heads; h++) {
        const size_t at = h * depth * n;
        const struct kg_attention_operands operands = {
            reference->operands.k + at, reference->operands.k_error + at,
            reference->operands.v + at, reference->operands.v_error + at};
        kg_attention_lanes_multiply(attention, &workspace->lanes, rows,
                                    attention->arrays.w_qkv + (head + h) * depth, 3 * d, depth,
                                    workspace->value, workspace->error, LANES);
        queries_attend(reference, workspace, &operands, head + h, first);
    }
}

static double output_worst(const struct reference *reference, const struct workspace *workspace,
                           size_t sequence, size_t first)
{
    const struct kg_attention *attention = reference->attention;
    const size_t d = attention->d_model, rows = lanes_of(reference->count, first);
    const struct kg_attention_lanes lanes = {reference->out + first * d,
                                             reference->out_error + first * d};
    const float *found[LANES];
    for (size_t r = 0; r < rows; r++)
        found[r] =
            attention->arrays.y + (sequence * attention->seq_len + reference->rows[first + r]) * d;
    kg_attention_lanes_prepare(attention, &lanes);
    return lanes_worst(attention, workspace, &lanes, found, rows, attention->arrays.w_out, d);
}

/* The chosen rows of one sequence. */
static double sequence_worst(const struct reference *reference, size_t sequence)
{
    const struct kg_attention *attention = reference->attention;
    const size_t n = attention->seq_len, count = reference->count, group = reference->heads;
    double worst = 0;
#pragma omp parallel num_threads(attention->threads)
    for (size_t head = 0; head < attention->num_heads; head += group) {
        const struct workspace *workspace = &reference->workspaces[omp_get_thread_num()];
#pragma omp for schedule(static)
        for (size_t first = 0; first < n; first += LANES)
            tokens_project(reference, workspace, sequence, head, first);
#pragma omp for schedule(dynamic)
        for (size_t first = 0; first < count; first += LANES)
            heads_attend(reference, workspace, sequence, head, first);
    }
#pragma omp parallel for num_threads(attention->threads) schedule(dynamic)
    for (size_t first = 0; first < count; first += LANES) {
        const double off =
            output_worst(reference, &reference->workspaces[omp_get_thread_num()], sequence, first);
#pragma omp critical(kg_attention_worst)
        worst = kg_worse(worst, off);
    }
    return worst;
}

/* False if memory is missing. */
static bool whole_worst(const struct reference *reference, size_t sequences, double *worst)
{
    const struct kg_attention *attention = reference->attention;
    const bool all = reference->count == attention->seq_len;
    struct kg_random random = kg_check_random(attention->seed, attention->draws);
    size_t chosen[KG_ATTENTION_ROWS_MOST];
    double projected = 0;
    *worst = 0;
    kg_attention_rows_choose(&random, attention->batch, 0, sequences, chosen);
    for (size_t i = 0; i < sequences; i++) {
        kg_attention_rows_choose(&random, attention->seq_len, attention->seq_len, reference->count,
                                 reference->rows);
        *worst = kg_worse(*worst, sequence_worst(reference, chosen[i]));
        if (!all && attention->type == KG_ATTENTION_F32 &&
            !kg_attention_projected(attention, &random, chosen[i], &projected))
            return false;
        *worst = kg_worse(*worst, projected * KG_ATTENTION_TOLERANCE);
    }
    return true;
}

/* NaN if an element of the result is NaN. */
static double unwritten(const struct kg_attention *attention)
{
    struct kg_attention_arrays arrays = attention->arrays;
    const enum kg_attention_array output = kg_attention_output(attention->part);
    const float *result = *kg_attention_array(&arrays, output);
    const size_t n = kg_attention_floats(attention, output);
    size_t count = 0;
#pragma omp parallel for simd num_threads(attention->threads) reduction(+ : count)
    for (size_t i = 0; i < n; i++)
        count += result[i] != result[i];
    return count ? NAN : 0;
}

/* --- Memory ---------------------------------------------------------------------------------- */

/* Gives each array its part of `memory`. If `memory` is NULL, only counts. */
static size_t memory_divide(struct reference *reference, double *memory)
{
    const struct kg_attention *attention = reference->attention;
    const size_t n = attention->seq_len, d = attention->d_model, value = LANES * 3 * d;
    const bool whole = attention->part == KG_ATTENTION_WHOLE;
    const size_t operand = whole || components[attention->part].operands
                               ? reference->heads * attention->d_head * n
                               : 0;
    const size_t out = whole ? (reference->count + LANES - 1) / LANES * LANES * d : 0;
    struct kg_attention_operands *operands = &reference->operands;
    size_t used = 0;
    const struct {
        double **place;
        size_t count;
    } common[] = {{&operands->k, operand},       {&operands->v, operand},
                  {&reference->out, out},        {&operands->k_error, operand},
                  {&operands->v_error, operand}, {&reference->out_error, out}};
    for (size_t i = 0; i < sizeof common / sizeof *common; used += common[i++].count)
        *common[i].place = memory ? memory + used : NULL;
    for (int t = 0; t < attention->threads; t++) {
        struct workspace *workspace = &reference->workspaces[t];
        const struct {
            double **place;
            size_t count;
        } own[] = {{&workspace->lanes.value, LANES * d},
                   {&workspace->lanes.error, LANES * d},
                   {&workspace->value, value},
                   {&workspace->error, value},
                   {&workspace->row.s, n},
                   {&workspace->row.error, n},
                   {&workspace->row.shared, KG_ATTENTION_DRAWS * n}};
        for (size_t i = 0; i < sizeof own / sizeof *own; used += own[i++].count)
            *own[i].place = memory ? memory + used : NULL;
    }
    return used;
}

static bool reference_make(struct reference *reference)
{
    const struct kg_attention *attention = reference->attention;
    reference->rows = calloc(reference->count, sizeof *reference->rows);
    reference->workspaces = calloc((size_t)attention->threads, sizeof *reference->workspaces);
    if (!reference->rows || !reference->workspaces)
        return false;
    reference->memory = calloc(memory_divide(reference, NULL), sizeof *reference->memory);
    if (reference->memory)
        memory_divide(reference, reference->memory);
    return reference->memory != NULL;
}

static void reference_free(struct reference *reference)
{
    free(reference->memory);
    free(reference->workspaces);
    free(reference->rows);
}

bool kg_attention_error(const struct kg_attention *attention, double *error)
{
    const bool whole = attention->part == KG_ATTENTION_WHOLE;
    const size_t together = COLUMNS / attention->d_head;
    struct reference reference = {.attention = attention, .heads = 1};
    size_t sequences;
    if (whole && together > 1)
        reference.heads = together < attention->num_heads ? together : attention->num_heads;
    kg_attention_rows_count(attention, &sequences, &reference.count);
    bool good = reference_make(&reference);
    if (good)
        *error = unwritten(attention);
    if (good && !isnan(*error) && whole)
        good = whole_worst(&reference, sequences, error);
    else if (good && !isnan(*error))
        *error = component_worst(&reference);
    reference_free(&reference);
    return good;
}
