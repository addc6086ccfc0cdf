#include <math.h>

#include "common/multiply_add.h"
#include "common/streaming.h"
#include "layernorm/layernorm.h"

const float kg_layernorm_epsilon = 1e-5F;

/* 0 plain: mean, variance and result in three passes, each with one accumulator that the next
 * addition waits for. */
void kg_layernorm_plain(void *state)
{
    const struct kg_rows *rows = state;
    const float n = (float)rows->cols;
    for (size_t i = 0; i < rows->rows; i++) {
        const float *x = rows->x + i * rows->cols;
        float *y = rows->y + i * rows->cols, sum = 0, squares = 0;
        for (size_t j = 0; j < rows->cols; j++)
            sum += x[j];
        const float mean = sum / n;
        for (size_t j = 0; j < rows->cols; j++)
            squares += (x[j] - mean) * (x[j] - mean);
        const float scale = 1.0F / sqrtf(squares / n + kg_layernorm_epsilon);
        for (size_t j = 0; j < rows->cols; j++)
            y[j] = rows->gamma[j] * (x[j] - mean) * scale + rows->beta[j];
    }
}

/* A block of rows: at most BLOCK_BYTES, which stay in the first-level cache, and at most
 * BLOCK_ROWS_MOST rows. */
enum { BLOCK_BYTES = 16 * 1024, BLOCK_ROWS_MOST = 16, VECTOR = 8, LANES = 2 * VECTOR };

struct statistics {
    float mean;
    float scale; /* 1 / sqrt(variance + epsilon) */
};

static float lanes_sum(const float *lane)
{
    float vector[VECTOR] = {0}, half[VECTOR / 2];
    for (size_t l = 0; l < LANES; l += VECTOR)
        for (size_t k = 0; k < VECTOR; k++)
            vector[k] += lane[l + k];
    for (size_t k = 0; k < VECTOR / 2; k++)
        half[k] = vector[k] + vector[k + VECTOR / 2];
    return (half[0] + half[1]) + (half[2] + half[3]);
}

/* Sum and sum of squares in one pass, two vectors of each side by side, so that additions need not
 * wait for each other. Shifted by the first element: without it a row far from zero would lose
 * its variance in the difference of two large sums (Chan, Golub and LeVeque 1983). */
static struct statistics row_statistics(const float *restrict x, size_t cols)
{
    const float n = (float)cols, first = x[0];
    float sums[LANES] = {0}, squares[LANES] = {0}, sum = 0, square = 0;
    size_t j = 0;
    for (; j + LANES <= cols; j += LANES)
#pragma omp simd
        for (size_t k = 0; k < LANES; k++) {
            const float d = x[j + k] - first;
            sums[k] += d;
            squares[k] = kg_multiply_add(d, d, squares[k]);
        }
    for (; j < cols; j++) {
        const float d = x[j] - first;
        sum += d;
        square = kg_multiply_add(d, d, square);
    }
    sum += lanes_sum(sums);
    square += lanes_sum(squares);
    const float shifted = sum / n, variance = fmaxf(square / n - shifted * shifted, 0);
    return (struct statistics){first + shifted, 1.0F / sqrtf(variance + kg_layernorm_epsilon)};
}

static void part_apply(const float *restrict x, float *restrict y, const float *restrict gamma,
                       const float *restrict beta, size_t n, struct statistics of)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        y[j] = kg_multiply_add(gamma[j], (x[j] - of.mean) * of.scale, beta[j]);
}

/* Writes whole lines past the caches. Meanwhile it prefetches `next`, the statistics' next place.
 * Otherwise memory would alternate between only writing and only reading. */
static void lines_apply(const float *x, float *y, const float *gamma, const float *beta, size_t n,
                        struct statistics of, const float *next)
{
    for (size_t j = 0; j < n; j += KG_LINE_FLOATS) {
        float line[KG_LINE_FLOATS];
        __builtin_prefetch(next + j);
        part_apply(x + j, line, gamma + j, beta + j, KG_LINE_FLOATS, of);
        kg_stream_line(y + j, line);
    }
}

/* The statistics of all rows of a block, then their results. A row's sums end in a chain of
 * additions, divisions and a root. This chain overlaps with the next row's sums. */
static void block_normalize(const struct kg_rows *rows, size_t from, size_t count, bool streams)
{
    struct statistics of[BLOCK_ROWS_MOST];
    const size_t cols = rows->cols;
    const float *x = rows->x + from * cols;
    float *y = rows->y + from * cols;
    for (size_t i = 0; i < count; i++)
        of[i] = row_statistics(x + i * cols, cols);
    for (size_t i = 0; i < count; i++) {
        const size_t next = from + count + i < rows->rows ? count + i : i;
        if (streams)
            lines_apply(x + i * cols, y + i * cols, rows->gamma, rows->beta, cols, of[i],
                        x + next * cols);
        else
            part_apply(x + i * cols, y + i * cols, rows->gamma, rows->beta, cols, of[i]);
    }
}

static size_t block_rows(size_t cols)
{
    const size_t fit = BLOCK_BYTES / (cols * sizeof(float));
    return fit < 1 ? 1 : fit < BLOCK_ROWS_MOST ? fit : BLOCK_ROWS_MOST;
}

/* 1 fast: sum and sum of squares in one pass with several accumulators, vectorised; all threads, a
 * block of rows each. Outputs too large for the caches are written past them. */
void kg_layernorm_fast(void *state)
{
    const struct kg_rows *rows = state;
    const size_t cols = rows->cols, count = rows->rows, block = block_rows(cols);
    const bool streams =
        cols % KG_LINE_FLOATS == 0 && kg_streams(rows->y, count * cols * sizeof(float));
#pragma omp parallel num_threads(rows->call.threads)
    {
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < count; i += block)
            block_normalize(rows, i, count - i < block ? count - i : block, streams);
        kg_stream_end();
    }
}
