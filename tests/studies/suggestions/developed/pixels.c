/* A photo editor's chain of adjustments, each chosen by the user: a table of operations, applied to
 * every pixel of a grey image. */
#include <string.h>

#include "workload.h"

enum { PIXELS = 64 * 1024, OPERATIONS = 4, LINE = 1024 };

struct operation {
    uint8_t (*pixel)(uint8_t value, int amount);
    void (*row)(uint8_t *values, int amount);
    int amount;
};

struct work {
    uint8_t source[PIXELS];
    uint8_t image[PIXELS];
    struct operation chain[OPERATIONS];
};

static uint8_t limited(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static uint8_t brighten(uint8_t value, int amount)
{
    return limited(value + amount);
}

static uint8_t contrast(uint8_t value, int amount)
{
    return limited(((value - 128) * amount >> 6) + 128);
}

static uint8_t invert(uint8_t value, int amount)
{
    return (uint8_t)(amount - value);
}

static uint8_t posterize(uint8_t value, int amount)
{
    return (uint8_t)(value & amount);
}

#define ROW(NAME)                                                                                  \
    static void NAME##_row(uint8_t *values, int amount)                                            \
    {                                                                                              \
        for (size_t i = 0; i < LINE; i++)                                                          \
            values[i] = NAME(values[i], amount);                                                   \
    }
ROW(brighten)
ROW(contrast)
ROW(invert)
ROW(posterize)

static void adjust_pixels(const struct work *work, uint8_t *image)
{
    for (size_t i = 0; i < PIXELS; i++) {
        uint8_t value = work->source[i];
        for (size_t k = 0; k < OPERATIONS; k++)
            value = work->chain[k].pixel(value, work->chain[k].amount);
        image[i] = value;
    }
}

static void adjust_rows(const struct work *work, uint8_t *image)
{
    for (size_t i = 0; i < PIXELS; i += LINE) {
        memcpy(image + i, work->source + i, LINE);
        for (size_t k = 0; k < OPERATIONS; k++)
            work->chain[k].row(image + i, work->chain[k].amount);
    }
}

static void run_bad(void *state)
{
    struct work *work = state;
    adjust_pixels(work, work->image);
}

static void run_good(void *state)
{
    struct work *work = state;
    adjust_rows(work, work->image);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PIXELS; i++)
        work->source[i] = (uint8_t)workload_random(&sequence);
    work->chain[0] = (struct operation){brighten, brighten_row, 12};
    work->chain[1] = (struct operation){contrast, contrast_row, 80};
    work->chain[2] = (struct operation){invert, invert_row, 255};
    work->chain[3] = (struct operation){posterize, posterize_row, 0xf0};
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        const uint8_t value = contrast(brighten(work->source[i], 12), 80);
        wrong += work->image[i] != ((255 - value) & 0xf0);
    }
    return workload_wrong(check, wrong);
}

PAIR(pixels, "Applies a chain of adjustments to an image.");
