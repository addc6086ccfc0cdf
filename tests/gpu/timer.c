/* The timer on a real GPU: its blocking kernels, events, clocks, flushes and graphs must work as on
 * the tests' driver. It uses no test library: it has to run on a machine with only glibc and the
 * driver. Prints its measurements. It asserts no speed, except for relations that follow from the
 * order of operations. Exit status: 0 good, or no driver or GPU here; 1 not good. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/statistics/stats.h"
#include "device/code/ceilings_code.h"
#include "device/device_code.h"
#include "device/nvml.h"
#include "run/timing/gpu_hold.h"
#include "run/timing/gpu_sampler.h"

enum { BYTES = 64 << 20, SMALL_BYTES = 64 << 10, ROUND_SAMPLES = 4096 };

struct fill {
    struct kg_gpu_timer *timer;
    uint64_t address;
    size_t bytes;
    bool synchronises;
};

static int failures;

static void expect(bool good, const char *what)
{
    printf("%s  %s\n", good ? "ok  " : "FAIL", what);
    fflush(stdout);
    failures += !good;
}

static void fill_run(void *state)
{
    const struct fill *fill = state;
    const struct kg_driver *driver = &fill->timer->driver;
    driver->memset_async(fill->address, 0x3f800000, fill->bytes / 4, fill->timer->stream);
    if (fill->synchronises)
        driver->stream_synchronize(fill->timer->stream);
}

static void nature_test(struct fill *fill)
{
    struct kg_gpu_call_timing call_timing;
    struct kg_error err = {0};
    const struct kg_gpu_call call = {fill_run, fill};
    expect(kg_gpu_call_timing_find(fill->timer, &call, &call_timing, &err),
           "how a call can be timed is found");
    if (err.message[0])
        printf("      %s\n", err.message);
    printf("      device %.0f ns, launch %.0f ns, call %.0f ns, %" PRIu64 " calls can be held\n",
           call_timing.gpu_ns, call_timing.launch_ns, call_timing.call_ns, call_timing.held_calls);
    if (fill->synchronises) {
        expect(call_timing.synchronises, "a call that waits is found to wait");
        expect(!call_timing.capturable && call_timing.why_not[0],
               "and cannot be recorded, with a reason");
    } else {
        expect(!call_timing.synchronises && call_timing.held_calls > 0,
               "a call that returns is blocked");
        expect(call_timing.capturable, "and can be recorded");
    }
}

static void round_test(struct fill *fill, enum kg_timing timing, double *median_ns)
{
    static double buffer[KG_GPU_FIGURES * ROUND_SAMPLES];
    struct kg_arena arena = {0};
    struct kg_error err = {0};
    struct kg_round round;
    uint64_t batch;
    struct kg_gpu_sampler sampler = {.timer = fill->timer,
                                     .call = {fill_run, fill},
                                     .timing = timing,
                                     .min_time_ns = 20e6,
                                     .buffer = buffer,
                                     .capacity = ROUND_SAMPLES};
    *median_ns = NAN;
    if (!kg_gpu_call_timing_find(sampler.timer, &sampler.call, &sampler.call_timing, &err) ||
        !kg_gpu_sampler_batch(&sampler, 0, &batch, &err) ||
        !kg_gpu_sampler_round(&sampler, batch, &arena, &round, &err)) {
        printf("      %s: %s\n", kg_timing_names[timing], err.message);
        expect(false, "a round is measured");
        kg_arena_free(&arena);
        return;
    }
    *median_ns = round.median_ns;
    printf("      %-5s %9.0f ns (min %.0f, p95 %.0f, %" PRIu64 " calls, batch %" PRIu64
           "), launch %.0f ns, call %.0f ns, SM clock %.0f MHz, %.0f cycles\n",
           kg_timing_names[timing], round.median_ns, round.min_ns, round.p95_ns, round.calls, batch,
           round.launch_ns, round.call_ns, round.sm_clock_hz / 1e6, round.median_cycles);
    expect(round.median_ns > 0, "a round has a time");
    if (timing != KG_TIMING_WALL)
        expect(round.sm_clock_hz > 100e6 && round.sm_clock_hz < 5e9,
               "the multiprocessors' clock is read on the device");
    kg_arena_free(&arena);
}

static void rounds_test(struct fill *fill, const char *what)
{
    double cold, hot, graph, wall;
    printf("%s\n", what);
    round_test(fill, KG_TIMING_COLD, &cold);
    round_test(fill, KG_TIMING_HOT, &hot);
    round_test(fill, KG_TIMING_GRAPH, &graph);
    round_test(fill, KG_TIMING_WALL, &wall);
    expect(wall > hot && wall > graph, "the host sees a call take longer than the device");
}

/* --- The timer's parts, each by itself --- */

enum { LOOKS = 51 };

