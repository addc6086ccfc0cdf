/* The nearest of 32 centres for each point: a step of k-means.
 * point_by_point  the distance to one centre after the other, each a sum over the coordinates. A
 *                 compiler may not reorder a sum of floats, so it adds one coordinate at a time.
 * centres_at_once  adds one coordinate to the distances of all centres at a time. Centres lie
 *                  coordinate after coordinate.
 * Error: distance of the found centre beyond that of the nearest, relative to the possible
 * rounding. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { POINTS, VERSION, PARAMS, DIMENSIONS = 16, CENTRES = 32 };
static const char *const versions[] = {"point_by_point", "centres_at_once", NULL};
static const struct kgate_param params[PARAMS] = {
    {"points", KGATE_PARAM_INTEGER, "20000", 1, 1e7, NULL, "in 16 dimensions"},
    {"version", KGATE_PARAM_CHOICE, "centres_at_once", 0, 0, versions, "what is summed together"},
};

struct nearest {
    struct pair pair;
    const float *points;  /* point after point */
    const float *centres; /* centre after centre */
    float *coordinates;   /* the same, coordinate after coordinate */
    int32_t *found;
    size_t n;
    void (*version)(const struct nearest *work);
};

static void point_by_point(const struct nearest *work)
{
    for (size_t i = 0; i < work->n; i++) {
        float least = FLT_MAX;
        for (int32_t c = 0; c < CENTRES; c++) {
            float sum = 0;
            for (size_t d = 0; d < DIMENSIONS; d++) {
                const float step =
                    work->points[i * DIMENSIONS + d] - work->centres[(size_t)c * DIMENSIONS + d];
                sum += step * step;
            }
            if (sum < least) {
                least = sum;
                work->found[i] = c;
            }
        }
    }
}

static void centres_turn(const struct nearest *work)
{
    for (size_t c = 0; c < CENTRES; c++)
        for (size_t d = 0; d < DIMENSIONS; d++)
            work->coordinates[d * CENTRES + c] = work->centres[c * DIMENSIONS + d];
}

static void centres_at_once(const struct nearest *work)
{
    centres_turn(work);
    for (size_t i = 0; i < work->n; i++) {
        float sums[CENTRES] = {0};
        for (size_t d = 0; d < DIMENSIONS; d++) {
            const float x = work->points[i * DIMENSIONS + d];
#pragma omp simd
            for (size_t c = 0; c < CENTRES; c++) {
                const float step = x - work->coordinates[d * CENTRES + c];
                sums[c] += step * step;
            }
        }
        int32_t best = 0;
        for (int32_t c = 1; c < CENTRES; c++)
            best = sums[c] < sums[best] ? c : best;
        work->found[i] = best;
    }
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[POINTS].integer;
    *work = (struct kgate_work){.items = n,
                                .bytes = 4 * (n * DIMENSIONS + CENTRES * DIMENSIONS + n),
                                .flops = 3.0 * DIMENSIONS * CENTRES * n};
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(const struct nearest *) = {point_by_point, centres_at_once};
    struct nearest *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    const size_t n = work->n = (size_t)context->values[POINTS].integer;
    work->version = table[context->values[VERSION].integer];
    float *points = pair_array(context, &work->pair, n * DIMENSIONS, sizeof *points);
    float *centres =
        pair_array(context, &work->pair, (size_t)CENTRES * DIMENSIONS, sizeof *centres);
    work->points = points;
    work->centres = centres;
    work->coordinates =
        pair_array(context, &work->pair, (size_t)CENTRES * DIMENSIONS, sizeof *centres);
    work->found = pair_array(context, &work->pair, n, sizeof *work->found);
    const bool whole = points && centres && work->coordinates && work->found;
    if (whole) {
        pair_fill(points, n * DIMENSIONS, context->seed);
        pair_fill(centres, (size_t)CENTRES * DIMENSIONS, context->seed + 1);
        memset(work->found, 0xff, n * sizeof *work->found);
    }
    return pair_whole(context, &work->pair, whole, state);
}

static void run(void *state)
{
    const struct nearest *work = state;
    KGATE_SCOPE("assign");
    work->version(work);
}

static double distance(const struct nearest *work, size_t point, size_t centre)
{
    double sum = 0;
    for (size_t d = 0; d < DIMENSIONS; d++) {
        const double step = (double)work->points[point * DIMENSIONS + d] -
                            (double)work->centres[centre * DIMENSIONS + d];
        sum += step * step;
    }
    return sum;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct nearest *work = state;
    *check = (struct kgate_check){.tolerance = 1};
    for (size_t i = 0; i < work->n; i++) {
        double least = INFINITY;
        for (size_t c = 0; c < CENTRES; c++)
            least = fmin(least, distance(work, i, c));
        const int32_t found = work->found[i];
        const double own =
            found >= 0 && found < CENTRES ? distance(work, i, (size_t)found) : INFINITY;
        /* The distance of each of the two may be off. */
        pair_worse(&check->error, (own - least) / (2 * pair_roundings(DIMENSIONS + 4) * least));
    }
    return true;
}

const struct kgate_workload pair_nearest = {
    .name = "nearest",
    .summary = "The nearest of 32 centres of each point.",
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
