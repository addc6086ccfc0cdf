/* What only a GPU can show of the timer: that its holds, events, clocks, flushes and graphs do on a
 * device what they do on the tests' driver. No library of tests: it has to run on a machine that
 * has nothing but glibc and the driver. Prints what it measured; asserts nothing of speed but what
 * follows from the order of things. Exit status: 0 good or no GPU here, 1 not good. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/gpu_sampler.h"

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
    struct kg_gpu_nature nature;
    struct kg_error err = {0};
    const struct kg_gpu_call call = {fill_run, fill};
    expect(kg_gpu_nature_find(fill->timer, &call, &nature, &err), "the nature of a call is found");
    if (err.message[0])
        printf("      %s\n", err.message);
    printf("      device %.0f ns, launch %.0f ns, call %.0f ns, %" PRIu64 " calls can be held\n",
           nature.gpu_ns, nature.launch_ns, nature.call_ns, nature.held_calls);
    if (fill->synchronises) {
        expect(nature.synchronises, "a call that waits is found to wait");
        expect(!nature.capturable && nature.why_not[0], "and cannot be recorded, with a reason");
    } else {
        expect(!nature.synchronises && nature.held_calls > 0, "a call that returns is held back");
        expect(nature.capturable, "and can be recorded");
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
    if (!kg_gpu_nature_find(sampler.timer, &sampler.call, &sampler.nature, &err) ||
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

int main(void)
{
    struct kg_gpu_timer timer;
    struct kg_error err = {0};
    struct fill fill = {.timer = &timer, .bytes = BYTES};
    if (!kg_gpu_timer_open(NULL, &timer, &err)) {
        printf("skipped: %s\n", err.message);
        return 0;
    }
    printf("timer: resolution %.1f ns, overhead %.1f ns, %d multiprocessors, flushes %zu MiB\n",
           timer.resolution_ns, timer.overhead_ns, timer.multiprocessors, timer.flush_bytes >> 20);
    expect(timer.resolution_ns >= 1 && timer.resolution_ns < 10e3, "the timer's step is known");
    expect(timer.overhead_ns >= 0 && timer.overhead_ns < 100e3, "the timer's overhead is known");
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
