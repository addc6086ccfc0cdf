/* meter_totals.c: two threads, each with its own counts on cache lines of its own. */
#include "judged.h"

enum { READINGS = 2000000, METERS = 2, LINE = 128 };

struct meter {
    uint64_t total;
    char padding[LINE - sizeof(uint64_t)];
};

struct state {
    double result;
    int threads;
    struct meter meters[METERS + 1];
    uint32_t *readings;
};

static ELSEWHERE void add_readings(struct meter *meter, const uint32_t *readings, int count)
{
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < count; i += 4) {
        a += readings[i];
        b += readings[i + 1];
        c += readings[i + 2];
        d += readings[i + 3];
    }
    meter->total = a + b + c + d;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    uint32_t *readings = context->allocate(context, READINGS * sizeof *readings);
    if (!state || !readings)
        return refuse(context, "out of memory");
    state->threads = (int)context->threads;
    uint64_t random = context->seed | 1;
    for (int i = 0; i < READINGS; i++)
        readings[i] = below(&random, 1000);
    state->readings = readings;
    *place = state;
    return true;
}

static void run(void *place)
{
    enum { PART = READINGS / METERS };
    struct state *state = place;
#pragma omp parallel for num_threads(state->threads)
    for (int i = 0; i < METERS; i++)
        add_readings(&state->meters[i], state->readings + (size_t)i * PART, PART);
    state->result = (double)(state->meters[0].total + state->meters[1].total);
}

static double reference(const struct state *state)
{
    double sum = 0;
    for (int i = 0; i < READINGS; i++)
        sum += state->readings[i];
    return sum;
}

SINGLE(meter_totals, 0, "Readings summed by two threads.");
