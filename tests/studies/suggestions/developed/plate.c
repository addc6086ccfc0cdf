/* How heat spreads in a plate, by threads that wait for each other after every step. */
#include <string.h>

#include "workload.h"

enum { SIDE = 256, STEPS = 20, WORKERS = 16 };

struct work {
    uint32_t begin[SIDE][SIDE];
    uint32_t heat[2][SIDE][SIDE];
    uint32_t expected[2][SIDE][SIDE];
    int threads;
};

static void relax_row(uint32_t *next, const uint32_t *above, const uint32_t *row,
                      const uint32_t *below)
{
    for (size_t j = 1; j < SIDE - 1; j++)
        next[j] = (above[j] + below[j] + row[j - 1] + row[j + 1]) / 4;
}

static void relax(uint32_t heat[2][SIDE][SIDE], int threads)
{
#pragma omp parallel num_threads(threads)
    for (int step = 0; step < STEPS; step++) {
        const int from = step % 2;
#pragma omp for
        for (size_t i = 1; i < SIDE - 1; i++)
            relax_row(heat[1 - from][i], heat[from][i - 1], heat[from][i], heat[from][i + 1]);
    }
}

static void begin(struct work *work)
{
    memcpy(work->heat[0], work->begin, sizeof work->begin);
    memcpy(work->heat[1], work->begin, sizeof work->begin);
}

static void run_bad(void *state)
{
    struct work *work = state;
    begin(work);
    relax(work->heat, WORKERS);
}

static void run_good(void *state)
{
    struct work *work = state;
    begin(work);
    relax(work->heat, work->threads);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++)
            work->begin[i][j] = (uint32_t)(workload_random(&sequence) % 1000000);
    work->threads = (int)context->threads;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    struct work *work = state;
    memcpy(work->expected[0], work->begin, sizeof work->begin);
    memcpy(work->expected[1], work->begin, sizeof work->begin);
    relax(work->expected, 1);
    return workload_wrong(check, memcmp(work->expected, work->heat, sizeof work->heat) != 0);
}

PAIR(plate, "Calculates how heat spreads in a plate.");
