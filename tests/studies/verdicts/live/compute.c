/* compute.c: a call of some 100 ns (`tiny`), and five planets on their way (`compute`). */
#include <math.h>

#include "ordinary.h"

enum { BODIES = 5, STEPS = 10 };

static uint64_t number = 1;

static bool set_up(struct kgate_context *context, void **state)
{
    (void)context;
    *state = NULL;
    return true;
}

/* The generator of Knuth's MMIX, one step after the other. */
static void tiny_run(void *state)
{
    uint64_t x = number;
    (void)state;
    for (unsigned turn = 0; turn < turns; turn++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    number = x;
}

static struct {
    double place[3], speed[3], mass;
} bodies[BODIES];

static bool bodies_set_up(struct kgate_context *context, void **state)
{
    uint64_t random = context->seed | 1;
    *state = NULL;
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < 3; k++) {
            bodies[i].place[k] = (double)(xorshift(&random) % 1000) / 100;
            bodies[i].speed[k] = (double)(xorshift(&random) % 1000) / 1000;
        }
        bodies[i].mass = 1e-3;
    }
    return true;
}

static void attract(int i, int j)
{
    double away[3], square = 1e-3;
    for (int k = 0; k < 3; k++) {
        away[k] = bodies[i].place[k] - bodies[j].place[k];
        square += away[k] * away[k];
    }
    const double pull = 1e-4 / (square * sqrt(square));
    for (int k = 0; k < 3; k++) {
        bodies[i].speed[k] -= away[k] * bodies[j].mass * pull;
        bodies[j].speed[k] += away[k] * bodies[i].mass * pull;
    }
}

static void step(void)
{
    for (int i = 0; i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++)
            attract(i, j);
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++)
            bodies[i].place[k] += 1e-4 * bodies[i].speed[k];
}

static void compute_run(void *state)
{
    (void)state;
    for (unsigned i = 0; i < turns * STEPS; i++)
        step();
}

const struct kgate_workload tiny_workload = {.name = "tiny",
                                             .summary = "A call of some 100 ns.",
                                             .devices = 1u << KGATE_DEVICE_CPU,
                                             .revision = 1,
                                             .set_up = set_up,
                                             .run = tiny_run};
const struct kgate_workload compute_workload = {.name = "compute",
                                                .summary = "Five bodies that attract each other.",
                                                .devices = 1u << KGATE_DEVICE_CPU,
                                                .revision = 1,
                                                .set_up = bodies_set_up,
                                                .run = compute_run};
