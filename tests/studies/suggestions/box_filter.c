/* A picture blurred by a square window, by its summed-area table (Crow 1984): four readings of the
 * table a pixel, however large the window.
 * each_call  the table is allocated and freed in every call: fresh pages from the system each time
 * kept       it is allocated once
 * Error: pixels that are wrong. */
#include <stdlib.h>
#include <string.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { SIDE, VERSION, PARAMS, REACH = 4 };
static const char *const versions[] = {"each_call", "kept", NULL};
static const struct kgate_param params[PARAMS] = {
    {"side", KGATE_PARAM_INTEGER, "2400", 2 * REACH + 1, 32768, NULL, "pixels, of a byte each"},
    {"version", KGATE_PARAM_CHOICE, "kept", 0, 0, versions, "how long the table lives"},
};

struct box_filter {
    struct pair pair;
    const uint8_t *x;
    uint8_t *y;      /* pixels whose window lies within the picture */
    uint64_t *table; /* kept: side + 1 rows and columns, the first of zeros */
    size_t side;
};

static void table_fill(const struct box_filter *work, uint64_t *table)
{
    KGATE_SCOPE("table");
    const size_t n = work->side, stride = n + 1;
    memset(table, 0, stride * sizeof *table);
    for (size_t i = 0; i < n; i++) {
        uint64_t sum = 0;
        uint64_t *restrict row = table + (i + 1) * stride;
        const uint64_t *restrict above = row - stride;
        row[0] = 0;
        for (size_t j = 0; j < n; j++) {
            sum += work->x[i * n + j];
            row[j + 1] = above[j + 1] + sum;
        }
    }
}

static void means(const struct box_filter *work, const uint64_t *table)
{
    KGATE_SCOPE("means");
    const size_t n = work->side, stride = n + 1, width = 2 * REACH + 1;
    for (size_t i = REACH; i < n - REACH; i++) {
        const uint64_t *restrict above = table + (i - REACH) * stride;
        const uint64_t *restrict below = above + width * stride;
        uint8_t *restrict y = work->y + i * n + REACH;
        for (size_t j = 0; j < n - 2 * REACH; j++) {
            const uint64_t sum = below[j + width] - below[j] - above[j + width] + above[j];
            y[j] = (uint8_t)((uint32_t)sum / (uint32_t)(width * width));
        }
    }
}

static void run(void *state)
{
    const struct box_filter *work = state;
    const size_t count = (work->side + 1) * (work->side + 1);
    uint64_t *table = work->table ? work->table : malloc(count * sizeof *table);
    if (!table)
        return; /* and check finds it */
    table_fill(work, table);
    means(work, table);
    if (!work->table)
        free(table);
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[SIDE].integer;
    *work = (struct kgate_work){.items = n * n, .bytes = n * n * (2 + 2 * sizeof(uint64_t))};
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct box_filter *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    const size_t n = work->side = (size_t)context->values[SIDE].integer;
    const bool kept = context->values[VERSION].integer == 1;
    uint8_t *x = pair_array(context, &work->pair, n * n, sizeof *x);
    work->x = x;
    work->y = pair_array(context, &work->pair, n * n, sizeof *work->y);
    if (kept)
        work->table = pair_array(context, &work->pair, (n + 1) * (n + 1), sizeof *work->table);
    uint64_t sequence = context->seed;
    const bool whole = x && work->y && (work->table || !kept);
    for (size_t i = 0; whole && i < n * n; i++)
        x[i] = (uint8_t)(128 + pair_random(&sequence) % 128);
    return pair_whole(context, &work->pair, whole, state);
}

static uint8_t mean_at(const struct box_filter *work, size_t i, size_t j)
{
    uint32_t sum = 0;
    for (size_t a = i - REACH; a <= i + REACH; a++)
        for (size_t b = j - REACH; b <= j + REACH; b++)
            sum += work->x[a * work->side + b];
    return (uint8_t)(sum / ((2 * REACH + 1) * (2 * REACH + 1)));
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct box_filter *work = state;
    *check = (struct kgate_check){0};
    for (size_t i = REACH; i < work->side - REACH; i++)
        for (size_t j = REACH; j < work->side - REACH; j++)
            check->error += work->y[i * work->side + j] != mean_at(work, i, j);
    return true;
}

const struct kgate_workload pair_box_filter = {
    .name = "box_filter",
    .summary = "A picture blurred by way of its summed-area table.",
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
