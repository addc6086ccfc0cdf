/* clock.h: the clock that everything is timed with. Thread-safe.
 *
 * Other folders also include sampler.h (the timed loop on the CPU), samples.h (summaries of samples), waiting.h (how long threads wait
 * for a CPU), counting.h (instructions and cache lines), core_counting.h and topdown.h (what a core
 * does in its cycles), gpu_sampler.h (a round on the GPU), gpu_timer.h (a process's hold on its GPU),
 * gpu_plan.h (how work on the GPU is to be timed) and gpu_hold.h (the timer's work on its stream). */
#pragma once
#include <stdint.h>
#include <time.h>

/* Nanoseconds since some point in the past; never steps back. */
static inline uint64_t kg_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* The difference of two readings in a row: the clock's tick or the cost of reading it, whichever is
 * more. The median of a few hundred, in nanoseconds, at least 1. */
double kg_clock_resolution_ns(void);

enum { KG_PULSE_PRODUCTS = 16384 };

/* The speed of the core: the time, in ns, of a fixed chain of dependent multiplications in
 * registers, about 15 us. Only the core's clock, or an interrupt, changes it: it is 16,384 products
 * with a latency of three cycles on all x86 cores since 2008. */
double kg_pulse_ns(void);
