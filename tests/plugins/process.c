/* Reports properties of the measuring process: its threads, its libraries that no plugin here links
 * with, and the CPUs of each of its two threads. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "kgate/plugin.h"

struct process {
    struct kgate_context *context;
    bool pair;
    pid_t other;
    pthread_barrier_t begin, end;
};

/* Counts the lines of a file that contain one of the words. */
static double lines(const char *path, const char *const *words, size_t count)
{
    char line[4096];
    double found = 0;
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        for (size_t i = 0; i < count; i++)
            found += strstr(line, words[i]) != NULL;
    if (file)
        fclose(file);
    return found;
}

static double threads(void)
{
    char line[256];
    double count = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "Threads:", 8))
            count = strtod(line + 8, NULL);
    if (file)
        fclose(file);
    return count;
}

static double cpus_of(pid_t thread)
{
    cpu_set_t mask;
    return sched_getaffinity(thread, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
}

static void *other_thread(void *state)
{
    struct process *process = state;
    process->other = gettid();
    for (;;) {
        pthread_barrier_wait(&process->begin);
        for (volatile int i = 0; i < 20000; i++)
            continue;
        pthread_barrier_wait(&process->end);
    }
    return NULL;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct process *process = context->allocate(context, sizeof *process);
    pthread_t thread;
    if (!process)
        return false;
    process->context = context;
    process->pair = context->values[0].integer == 2;
    *state = process;
    pthread_barrier_init(&process->begin, NULL, 2);
    pthread_barrier_init(&process->end, NULL, 2);
    return !process->pair || pthread_create(&thread, NULL, other_thread, process) == 0;
}

static void run(void *state)
{
    static const char *const of_kgate[] = {"openblas", "libgomp",     "libstdc++",
                                           "libyaml",  "libgfortran", "libdw",
                                           "libelf",   "libseccomp",  "libz"};
    struct process *process = state;
    struct kgate_context *context = process->context;
    if (process->pair) {
        pthread_barrier_wait(&process->begin);
        for (volatile int i = 0; i < 20000; i++)
            continue;
        pthread_barrier_wait(&process->end);
        context->report(context, "other_cpus", cpus_of(process->other));
    }
    context->report(context, "threads", threads());
    context->report(context, "libraries_of_kgate",
                    lines("/proc/self/maps", of_kgate, sizeof of_kgate / sizeof *of_kgate));
    context->report(context, "libraries_of_system",
                    lines("/proc/self/maps", (const char *const[]){"/libc.so"}, 1));
    context->report(context, "cpus", cpus_of(0));
}

static const struct kgate_param params[] = {
    {"threads", KGATE_PARAM_INTEGER, "1", 1, 2, NULL, "that work"},
};

static const struct kgate_workload workload = {
    .name = "process",
    .summary = "looks around in its process",
    .params = params,
    .param_count = 1,
    .devices = 1u << KGATE_DEVICE_CPU,
    .revision = 1,
    .set_up = set_up,
    .run = run,
};
static const struct kgate_workload *const workloads[] = {&workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 1};

const struct kgate_plugin *kgate_plugin_workloads(void);

const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
