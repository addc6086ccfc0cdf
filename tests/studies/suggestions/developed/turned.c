/* Turns an image by a quarter, in blocks that stay in the first cache. */
#include "workload.h"

enum { SIDE = 512, BLOCK = 16 };

struct work {
    uint8_t image[SIDE][SIDE + 64]; /* wider than seen, so that rows fall on different sets */
    uint8_t turned[SIDE][SIDE + 64];
};

static void turn_block(struct work *work, size_t y, size_t x)
{
    for (size_t i = 0; i < BLOCK; i++)
        for (size_t j = 0; j < BLOCK; j++)
            work->turned[x + i][y + j] = work->image[y + j][x + i];
}

static void run(void *state)
{
    struct work *work = state;
    for (size_t y = 0; y < SIDE; y += BLOCK)
        for (size_t x = 0; x < SIDE; x += BLOCK)
            turn_block(work, y, x);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            work->image[y][x] = (uint8_t)workload_random(&sequence);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            wrong += work->turned[x][y] != work->image[y][x];
    return workload_wrong(check, wrong);
}

WORKLOAD(turned, "Turns an image by a quarter.", run);
