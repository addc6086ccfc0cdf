/* Does TURNS iterations per call and reports metrics of its own. Built twice, once with four times
 * the iterations: a build and a slower one. An iteration is a chain of arithmetic (xorshift,
 * Marsaglia 2003). A counter in memory would not do: on some processors its time differs by a
 * factor of four, from process to process. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "kgate/plugin.h"

#ifndef TURNS
#define TURNS 20000
#endif

struct work {
    struct kgate_context *context;
    volatile uint64_t number;
};

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = context->allocate(context, sizeof *work);
    if (!work)
        return false;
    work->context = context;
    *state = work;
    return true;
}

static void run(void *state)
{
    struct work *work = state;
    uint64_t number = 1;
    for (uint64_t i = 0; i < TURNS; i++) {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
    }
    work->number = number;
    work->context->report(work->context, "turns", TURNS);
    work->context->report(work->context, "quality", 1e6 / TURNS);
}

static void tear_down(struct kgate_context *context, void *state)
{
    context->release(context, state);
}

/* Crashes in the slower build only. */
static void run_or_crash(void *state)
{
    if (TURNS > 20000)
        abort();
    run(state);
}

/* Simulates an instruction that Valgrind cannot translate. Under Valgrind, LD_PRELOAD contains
 * vgpreload. */
static void run_uncountable(void *state)
{
    const char *preloaded = getenv("LD_PRELOAD");
    if (preloaded && strstr(preloaded, "vgpreload"))
        raise(SIGILL);
    run(state);
}

/* More for more threads. */
static bool describe_each(struct kgate_context *context, struct kgate_work *work)
{
    work->flops = TURNS * (double)context->threads;
    return true;
}

#define WORKLOAD(symbol, text, function)                                                           \
    static const struct kgate_workload symbol = {.name = (text),                                   \
                                                 .summary = "Counts turns.",                       \
                                                 .devices = 1u << KGATE_DEVICE_CPU,                \
                                                 .revision = 1,                                    \
                                                 .set_up = set_up,                                 \
                                                 .run = (function),                                \
                                                 .tear_down = tear_down}
WORKLOAD(turns, "turns", run);
WORKLOAD(fragile, "fragile", run_or_crash);
WORKLOAD(uncountable, "uncountable", run_uncountable);
static const struct kgate_workload each = {.name = "each",
                                           .summary = "Says that each thread counts turns.",
                                           .devices = 1u << KGATE_DEVICE_CPU,
                                           .revision = 1,
                                           .describe = describe_each,
                                           .set_up = set_up,
                                           .run = run,
                                           .tear_down = tear_down};

static const struct kgate_workload *const workloads[] = {&turns, &fragile, &each, &uncountable};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 4};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
