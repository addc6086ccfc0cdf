/* clock.h: the clock that everything is timed with. Thread-safe. */
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

/* This thread's time on a CPU, in ns. */
static inline uint64_t kg_clock_thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* The median difference of two successive readings, over a few hundred pairs, in ns, at least 1. It
 * is the clock's tick or the cost of a reading, whichever is larger. */
double kg_clock_resolution_ns(void);

enum { KG_PULSE_PRODUCTS = 16384 };

/* The clock probe: the time, in ns, of a fixed chain of dependent multiplications in registers,
 * about 15 us. Only the core clock, or an interrupt, changes it. The chain is 16,384 products with
 * a latency of three cycles each, on all x86 cores since 2008. */
double kg_pulse_ns(void);
