/* The components with tiled products, vectorised, on all threads; and level 1, which joins them. */
#include <math.h>
#include <string.h>

#include "attention/attention_tile.h"
#include "gemm/gemm.h"
#include "kgate/profiler.h"
#include "softmax/softmax_row.h"

enum {
    TILE_M = KG_ATTENTION_TILE_M,
    TILE_N = KG_ATTENTION_TILE_N,
    COLUMNS = TILE_N * KG_ATTENTION_GROUP /* of a tile of a product */
};

/* Queries that a thread takes at a time: a multiple of TILE_M. */
enum { QUERIES = 96 };

/* --- Packing: attention_tile.h --------------------------------------------------------------- */

/* One panel of keys, transposed and scaled; zeros beyond the last. */
static void keys_panel(const float *restrict k, size_t stride, size_t keys, size_t depth,
                       float scale, float *restrict packed)
{
    for (size_t c = 0; c < depth; c++, packed += TILE_N)
        for (size_t j = 0; j < TILE_N; j++)
            packed[j] = j < keys ? k[j * stride + c] * scale : 0;
}

static void values_panel(const float *restrict v, size_t stride, size_t columns, size_t rows,
                         float *restrict packed)
{
    if (columns < TILE_N)
        memset(packed, 0, rows * TILE_N * sizeof *packed);
    for (size_t j = 0; j < rows; j++)
        if (columns == TILE_N) /* a count that the compiler knows */
            memcpy(packed + j * TILE_N, v + j * stride, TILE_N * sizeof *packed);
        else
            memcpy(packed + j * TILE_N, v + j * stride, columns * sizeof *packed);
}

void kg_attention_keys_pack(struct kg_attention *attention)
{
    const size_t panels = kg_attention_panels(attention->seq_len), depth = attention->d_head;
    const size_t count = kg_attention_heads(attention) * panels;
    const float scale = 1 / sqrtf((float)depth);
#pragma omp for schedule(static) nowait
    for (size_t panel = 0; panel < count; panel++) {
        const struct kg_attention_head head = kg_attention_head_of(attention, panel / panels);
        const size_t j = panel % panels * TILE_N;
        keys_panel(head.k + j * head.stride, head.stride,
                   kg_attention_least(TILE_N, attention->seq_len - j), depth, scale,
                   attention->keys + panel * TILE_N * depth);
    }
}

void kg_attention_values_pack(struct kg_attention *attention)
{
    const size_t panels = kg_attention_panels(attention->d_head), rows = attention->seq_len;
    const size_t count = kg_attention_heads(attention) * panels;
#pragma omp for schedule(static) nowait
    for (size_t panel = 0; panel < count; panel++) {
        const struct kg_attention_head head = kg_attention_head_of(attention, panel / panels);
        const size_t c = panel % panels * TILE_N;
        values_panel(head.v + c, head.stride, kg_attention_least(TILE_N, attention->d_head - c),
                     rows, attention->values + panel * TILE_N * rows);
    }
}

/* --- Components ------------------------------------------------------------------------------ */

static void project(struct kg_attention *attention, float *a, float *b, float *c, size_t columns)
{
    struct kg_gemm gemm = {
        .a = a,
        .b = b,
        .c = c,
        .packed_a = attention->packed_a,
        .packed_b = attention->packed_b,
        .m = kg_attention_tokens(attention),
        .n = columns,
        .k = attention->d_model,
        .threads = attention->threads,
    };
    kg_gemm_blocked(&gemm);
}

void kg_attention_qkv_projection_fast(struct kg_attention *attention)
{
    KGATE_SCOPE("qkv_projection");
    project(attention, attention->arrays.x, attention->arrays.w_qkv, attention->arrays.qkv,
            3 * attention->d_model);
}

void kg_attention_output_projection_fast(struct kg_attention *attention)
{
    KGATE_SCOPE("output_projection");
    project(attention, attention->arrays.h, attention->arrays.w_out, attention->arrays.y,
            attention->d_model);
}

