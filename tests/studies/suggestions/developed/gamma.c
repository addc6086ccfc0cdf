/* Makes the bytes of a picture brighter in the middle: gamma correction. */
#include <math.h>

#include "workload.h"

enum { PIXELS = 40 * 1024 };

struct work {
    uint8_t source[PIXELS];
    uint8_t image[PIXELS];
    double gamma;
};

static uint8_t corrected(uint8_t value, double gamma)
{
    return (uint8_t)(255 * pow(value / 255.0, 1 / gamma) + 0.5);
}

static void correct_each(uint8_t *image, const uint8_t *source, double gamma)
{
    for (size_t i = 0; i < PIXELS; i++)
        image[i] = corrected(source[i], gamma);
}

static void correct_by_table(uint8_t *image, const uint8_t *source, double gamma)
{
    uint8_t table[256];
    for (size_t i = 0; i < 256; i++)
        table[i] = corrected((uint8_t)i, gamma);
    for (size_t i = 0; i < PIXELS; i++)
        image[i] = table[source[i]];
}

static void run_bad(void *state)
{
    struct work *work = state;
    correct_each(work->image, work->source, work->gamma);
}

static void run_good(void *state)
{
    struct work *work = state;
    correct_by_table(work->image, work->source, work->gamma);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PIXELS; i++)
        work->source[i] = (uint8_t)workload_random(&sequence);
    work->gamma = 2.2;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < PIXELS; i++)
        wrong += work->image[i] != (uint8_t)(255 * powl(work->source[i] / 255.0L, 1 / 2.2L) + 0.5L);
    return workload_wrong(check, wrong);
}

PAIR(gamma, "Corrects the gamma of an image.");
