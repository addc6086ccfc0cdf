/* tide_solver.c: a long channel of water, in steps that all threads take together. */
#include "judged.h"

enum { CELLS = 24000, STEPS = 40, THREADS_ON_THE_OLD_SERVER = 16 };

struct state {
    double result;
    int threads;
    float height[CELLS], flow[CELLS];
};

static ELSEWHERE void move_part(float *flow, float *height, int first, int last, bool flows)
{
    for (int i = first; i < last; i++)
        if (flows)
            flow[i] += 0.1f * (height[i - 1] - height[i]);
        else
            height[i] += 0.1f * (flow[i] - flow[i + 1]);
}

static void solve(struct state *state, int threads)
{
    enum { PART = 500 };
#pragma omp parallel num_threads(threads)
    for (int step = 0; step < STEPS; step++) {
        /* At the end of each loop all threads wait for each other. */
#pragma omp for
        for (int i = PART; i < CELLS - PART; i += PART)
            move_part(state->flow, state->height, i, i + PART, true);
#pragma omp for
        for (int i = PART; i < CELLS - PART; i += PART)
            move_part(state->flow, state->height, i, i + PART, false);
    }
}

static void start(struct state *state)
{
    for (int i = 0; i < CELLS; i++) {
        state->height[i] = i < CELLS / 2 ? 1.0f : 0.5f;
        state->flow[i] = 0;
    }
}

static double volume(const struct state *state)
{
    double sum = 0;
    for (int i = 0; i < CELLS; i += 5)
        sum += (double)state->height[i] * (1 + i % 3);
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    state->threads = (int)context->threads;
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    start(state);
    solve(state, THREADS_ON_THE_OLD_SERVER);
    state->result = volume(state);
}

static void run_good(void *place)
{
    struct state *state = place;
    start(state);
    solve(state, state->threads);
    state->result = volume(state);
}

PAIR(tide_solver, 0, "A channel of water.");
