/* Squared distances of all pairs of points, each pair once: row i of a triangle has i pairs. All
 * threads share the rows.
 * static_rows   equally many consecutive rows per thread: the last thread has the longest.
 * dynamic_rows  a thread that has finished takes the next few rows.
 * Error: of a distance, relative to the possible rounding. */
#include <math.h>
#include <string.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { POINTS, VERSION, PARAMS, DIMENSIONS = 24, CHUNK = 16 };
static const char *const versions[] = {"static_rows", "dynamic_rows", NULL};
static const struct kgate_param params[PARAMS] = {
    {"points", KGATE_PARAM_INTEGER, "1500", 2, 20000, NULL, "in 24 dimensions"},
    {"version", KGATE_PARAM_CHOICE, "dynamic_rows", 0, 0, versions, "how rows are shared"},
};

struct distances {
    struct pair pair;
    const float *x; /* DIMENSIONS rows of a coordinate of all points */
    float *squares; /* row after row */
    size_t n;
    void (*version)(const struct distances *work);
};

static float *row_of(const struct distances *work, size_t i)
{
    return work->squares + i * (i - 1) / 2;
}

static void row(const struct distances *work, size_t i)
{
    float *restrict squares = row_of(work, i);
    memset(squares, 0, i * sizeof *squares);
    for (size_t d = 0; d < DIMENSIONS; d++) {
        const float *restrict x = work->x + d * work->n;
        const float own = x[i];
        for (size_t j = 0; j < i; j++)
            squares[j] += (x[j] - own) * (x[j] - own);
    }
}

static void static_rows(const struct distances *work)
{
    KGATE_SCOPE_PARALLEL_REGION("distances");
#pragma omp parallel num_threads(work->pair.threads)
    {
        KGATE_SCOPE("rows");
#pragma omp for schedule(static) nowait
        for (size_t i = 1; i < work->n; i++)
            row(work, i);
    }
}

static void dynamic_rows(const struct distances *work)
{
    KGATE_SCOPE_PARALLEL_REGION("distances");
#pragma omp parallel num_threads(work->pair.threads)
    {
        KGATE_SCOPE("rows");
#pragma omp for schedule(dynamic, CHUNK) nowait
        for (size_t i = 1; i < work->n; i++)
            row(work, i);
    }
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[POINTS].integer, pairs = n * (n - 1) / 2;
    *work = (struct kgate_work){
        .items = pairs, .bytes = 4 * (DIMENSIONS * n + pairs), .flops = 3 * DIMENSIONS * pairs};
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(const struct distances *) = {static_rows, dynamic_rows};
    struct distances *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    work->n = (size_t)context->values[POINTS].integer;
    work->version = table[context->values[VERSION].integer];
    const size_t pairs = work->n * (work->n - 1) / 2;
    float *x = pair_array(context, &work->pair, DIMENSIONS * work->n, sizeof *x);
    work->x = x;
    work->squares = pair_array(context, &work->pair, pairs, sizeof *work->squares);
    const bool whole = x && work->squares;
    if (whole) {
        pair_fill(x, DIMENSIONS * work->n, context->seed);
        memset(work->squares, 0xff, pairs * sizeof *work->squares);
    }
    return pair_whole(context, &work->pair, whole, state);
}

static void run(void *state)
{
    const struct distances *work = state;
    work->version(work);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct distances *work = state;
    *check = (struct kgate_check){.tolerance = 1};
    for (size_t i = 1; i < work->n; i++)
        for (size_t j = 0; j < i; j++) {
            double sum = 0;
            for (size_t d = 0; d < DIMENSIONS; d++) {
                const double step =
                    (double)work->x[d * work->n + i] - (double)work->x[d * work->n + j];
                sum += step * step;
            }
            pair_worse(&check->error, fabs((double)row_of(work, i)[j] - sum) /
                                          (pair_roundings(DIMENSIONS + 4) * sum));
        }
    return true;
}

const struct kgate_workload pair_distances = {
    .name = "distances",
    .summary = "Squared distances of all pairs of points.",
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
