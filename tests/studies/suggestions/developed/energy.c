/* The loudness of a recording: the sum of the squares of its samples. */
#include "workload.h"

enum { SAMPLES = 64 * 1024 };

struct work {
    double samples[SAMPLES];
    double energy;
    double expected;
};

static double sum_of_squares(const double *samples, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += samples[i] * samples[i];
    return sum;
}

static double sum_in_four(const double *samples, size_t count)
{
    double a = 0, b = 0, c = 0, d = 0;
    for (size_t i = 0; i + 4 <= count; i += 4) {
        a += samples[i] * samples[i];
        b += samples[i + 1] * samples[i + 1];
        c += samples[i + 2] * samples[i + 2];
        d += samples[i + 3] * samples[i + 3];
    }
    return a + b + c + d;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->energy = sum_of_squares(work->samples, SAMPLES);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->energy = sum_in_four(work->samples, SAMPLES);
}

/* Samples are whole numbers: the sums are exact in any order. */
static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed, sum = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        const uint64_t sample = workload_random(&sequence) % 32768;
        work->samples[i] = (double)sample;
        sum += sample * sample;
    }
    work->expected = (double)sum;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->energy < work->expected || work->energy > work->expected);
}

PAIR(energy, "Sums the squares of samples.");
