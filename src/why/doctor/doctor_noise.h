/* doctor_noise.h: the noise of this machine, measured for a few seconds, and its meaning in
 * words. Judging is pure; measuring moves the calling thread from CPU to CPU and back. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/record.h"
#include "why/doctor/doctor.h"

/* Spread of equal pieces of work. All reals are NaN without samples. */
struct kg_noise_series {
    size_t samples;
    double median_ns;
    double spread;     /* 95th percentile / 5th percentile - 1 */
    double slow_share; /* share of samples more than 5 % above the median */
};

/* Makes a series from n times in ns, each above 0; sorts them in place. */
struct kg_noise_series kg_noise_series_make(double *times_ns, size_t n);

struct kg_noise_cpu {
    uint64_t cpu;
    struct kg_noise_series compute;
    double pause_ns; /* the longest pause */
};

struct kg_noise {
    double seconds; /* requested duration; 0: nothing was measured */
    bool pinned;    /* false: kgate could not choose the CPU, and `cpus` has one entry */
    /* number of allowed CPUs; `cpus` has fewer if the time is too short for all */
    uint64_t cpus_most;
    struct kg_noise_cpu *cpus;
    size_t cpu_count;
    struct kg_noise_series compute; /* samples of all CPUs together */
    struct kg_noise_series memory;
    double pause_ns; /* longest time between two readings of the clock */
    uint64_t pause_cpu;
};
extern const struct kg_record kg_noise_record;

/* Returns an empty measurement: counts 0, reals NaN. */
struct kg_noise kg_noise_none(void);

/* Measures for about `seconds`, above 0. On each allowed CPU in turn, it repeats a fixed
 * computation of about 1 ms. There it also finds the longest pause of a loop that reads the
 * clock. Then it copies between two halves of 32 MiB for about 3 ms per sample. Afterwards the
 * thread has its old affinity again.
 * arena  owns the arrays */
void kg_noise_measure(double seconds, struct kg_arena *arena, struct kg_noise *noise);

/* Adds one finding each on compute, memory, pauses, and differences between CPUs.
 * threshold  smallest change that a suite must find, as a share: 0.05 */
void kg_noise_judge(const struct kg_noise *noise, double threshold, struct kg_findings *findings);

/* The smallest threshold that covers the spread, rounded up to whole per cent, as a share. At
 * least `threshold`. */
double kg_noise_threshold(double spread, double threshold);

/* One sentence about the spread of repeated work here, and its effect on stored baselines. In
 * the findings' arena. */
const char *kg_noise_words(const struct kg_noise *noise, double threshold,
                           struct kg_findings *findings);
