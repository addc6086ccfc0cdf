/* Hostile workloads for the tests: each attacks the measuring program in one way. Compiled with
 * HEAD it is the changed build of a pair, and attacks the other build, too. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgate/plugin.h"

static bool set_up(struct kgate_context *context, void **state)
{
    *state = context;
    return true;
}

static void nothing(void *state)
{
    (void)state;
    for (volatile int i = 0; i < 1000; i++)
        continue;
}

/* Writes the response of a worker after a measured round. */
static void response_write(int file, const char *median, const char *batch)
{
    dprintf(file,
            "{\"schema\":\"kgate.response.v1\",\"good\":true,\"unavailable\":false,"
            "\"held_calls\":0,\"timer_resolution_ns\":20,\"batch\":%s,"
            "\"check\":{\"checked\":true,\"error\":0,\"tolerance\":1},"
            "\"work\":{\"items\":null,\"bytes\":null,\"flops\":null},"
            "\"allocated_bytes\":0,\"harness_bytes\":0,"
            "\"rounds\":[{\"median_ns\":%s,\"mean_ns\":1000,\"min_ns\":1000,\"max_ns\":1000,"
            "\"p95_ns\":1000,\"cpu_ns\":1000,\"wall_ns\":1000000,\"warm_up_ns\":0,\"calls\":1000,"
            "\"batch\":1000,\"peak_bytes\":0,\"voluntary_switches\":0,\"involuntary_switches\":0,"
            "\"minor_faults\":0,\"major_faults\":0,\"samples_ns\":[1000],\"samples_dropped\":0}]}",
            batch, median);
}

/* Answers in the worker's place, on every descriptor that is open. */
static void forge(const char *median, const char *batch)
{
    for (int file = 3; file < 64; file++)
        if (fcntl(file, F_GETFD) >= 0)
            response_write(file, median, batch);
    _exit(0);
}

static void forge_negative(void *state)
{
    (void)state;
    forge("-5", "1");
}

static void forge_zero(void *state)
{
    (void)state;
    forge("0", "1");
}

static void forge_null(void *state)
{
    (void)state;
    forge("null", "1");
}

static void forge_huge(void *state)
{
    (void)state;
    forge("1e308", "1");
}

static void forge_batch(void *state)
{
    (void)state;
    forge("1000", "0");
}

/* Is out of reach of a signal to its worker's group, and never ends. */
static void flee(void *state)
{
    (void)state;
    setpgid(0, getpgid(getppid()));
    for (;;)
        pause();
}

static void hangs(void *state)
{
    (void)state;
    for (;;)
        pause();
}

/* Leaves a process of its own session behind, and says its number. */
static void leave_behind(void *state)
{
    static bool left;
    int said[2];
    char none;
    (void)state;
    if (left || pipe(said) != 0)
        return;
    left = true;
    if (fork() == 0) {
        setsid();
        FILE *file = fopen("left.pid", "w");
        if (file) {
            fprintf(file, "%d\n", (int)getpid());
            fclose(file);
        }
        close(said[0]);
        close(said[1]);
        for (;;)
            pause();
    }
    close(said[1]);
    while (read(said[0], &none, 1) < 0 && errno == EINTR)
        continue;
    close(said[0]);
}

/* Twenty processes, each a child of the one before, each in a session of its own. */
static void bomb(void *state)
{
    static bool done;
    (void)state;
    if (done)
        return;
    done = true;
    if (fork() != 0)
        return;
    for (int depth = 0; depth < 19; depth++) {
        setsid();
        if (fork() != 0)
            break;
    }
    for (;;)
        pause();
}

static void kill_parent(void *state)
{
    (void)state;
    kill(getppid(), SIGTERM);
}

/* Writes to its standard output until a signal ends it. */
static void flood(void *state)
{
    static char bytes[65536];
    (void)state;
    memset(bytes, 'x', sizeof bytes);
    bytes[sizeof bytes - 1] = '\n';
    for (;;)
        if (write(STDOUT_FILENO, bytes, sizeof bytes) < 0 && errno == EPIPE)
            pause();
}

/* Escape sequences that a terminal would obey. */
static void escape(void *state)
{
    (void)state;
    fputs("\033]0;owned\007\033[2J\033[31mred\n", stderr);
    _exit(9);
}

#ifdef HEAD
enum { IS_HEAD = 1 };
#else
enum { IS_HEAD = 0 };
#endif

/* Kills the other build's process, a child of the same parent. */
static void kill_base(void *state)
{
    char path[64];
    int sibling;
    nothing(state);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)getppid(), (int)getppid());
    FILE *children = IS_HEAD ? fopen(path, "re") : NULL;
    while (children && fscanf(children, "%d", &sibling) == 1)
        if (sibling != getpid())
            kill(sibling, SIGKILL);
    if (children)
        fclose(children);
}

/* Says that this machine cannot run it. */
static bool set_up_unavailable(struct kgate_context *context, void **state)
{
    context->unavailable = IS_HEAD;
    snprintf(context->message, sizeof context->message, "not today");
    *state = context;
    return !IS_HEAD;
}

