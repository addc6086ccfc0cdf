/* Levels 2 and 3: memory O(N). A row's softmax runs along its keys. Whenever the maximum grows,
 * both running sums are multiplied by exp(old maximum - new maximum) (Milakov and Gimelshein 2018).
 * The sums are those of the exponentials and of the weighted values. So no row of scores is ever
 * kept. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "attention/attention_tile.h"
#include "common/multiply_add.h"
#include "kgate/profiler.h"
#include "softmax/softmax_exp.h"
#include "softmax/softmax_row.h"

enum { TILE_M = KG_ATTENTION_TILE_M, TILE_N = KG_ATTENTION_TILE_N };

/* Tiles of queries (a multiple of TILE_M) and of keys (a multiple of TILE_N). With d_head 64, a
 * tile's packed keys and values are 64 KiB, and stay in the second-level cache for all its queries.
 * The strip of scores, 3 KiB, stays in the first. Shorter tiles pay more for each row's maximum and
 * sum. */
enum { QUERIES = 96, KEYS = 128 };

/* The running softmax of a row. */
struct online {
    float largest; /* score */
    float sum;     /* of exp(score - largest) */
};

/* Adds `count` scores, and turns them into exponentials in place. Returns the factor for sums that
 * are relative to the old maximum. */
static inline float online_add(struct online *online, float *s, size_t count)
{
    const float most = kg_softmax_row_max(s, count);
    const float largest = most > online->largest ? most : online->largest;
    const float factor = kg_softmax_exp(online->largest - largest);
    online->sum = online->sum * factor + kg_softmax_row_exp(s, s, count, largest);
    online->largest = largest;
    return factor;
}

static inline void row_scale(float *row, size_t n, float factor)
{
#pragma omp simd
    for (size_t c = 0; c < n; c++)
        row[c] *= factor;
}

/* --- Level 2 --------------------------------------------------------------------------------- */

static inline float dot(const float *restrict a, const float *restrict b, size_t n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t c = 0; c < n; c++)
        sum += a[c] * b[c];
    return sum;
}

static inline void add_weighted(float *restrict out, const float *restrict v, size_t n, float p)
{
#pragma omp simd
    for (size_t c = 0; c < n; c++)
        out[c] = kg_multiply_add(p, v[c], out[c]);
}

/* One query against all of its keys, KEYS at a time. */
static void row_efficient(const struct kg_attention *attention,
                          const struct kg_attention_head *head, size_t i)
{
    const size_t keys = kg_attention_keys(attention, i), depth = attention->d_head;
    const float scale = 1 / sqrtf((float)depth), *q = head->q + i * head->stride;
    float s[KEYS], *out = attention->arrays.h + head->out + i * head->h_stride;
    struct online online = {.largest = -INFINITY};
    memset(out, 0, depth * sizeof *out);
    for (size_t j0 = 0; j0 < keys; j0 += KEYS) {
        const size_t count = kg_attention_least(KEYS, keys - j0);
        for (size_t j = 0; j < count; j++)
            s[j] = scale * dot(q, head->k + (j0 + j) * head->stride, depth);
        const float factor = online_add(&online, s, count);
        if (factor < 1)
            row_scale(out, depth, factor);
        for (size_t j = 0; j < count; j++)
            add_weighted(out, head->v + (j0 + j) * head->stride, depth, s[j]);
    }
    row_scale(out, depth, 1 / online.sum);
}

/* 2 efficient: all of a query's attention before the next's, a few scores at a time. Each query
 * reads all keys and values again. */
static void rows_efficient(struct kg_attention *attention)
{
    const size_t n = attention->seq_len, count = kg_attention_heads(attention) * n;
#pragma omp parallel num_threads(attention->threads)
    {
        KGATE_SCOPE_ON("scores_softmax_weighted_sum", KGATE_DEVICE_CPU, "openmp", 0);
#pragma omp for schedule(dynamic, QUERIES) nowait
        for (size_t row = 0; row < count; row++) {
            const struct kg_attention_head head = kg_attention_head_of(attention, row / n);
            row_efficient(attention, &head, row % n);
        }
    }
}

void kg_attention_efficient(struct kg_attention *attention)
{
    kg_attention_qkv_projection_fast(attention);
    rows_efficient(attention);
    kg_attention_output_projection_fast(attention);
}

/* --- Level 3 --------------------------------------------------------------------------------- */

/* A thread's tile of queries: their sums, with d_head rounded up to whole panels, and a strip of
 * scores. The strip, TILE_M by KEYS, becomes exponentials in place. */
struct tile {
    const struct kg_attention *attention;
    struct kg_attention_head head;
    kg_attention_multiply_function multiply;
    const float *keys; /* the head's, packed */
    const float *values;
    size_t first; /* query */
    size_t rows;
    size_t panels; /* of values */
    float *s;
    float *out;
    struct online online[QUERIES];
};

size_t kg_attention_flash_floats(const struct kg_attention *attention)
{
    return TILE_M * KEYS + QUERIES * kg_attention_panels(attention->d_head) * TILE_N;
}