/* The median of samples of one call, one at a time, cold or hot; NaN if a sample fails. */
static double median_ns(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, bool cold)
{
    double times[LOOKS];
    for (int i = 0; i < LOOKS; i++) {
        struct kg_gpu_sample sample;
        struct kg_error err = {0};
        if (!(cold ? kg_gpu_cold(timer, call, true, &sample, &err)
                   : kg_gpu_hot(timer, call, 1, 1, &sample, &err))) {
            printf("      %s\n", err.message);
            return NAN;
        }
        times[i] = sample.time_ns;
    }
    kg_sort(times, LOOKS);
    return kg_median_sorted(times, LOOKS);
}

struct nothings {
    struct kg_gpu_timer *timer;
    unsigned launches;
};

static void nothings_run(void *state)
{
    const struct nothings *nothings = state;
    struct kg_error err;
    for (unsigned i = 0; i < nothings->launches; i++)
        kg_gpu_nothing(nothings->timer, &err);
}

static void overhead_test(struct kg_gpu_timer *timer)
{
    struct nothings one = {timer, 1};
    const double time_ns = median_ns(timer, &(struct kg_gpu_call){nothings_run, &one}, false);
    printf("an empty kernel\n      %.0f ns, of which %.0f ns of the timer's are taken out\n",
           time_ns + timer->overhead_ns, timer->overhead_ns);
    expect(time_ns > 0, "an empty kernel takes longer than nothing does");
}

/* Reads a quarter of the L2 cache. */
struct reading {
    struct kg_gpu_timer *timer;
    void *module, *function;
    uint64_t source, sum, tiles;
};

static void reading_run(void *state)
{
    struct reading *reading = state;
    const struct kg_driver *driver = &reading->timer->driver;
    void *parameters[] = {&reading->source, &reading->tiles, &reading->sum};
    driver->launch(reading->function, (unsigned)reading->tiles, 1, 1, KG_CEILING_THREADS, 1, 1, 0,
                   reading->timer->stream, parameters, NULL);
}

static bool reading_open(struct reading *reading)
{
    const struct kg_driver *driver = &reading->timer->driver;
    const size_t l2_bytes = reading->timer->flush_bytes / 2;
    reading->tiles = l2_bytes / 4 / KG_CEILING_TILE_BYTES;
    const size_t bytes = (size_t)reading->tiles * KG_CEILING_TILE_BYTES;
    const void *code = kg_device_code("ceilings", NULL);
    return code && !driver->module_load(&reading->module, code) &&
           !driver->module_function(&reading->function, reading->module, "kg_ceiling_read") &&
           !driver->memory_allocate(&reading->source, bytes) &&
           !driver->memory_allocate(&reading->sum, sizeof(uint32_t)) &&
           !driver->memset_async(reading->source, 1, bytes / 4, reading->timer->stream) &&
           !driver->memset_async(reading->sum, 0, 1, reading->timer->stream) &&
           !driver->stream_synchronize(reading->timer->stream);
}

static void flush_test(struct kg_gpu_timer *timer)
{
    struct reading reading = {.timer = timer};
    const struct kg_gpu_call call = {reading_run, &reading};
    const struct kg_driver *driver = &timer->driver;
    printf("reading a quarter of the L2 cache\n");
    const bool open = reading_open(&reading);
    expect(open, "what it takes to read is there");
    if (open) {
        reading_run(&reading);
        driver->stream_synchronize(timer->stream);
        const double hot = median_ns(timer, &call, false), cold = median_ns(timer, &call, true);
        printf("      hot %.0f ns, cold %.0f ns\n", hot, cold);
        expect(cold > hot, "what was flushed takes longer to read than what is in the cache");
    }
    if (reading.source)
        driver->memory_free(reading.source);
    if (reading.sum)
        driver->memory_free(reading.sum);
    if (reading.module)
        driver->module_unload(reading.module);
}

/* Keeps the device busy and asks NVML for its clock meanwhile. */
struct clocked {
    struct kg_gpu_timer *timer;
    struct kg_nvml nvml;
    size_t index;
    int sm_mhz; /* -1: not told */
};

static void clocked_run(void *state)
{
    struct clocked *clocked = state;
    struct kg_nvml_telemetry told;
    struct kg_error err;
    const struct timespec while_busy = {.tv_nsec = 50000000};
    kg_gpu_busy(clocked->timer, 200e6, &err);
    nanosleep(&while_busy, NULL);
    if (clocked->nvml.calls && kg_nvml_telemetry_read(&clocked->nvml, clocked->index, &told))
        clocked->sm_mhz = told.sm_mhz;
}

