/* doctor_noise.h: the noise of this machine, measured for a few seconds, and what it means in
 * words. Judging is pure; measuring moves the calling thread from CPU to CPU and back. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/record.h"
#include "why/doctor/doctor.h"

/* How equal work repeated. All reals NaN where there are no samples. */
struct kg_noise_series {
    size_t samples;
    double median_ns;
    double spread;     /* 95th percentile / 5th percentile - 1 */
    double slow_share; /* of samples more than 5 % above the median */
};

/* From n times in ns (> 0), sorted in place. */
struct kg_noise_series kg_noise_series_make(double *times_ns, size_t n);

struct kg_noise_cpu {
    uint64_t cpu;
    struct kg_noise_series compute;
    double pause_ns; /* the longest */
};

struct kg_noise {
    double seconds;     /* that were asked for; 0: nothing was measured */
    bool pinned;        /* false where the CPUs could not be chosen: `cpus` is then one entry */
    uint64_t cpus_most; /* CPUs allowed; `cpus` has fewer where time does not reach for all */
    struct kg_noise_cpu *cpus;
    size_t cpu_count;
    struct kg_noise_series compute; /* of all CPUs' samples together */
    struct kg_noise_series memory;
    double pause_ns; /* the longest between two readings of the clock */
    uint64_t pause_cpu;
};
extern const struct kg_record kg_noise_record;

/* Nothing measured: counts 0, reals NaN. */
struct kg_noise kg_noise_none(void);

/* Measures for about `seconds` (> 0): a fixed computation of about 1 ms and the longest pause of a
 * loop that reads the clock, pinned to one allowed CPU after another; then copying between two
 * halves of 32 MiB for about 3 ms. Afterwards the thread's affinity is as it was.
 * arena    owns the arrays */
void kg_noise_measure(double seconds, struct kg_arena *arena, struct kg_noise *noise);

/* Adds one finding each on compute, memory, pauses, and CPUs that differ from each other.
 * threshold  the change, as a share, that a suite is to find: 0.05 */
void kg_noise_judge(const struct kg_noise *noise, double threshold, struct kg_findings *findings);

/* The least threshold that is as wide as the spread, in whole per cent as a share; not below the
 * given one. */
double kg_noise_threshold(double spread, double threshold);

/* One sentence: how closely work repeats here and what that means for stored baselines. In the
 * findings' arena. */
const char *kg_noise_words(const struct kg_noise *noise, double threshold,
                           struct kg_findings *findings);
