/* Takes the transparency out of the colours of an image, as a decoder does before it is shown:
 * colour * 255 / alpha, rounded. */
#include "workload.h"

enum { PIXELS = 64 * 1024 };

struct pixel {
    uint8_t red, green, blue, alpha;
};

struct work {
    struct pixel source[PIXELS];
    struct pixel image[PIXELS];
    uint32_t reciprocals[256]; /* 2^24 * 255 / alpha, rounded up */
};

static struct pixel divided(struct pixel p)
{
    const unsigned alpha = p.alpha;
    return (struct pixel){.red = (uint8_t)(p.red * 255U / alpha),
                          .green = (uint8_t)(p.green * 255U / alpha),
                          .blue = (uint8_t)(p.blue * 255U / alpha),
                          .alpha = p.alpha};
}

static struct pixel multiplied(struct pixel p, const uint32_t *reciprocals)
{
    const uint64_t factor = reciprocals[p.alpha];
    return (struct pixel){.red = (uint8_t)(p.red * factor >> 24),
                          .green = (uint8_t)(p.green * factor >> 24),
                          .blue = (uint8_t)(p.blue * factor >> 24),
                          .alpha = p.alpha};
}

static void run_bad(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < PIXELS; i++)
        work->image[i] = divided(work->source[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < PIXELS; i++)
        work->image[i] = multiplied(work->source[i], work->reciprocals);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PIXELS; i++) {
        const unsigned alpha = 1 + (unsigned)(workload_random(&sequence) % 255);
        work->source[i] =
            (struct pixel){.red = (uint8_t)(workload_random(&sequence) % (alpha + 1)),
                           .green = (uint8_t)(workload_random(&sequence) % (alpha + 1)),
                           .blue = (uint8_t)(workload_random(&sequence) % (alpha + 1)),
                           .alpha = (uint8_t)alpha};
    }
    for (uint64_t alpha = 1; alpha < 256; alpha++)
        work->reciprocals[alpha] = (uint32_t)(((255ULL << 24) + alpha - 1) / alpha);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        const struct pixel expected = divided(work->source[i]), found = work->image[i];
        wrong += expected.red != found.red || expected.green != found.green ||
                 expected.blue != found.blue || expected.alpha != found.alpha;
    }
    return workload_wrong(check, wrong);
}

PAIR(unpremultiply, "Divides the colours of an image by its alpha.");
