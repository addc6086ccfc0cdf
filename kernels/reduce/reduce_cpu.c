#include "reduce/reduce.h"

enum { PARTS = 64, LANES = 32 };

/* 0 plain: one accumulator. Each addition waits for the one before it, four cycles or so. */
void kg_reduce_plain(struct kg_reduce *reduce)
{
    float sum = 0;
    for (size_t i = 0; i < reduce->n; i++)
        sum += reduce->x[i];
    reduce->sum = sum;
}

/* LANES sums side by side: four vectors of eight, enough additions in flight to hide their latency.
 */
static float part_sum(const float *x, size_t n)
{
    float lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
#pragma omp simd
        for (size_t k = 0; k < LANES; k++)
            lane[k] += x[i + k];
    float sum = 0;
    for (; i < n; i++)
        sum += x[i];
    for (size_t k = 0; k < LANES; k++)
        sum += lane[k];
    return sum;
}

/* 1 fast: many accumulators, all threads. The array is cut into a fixed number of parts whose sums
 * are added in order, so that the result depends on no schedule. */
void kg_reduce_fast(struct kg_reduce *reduce)
{
    float part[PARTS];
    const float *x = reduce->x;
    const size_t n = reduce->n;
#pragma omp parallel for num_threads(reduce->threads) schedule(static)
    for (size_t p = 0; p < PARTS; p++) {
        const size_t start = p * n / PARTS, end = (p + 1) * n / PARTS;
        part[p] = part_sum(x + start, end - start);
    }
    float sum = 0;
    for (size_t p = 0; p < PARTS; p++)
        sum += part[p];
    reduce->sum = sum;
}