/* Stores a tile of scores. Keys that a row does not see become -infinity. */
static void scores_store(const struct kg_attention *attention, const float *tile, float *s,
                         size_t i0, size_t j0, size_t rows)
{
    const size_t n = attention->seq_len, columns = kg_attention_least(COLUMNS, n - j0);
    for (size_t i = 0; i < rows; i++) {
        const size_t seen = kg_attention_keys(attention, i0 + i);
        for (size_t j = 0; j < columns; j++)
            s[(i0 + i) * n + j0 + j] = j0 + j < seen ? tile[i * COLUMNS + j] : -INFINITY;
    }
}

/* Queries from i0 against a group of panels of keys. Skips a tile of queries if none sees a key of
 * the group. */
static void scores_group(const struct kg_attention *attention, const struct kg_attention_head *head,
                         const struct kg_attention_panels *keys, size_t i0, size_t end, size_t j0)
{
    const kg_attention_multiply_function multiply = kg_attention_multiply();
    const size_t n = attention->seq_len, depth = attention->d_head;
    float *s = attention->arrays.s + head->matrix;
    for (size_t i = i0; i < end; i += TILE_M) {
        const size_t rows = kg_attention_least(TILE_M, end - i);
        const float *q[TILE_M];
        float tile[TILE_M * COLUMNS];
        if (j0 >= kg_attention_keys(attention, i + rows - 1))
            continue;
        kg_attention_tile_rows(head->q + i * head->stride, head->stride, rows, q);
        if (rows == TILE_M && j0 + keys->count * TILE_N <= kg_attention_keys(attention, i)) {
            multiply(q, keys, depth, s + i * n + j0, n, false);
            continue;
        }
        multiply(q, keys, depth, tile, COLUMNS, false);
        scores_store(attention, tile, s, i, j0, rows);
    }
}

static size_t blocks_of(const struct kg_attention *attention)
{
    return (attention->seq_len + QUERIES - 1) / QUERIES;
}

/* Block `block` of all heads': which head, and which queries. */
static struct kg_attention_head block_of(const struct kg_attention *attention, size_t block,
                                         size_t *first, size_t *end)
{
    const size_t blocks = blocks_of(attention);
    *first = block % blocks * QUERIES;
    *end = kg_attention_least(*first + QUERIES, attention->seq_len);
    return kg_attention_head_of(attention, block / blocks);
}

/* Masks the keys that no query of the tile sees: no group of panels reached them. */
static void mask_rest(const struct kg_attention *attention, float *s, size_t first, size_t end)
{
    const size_t n = attention->seq_len;
    for (size_t i = first; i < end; i++)
        for (size_t j = kg_attention_keys(attention, i); j < n; j++)
            s[i * n + j] = -INFINITY;
}

static void block_scores(const struct kg_attention *attention, size_t block, bool whole)
{
    KGATE_SCOPE_ON("scores", KGATE_DEVICE_CPU, "openmp", 0);
    size_t first, end;
    const struct kg_attention_head head = block_of(attention, block, &first, &end);
    const size_t depth = attention->d_head, seen = kg_attention_keys(attention, end - 1);
    const float *keys =
        attention->keys + block / blocks_of(attention) * kg_attention_keys_floats(attention);
    for (size_t j = 0; j < seen; j += COLUMNS) {
        const struct kg_attention_panels group = {
            keys + j * depth, TILE_N * depth,
            kg_attention_panels(kg_attention_least(COLUMNS, attention->seq_len - j))};
        scores_group(attention, &head, &group, first, end, j);
    }
    if (whole)
        mask_rest(attention, attention->arrays.s + head.matrix, first, end);
}

/* whole  whether a component's user wants the masked part too */
static void scores(struct kg_attention *attention, bool whole)
{
    const size_t count = kg_attention_heads(attention) * blocks_of(attention);
#pragma omp parallel num_threads(attention->threads)
    {
        {
            KGATE_SCOPE_ON("pack_keys", KGATE_DEVICE_CPU, "openmp", 0);
            kg_attention_keys_pack(attention);
        }
#pragma omp barrier
#pragma omp for schedule(dynamic) nowait
        for (size_t block = 0; block < count; block++)
            block_scores(attention, block, whole);
    }
}