/* Scores of TILE_M queries, from row i of the tile, and of keys j0 to `seen`. */
static inline void strip_scores(const struct tile *tile, size_t i, size_t rows, size_t j0,
                                size_t seen)
{
    const size_t depth = tile->attention->d_head;
    const float *q[TILE_M];
    kg_attention_tile_rows(tile->head.q + (tile->first + i) * tile->head.stride, tile->head.stride,
                           rows, q);
    const struct kg_attention_panels keys = {tile->keys + j0 * depth, TILE_N * depth,
                                             kg_attention_panels(seen)};
    tile->multiply(q, &keys, depth, tile->s, KEYS, false);
}

static inline void strip_softmax(struct tile *tile, size_t i, size_t rows, size_t j0, size_t seen)
{
    const size_t columns = tile->panels * TILE_N;
    for (size_t r = 0; r < rows; r++) {
        const size_t keys = kg_attention_keys(tile->attention, tile->first + i + r);
        const size_t count = keys > j0 ? kg_attention_least(seen, keys - j0) : 0;
        float *s = tile->s + r * KEYS;
        const float factor = count ? online_add(&tile->online[i + r], s, count) : 1;
        if (factor < 1)
            row_scale(tile->out + (i + r) * columns, columns, factor);
        for (size_t j = count; j < seen; j++)
            s[j] = 0;
    }
}

static inline void strip_weighted_sum(const struct tile *tile, size_t i, size_t rows, size_t j0,
                                      size_t seen)
{
    const size_t n = tile->attention->seq_len, columns = tile->panels * TILE_N;
    const float *p[TILE_M];
    kg_attention_tile_rows(tile->s, KEYS, rows, p);
    const struct kg_attention_panels values = {tile->values + j0 * TILE_N, n * TILE_N,
                                               tile->panels};
    tile->multiply(p, &values, seen, tile->out + i * columns, columns, true);
}

/* All queries of the tile against one tile of keys. */
static void tile_step(struct tile *tile, size_t j0)
{
    for (size_t i = 0; i < tile->rows; i += TILE_M) {
        const size_t rows = kg_attention_least(TILE_M, tile->rows - i);
        const size_t keys = kg_attention_keys(tile->attention, tile->first + i + rows - 1);
        if (keys <= j0)
            continue;
        const size_t seen = kg_attention_least(KEYS, keys - j0);
        strip_scores(tile, i, rows, j0, seen);
        strip_softmax(tile, i, rows, j0, seen);
        strip_weighted_sum(tile, i, rows, j0, seen);
    }
}

static void tile_begin(struct tile *tile)
{
    memset(tile->out, 0, QUERIES * tile->panels * TILE_N * sizeof *tile->out);
    for (size_t i = 0; i < tile->rows; i++)
        tile->online[i] = (struct online){.largest = -INFINITY};
}

static void tile_end(const struct tile *tile)
{
    for (size_t i = 0; i < tile->rows; i++) {
        const float scale = 1 / tile->online[i].sum, *out = tile->out + i * tile->panels * TILE_N;
        float *h =
            tile->attention->arrays.h + tile->head.out + (tile->first + i) * tile->head.h_stride;
        for (size_t c = 0; c < tile->attention->d_head; c++)
            h[c] = out[c] * scale;
    }
}

static void tile_flash(struct kg_attention *attention, size_t number, size_t first)
{
    KGATE_SCOPE_ON("scores_softmax_weighted_sum", KGATE_DEVICE_CPU, "openmp", 0);
    float *scratch = attention->tiles + (size_t)omp_get_thread_num() * attention->tile_floats;
    struct tile tile = {
        .attention = attention,
        .head = kg_attention_head_of(attention, number),
        .multiply = kg_attention_multiply(),
        .keys = attention->keys + number * kg_attention_keys_floats(attention),
        .values = attention->values + number * kg_attention_values_floats(attention),
        .first = first,
        .rows = kg_attention_least(QUERIES, attention->seq_len - first),
        .panels = kg_attention_panels(attention->d_head),
        .s = scratch,
        .out = scratch + TILE_M * KEYS,
    };
    tile_begin(&tile);
    for (size_t j = 0; j < kg_attention_keys(attention, first + tile.rows - 1); j += KEYS)
        tile_step(&tile, j);
    tile_end(&tile);
}

static void tiles_flash(struct kg_attention *attention)
{
    const size_t blocks = (attention->seq_len + QUERIES - 1) / QUERIES;
    const size_t count = kg_attention_heads(attention) * blocks;
#pragma omp parallel num_threads(attention->threads)
    {
        {
            KGATE_SCOPE_ON("pack_keys_values", KGATE_DEVICE_CPU, "openmp", 0);
            kg_attention_keys_pack(attention);
            kg_attention_values_pack(attention);
        }
#pragma omp barrier
#pragma omp for schedule(dynamic) nowait
        for (size_t block = 0; block < count; block++)
            tile_flash(attention, block / blocks, block % blocks * QUERIES);
    }
}

/* 3 flash: a tile of queries against a tile of keys, with scores that never leave the first-level
 * cache. Keys and values are read from memory once for QUERIES queries, not for each. Both products
 * are register tiles (attention_tile.h). They read each element of K and V once for TILE_M queries,
 * and each element of Q and P once for several columns. */
void kg_attention_flash(struct kg_attention *attention)
{
    kg_attention_qkv_projection_fast(attention);
    tiles_flash(attention);
    kg_attention_output_projection_fast(attention);
}
