/* Makes measurements comparable: centres and scales them, clips outliers, then maps them to [0, 1].
 * steps   a pass over the whole array for each step, like array languages.
 * fused   all steps of an element before the next element.
 * Error: of an element, relative to the possible rounding. */
#include <math.h>
#include <string.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { ELEMENTS, VERSION, PARAMS };
static const char *const versions[] = {"steps", "fused", NULL};
static const struct kgate_param params[PARAMS] = {
    {"elements", KGATE_PARAM_INTEGER, "10000000", 1, 1e9, NULL, "floats"},
    {"version", KGATE_PARAM_CHOICE, "fused", 0, 0, versions, "how often the array is gone through"},
};
/* Constants of the instrument. */
static const float centre = 0.125F, scale = 3.5F, most = 2.5F;

struct rescale {
    struct pair pair;
    const float *x;
    float *y;
    size_t n;
    void (*version)(const struct rescale *work);
};

static inline float clip(float x)
{
    x = x < -most ? -most : x;
    return x > most ? most : x;
}

static void standardise(const float *restrict x, float *restrict y, size_t n)
{
    KGATE_SCOPE_ON("standardise", KGATE_DEVICE_CPU, NULL, 2 * n * sizeof *y);
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - centre) * scale;
}

static void clip_all(float *y, size_t n)
{
    KGATE_SCOPE_ON("clip", KGATE_DEVICE_CPU, NULL, 2 * n * sizeof *y);
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = clip(y[i]);
}

static void normalise(float *y, size_t n)
{
    KGATE_SCOPE_ON("normalise", KGATE_DEVICE_CPU, NULL, 2 * n * sizeof *y);
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] * (0.5F / most) + 0.5F;
}

static void steps(const struct rescale *work)
{
    standardise(work->x, work->y, work->n);
    clip_all(work->y, work->n);
    normalise(work->y, work->n);
}

static void fused(const struct rescale *work)
{
    const float *restrict x = work->x;
    float *restrict y = work->y;
    KGATE_SCOPE_ON("rescale", KGATE_DEVICE_CPU, NULL, 2 * work->n * sizeof *y);
#pragma omp simd
    for (size_t i = 0; i < work->n; i++)
        y[i] = clip((x[i] - centre) * scale) * (0.5F / most) + 0.5F;
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[ELEMENTS].integer;
    *work = (struct kgate_work){.items = n, .bytes = 8 * n, .flops = 4 * n};
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(const struct rescale *) = {steps, fused};
    struct rescale *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    work->n = (size_t)context->values[ELEMENTS].integer;
    work->version = table[context->values[VERSION].integer];
    float *x = pair_array(context, &work->pair, work->n, sizeof *x);
    work->x = x;
    work->y = pair_array(context, &work->pair, work->n, sizeof *work->y);
    const bool whole = x && work->y;
    if (whole) {
        pair_fill(x, work->n, context->seed);
        memset(work->y, 0xff, work->n * sizeof *work->y);
    }
    return pair_whole(context, &work->pair, whole, state);
}

static void run(void *state)
{
    const struct rescale *work = state;
    work->version(work);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct rescale *work = state;
    *check = (struct kgate_check){.tolerance = 1};
    for (size_t i = 0; i < work->n; i++) {
        const double z = ((double)work->x[i] - (double)centre) * (double)scale;
        const double y = fmax(-(double)most, fmin((double)most, z)) * 0.5 / (double)most + 0.5;
        /* Each of five roundings has an argument or a result of at most 1. */
        pair_worse(&check->error, fabs((double)work->y[i] - y) / pair_roundings(5));
    }
    return true;
}

const struct kgate_workload pair_rescale = {
    .name = "rescale",
    .summary = "Centres, clips and maps measurements.",
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
