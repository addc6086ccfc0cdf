#include "reduce/reduce.h"

enum { PARTS_MOST = 64, PART_FLOATS_LEAST = 8192, VECTOR = 8, LANES = 8 * VECTOR };

/* 0 plain: one accumulator. Each addition waits for the one before it, four cycles or so. */
void kg_reduce_plain(void *state)
{
    struct kg_reduce *reduce = state;
    float sum = 0;
    for (size_t i = 0; i < reduce->n; i++)
        sum += reduce->x[i];
    reduce->sum = sum;
}

/* LANES sums side by side: eight vectors, enough additions in flight to hide their latency. At the
 * end vectors are added to vectors. Adding single elements would take as long as reading 4 KiB. */
static float part_sum(const float *x, size_t n)
{
    float lane[LANES] = {0}, vector[VECTOR] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
#pragma omp simd
        for (size_t k = 0; k < LANES; k++)
            lane[k] += x[i + k];
    for (; i < n; i++)
        sum += x[i];
    for (size_t l = 0; l < LANES; l += VECTOR)
        for (size_t k = 0; k < VECTOR; k++)
            vector[k] += lane[l + k];
    for (size_t k = 0; k < VECTOR; k++)
        sum += vector[k];
    return sum;
}

/* Number of parts: enough for many threads, but long enough that the end of a part costs little. */
static size_t part_count(size_t n)
{
    const size_t count = n / PART_FLOATS_LEAST;
    return count < 1 ? 1 : count < PARTS_MOST ? count : PARTS_MOST;
}

/* Parts begin at multiples of LANES, so that only the last has a rest. */
static float part_of(const float *x, size_t n, size_t parts, size_t p)
{
    const size_t start = p * (n / LANES) / parts * LANES;
    const size_t end = p + 1 < parts ? (p + 1) * (n / LANES) / parts * LANES : n;
    return part_sum(x + start, end - start);
}

/* 1 fast: many accumulators, all threads. The number of parts depends on the array's length alone,
 * and their sums are added in order. So the result does not depend on the schedule. A single thread
 * does not use OpenMP: to start its team takes as long as reading 50 KiB. */
void kg_reduce_fast(void *state)
{
    struct kg_reduce *reduce = state;
    float part[PARTS_MOST];
    const float *x = reduce->x;
    const size_t n = reduce->n, parts = part_count(n);
    if (reduce->call.threads > 1 && parts > 1) {
#pragma omp parallel for num_threads(reduce->call.threads) schedule(static)
        for (size_t p = 0; p < parts; p++)
            part[p] = part_of(x, n, parts, p);
    } else {
        for (size_t p = 0; p < parts; p++)
            part[p] = part_of(x, n, parts, p);
    }
    float sum = 0;
    for (size_t p = 0; p < parts; p++)
        sum += part[p];
    reduce->sum = sum;
}
