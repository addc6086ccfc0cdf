/* A picture seen through a lens: each pixel is the weighted sum of the 9 by 9 around it.
 * serial       as first written.
 * all_threads  some rows per thread.
 * Error: of a pixel, relative to the possible rounding. */
#include <math.h>
#include <string.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { SIDE, VERSION, PARAMS, TAPS = 9 };
static const char *const versions[] = {"serial", "all_threads", NULL};
static const struct kgate_param params[PARAMS] = {
    {"side", KGATE_PARAM_INTEGER, "1024", 1, 16384, NULL, "rows and columns of the result"},
    {"version", KGATE_PARAM_CHOICE, "all_threads", 0, 0, versions, "who does it"},
};

struct convolution {
    struct pair pair;
    const float *x; /* side + TAPS - 1 rows and columns */
    const float *weights;
    float *y;
    size_t side;
    bool serial;
};

static void row(const struct convolution *work, size_t i)
{
    const size_t n = work->side, stride = n + TAPS - 1;
    float *restrict y = work->y + i * n;
    memset(y, 0, n * sizeof *y);
    for (size_t a = 0; a < TAPS; a++)
        for (size_t b = 0; b < TAPS; b++) {
            const float *restrict x = work->x + (i + a) * stride + b;
            const float weight = work->weights[a * TAPS + b];
            for (size_t j = 0; j < n; j++)
                y[j] += weight * x[j];
        }
}

static void serial(const struct convolution *work)
{
    KGATE_SCOPE("rows");
    for (size_t i = 0; i < work->side; i++)
        row(work, i);
}

static void all_threads(const struct convolution *work)
{
    KGATE_SCOPE_PARALLEL_REGION("convolution");
#pragma omp parallel num_threads(work->pair.threads)
    {
        KGATE_SCOPE("rows");
#pragma omp for schedule(static) nowait
        for (size_t i = 0; i < work->side; i++)
            row(work, i);
    }
}

static void run(void *state)
{
    const struct convolution *work = state;
    if (work->serial)
        serial(work);
    else
        all_threads(work);
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[SIDE].integer, in = n + TAPS - 1;
    *work = (struct kgate_work){
        .items = n * n, .bytes = 4 * (n * n + in * in), .flops = 2 * TAPS * TAPS * n * n};
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct convolution *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    const size_t n = (size_t)context->values[SIDE].integer, in = n + TAPS - 1;
    work->side = n;
    work->serial = context->values[VERSION].integer == 0;
    float *x = pair_array(context, &work->pair, in * in, sizeof *x);
    float *weights = pair_array(context, &work->pair, (size_t)TAPS * TAPS, sizeof *weights);
    work->x = x;
    work->weights = weights;
    work->y = pair_array(context, &work->pair, n * n, sizeof *work->y);
    const bool whole = x && weights && work->y;
    if (whole) {
        pair_fill(x, in * in, context->seed);
        pair_fill(weights, (size_t)TAPS * TAPS, context->seed + 1);
        memset(work->y, 0xff, n * n * sizeof *work->y);
    }
    return pair_whole(context, &work->pair, whole, state);
}

static double pixel_error(const struct convolution *work, size_t i, size_t j)
{
    double sum = 0, size = 0;
    for (size_t a = 0; a < TAPS; a++)
        for (size_t b = 0; b < TAPS; b++) {
            const double term = (double)work->weights[a * TAPS + b] *
                                (double)work->x[(i + a) * (work->side + TAPS - 1) + j + b];
            sum += term;
            size += fabs(term);
        }
    return fabs((double)work->y[i * work->side + j] - sum) /
           (pair_roundings(TAPS * TAPS + 1) * size);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct convolution *work = state;
    *check = (struct kgate_check){.tolerance = 1};
    for (size_t i = 0; i < work->side; i++)
        for (size_t j = 0; j < work->side; j++)
            pair_worse(&check->error, pixel_error(work, i, j));
    return true;
}

const struct kgate_workload pair_convolution = {
    .name = "convolution",
    .summary = "A picture through a 9 by 9 filter.",
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
