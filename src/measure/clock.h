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

/* What two readings in a row differ by: the clock's tick or the cost of reading it, whichever is
 * more. Median of a few hundred, in nanoseconds, at least 1. */
double kg_clock_resolution_ns(void);
