/* series_spread.c: mean and standard deviation of columns of measurements, in double. */
#include "judged.h"

enum { SERIES = 16, LENGTH = 3000 };

struct spread {
    double mean, deviation;
};

struct state {
    double result;
    struct spread spreads[SERIES];
    double series[SERIES][LENGTH];
};

static ELSEWHERE double sum_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static ELSEWHERE double squares_of(const double *x, int n, double mean)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

/* Four sums that do not wait for each other. n is a multiple of 4. */
static ELSEWHERE double sum_of_fours(const double *x, int n)
{
    double a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < n; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    return (a + b) + (c + d);
}

static ELSEWHERE double squares_of_fours(const double *x, int n, double mean)
{
    double a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < n; i += 4) {
        a += (x[i] - mean) * (x[i] - mean);
        b += (x[i + 1] - mean) * (x[i + 1] - mean);
        c += (x[i + 2] - mean) * (x[i + 2] - mean);
        d += (x[i + 3] - mean) * (x[i + 3] - mean);
    }
    return (a + b) + (c + d);
}

static double total(const struct spread spreads[])
{
    double sum = 0;
    for (int i = 0; i < SERIES; i++)
        sum += spreads[i].mean + spreads[i].deviation;
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < SERIES; i++)
        for (int j = 0; j < LENGTH; j++)
            state->series[i][j] = below(&random, 100000) * 1e-3 + i;
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    for (int i = 0; i < SERIES; i++) {
        const double mean = sum_of(state->series[i], LENGTH) / LENGTH;
        const double squares = squares_of(state->series[i], LENGTH, mean);
        state->spreads[i] = (struct spread){mean, sqrt(squares / (LENGTH - 1))};
    }
    state->result = total(state->spreads);
}

static void run_good(void *place)
{
    struct state *state = place;
    for (int i = 0; i < SERIES; i++) {
        const double mean = sum_of_fours(state->series[i], LENGTH) / LENGTH;
        const double squares = squares_of_fours(state->series[i], LENGTH, mean);
        state->spreads[i] = (struct spread){mean, sqrt(squares / (LENGTH - 1))};
    }
    state->result = total(state->spreads);
}

PAIR(series_spread, 1e-12, "Mean and deviation of series.");
