#include "attention/attention_projection.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "attention/attention_heads.h"
#include "common/common.h"

/* Rows of X, and queries, per step. */
enum { TILE = 32 };

/* Limit of multiply-adds, and the cost of an exponential in multiply-adds. */
static const double STEPS_MOST = 0x1p32, STEPS_EXPONENTIAL = 60;

struct projection {
    const struct kg_attention *attention;
    const float *x; /* the sequence's rows */
    const float *y;
    double *r;     /* d_model */
    double *value; /* seq_len: expected Y r */
    double *size;  /* seq_len: sum of squares of the terms of Y r */
    size_t *tiles; /* compared tiles of queries */
    size_t tile_count;
    /* For one head. */
    double *w;       /* columns of W_q and W_k side by side, d_model rows */
    double *w_out;   /* the head's rows of W_out r */
    double *w_value; /* W_v W_out r */
    double *qk;      /* X W: queries and keys side by side, seq_len rows */
    double *v;       /* X W_v W_out r */
    double *scratch; /* a thread's: TILE rows of X, or of scores */
    size_t scratch_doubles;
    double *memory;
};

static size_t tiles_of(const struct kg_attention *attention)
{
    return (attention->seq_len + TILE - 1) / TILE;
}

static size_t tile_rows(const struct kg_attention *attention, size_t first)
{
    return attention->seq_len - first < TILE ? attention->seq_len - first : TILE;
}

/* W_q and W_k of a head, and W_v times its rows of W_out r. */
static void head_load(const struct projection *projection, size_t head)
{
    const struct kg_attention *attention = projection->attention;
    const size_t d = attention->d_model, depth = attention->d_head, column = head * depth;
    double *out = projection->w_out;
    for (size_t c = 0; c < depth; c++) {
        const float *w_out = attention->arrays.w_out + (column + c) * d;
        out[c] = 0;
        for (size_t j = 0; j < d; j++)
            out[c] += (double)w_out[j] * projection->r[j];
    }
    for (size_t i = 0; i < d; i++) {
        const float *w = attention->arrays.w_qkv + i * 3 * d + column;
        double *to = projection->w + i * 2 * depth, sum = 0;
        for (size_t c = 0; c < depth; c++) {
            to[c] = (double)w[c];
            to[depth + c] = (double)w[d + c];
            sum += (double)w[2 * d + c] * out[c];
        }
        projection->w_value[i] = sum;
    }
}

/* Queries, keys and projected values of a tile of tokens. */
static void tokens_project(const struct projection *projection, size_t first, double *x)
{
    const struct kg_attention *attention = projection->attention;
    const size_t d = attention->d_model, width = 2 * attention->d_head;
    const size_t rows = tile_rows(attention, first);
    for (size_t i = 0; i < rows * d; i++)
        x[i] = (double)projection->x[first * d + i];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)rows, (blasint)width,
                (blasint)d, 1, x, (blasint)d, projection->w, (blasint)width, 0,
                projection->qk + first * width, (blasint)width);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (blasint)rows, (blasint)d, 1, x, (blasint)d,
                projection->w_value, 1, 0, projection->v + first, 1);
}

/* One query's part of Y r, from its scores. */
static void row_add(const struct projection *projection, size_t row, const double *s)
{
    const size_t keys = kg_attention_keys(projection->attention, row);
    double largest = s[0], sum = 0, value = 0, squares = 0;
    for (size_t j = 1; j < keys; j++)
        largest = fmax(largest, s[j]);
    for (size_t j = 0; j < keys; j++) {
        const double p = exp(s[j] - largest), term = p * projection->v[j];
        sum += p;
        value += term;
        squares += term * term;
    }
    projection->value[row] += value / sum;
    projection->size[row] += squares / (sum * sum);
}

static void queries_add(const struct projection *projection, size_t first, double *s)
{
    const struct kg_attention *attention = projection->attention;
    const size_t n = attention->seq_len, depth = attention->d_head;
    const size_t rows = tile_rows(attention, first);
    const size_t keys = kg_attention_keys(attention, first + rows - 1);
    const double *qk = projection->qk;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)rows, (blasint)keys,
                (blasint)depth, 1 / sqrt((double)depth), qk + first * 2 * depth,
                (blasint)(2 * depth), qk + depth, (blasint)(2 * depth), 0, s, (blasint)n);
    for (size_t i = 0; i < rows; i++)
        row_add(projection, first + i, s + i * n);
}

