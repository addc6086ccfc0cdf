/* How heat spreads in a rod of few cells: many steps, each over all cells. */
#include <string.h>

#include "workload.h"

enum { CELLS = 512, STEPS = 300 };

struct work {
    int64_t begin[CELLS];
    int64_t heat[2][CELLS];
    int64_t expected[CELLS];
    int threads;
};

static int64_t next_heat(const int64_t *heat, size_t i)
{
    return (heat[i - 1] + 2 * heat[i] + heat[i + 1]) / 4;
}

static void step_shared(int64_t *restrict next, const int64_t *restrict heat, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (size_t i = 1; i < CELLS - 1; i++)
        next[i] = next_heat(heat, i);
}

static void step(int64_t *restrict next, const int64_t *restrict heat)
{
    for (size_t i = 1; i < CELLS - 1; i++)
        next[i] = next_heat(heat, i);
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
    for (int i = 0; i < STEPS; i++)
        step_shared(work->heat[(i + 1) % 2], work->heat[i % 2], work->threads);
}

static void run_good(void *state)
{
    struct work *work = state;
    begin(work);
    for (int i = 0; i < STEPS; i++)
        step(work->heat[(i + 1) % 2], work->heat[i % 2]);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < CELLS; i++)
        work->begin[i] = (int64_t)(workload_random(&sequence) % 1000000);
    work->threads = (int)context->threads;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    struct work *work = state;
    int64_t *heat = work->expected;
    memcpy(heat, work->begin, sizeof work->begin);
    for (int i = 0; i < STEPS; i++) {
        int64_t before = heat[0];
        for (size_t j = 1; j < CELLS - 1; j++) {
            const int64_t here = heat[j];
            heat[j] = (before + 2 * here + heat[j + 1]) / 4;
            before = here;
        }
    }
    return workload_wrong(check, memcmp(heat, work->heat[STEPS % 2], sizeof work->begin) != 0);
}

PAIR(rod, "Calculates how heat spreads in a rod.");
