/* Motion search of a video encoder: finds the block of the last picture with the least sum of
 * absolute differences to a block of this one. */
#include <stdlib.h>

#include "workload.h"

enum { SIDE = 128, BLOCK = 16, RANGE = 12 };

struct work {
    uint8_t last[SIDE][SIDE];
    uint8_t block[BLOCK][BLOCK];
    unsigned best;
    unsigned best_x, best_y;
};

/* Stops as soon as the sum exceeds the best of the other places. */
static unsigned difference_until(const struct work *work, unsigned x, unsigned y, unsigned limit)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < BLOCK; i++)
        for (unsigned j = 0; j < BLOCK; j++) {
            sum += (unsigned)abs(work->last[y + i][x + j] - work->block[i][j]);
            if (sum > limit)
                return sum;
        }
    return sum;
}

static unsigned difference_by_rows(const struct work *work, unsigned x, unsigned y, unsigned limit)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < BLOCK; i++) {
        const uint8_t *last = &work->last[y + i][x], *row = work->block[i];
        for (unsigned j = 0; j < BLOCK; j++)
            sum += (unsigned)abs(last[j] - row[j]);
        if (sum > limit)
            return sum;
    }
    return sum;
}

typedef unsigned difference_function(const struct work *, unsigned, unsigned, unsigned);

static inline void search(struct work *work, difference_function *difference)
{
    work->best = UINT32_MAX;
    for (unsigned y = 0; y <= 2 * RANGE; y++)
        for (unsigned x = 0; x <= 2 * RANGE; x++) {
            const unsigned sum = difference(work, x, y, work->best);
            if (sum < work->best) {
                work->best = sum;
                work->best_x = x;
                work->best_y = y;
            }
        }
}

static void run_bad(void *state)
{
    search(state, difference_until);
}

static void run_good(void *state)
{
    search(state, difference_by_rows);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++)
            work->last[i][j] = (uint8_t)(100 + workload_random(&sequence) % 40);
    for (size_t i = 0; i < BLOCK; i++)
        for (size_t j = 0; j < BLOCK; j++)
            work->block[i][j] = (uint8_t)(100 + workload_random(&sequence) % 40);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    unsigned best = UINT32_MAX;
    for (unsigned y = 0; y <= 2 * RANGE; y++)
        for (unsigned x = 0; x <= 2 * RANGE; x++) {
            const unsigned sum = difference_by_rows(work, x, y, UINT32_MAX);
            best = sum < best ? sum : best;
        }
    const unsigned found = difference_by_rows(work, work->best_x, work->best_y, UINT32_MAX);
    return workload_wrong(check, work->best != best || found != best);
}

PAIR(motion, "Searches a block in the last picture.");
