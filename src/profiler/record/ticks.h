/* ticks.h: the time stamp of scopes. If the kernel trusts the processor's own counter as its clock, ticks
 * are that counter. It costs half as much as clock_gettime. Otherwise ticks are CLOCK_MONOTONIC.
 * Thread-safe after kg_ticks_start. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "profiler/record/recording.h"

/* The clock that ticks count; set by kg_ticks_start, before the first scope. */
extern __attribute__((visibility("hidden"))) enum kg_clock_source kg_ticks_source;

/* Chooses the clock. Called under the registry's lock; again is fine. */
void kg_ticks_start(void);

static inline uint64_t kg_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Whether ticks are the processor's counter. */
static inline bool kg_ticks_counted(void)
{
#if defined(__x86_64__)
    return __builtin_expect(kg_ticks_source == KG_CLOCK_TSC, 1);
#elif defined(__aarch64__)
    return __builtin_expect(kg_ticks_source == KG_CLOCK_CNTVCT, 1);
#else
    return false;
#endif
}

/* The counter, or 0 without one. Not serialising: instructions around it may move past it by some tens
 * of cycles. Waiting for them would cost every scope more. */
static inline uint64_t kg_ticks_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
}

static inline uint64_t kg_ticks(void)
{
    return kg_ticks_counted() ? kg_ticks_counter() : kg_monotonic_ns();
}

/* Ticks and CLOCK_MONOTONIC of one moment: the closest of a few pairs of readings. */
void kg_ticks_pair(uint64_t *ticks, uint64_t *clock_ns);

/* Nanoseconds a tick, from pairs a fifth of a millisecond apart: right within 1 %. */
double kg_ticks_estimate(void);