static void heads_add(const struct projection *projection)
{
    const struct kg_attention *attention = projection->attention;
    for (size_t head = 0; head < attention->num_heads; head++) {
        head_load(projection, head);
#pragma omp parallel num_threads(attention->threads)
        {
            double *scratch =
                projection->scratch + (size_t)omp_get_thread_num() * projection->scratch_doubles;
#pragma omp for schedule(static)
            for (size_t i = 0; i < tiles_of(attention); i++)
                tokens_project(projection, i * TILE, scratch);
#pragma omp for schedule(dynamic)
            for (size_t i = 0; i < projection->tile_count; i++)
                queries_add(projection, projection->tiles[i] * TILE, scratch);
        }
    }
}

static double rows_worst(const struct projection *projection)
{
    const struct kg_attention *attention = projection->attention;
    const size_t d = attention->d_model;
    double worst = 0;
    for (size_t t = 0; t < projection->tile_count; t++) {
        const size_t first = projection->tiles[t] * TILE;
        for (size_t i = first; i < first + tile_rows(attention, first); i++) {
            double found = 0;
            for (size_t j = 0; j < d; j++)
                found += (double)projection->y[i * d + j] * projection->r[j];
            worst = kg_worse(
                worst, kg_relative(fabs(found - projection->value[i]), sqrt(projection->size[i])));
        }
    }
    return worst / (KG_ATTENTION_PROJECTED * sqrt((double)attention->seq_len));
}

/* Chooses as many tiles as STEPS_MOST affords, one at random from each of equal parts of all
 * tiles. */
static void tiles_choose(struct projection *projection, struct kg_random *random)
{
    const struct kg_attention *attention = projection->attention;
    const size_t all = tiles_of(attention);
    const double tile = TILE * (double)attention->seq_len * (double)attention->num_heads *
                        ((double)attention->d_head + STEPS_EXPONENTIAL);
    const double affordable = fmax(1, STEPS_MOST / tile);
    const size_t count = affordable < (double)all ? (size_t)affordable : all;
    for (size_t i = 0; i < count; i++) {
        const size_t first = all * i / count, end = all * (i + 1) / count;
        projection->tiles[i] = first + (size_t)kg_random_below(random, end - first);
    }
    projection->tile_count = count;
}

static bool memory_make(struct projection *projection)
{
    const struct kg_attention *attention = projection->attention;
    const size_t d = attention->d_model, n = attention->seq_len, width = 2 * attention->d_head;
    projection->scratch_doubles = TILE * (n > d ? n : d);
    const struct {
        double **place;
        size_t count;
    } parts[] = {{&projection->r, d},
                 {&projection->value, n},
                 {&projection->size, n},
                 {&projection->w, d * width},
                 {&projection->w_value, d},
                 {&projection->w_out, width},
                 {&projection->qk, n * width},
                 {&projection->v, n},
                 {&projection->scratch, (size_t)attention->threads * projection->scratch_doubles}};
    size_t all = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        all += parts[i].count;
    double *memory = projection->memory = calloc(all, sizeof *memory);
    projection->tiles = calloc(tiles_of(attention), sizeof *projection->tiles);
    for (size_t i = 0; memory && i < sizeof parts / sizeof *parts; memory += parts[i++].count)
        *parts[i].place = memory;
    return projection->memory && projection->tiles;
}

bool kg_attention_projected(const struct kg_attention *attention, struct kg_random *random,
                            size_t sequence, double *worst)
{
    const size_t first = sequence * attention->seq_len * attention->d_model;
    struct projection projection = {
        .attention = attention, .x = attention->arrays.x + first, .y = attention->arrays.y + first};
    const bool good = memory_make(&projection);
    if (good) {
        openblas_set_num_threads(1);
        for (size_t j = 0; j < attention->d_model; j++) {
            const double size = kg_random_between(random, 0.5, 1.5);
            projection.r[j] = kg_random_next(random) >> 63 ? size : -size;
        }
        tiles_choose(&projection, random);
        heads_add(&projection);
        *worst = rows_worst(&projection);
    }
    free(projection.tiles);
    free(projection.memory);
    return good;
}
