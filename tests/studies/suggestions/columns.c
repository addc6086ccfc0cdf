/* Means and variances of a table's columns, with the table row after row in memory.
 * column_by_column  one column after the other. Each element comes from another cache line, and the
 *                   line is evicted before the next column needs it.
 * row_by_row        all sums at once, one row after the other.
 * Error: of a mean, and of a variance, relative to the possible rounding. */
#include <math.h>
#include <string.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { ROWS, COLUMNS, VERSION, PARAMS };
static const char *const versions[] = {"column_by_column", "row_by_row", NULL};
static const struct kgate_param params[PARAMS] = {
    {"rows", KGATE_PARAM_INTEGER, "3000", 1, 1e6, NULL, "observations"},
    {"columns", KGATE_PARAM_INTEGER, "2000", 1, 1e6, NULL, "quantities observed"},
    {"version", KGATE_PARAM_CHOICE, "row_by_row", 0, 0, versions, "the order of the loops"},
};

struct columns {
    struct pair pair;
    const float *x;
    float *mean;
    float *variance;
    size_t rows;
    size_t columns;
    void (*version)(const struct columns *work);
};

static void moments(const struct columns *work, size_t column, float sum, float squares)
{
    const float n = (float)work->rows, mean = sum / n;
    work->mean[column] = mean;
    work->variance[column] = squares / n - mean * mean;
}

static void column_by_column(const struct columns *work)
{
    for (size_t j = 0; j < work->columns; j++) {
        float sum = 0, squares = 0;
        for (size_t i = 0; i < work->rows; i++) {
            const float x = work->x[i * work->columns + j];
            sum += x;
            squares += x * x;
        }
        moments(work, j, sum, squares);
    }
}

static void row_by_row(const struct columns *work)
{
    float *restrict sums = work->mean, *restrict squares = work->variance;
    memset(sums, 0, work->columns * sizeof *sums);
    memset(squares, 0, work->columns * sizeof *squares);
    for (size_t i = 0; i < work->rows; i++) {
        const float *restrict row = work->x + i * work->columns;
        for (size_t j = 0; j < work->columns; j++) {
            sums[j] += row[j];
            squares[j] += row[j] * row[j];
        }
    }
    for (size_t j = 0; j < work->columns; j++)
        moments(work, j, sums[j], squares[j]);
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double rows = (double)context->values[ROWS].integer;
    const double columns = (double)context->values[COLUMNS].integer;
    *work = (struct kgate_work){
        .items = rows * columns, .bytes = 4 * (rows + 2) * columns, .flops = 3 * rows * columns};
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    static void (*const table[])(const struct columns *) = {column_by_column, row_by_row};
    struct columns *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    work->rows = (size_t)context->values[ROWS].integer;
    work->columns = (size_t)context->values[COLUMNS].integer;
    work->version = table[context->values[VERSION].integer];
    float *x = pair_array(context, &work->pair, work->rows * work->columns, sizeof *x);
    work->x = x;
    work->mean = pair_array(context, &work->pair, work->columns, sizeof *work->mean);
    work->variance = pair_array(context, &work->pair, work->columns, sizeof *work->variance);
    const bool whole = x && work->mean && work->variance;
    if (whole) {
        pair_fill(x, work->rows * work->columns, context->seed);
        memset(work->mean, 0xff, work->columns * sizeof *work->mean);
        memset(work->variance, 0xff, work->columns * sizeof *work->variance);
    }
    return pair_whole(context, &work->pair, whole, state);
}

static void run(void *state)
{
    const struct columns *work = state;
    KGATE_SCOPE("moments");
    work->version(work);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct columns *work = state;
    const double n = (double)work->rows, allowed = pair_roundings(n + 2);
    *check = (struct kgate_check){.tolerance = 1};
    for (size_t j = 0; j < work->columns; j++) {
        double sum = 0, size = 0, squares = 0;
        for (size_t i = 0; i < work->rows; i++) {
            const double x = (double)work->x[i * work->columns + j];
            sum += x;
            size += fabs(x);
            squares += x * x;
        }
        const double mean = sum / n;
        pair_worse(&check->error, fabs((double)work->mean[j] - mean) / (allowed * size / n));
        pair_worse(&check->error, fabs((double)work->variance[j] - (squares / n - mean * mean)) /
                                      (3 * allowed * squares / n));
    }
    return true;
}

const struct kgate_workload pair_columns = {
    .name = "columns",
    .summary = "Means and variances of a table's columns.",
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
