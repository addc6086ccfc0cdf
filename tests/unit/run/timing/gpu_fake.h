/* gpu_fake.h: common code of the tests of GPU timing: the fake driver under the timer, a host clock
 * that only the test advances, and work to time. */
#pragma once
#include "test_support.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/clock.h"
#include "device/device_code.h"
#include "drivers/fake_cuda.h"
#include "run/timing/gpu_timer.h"

/* In place of the build's device code, which a build without CUDA does not have: the fake driver
 * looks at names only. */
static const unsigned char fake_code[8];
const struct kg_embedded_code kg_embedded_codes[] = {
    {"timing", fake_code, fake_code + sizeof fake_code},
    {"ceilings", fake_code, fake_code + sizeof fake_code},
    {NULL, NULL, NULL}};

static const struct fake_cuda *fake;
static uint64_t host_ns = UINT64_C(1000000000000);

/* Replaces libc's clock_gettime for times of the host. Each reading takes a little time, or polling
 * code would never see time pass. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, now);
    host_ns += 20;
    now->tv_sec = (time_t)(host_ns / 1000000000);
    now->tv_nsec = (long)(host_ns % 1000000000);
    return 0;
}

static uint64_t host_now(void)
{
    return host_ns;
}

static void pass(double ns)
{
    host_ns += (uint64_t)ns;
}

/* The library has the name of the real one, so later opens of "libcuda.so.1" get this one. */
static inline void fake_open(void)
{
    void *library = dlopen(KGATE_FAKE_CUDA, RTLD_NOW);
    const struct fake_cuda *(*controls)(void) = NULL;
    int (*initialise)(unsigned flags) = NULL;
    void *address = library ? dlsym(library, "fake_cuda") : NULL;
    if (!address) {
        fprintf(stderr, "%s\n", dlerror());
        abort();
    }
    memcpy(&controls, &address, sizeof controls);
    address = dlsym(library, "cuInit");
    memcpy(&initialise, &address, sizeof initialise);
    initialise(0);
    fake = controls();
}

static inline void fake_restart(void)
{
    fake->restart(host_now, 1, 5e15);
    fake->pass_by(pass);
}

/* From now on the device's clock rises for so long, as that of an idle one does. */
static uint64_t rise_start;
static double rise_ns;

static void pass_and_rise(double ns)
{
    pass(ns);
    const double risen = (double)(host_ns - rise_start) / rise_ns;
    fake->clock_set(0.3e9 + 1.68e9 * (risen < 1 ? risen : 1));
}

static inline void clock_rise(double ns)
{
    rise_start = host_ns;
    rise_ns = ns;
    fake->clock_set(0.3e9);
    fake->pass_by(pass_and_rise);
}

/* Work to time. */
struct work {
    struct kg_gpu_timer *timer;
    void *module;
    void *function;
    double ns;
    double cold_ns;
    unsigned launches;
    bool synchronises;
    double host_ns;                  /* that `run` takes beside its launches */
    bool on_default_stream;          /* the legacy one */
    void (*each)(struct work *work); /* before a call; may be NULL */
    uint64_t calls;
};

static inline void work_run(void *state)
{
    struct work *work = state;
    const struct kg_driver *driver = &work->timer->driver;
    void *stream = work->on_default_stream ? NULL : work->timer->stream;
    void *parameters[] = {&work->ns, &work->cold_ns};
    work->calls++;
    if (work->each)
        work->each(work);
    pass(work->host_ns);
    for (unsigned i = 0; i < work->launches; i++)
        driver->launch(work->function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, NULL);
    if (work->synchronises)
        driver->stream_synchronize(stream);
}

/* With the timer open; closed before it. */
static inline void work_open(struct kg_gpu_timer *timer, const char *name, struct work *work)
{
    *work = (struct work){.timer = timer, .ns = 50e3, .launches = 1};
    assert_int_equal(timer->driver.module_load(&work->module, fake_code), 0);
    assert_int_equal(timer->driver.module_function(&work->function, work->module, name), 0);
}

static inline void work_close(struct work *work)
{
    work->timer->driver.module_unload(work->module);
}

/* The timer has freed everything, and used nothing after its release. */
static inline void assert_nothing_left(void)
{
    const struct fake_cuda_counts *counts = fake->counts;
    assert_int_equal(counts->misuse, 0);
    assert_int_equal(counts->events_destroyed, counts->events_created);
    assert_int_equal(counts->streams_destroyed, counts->streams_created);
    assert_int_equal(counts->memory_live, 0);
    assert_int_equal(counts->host_live, 0);
    assert_int_equal(counts->modules_live, 0);
    assert_int_equal(counts->graphs_live, 0);
    assert_int_equal(counts->executables_live, 0);
}
