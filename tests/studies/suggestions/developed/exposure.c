/* The histogram of a night photo for a camera's display: most of its pixels are black. */
#include <string.h>

#include "workload.h"

enum { PIXELS = 256 * 1024, PARTS = 16 };

struct work {
    uint8_t pixels[PIXELS];
    uint32_t counts[256];
};

static void count_pixels(const uint8_t *pixels, size_t count, uint32_t counts[256])
{
    for (size_t i = 0; i < count; i++)
        counts[pixels[i]]++;
}

static void count_in_parts(const uint8_t *pixels, size_t count, uint32_t counts[256])
{
    uint32_t parts[PARTS][256] = {{0}};
    for (size_t i = 0; i + PARTS <= count; i += PARTS)
        for (size_t j = 0; j < PARTS; j++)
            parts[j][pixels[i + j]]++;
    for (size_t j = 0; j < PARTS; j++)
        for (size_t i = 0; i < 256; i++)
            counts[i] += parts[j][i];
}

static void run_bad(void *state)
{
    struct work *work = state;
    memset(work->counts, 0, sizeof work->counts);
    count_pixels(work->pixels, PIXELS, work->counts);
}

static void run_good(void *state)
{
    struct work *work = state;
    memset(work->counts, 0, sizeof work->counts);
    count_in_parts(work->pixels, PIXELS, work->counts);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PIXELS; i++) {
        const uint64_t number = workload_random(&sequence);
        work->pixels[i] = number % 50 ? 0 : (uint8_t)(number >> 32);
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (unsigned value = 0; value < 256; value++) {
        uint32_t count = 0;
        for (size_t i = 0; i < PIXELS; i++)
            count += work->pixels[i] == value;
        wrong += work->counts[value] != count;
    }
    return workload_wrong(check, wrong);
}

PAIR(exposure, "Counts the values of a photo's pixels.");
