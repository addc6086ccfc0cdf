/* Makes an image softer: the mean of three by three pixels, on integers, one pass by two threads. */
#include "workload.h"

enum { WIDTH = 1024, HEIGHT = 512 };

struct work {
    uint16_t image[HEIGHT][WIDTH];
    uint16_t soft[HEIGHT][WIDTH];
    int threads;
};

/* The sums of columns first: each is used three times. */
static void soften_row(uint16_t *restrict soft, const uint16_t *above, const uint16_t *row,
                       const uint16_t *below)
{
    uint16_t sums[WIDTH];
    for (size_t x = 0; x < WIDTH; x++)
        sums[x] = (uint16_t)(above[x] + 2 * row[x] + below[x]);
    for (size_t x = 0; x + 8 <= WIDTH - 2; x += 8)
        for (size_t j = 1; j <= 8; j++)
            soft[x + j] = (uint16_t)((sums[x + j - 1] + 2 * sums[x + j] + sums[x + j + 1]) >> 4);
    for (size_t x = WIDTH - 8; x < WIDTH - 1; x++)
        soft[x] = (uint16_t)((sums[x - 1] + 2 * sums[x] + sums[x + 1]) >> 4);
}

static void run(void *state)
{
    struct work *work = state;
#pragma omp parallel for num_threads(work->threads) schedule(static)
    for (size_t y = 1; y < HEIGHT - 1; y++)
        soften_row(work->soft[y], work->image[y - 1], work->image[y], work->image[y + 1]);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            work->image[y][x] = (uint16_t)(workload_random(&sequence) % 256);
    work->threads = (int)context->threads;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    static const int weights[3] = {1, 2, 1};
    size_t wrong = 0;
    for (size_t y = 1; y < HEIGHT - 1; y++)
        for (size_t x = 1; x < WIDTH - 1; x++) {
            int sum = 0;
            for (size_t i = 0; i < 3; i++)
                for (size_t j = 0; j < 3; j++)
                    sum += weights[i] * weights[j] * work->image[y + i - 1][x + j - 1];
            wrong += work->soft[y][x] != sum / 16;
        }
    return workload_wrong(check, wrong);
}

WORKLOAD(blur, "Makes an image softer.", run);