static void nvml_find(struct clocked *clocked)
{
    const struct kg_driver *driver = &clocked->timer->driver;
    unsigned char id[16] = {0};
    char why[160], uuid[64];
    int length = snprintf(uuid, sizeof uuid, "GPU-");
    if (driver->device_uuid(id, clocked->timer->device) != KG_DRIVER_SUCCESS ||
        kg_nvml_open(KG_NVML_LIBRARY, &clocked->nvml, why, sizeof why) != KG_NVML_GOOD)
        return;
    for (size_t i = 0; i < sizeof id; i++)
        length += snprintf(uuid + length, sizeof uuid - (size_t)length, "%s%02x",
                           i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
    if (!kg_nvml_find(&clocked->nvml, uuid, &clocked->index))
        kg_nvml_close(&clocked->nvml);
}

static void clock_test(struct kg_gpu_timer *timer)
{
    struct clocked clocked = {.timer = timer, .sm_mhz = -1};
    struct kg_gpu_sample sample;
    struct kg_error err = {0};
    printf("the clock of a busy device\n");
    nvml_find(&clocked);
    expect(kg_gpu_warm(timer, &err) &&
               kg_gpu_hot(timer, &(struct kg_gpu_call){clocked_run, &clocked}, 1, 0, &sample, &err),
           "the device is kept busy");
    printf("      %s%.0f MHz by stamps, %d MHz by NVML (-1: not told), busy for %.0f ms\n",
           err.message, sample.sm_clock_hz / 1e6, clocked.sm_mhz, sample.time_ns / 1e6);
    expect(sample.time_ns > 190e6 && sample.time_ns < 400e6, "for as long as it was asked to be");
    if (clocked.sm_mhz > 0)
        expect(fabs(sample.sm_clock_hz / 1e6 / clocked.sm_mhz - 1) < 0.25,
               "both clocks are the same within a quarter");
    kg_nvml_close(&clocked.nvml);
}

/* More launches than the driver's queue takes. */
static void graph_test(struct kg_gpu_timer *timer)
{
    struct nothings many = {timer, 3000};
    const struct kg_gpu_call call = {nothings_run, &many};
    struct kg_gpu_call_timing call_timing;
    struct kg_gpu_graph graph;
    struct kg_gpu_sample sample = {.time_ns = NAN};
    struct kg_error err = {0};
    printf("%u empty kernels\n", many.launches);
    expect(kg_gpu_call_timing_find(timer, &call, &call_timing, &err),
           "how the call can be timed is found");
    expect(call_timing.capturable && !call_timing.synchronises,
           "it can be recorded, and does not wait");
    const bool recorded = kg_gpu_graph_record(timer, &call, 2, &graph, &err);
    const bool replayed = recorded && kg_gpu_graph_time(timer, &graph, 2, &sample, &err);
    expect(replayed, "two replays of a graph of two calls");
    kg_gpu_graph_free(timer, &graph);
    printf("      %s%" PRIu64 " calls held, device %.0f ns; as a graph %.0f ns, %s\n", err.message,
           call_timing.held_calls, call_timing.gpu_ns, sample.time_ns,
           sample.held ? "held" : "not held");
    expect(sample.time_ns > 0, "have a time");
}

int main(void)
{
    struct kg_driver driver;
    struct kg_gpu_timer timer;
    struct kg_error err = {0};
    struct fill fill = {.timer = &timer, .bytes = BYTES};
    char why[256];
    if (!kg_driver_open(KG_DRIVER_LIBRARY, &driver, why, sizeof why)) {
        const bool nothing_here = !driver.library || strstr(why, "CUDA_ERROR_NO_DEVICE");
        printf("%s: %s\n", nothing_here ? "skipped" : "FAIL  the driver is opened", why);
        return nothing_here ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (!kg_gpu_timer_open(NULL, &timer, &err)) {
        printf("FAIL  the timer is opened: %s\n", err.message);
        return EXIT_FAILURE;
    }
    printf("timer: resolution %.1f ns, overhead %.1f ns, %d multiprocessors, flushes %zu MiB\n",
           timer.resolution_ns, timer.overhead_ns, timer.multiprocessors, timer.flush_bytes >> 20);
    expect(timer.holds, "launches can be blocked");
    expect(timer.resolution_ns >= 1 && timer.resolution_ns < 10e3, "the timer's step is known");
    expect(timer.overhead_ns >= 0 && timer.overhead_ns < 100e3, "the timer's overhead is known");
    overhead_test(&timer);
    flush_test(&timer);
    clock_test(&timer);
    graph_test(&timer);
    if (timer.driver.memory_allocate(&fill.address, fill.bytes) != KG_DRIVER_SUCCESS) {
        expect(false, "64 MiB of device memory");
        return EXIT_FAILURE;
    }
    nature_test(&fill);
    rounds_test(&fill, "filling 64 MiB");
    fill.bytes = SMALL_BYTES;
    rounds_test(&fill, "filling 64 KiB");
    fill.synchronises = true;
    nature_test(&fill);
    timer.driver.memory_free(fill.address);
    kg_gpu_timer_close(&timer);
    printf("%d failed\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
