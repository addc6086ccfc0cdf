/* Every way a workload can break, for the tests. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgate/plugin.h"

static bool set_up(struct kgate_context *context, void **state)
{
    (void)context;
    *state = NULL;
    return true;
}

static void nothing(void *state)
{
    (void)state;
}

static void crash(void *state)
{
    (void)state;
    fprintf(stderr, "about to crash\n");
    raise(SIGSEGV);
}

static void hang(void *state)
{
    (void)state;
    for (;;)
        pause();
}

/* These two break with one thread alone. */
static bool set_up_alone(struct kgate_context *context, void **state)
{
    *state = context->threads == 1 ? context : NULL;
    return true;
}

static void crash_alone(void *state)
{
    if (state)
        crash(state);
}

static void hang_alone(void *state)
{
    if (state)
        hang(state);
}

/* As an instruction does that Valgrind does not know. */
static void crash_counted(void *state)
{
    const char *preloaded = getenv("LD_PRELOAD");
    (void)state;
    if (preloaded && strstr(preloaded, "vgpreload"))
        raise(SIGILL);
}

/* Few instructions a cycle, so that denormal numbers are suspected. */
static void crash_flushed(void *state)
{
    volatile double factor = 2;
    double smallest = 1e-310;
    for (int i = 0; i < 5000; i++)
        smallest = smallest / factor * factor;
    if (smallest == 0)
        crash(state);
}

static void leave(void *state)
{
    (void)state;
    _exit(7);
}

static void killed(void *state)
{
    (void)state;
    raise(SIGKILL);
}

static bool wrong_check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    (void)state;
    *check = (struct kgate_check){.error = 0.5, .tolerance = 0.1};
    return true;
}

static bool nan_check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    (void)state;
    *check = (struct kgate_check){.error = NAN, .tolerance = 0.1};
    return true;
}

/* Both workloads must leave 1. first_call_only is right only in the first call of its process.
 * add_up adds to the result of the call before. */
static bool set_up_number(struct kgate_context *context, void **state)
{
    *state = context->allocate(context, sizeof(double));
    return *state != NULL;
}

static void first_call_only(void *state)
{
    static bool called;
    double *number = state;
    if (!called)
        *number = 1;
    called = true;
}

static void add_up(void *state)
{
    double *number = state;
    *number += 1;
}

static bool one_check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const double *number = state;
    (void)context;
    *check = (struct kgate_check){.error = fabs(*number - 1)};
    return true;
}

#define NUMBER(function_name, run_function)                                                        \
    {                                                                                              \
        .name = function_name, .summary = "Leaves 1.", .devices = 1u << KGATE_DEVICE_CPU,          \
        .revision = 1, .set_up = set_up_number, .run = run_function, .check = one_check            \
    }
#define WORKLOAD(function_name, run_function, check_function)                                      \
    {                                                                                              \
        .name = function_name, .summary = "Breaks.", .devices = 1u << KGATE_DEVICE_CPU,            \
        .revision = 1, .set_up = set_up, .run = run_function, .check = check_function              \
    }
#define ALONE(function_name, run_function)                                                         \
    {                                                                                              \
        .name = function_name, .summary = "Breaks alone.", .devices = 1u << KGATE_DEVICE_CPU,      \
        .revision = 1, .set_up = set_up_alone, .run = run_function                                 \
    }
static const struct kgate_workload table[] = {
    WORKLOAD("crash", crash, NULL),
    WORKLOAD("hang", hang, NULL),
    WORKLOAD("leave", leave, NULL),
    WORKLOAD("killed", killed, NULL),
    WORKLOAD("wrong", nothing, wrong_check),
    WORKLOAD("not_a_number", nothing, nan_check),
    ALONE("crash_alone", crash_alone),
    ALONE("hang_alone", hang_alone),
    WORKLOAD("crash_counted", crash_counted, NULL),
    WORKLOAD("crash_flushed", crash_flushed, NULL),
    NUMBER("first_call_only", first_call_only),
    NUMBER("add_up", add_up),
};
static const struct kgate_workload *const workloads[] = {
    &table[0], &table[1], &table[2], &table[3], &table[4],  &table[5],
    &table[6], &table[7], &table[8], &table[9], &table[10], &table[11]};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 12};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
