/* The product of two matrices, rows shared among threads, the loops in the order in which memory
 * lies. */
#include <string.h>

#include "workload.h"

enum { SIDE = 256 };

struct work {
    float a[SIDE][SIDE];
    float b[SIDE][SIDE];
    float c[SIDE][SIDE];
    int threads;
};

/* Four rows of b at a time: each element of the result is read and written a quarter as often. */
static void multiply_row(float *restrict c, const float *restrict a, float b[SIDE][SIDE])
{
    memset(c, 0, SIDE * sizeof *c);
    for (size_t k = 0; k < SIDE; k += 4)
        for (size_t j = 0; j < SIDE; j++)
            c[j] += a[k] * b[k][j] + a[k + 1] * b[k + 1][j] + a[k + 2] * b[k + 2][j] +
                    a[k + 3] * b[k + 3][j];
}

static void run(void *state)
{
    struct work *work = state;
#pragma omp parallel for num_threads(work->threads) schedule(static)
    for (size_t i = 0; i < SIDE; i++)
        multiply_row(work->c[i], work->a[i], work->b);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++) {
            work->a[i][j] = (float)(workload_random(&sequence) % 64);
            work->b[i][j] = (float)(workload_random(&sequence) % 64);
        }
    work->threads = (int)context->threads;
    return true;
}

/* Whole numbers below 2^24: exact. */
static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++) {
            long sum = 0;
            for (size_t k = 0; k < SIDE; k++)
                sum += (long)work->a[i][k] * (long)work->b[k][j];
            wrong += (long)work->c[i][j] != sum;
        }
    return workload_wrong(check, wrong);
}

WORKLOAD(product, "Multiplies two matrices.", run);
