/* The brightness of a colour picture, for an encoder that takes grey ones. */
#include "workload.h"

enum { PIXELS = 64 * 1024 };

struct colour {
    uint8_t red, green, blue;
};

struct work {
    struct colour image[PIXELS];
    uint8_t grey[PIXELS];
};

static uint8_t luma_floating(struct colour c)
{
    return (uint8_t)(c.red * 0.30078125 + c.green * 0.5859375 + c.blue * 0.11328125);
}

/* The same weights in 256ths. */
static uint8_t luma_fixed(struct colour c)
{
    return (uint8_t)((c.red * 77 + c.green * 150 + c.blue * 29) >> 8);
}

static void run_bad(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < PIXELS; i++)
        work->grey[i] = luma_floating(work->image[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < PIXELS; i++)
        work->grey[i] = luma_fixed(work->image[i]);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PIXELS; i++) {
        const uint64_t number = workload_random(&sequence);
        work->image[i] = (struct colour){.red = (uint8_t)number,
                                         .green = (uint8_t)(number >> 8),
                                         .blue = (uint8_t)(number >> 16)};
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        const struct colour c = work->image[i];
        wrong += work->grey[i] != (77 * c.red + 150 * c.green + 29 * c.blue) / 256;
    }
    return workload_wrong(check, wrong);
}

PAIR(luma, "Makes a colour picture grey.");
