/* cross_fade.c: two sounds in single precision, faded from one into the other. */
#include "judged.h"

enum { FRAMES = 4096, BLOCKS = 24 };

struct state {
    double result;
    float first[FRAMES], second[FRAMES], mixed[FRAMES];
};

/* The literals are double, so every sample becomes double and its sum single again. */
static ELSEWHERE void fade_block(const float *restrict first, const float *restrict second,
                                 float *restrict mixed, int block)
{
    const double share = (block + 1) * 0.04;
#pragma omp simd
    for (int i = 0; i < FRAMES; i++)
        mixed[i] = (float)((first[i] * (1.0 - share) + second[i] * share) * 0.98 + mixed[i] * 0.02);
}

static ELSEWHERE void fade_block_single(const float *restrict first, const float *restrict second,
                                        float *restrict mixed, int block)
{
    const float share = (float)(block + 1) * 0.04f;
#pragma omp simd
    for (int i = 0; i < FRAMES; i++)
        mixed[i] = (first[i] * (1.0f - share) + second[i] * share) * 0.98f + mixed[i] * 0.02f;
}

static double loudness(const float *samples)
{
    double sum = 0;
    for (int i = 0; i < FRAMES; i += 32)
        sum += (double)samples[i] * (double)samples[i];
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < FRAMES; i++) {
        state->first[i] = (float)below(&random, 65536) / 32768.0f - 1;
        state->second[i] = (float)below(&random, 65536) / 32768.0f - 1;
    }
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    memset(state->mixed, 0, sizeof state->mixed);
    for (int block = 0; block < BLOCKS; block++)
        fade_block(state->first, state->second, state->mixed, block);
    state->result = loudness(state->mixed);
}

static void run_good(void *place)
{
    struct state *state = place;
    memset(state->mixed, 0, sizeof state->mixed);
    for (int block = 0; block < BLOCKS; block++)
        fade_block_single(state->first, state->second, state->mixed, block);
    state->result = loudness(state->mixed);
}

PAIR(cross_fade, 1e-5, "A fade between two sounds.");
