/* gpu_clock.h: a multiprocessor's clock from what a tiny kernel reads on it before and after work:
 * its cycle counter and the device's timer. Needs no privilege. Pure functions; thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "device/code/timing.h"

enum { KG_STAMPS_MOST = 256 };

/* The readings of one launch, one for each block. The device writes `of`, in page-locked memory. */
struct kg_stamps {
    uint64_t number; /* of the launch: readings with another are left from before */
    size_t count;    /* blocks launched, at most KG_STAMPS_MOST */
    struct kg_stamp of[KG_STAMPS_MOST];
};

/* The least time between two launches for a clock that is right within half a percent: the kernel
 * polls the timer, and so reads the counter up to 50 ns after the timer's step. */
#define KG_STAMPS_LEAST_NS 20e3

/* The clock in Hz between two launches: the median over the multiprocessors that both have read at
 * a step of the timer; without a step a reading may be off by a whole one, and is not used.
 * least_ns  that must lie between the two
 * returns   NaN where no multiprocessor has two such readings, or they lie closer */
double kg_stamps_clock_hz(const struct kg_stamps *before, const struct kg_stamps *after,
                          double least_ns);
