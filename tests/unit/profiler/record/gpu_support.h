/* gpu_support.h: common code of the tests of GPU times: the fake driver instead of the real one,
 * and a host clock that only the test advances. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drivers/fake_cuda.h"
#include "profiler/record/gpu.h"
#include "profiler/record/ticks.h"

static const struct fake_cuda *fake;
static uint64_t host_ns = UINT64_C(1000000000000);
static bool host_is_real;        /* the clock is the machine's after all */
static struct kg_gpu_times *gpu; /* of each test, fresh */
static void *context;
static void *stream;

/* Replaces libc's functions: the profiler's clock and its sleep. Each call takes some time, or
 * polling code would never see time pass. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC || host_is_real)
        return (int)syscall(SYS_clock_gettime, clock, now);
    host_ns += 20;
    now->tv_sec = (time_t)(host_ns / 1000000000);
    now->tv_nsec = (long)(host_ns % 1000000000);
    return 0;
}

int nanosleep(const struct timespec *asked, struct timespec *remaining)
{
    (void)remaining;
    host_ns += (uint64_t)asked->tv_sec * 1000000000 + (uint64_t)asked->tv_nsec + 50000;
    return 0;
}

static inline void pass(double ns)
{
    host_ns += (uint64_t)ns;
}

/* Reading the clock takes no time for the fake. */
static uint64_t host_now(void)
{
    return host_ns;
}

static void fake_restart(double rate)
{
    fake->restart(host_now, rate, 5e15);
    context = fake->context_new();
    fake->context_use(context);
    stream = fake->stream_new();
}

/* The library has the name of the real one, so later opens of "libcuda.so.1" get this one. */
static inline void fake_open(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        abort();
    }
    const struct fake_cuda *(*controls)(void) = NULL;
    void *address = dlsym(library, "fake_cuda");
    memcpy(&controls, &address, sizeof address);
    fake = controls();
    kg_ticks_source = KG_CLOCK_MONOTONIC;
}

static inline int gpu_setup(void **state)
{
    (void)state;
    fake_restart(1);
    gpu = kg_gpu_new();
    return gpu ? 0 : -1;
}

/* Holds for every test: the profiler never blocked the program, broke no capture and used no dead
 * handle. It destroyed all its objects, or lost them with their context. */
static inline int gpu_teardown(void **state)
{
    (void)state;
    kg_gpu_free(gpu);
    gpu = NULL;
    return fake->counts->synchronised || fake->counts->misuse || fake->counts->captures_broken ||
           fake->counts->pushed;
}

static inline void assert_all_destroyed(void)
{
    kg_gpu_free(gpu);
    gpu = NULL;
    assert_int_equal(fake->counts->events_destroyed, fake->counts->events_created);
    assert_int_equal(fake->counts->streams_destroyed, fake->counts->streams_created);
}

/* A scope around work of that length on the stream, as entry number `bytes`.
 * returns whether it waits for its GPU time; `start_ns` (may be NULL): when the device begins it,
 * on the host's clock */
static inline bool scope(void *on, double work_ns, uint64_t bytes, double *start_ns)
{
    struct kg_gpu_mark mark;
    const struct kg_entry entry = {.start = host_ns, .bytes = bytes, .node = 1};
    if (!kg_gpu_begin(gpu, on, &mark))
        return false;
    if (start_ns)
        *start_ns = fake->event_host_ns(mark.start);
    fake->launch(on, work_ns);
    return kg_gpu_end(gpu, &mark, &entry, NULL);
}

static inline bool is_timed(const struct kg_gpu_done *done)
{
    return (done->entry.nested_flags >> 24 & KG_ENTRY_GPU) != 0;
}

/* Whether a function finds everything right in a child of its own, which has
 * opened no driver yet. */
static inline bool right_in_child(bool (*function)(void))
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(function() ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}
