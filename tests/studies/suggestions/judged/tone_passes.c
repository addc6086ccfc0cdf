/* tone_passes.c: a large photograph through exposure, lift, contrast and a vignette. */
#include "judged.h"

enum { WIDTH = 3200, HEIGHT = 2000, PIXELS = WIDTH * HEIGHT };

struct state {
    double result;
    float *source, *target;
};

static ELSEWHERE void apply_gain(const float *restrict source, float *restrict target, float gain)
{
#pragma omp simd
    for (int i = 0; i < PIXELS; i++)
        target[i] = source[i] * gain;
}

static ELSEWHERE void apply_offset(float *restrict image, float offset)
{
#pragma omp simd
    for (int i = 0; i < PIXELS; i++)
        image[i] += offset;
}

static ELSEWHERE void apply_contrast(float *restrict image, float contrast)
{
#pragma omp simd
    for (int i = 0; i < PIXELS; i++)
        image[i] = (image[i] - 0.5f) * contrast + 0.5f;
}

static ELSEWHERE void apply_shoulder(float *restrict image, float strength)
{
#pragma omp simd
    for (int i = 0; i < PIXELS; i++)
        image[i] -= image[i] * image[i] * strength;
}

static ELSEWHERE void apply_all(const float *restrict source, float *restrict target)
{
#pragma omp simd
    for (int i = 0; i < PIXELS; i++) {
        const float level = (source[i] * 1.2f + 0.02f - 0.5f) * 0.9f + 0.5f;
        target[i] = level - level * level * 0.1f;
    }
}

static double fingerprint(const float *image)
{
    double sum = 0;
    for (int i = 0; i < PIXELS; i += 4099)
        sum += (double)image[i] * (1 + i % 7);
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    float *source = context->allocate(context, PIXELS * sizeof *source);
    float *target = context->allocate(context, PIXELS * sizeof *target);
    if (!state || !source || !target)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < PIXELS; i++)
        source[i] = (float)below(&random, 4096) / 4096.0f;
    *state = (struct state){0, source, target};
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    apply_gain(state->source, state->target, 1.2f);
    apply_offset(state->target, 0.02f);
    apply_contrast(state->target, 0.9f);
    apply_shoulder(state->target, 0.1f);
    state->result = fingerprint(state->target);
}

static void run_good(void *place)
{
    struct state *state = place;
    apply_all(state->source, state->target);
    state->result = fingerprint(state->target);
}

PAIR(tone_passes, 1e-5, "A photograph's tones.");