/* Fills the message to its last byte, without an end. */
static bool set_up_endless(struct kgate_context *context, void **state)
{
    (void)state;
    memset(context->message, 'x', sizeof context->message);
    return false;
}

static bool check_infinite(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    (void)state;
    *check = (struct kgate_check){.error = 1e9, .tolerance = INFINITY};
    return true;
}

/* A largest deviation whose loop never ran. */
static bool check_nothing(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    (void)state;
    *check = (struct kgate_check){.error = -INFINITY, .tolerance = 1e-6};
    return true;
}

/* An answer that is computed once per address, and cached. */
enum { VALUES = 1000 };
struct sum {
    double values[VALUES], sum;
};

static bool sum_refresh(struct kgate_context *context, void *state)
{
    struct sum *sum = state;
    for (int i = 0; i < VALUES; i++)
        sum->values[i] = (double)((context->seed >> i % 32) + (uint64_t)i);
    return true;
}

static bool sum_set_up(struct kgate_context *context, void **state)
{
    *state = context->allocate(context, sizeof(struct sum));
    return *state && sum_refresh(context, *state);
}

static double sum_of(const struct sum *sum)
{
    double total = 0;
    for (int i = 0; i < VALUES; i++)
        total += sum->values[i];
    return total;
}

static void adds(void *state)
{
    struct sum *sum = state;
    sum->sum = sum_of(sum);
}

static void remembers(void *state)
{
    static const void *known;
    static double answer;
    if (known != state)
        answer = sum_of(state);
    known = state;
    ((struct sum *)state)->sum = answer;
}

static bool sum_check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct sum *sum = state;
    (void)context;
    *check = (struct kgate_check){.error = fabs(sum->sum - sum_of(sum))};
    return true;
}

static bool sum_refresh_fails(struct kgate_context *context, void *state)
{
    (void)state;
    snprintf(context->message, sizeof context->message, "no other input today");
    return false;
}

static void sum_tear_down(struct kgate_context *context, void *state)
{
    context->release(context, state);
}

#define SUM(function_name, run_function, refresh_function)                                         \
    {                                                                                              \
        .name = function_name, .summary = "Adds numbers up.", .devices = 1u << KGATE_DEVICE_CPU,   \
        .revision = 1, .set_up = sum_set_up, .run = run_function, .check = sum_check,              \
        .tear_down = sum_tear_down, .refresh = refresh_function                                    \
    }
#define WORKLOAD(function_name, run_function, check_function)                                      \
    {                                                                                              \
        .name = function_name, .summary = "Is hostile.", .devices = 1u << KGATE_DEVICE_CPU,        \
        .revision = 1, .set_up = set_up, .run = run_function, .check = check_function              \
    }
static const struct kgate_workload unavailable = {.name = "unavailable",
                                                  .summary = "Is not to be had.",
                                                  .devices = 1u << KGATE_DEVICE_CPU,
                                                  .revision = 1,
                                                  .set_up = set_up_unavailable,
                                                  .run = nothing};
static const struct kgate_workload endless = {.name = "endless",
                                              .summary = "Says too much.",
                                              .devices = 1u << KGATE_DEVICE_CPU,
                                              .revision = 1,
                                              .set_up = set_up_endless,
                                              .run = nothing};
static const struct kgate_workload table[] = {
    WORKLOAD("nothing", nothing, NULL),
    WORKLOAD("forge_negative", forge_negative, NULL),
    WORKLOAD("forge_zero", forge_zero, NULL),
    WORKLOAD("forge_null", forge_null, NULL),
    WORKLOAD("forge_huge", forge_huge, NULL),
    WORKLOAD("forge_batch", forge_batch, NULL),
    WORKLOAD("flee", flee, NULL),
    WORKLOAD("leave_behind", leave_behind, NULL),
    WORKLOAD("bomb", bomb, NULL),
    WORKLOAD("kill_parent", kill_parent, NULL),
    WORKLOAD("flood", flood, NULL),
    WORKLOAD("escape", escape, NULL),
    WORKLOAD("infinite", nothing, check_infinite),
    WORKLOAD("kill_base", kill_base, NULL),
    WORKLOAD("hangs", hangs, NULL),
    WORKLOAD("compares_nothing", nothing, check_nothing),
    SUM("adds", adds, sum_refresh),
    SUM("remembers", remembers, sum_refresh),
    SUM("remembers_unseen", remembers, NULL),
    SUM("refresh_fails", adds, sum_refresh_fails),
};
static const struct kgate_workload *const workloads[] = {
    &table[0],  &table[1],  &table[2],    &table[3],  &table[4],  &table[5],
    &table[6],  &table[7],  &table[8],    &table[9],  &table[10], &table[11],
    &table[12], &table[13], &table[14],   &table[15], &table[16], &table[17],
    &table[18], &table[19], &unavailable, &endless};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads,
                                           sizeof workloads / sizeof *workloads};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
