/* Workloads that spend their time in known functions: the samples must name these functions. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgate/plugin.h"

#define APART __attribute__((noinline, used))

enum { COPY_BYTES = 1 << 18, PIECES = 64 };
static char from[COPY_BYTES], to[COPY_BYTES];
static volatile double sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- One function at a time ------------------------------------------------------------------- */

APART static double make_window(int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += cos(i * 0.1);
    return total;
}

static void cosine_run(void *state)
{
    (void)state;
    sum += make_window(20000);
}

APART static void copy_all(void)
{
    for (int i = 0; i < 8; i++) {
        memcpy(to, from, sizeof to);
        from[i]++;
    }
    sum += to[1];
}

static void copy_run(void *state)
{
    (void)state;
    copy_all();
}

APART static void pieces_make(void)
{
    void *pieces[PIECES];
    for (int turn = 0; turn < 100; turn++) {
        for (size_t i = 0; i < PIECES; i++)
            pieces[i] = malloc(2000 + 16 * i);
        for (size_t i = 0; i < PIECES; i++)
            free(pieces[i]);
    }
}

static void allocate_run(void *state)
{
    (void)state;
    pieces_make();
}

APART static void nap(void)
{
    usleep(3000);
}

static void sleep_run(void *state)
{
    (void)state;
    nap();
}

/* Inlined into its caller: debug information alone knows it. */
static inline __attribute__((always_inline)) double mix(double x, int i)
{
    for (int k = 0; k < 50; k++)
        x = x * 0.999 + k * i;
    return x;
}

APART static double stir(int count)
{
    double x = 1;
    for (int i = 0; i < count; i++)
        x = mix(x, i);
    return x;
}

static void inline_run(void *state)
{
    (void)state;
    sum += stir(4000);
}

APART static double dive(int depth, double x)
{
    return depth ? 1 + dive(depth - 1, x * 0.5) : make_window(2000);
}

static void recursion_run(void *state)
{
    (void)state;
    sum += dive(1000, 1);
}

/* --- Threads ---------------------------------------------------------------------------------- */

APART static void *churn(void *user)
{
    volatile double *x = user;
    for (int i = 0; i < 3000000; i++)
        *x = *x * 0.5 + 1;
    return NULL;
}

APART static void *fight(void *user)
{
    volatile double *x = user;
    for (int i = 0; i < 2000; i++) {
        pthread_mutex_lock(&lock);
        for (int k = 0; k < 300; k++)
            *x = *x * 0.5 + 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void two_run(void *(*work)(void *))
{
    double x[2][64] = {{0}};
    pthread_t other;
    if (pthread_create(&other, NULL, work, x[1]) != 0)
        return;
    work(x[0]);
    pthread_join(other, NULL);
}

static void threads_run(void *state)
{
    (void)state;
    two_run(churn);
}

static void locks_run(void *state)
{
    (void)state;
    two_run(fight);
}

/* Ends its process in the middle of the profile. */
static void exit_run(void *state)
{
    static int calls;
    (void)state;
    sum += make_window(2000);
    if (++calls > 800)
        _exit(3);
}

static bool set_up(struct kgate_context *context, void **state)
{
    (void)context;
    *state = from;
    return true;
}

#define WORKLOAD(called)                                                                           \
    {                                                                                              \
        .name = #called, .summary = "Spends its time in known functions.",                         \
        .devices = 1u << KGATE_DEVICE_CPU, .revision = 1, .set_up = set_up, .run = called##_run    \
    }

static const struct kgate_workload workloads[] = {
    WORKLOAD(cosine),    WORKLOAD(copy),    WORKLOAD(allocate), WORKLOAD(sleep), WORKLOAD(inline),
    WORKLOAD(recursion), WORKLOAD(threads), WORKLOAD(locks),    WORKLOAD(exit)};

enum { COUNT = sizeof workloads / sizeof *workloads };
static const struct kgate_workload *pointers[COUNT];

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, pointers, COUNT};
    for (size_t i = 0; i < COUNT; i++)
        pointers[i] = &workloads[i];
    return &plugin;
}
