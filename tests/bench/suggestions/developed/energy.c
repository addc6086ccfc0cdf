/* How loud a recording is: the sum of the squares of its samples. */
#include "workload.h"

enum { SAMPLES = 64 * 1024 };

struct work {
    float samples[SAMPLES];
    double energy;
    double expected;
};

static double sum_of_squares(const float *samples, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)samples[i] * (double)samples[i];
    return sum;
}

static double sum_in_eight(const float *samples, size_t count)
{
    double sums[8] = {0};
    for (size_t i = 0; i + 8 <= count; i += 8)
        for (size_t j = 0; j < 8; j++)
            sums[j] += (double)samples[i + j] * (double)samples[i + j];
    double sum = 0;
    for (size_t j = 0; j < 8; j++)
        sum += sums[j];
    return sum;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->energy = sum_of_squares(work->samples, SAMPLES);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->energy = sum_in_eight(work->samples, SAMPLES);
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
        work->samples[i] = (float)sample;
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
