/* heated_rods.c: heat that flows along rods, by explicit steps. */
#include "judged.h"

enum { RODS = 8, CELLS = 400, STEPS = 100 };

struct rod {
    float now[CELLS], next[CELLS];
};

struct state {
    double result;
    int threads;
    struct rod rods[RODS];
};

static void start(struct rod *rod, int heat)
{
    memset(rod, 0, sizeof *rod);
    rod->now[CELLS / 2] = (float)(100 + heat);
}

static float flow(const float *cell)
{
    return cell[0] + 0.2f * (cell[-1] - 2 * cell[0] + cell[1]);
}

static ELSEWHERE void step_by_threads(const float *now, float *next, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (int i = 1; i < CELLS - 1; i++)
        next[i] = flow(now + i);
}

static ELSEWHERE void step_alone(const float *restrict now, float *restrict next)
{
    for (int i = 1; i < CELLS - 1; i++)
        next[i] = flow(now + i);
}

static void heat_by_threads(struct rod *rod, int threads)
{
    for (int i = 0; i < STEPS; i += 2) {
        step_by_threads(rod->now, rod->next, threads);
        step_by_threads(rod->next, rod->now, threads);
    }
}

static void heat_alone(struct rod *rod)
{
    for (int i = 0; i < STEPS; i += 2) {
        step_alone(rod->now, rod->next);
        step_alone(rod->next, rod->now);
    }
}

static double hottest(const struct rod *rods)
{
    double sum = 0;
    for (int i = 0; i < RODS; i++)
        sum += (double)rods[i].now[CELLS / 2] + (double)rods[i].now[CELLS / 2 + 5];
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
    for (int i = 0; i < RODS; i++) {
        start(&state->rods[i], i);
        heat_by_threads(&state->rods[i], state->threads);
    }
    state->result = hottest(state->rods);
}

static void run_good(void *place)
{
    struct state *state = place;
#pragma omp parallel for num_threads(state->threads)
    for (int i = 0; i < RODS; i++) {
        start(&state->rods[i], i);
        heat_alone(&state->rods[i]);
    }
    state->result = hottest(state->rods);
}

PAIR(heated_rods, 1e-6, "Heat that flows along rods.");
