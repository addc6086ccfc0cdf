/* The brightness of a colour picture, for an encoder that takes grey ones. */
#include "workload.h"

enum { PIXELS = 64 * 1024 };

struct work {
    uint8_t red[PIXELS];
    uint8_t green[PIXELS];
    uint8_t blue[PIXELS];
    uint8_t grey[PIXELS];
};

static void luma_floating(struct work *work)
{
    for (size_t i = 0; i < PIXELS; i++)
        work->grey[i] = (uint8_t)(work->red[i] * 0.30078125 + work->green[i] * 0.5859375 +
                                  work->blue[i] * 0.11328125);
}

/* luma's weights in 256ths. */
static void luma_fixed(struct work *work)
{
    for (size_t i = 0; i < PIXELS; i++)
        work->grey[i] =
            (uint8_t)((work->red[i] * 77 + work->green[i] * 150 + work->blue[i] * 29) >> 8);
}

static void run_bad(void *state)
{
    luma_floating(state);
}

static void run_good(void *state)
{
    luma_fixed(state);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PIXELS; i++) {
        const uint64_t number = workload_random(&sequence);
        work->red[i] = (uint8_t)number;
        work->green[i] = (uint8_t)(number >> 8);
        work->blue[i] = (uint8_t)(number >> 16);
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < PIXELS; i++)
        wrong +=
            work->grey[i] != (77 * work->red[i] + 150 * work->green[i] + 29 * work->blue[i]) / 256;
    return workload_wrong(check, wrong);
}

PAIR(luma, "Makes a colour picture grey.");
