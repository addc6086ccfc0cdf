/* Number of elements of each of eight kinds. Each thread counts a part of the elements alone, and
 * at the end all counts are added.
 * packed  a table of counts with a row per thread, as usually written. Rows have 32 bytes, two per
 *         cache line, so the line moves from core to core at nearly every element.
 * padded  each row in cache lines of its own.
 * Error: of all counts together. */
#include <omp.h>
#include <string.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { ELEMENTS, VERSION, PARAMS, KINDS = 8, LINE_COUNTS = 16 };
static const char *const versions[] = {"packed", "padded", NULL};
static const struct kgate_param params[PARAMS] = {
    {"elements", KGATE_PARAM_INTEGER, "4000000", 1, 1e9, NULL, "of a byte each"},
    {"version", KGATE_PARAM_CHOICE, "padded", 0, 0, versions, "how the threads' counts lie"},
};

struct histogram {
    struct pair pair;
    const uint8_t *kinds;
    uint32_t *counts; /* of each thread */
    uint64_t *totals;
    size_t stride; /* from one thread's to the next one's */
    size_t n;
};

static void count(const uint8_t *kinds, size_t n, uint32_t *counts)
{
    for (size_t i = 0; i < n; i++)
        counts[kinds[i]]++;
}

static void count_all(const struct histogram *work)
{
    KGATE_SCOPE_PARALLEL_REGION("histogram");
#pragma omp parallel num_threads(work->pair.threads)
    {
        KGATE_SCOPE("count");
        const size_t team = (size_t)omp_get_num_threads(), t = (size_t)omp_get_thread_num();
        const size_t start = t * work->n / team, end = (t + 1) * work->n / team;
        count(work->kinds + start, end - start, work->counts + t * work->stride);
    }
}

static void run(void *state)
{
    struct histogram *work = state;
    const size_t threads = (size_t)work->pair.threads;
    memset(work->counts, 0, threads * work->stride * sizeof *work->counts);
    memset(work->totals, 0, KINDS * sizeof *work->totals);
    count_all(work);
    for (size_t t = 0; t < threads; t++)
        for (size_t k = 0; k < KINDS; k++)
            work->totals[k] += work->counts[t * work->stride + k];
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[ELEMENTS].integer;
    *work = (struct kgate_work){.items = n, .bytes = n};
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct histogram *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    work->n = (size_t)context->values[ELEMENTS].integer;
    work->stride = context->values[VERSION].integer ? LINE_COUNTS : KINDS;
    uint8_t *kinds = pair_array(context, &work->pair, work->n, sizeof *kinds);
    work->kinds = kinds;
    work->counts =
        pair_array(context, &work->pair, context->threads * work->stride, sizeof *work->counts);
    work->totals = pair_array(context, &work->pair, KINDS, sizeof *work->totals);
    const bool whole = kinds && work->counts && work->totals;
    uint64_t sequence = context->seed;
    for (size_t i = 0; whole && i < work->n; i++)
        kinds[i] = (uint8_t)(pair_random(&sequence) % KINDS);
    return pair_whole(context, &work->pair, whole, state);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct histogram *work = state;
    *check = (struct kgate_check){0};
    for (unsigned kind = 0; kind < KINDS; kind++) {
        uint64_t found = 0;
        for (size_t i = 0; i < work->n; i++)
            found += work->kinds[i] == kind;
        check->error += (double)(found > work->totals[kind] ? found - work->totals[kind]
                                                            : work->totals[kind] - found);
    }
    return true;
}

const struct kgate_workload pair_histogram = {
    .name = "histogram",
    .summary = "How often each of eight kinds occurs.",
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
