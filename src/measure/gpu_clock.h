/* gpu_clock.h: a multiprocessor's clock from what a tiny kernel reads on it before and after work:
 * its cycle counter and the device's timer. Needs no privilege. Pure functions; thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { KG_STAMPS_MOST = 256 };

/* Readings by multiprocessor; where there is none, both are 0. Each was taken right after a step of
 * the timer, which on some devices is a microsecond. */
struct kg_stamps {
    struct kg_stamp {
        uint64_t cycles;
        uint64_t timer_ns;
    } of[KG_STAMPS_MOST];
};

/* The clock in Hz between two readings: the median over the multiprocessors that both have.
 * returns NaN where there is none, or where less than `least_ns` lie between */
double kg_stamps_clock_hz(const struct kg_stamps *before, const struct kg_stamps *after,
                          size_t count, double least_ns);
