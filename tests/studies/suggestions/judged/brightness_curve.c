/* brightness_curve.c: a polynomial of each sample of a block that stays in the cache. */
#include "judged.h"

enum { SAMPLES = 2048, TIMES = 100 };

struct state {
    double result;
    float in[SAMPLES], out[SAMPLES];
};

static ELSEWHERE void bend(const float *restrict in, float *restrict out, float bias)
{
#pragma omp simd
    for (int i = 0; i < SAMPLES; i++)
        out[i] = ((0.3f * in[i] - 0.8f) * in[i] + 1.4f) * in[i] + bias;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < SAMPLES; i++)
        state->in[i] = (float)below(&random, 4096) / 4096.0f;
    *place = state;
    return true;
}

static void run(void *place)
{
    struct state *state = place;
    state->result = 0;
    for (int i = 0; i < TIMES; i++) {
        bend(state->in, state->out, (float)i * 0.01f);
        state->result += (double)state->out[i * 17];
    }
}

static double reference(const struct state *state)
{
    double sum = 0;
    for (int i = 0; i < TIMES; i++) {
        const double x = (double)state->in[i * 17];
        sum += ((0.3 * x - 0.8) * x + 1.4) * x + i * 0.01;
    }
    return sum;
}

SINGLE(brightness_curve, 1e-5, "A polynomial of a block of samples.");
