/* Develops a raw photo: black level, white balance, exposure and a limit, each a step that can be
 * read and tested by itself. */
#include "workload.h"

enum { PIXELS = 5 << 20 };

struct work {
    float raw[PIXELS];
    float picture[PIXELS];
};

static void subtract_black(float *restrict out, const float *restrict in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] - 64;
}

static void balance(float *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pixels[i] *= 2;
}

static void expose(float *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pixels[i] += 128;
}

static void limit(float *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pixels[i] = pixels[i] < 4096 ? pixels[i] : 4096;
}

static void develop_steps(float *picture, const float *raw)
{
    subtract_black(picture, raw, PIXELS);
    balance(picture, PIXELS);
    expose(picture, PIXELS);
    limit(picture, PIXELS);
}

static void develop_at_once(float *restrict picture, const float *restrict raw)
{
    for (size_t i = 0; i < PIXELS; i++) {
        const float value = (raw[i] - 64) * 2 + 128;
        picture[i] = value < 4096 ? value : 4096;
    }
}

static void run_bad(void *state)
{
    struct work *work = state;
    develop_steps(work->picture, work->raw);
}

static void run_good(void *state)
{
    struct work *work = state;
    develop_at_once(work->picture, work->raw);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PIXELS; i++)
        work->raw[i] = (float)(workload_random(&sequence) % 4096);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        const int value = 2 * ((int)work->raw[i] - 64) + 128;
        wrong += (int)work->picture[i] != (value < 4096 ? value : 4096);
    }
    return workload_wrong(check, wrong);
}

PAIR(tone, "Develops a raw photo.");
