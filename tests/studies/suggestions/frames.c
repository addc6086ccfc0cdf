/* Speech, frame by frame. A Hann window fades each frame of 512 samples in and out. Then linear
 * prediction needs the autocorrelation of the first lags.
 * each_time  computes the window for every frame.
 * kept       computes the window once per call.
 * Error: of a lag, relative to the possible rounding. */
#include <math.h>
#include <string.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { FRAMES, VERSION, PARAMS, LENGTH = 512, HOP = 256, LAGS = 13 };
static const char *const versions[] = {"each_time", "kept", NULL};
static const struct kgate_param params[PARAMS] = {
    {"frames", KGATE_PARAM_INTEGER, "400", 1, 1e6, NULL, "overlapping by half"},
    {"version", KGATE_PARAM_CHOICE, "kept", 0, 0, versions, "how often the window is computed"},
};
static const double pi = 3.14159265358979323846;

struct frames {
    struct pair pair;
    const float *samples;
    float *lags; /* LAGS of each frame */
    size_t count;
    bool kept;
};

static void window_make(float *window)
{
    KGATE_SCOPE("window");
    for (size_t i = 0; i < LENGTH; i++)
        window[i] = (float)(0.5 - 0.5 * cos(2 * pi * (double)i / (LENGTH - 1)));
}

static void autocorrelate(const float *x, float *lags)
{
    KGATE_SCOPE("autocorrelate");
    for (size_t lag = 0; lag < LAGS; lag++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < LENGTH - lag; i++)
            sum += x[i] * x[i + lag];
        lags[lag] = sum;
    }
}

static void run(void *state)
{
    const struct frames *work = state;
    float window[LENGTH], frame[LENGTH];
    if (work->kept)
        window_make(window);
    for (size_t f = 0; f < work->count; f++) {
        const float *samples = work->samples + f * HOP;
        if (!work->kept)
            window_make(window);
        for (size_t i = 0; i < LENGTH; i++)
            frame[i] = samples[i] * window[i];
        autocorrelate(frame, work->lags + f * LAGS);
    }
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[FRAMES].integer;
    *work = (struct kgate_work){.items = n, .bytes = 4 * ((n + 1) * HOP + LAGS * n)};
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct frames *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    work->count = (size_t)context->values[FRAMES].integer;
    work->kept = context->values[VERSION].integer == 1;
    const size_t samples = (work->count + 1) * HOP;
    float *x = pair_array(context, &work->pair, samples, sizeof *x);
    work->samples = x;
    work->lags = pair_array(context, &work->pair, work->count * LAGS, sizeof *work->lags);
    const bool whole = x && work->lags;
    if (whole) {
        pair_fill(x, samples, context->seed);
        memset(work->lags, 0xff, work->count * LAGS * sizeof *work->lags);
    }
    return pair_whole(context, &work->pair, whole, state);
}

static double lag_error(const struct frames *work, size_t frame, size_t lag)
{
    const float *samples = work->samples + frame * HOP;
    double sum = 0, size = 0;
    for (size_t i = 0; i < LENGTH - lag; i++) {
        const double one = 0.5 - 0.5 * cos(2 * pi * (double)i / (LENGTH - 1));
        const double other = 0.5 - 0.5 * cos(2 * pi * (double)(i + lag) / (LENGTH - 1));
        const double term = (double)samples[i] * one * (double)samples[i + lag] * other;
        sum += term;
        size += fabs(term);
    }
    return fabs((double)work->lags[frame * LAGS + lag] - sum) / (pair_roundings(LENGTH + 5) * size);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct frames *work = state;
    *check = (struct kgate_check){.tolerance = 1};
    for (size_t f = 0; f < work->count; f++)
        for (size_t lag = 0; lag < LAGS; lag++)
            pair_worse(&check->error, lag_error(work, f, lag));
    return true;
}

const struct kgate_workload pair_frames = {
    .name = "frames",
    .summary = "Autocorrelation of windowed frames.",
    .params = params,
    .param_count = PARAMS,
    .devices = 1U << KGATE_DEVICE_CPU,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = pair_end,
};