void kg_attention_scores_fast(struct kg_attention *attention)
{
    scores(attention, true);
}

/* Rows of S, as far as their queries see, become rows of P; from there up to `rest` columns more,
 * zeros. */
static void softmax(struct kg_attention *attention, const float *s, float *p, size_t rest)
{
    const size_t n = attention->seq_len, count = kg_attention_heads(attention) * n;
#pragma omp parallel num_threads(attention->threads)
    {
        KGATE_SCOPE_ON("softmax", KGATE_DEVICE_CPU, "openmp", 0);
#pragma omp for schedule(static) nowait
        for (size_t row = 0; row < count; row++) {
            const size_t keys = kg_attention_keys(attention, row % n);
            kg_softmax_row(s + row * n, p + row * n, keys, kg_attention_least(n, keys + rest));
        }
    }
}

void kg_attention_softmax_fast(struct kg_attention *attention)
{
    softmax(attention, attention->arrays.s, attention->arrays.p, attention->seq_len);
}

/* TILE_M rows of P, or the last, against a group of panels of values, from column c0. */
static void weighted_tile(const struct kg_attention *attention,
                          const struct kg_attention_head *head, const float *const p[TILE_M],
                          size_t i, size_t rows, const struct kg_attention_panels *values,
                          size_t c0)
{
    float tile[TILE_M * COLUMNS];
    const size_t columns = kg_attention_least(COLUMNS, attention->d_head - c0);
    const size_t depth = kg_attention_keys(attention, i + rows - 1);
    kg_attention_multiply()(p, values, depth, tile, COLUMNS, false);
    for (size_t r = 0; r < rows; r++)
        memcpy(attention->arrays.h + head->out + (i + r) * head->h_stride + c0, tile + r * COLUMNS,
               columns * sizeof *tile);
}

static void block_weighted_sum(const struct kg_attention *attention, const float *matrices,
                               size_t block)
{
    KGATE_SCOPE_ON("weighted_sum", KGATE_DEVICE_CPU, "openmp", 0);
    size_t first, end;
    const struct kg_attention_head head = block_of(attention, block, &first, &end);
    const size_t n = attention->seq_len, number = block / blocks_of(attention);
    const float *values = attention->values + number * kg_attention_values_floats(attention);
    for (size_t i = first; i < end; i += TILE_M) {
        const size_t rows = kg_attention_least(TILE_M, end - i);
        const float *p[TILE_M];
        kg_attention_tile_rows(matrices + (number * n + i) * n, n, rows, p);
        for (size_t c = 0; c < attention->d_head; c += COLUMNS) {
            const struct kg_attention_panels group = {
                values + c * n, TILE_N * n,
                kg_attention_panels(kg_attention_least(COLUMNS, attention->d_head - c))};
            weighted_tile(attention, &head, p, i, rows, &group, c);
        }
    }
}

static void weighted_sum(struct kg_attention *attention, const float *p)
{
    const size_t count = kg_attention_heads(attention) * blocks_of(attention);
#pragma omp parallel num_threads(attention->threads)
    {
        {
            KGATE_SCOPE_ON("pack_values", KGATE_DEVICE_CPU, "openmp", 0);
            kg_attention_values_pack(attention);
        }
#pragma omp barrier
#pragma omp for schedule(dynamic) nowait
        for (size_t block = 0; block < count; block++)
            block_weighted_sum(attention, p, block);
    }
}

void kg_attention_weighted_sum_fast(struct kg_attention *attention)
{
    weighted_sum(attention, attention->arrays.p);
}

/* 1 fused: no separate pass over the scores for scale or mask. The packed keys contain the scale,
 * and the product's stores apply the mask. Masked elements are neither computed nor read. Softmax
 * reads a row from memory once and works in place. */
void kg_attention_fused(struct kg_attention *attention)
{
    kg_attention_qkv_projection_fast(attention);
    scores(attention, false);
    softmax(attention, attention->arrays.s, attention->arrays.s, TILE_M);
    weighted_sum(attention, attention->arrays.s);
    kg_attention_output_projection_fast(attention);
}
