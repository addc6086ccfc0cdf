/* Workloads with a known slowdown: the same work, plus SLOWDOWN_PERCENT per cent in the same loop.
 * Each slowdown has a shared object, so they differ like two builds of a program. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "kgate/plugin.h"

#ifndef SLOWDOWN_PERCENT
#define SLOWDOWN_PERCENT 0
#endif

enum { MEMORY_BYTES = 64 * 1024 * 1024, LINE = 8, COMPUTE_TURNS = 150000, SHORT_TURNS = 3700 };

struct work {
    double *values; /* memory: the values that calls read, round and round; all others: NULL */
    size_t value_count;
    size_t at;
    size_t turns; /* iterations per call */
    double sink;  /* keeps the compiler from removing the loop */
    uint64_t random;
};

static const struct kgate_param params[] = {
    {.name = "scale",
     .type = KGATE_PARAM_REAL,
     .default_text = "1",
     .minimum = 0.01,
     .maximum = 100,
     .help = "how much work a call does, against the usual"},
};

static size_t turns_of(const struct kgate_context *context, double turns)
{
    return (size_t)llround(turns * context->values[0].real * (1 + SLOWDOWN_PERCENT / 100.0));
}

static bool work_make(struct kgate_context *context, double turns, void **state)
{
    struct work *work = context->allocate(context, sizeof *work);
    if (!work)
        return false;
    work->turns = turns_of(context, turns);
    work->sink = 1;
    *state = work;
    return true;
}

/* A chain of multiply-adds, each of which waits for the one before: no memory, no other unit. */
static double chain(size_t turns, double x)
{
    for (size_t i = 0; i < turns; i++)
        x = x * 0.999999 + 1e-6;
    return x;
}

static void chain_run(void *state)
{
    struct work *work = state;
    work->sink = chain(work->turns, work->sink);
}

static bool compute_set_up(struct kgate_context *context, void **state)
{
    return work_make(context, COMPUTE_TURNS, state);
}

static bool short_set_up(struct kgate_context *context, void **state)
{
    return work_make(context, SHORT_TURNS, state);
}

static bool memory_set_up(struct kgate_context *context, void **state)
{
    const double words = (double)MEMORY_BYTES / sizeof(double);
    if (!work_make(context, words / 4, state))
        return false;
    struct work *work = *state;
    const size_t bytes = (size_t)(words * context->values[0].real) * sizeof(double);
    work->values = context->allocate(context, bytes);
    if (!work->values)
        return false;
    memset(work->values, 1, bytes);
    work->value_count = bytes / sizeof(double) / LINE * LINE;
    return true;
}

/* Continues from the end of the last call, so all builds read the whole memory. A slower build has
 * the same misses per byte, but reads more bytes. */
static void memory_run(void *state)
{
    struct work *work = state;
    double sums[LINE] = {0};
    for (size_t i = 0; i < work->turns; i += LINE) {
        for (size_t k = 0; k < LINE; k++)
            sums[k] += work->values[work->at + k];
        work->at = work->at + LINE < work->value_count ? work->at + LINE : 0;
    }
    for (size_t k = 0; k < LINE; k++)
        work->sink += sums[k];
}

static bool tail_set_up(struct kgate_context *context, void **state)
{
    struct timespec now;
    if (!work_make(context, COMPUTE_TURNS, state))
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    ((struct work *)*state)->random = (uint64_t)now.tv_nsec * 2 + 1;
    return true;
}

/* Calls whose work follows a Pareto law of shape 1.5, cut off at fifty times the least: its
 * variance comes from a few calls, as with caches that miss and locks that wait. */
static void tail_run(void *state)
{
    struct work *work = state;
    work->random ^= work->random << 13;
    work->random ^= work->random >> 7;
    work->random ^= work->random << 17;
    const double uniform = ((double)(work->random >> 11) + 1) / 9007199254740993.0;
    const double factor = fmin(50, pow(uniform, -1 / 1.5));
    work->sink = chain((size_t)((double)work->turns * factor / 2), work->sink);
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct work *work = state;
    context->release(context, work->values);
    context->release(context, work);
}

#define WORKLOAD(symbol, text, label, set_up_function, run_function)                               \
    static const struct kgate_workload symbol##_workload = {.name = (text),                        \
                                                            .summary = (label),                    \
                                                            .params = params,                      \
                                                            .param_count = 1,                      \
                                                            .devices = 1u << KGATE_DEVICE_CPU,     \
                                                            .revision = 1,                         \
                                                            .set_up = (set_up_function),           \
                                                            .run = (run_function),                 \
                                                            .tear_down = tear_down}

WORKLOAD(compute, "compute", "Dependent multiply-adds.", compute_set_up, chain_run);
WORKLOAD(memory, "memory", "A sum over memory.", memory_set_up, memory_run);
WORKLOAD(brief, "short", "A few microseconds.", short_set_up, chain_run);
WORKLOAD(tail, "heavy_tail", "Heavy-tailed times.", tail_set_up, tail_run);

static const struct kgate_workload *const workloads[] = {&compute_workload, &memory_workload,
                                                         &brief_workload, &tail_workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 4};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
