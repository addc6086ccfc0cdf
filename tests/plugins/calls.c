/* Workloads with a fixed number of system calls per call; tests/cli/system_calls.bats. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kgate/plugin.h"

enum { BYTES = 240, MANY = 60000 };

struct calls {
    int file;
    pthread_barrier_t begin, end;
};

static bool set_up(struct kgate_context *context, void **state)
{
    static const char zeros[MANY] = {0};
    char path[] = "/tmp/kgate-calls-XXXXXX";
    struct calls *calls = context->allocate(context, sizeof *calls);
    if (!calls)
        return false;
    calls->file = mkstemp(path);
    if (calls->file < 0 || write(calls->file, zeros, sizeof zeros) != (ssize_t)sizeof zeros)
        return false;
    unlink(path);
    *state = calls;
    return true;
}

static void read_bytes(struct calls *calls, size_t count)
{
    char byte;
    lseek(calls->file, 0, SEEK_SET);
    for (size_t i = 0; i < count; i++)
        if (read(calls->file, &byte, 1) != 1)
            abort();
}

static void bytes(void *state)
{
    read_bytes(state, BYTES);
}

static void many(void *state)
{
    read_bytes(state, MANY);
}

static void synced(void *state)
{
    const struct calls *calls = state;
    if (pwrite(calls->file, "record", 6, 0) != 6 || fsync(calls->file) != 0)
        abort();
}

static void asleep(void *state)
{
    const struct timespec while_ = {.tv_nsec = 2000000};
    (void)state;
    nanosleep(&while_, NULL);
}

static void computing(void *state)
{
    (void)state;
    for (volatile int i = 0; i < 100000; i++)
        continue;
}

static void *other(void *user)
{
    const struct calls *calls = user;
    char text[8];
    for (int i = 0; i < 10; i++)
        if (pread(calls->file, text, sizeof text, 0) != (ssize_t)sizeof text)
            abort();
    return NULL;
}

static void threads(void *state)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, other, state) != 0 || pthread_join(thread, NULL) != 0)
        abort();
}

#define WORKLOAD(work, does)                                                                       \
    {                                                                                              \
        .name = #work, .summary = does, .devices = 1u << KGATE_DEVICE_CPU, .revision = 1,          \
        .set_up = set_up, .run = work                                                              \
    }

static const struct kgate_workload all[] = {
    WORKLOAD(bytes, "reads a file byte by byte"),
    WORKLOAD(many, "does so for longer than anybody watches"),
    WORKLOAD(synced, "writes a record and waits for the disk"),
    WORKLOAD(asleep, "sleeps for two milliseconds"),
    WORKLOAD(computing, "asks for nothing"),
    WORKLOAD(threads, "starts a thread that reads"),
};
static const struct kgate_workload *const workloads[] = {&all[0], &all[1], &all[2],
                                                         &all[3], &all[4], &all[5]};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads,
                                           sizeof workloads / sizeof *workloads};

const struct kgate_plugin *kgate_plugin_workloads(void);

const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
