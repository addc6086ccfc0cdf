/* gpu_plan.h: the timer's decisions on how to time work on the GPU, taken from measured figures. Pure
 * functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/suite.h"

/* The resolution of the time between two events, as NVIDIA documents it: about half a microsecond.
 * Many devices are better, so kgate measures their resolution (kg_gpu_resolution_ns). */
#define KG_EVENT_RESOLUTION_NS 500.0

/* The most calls that kgate launches behind a blocking kernel. The driver's queue takes about a
 * thousand launches. If it is full, a launch waits for the device, which waits for the host. */
enum { KG_GPU_HELD_MOST = 64 };

/* The step of the timer: the smallest difference between two times of equal work. Times of equal
 * work may all differ by more than a step, so KG_EVENT_RESOLUTION_NS limits the result.
 * times_ns  `count` times; sorted by the function
 * returns   1 to KG_EVENT_RESOLUTION_NS */
double kg_gpu_resolution_ns(double *times_ns, size_t count);

/* A time without the timer's own overhead: at least 0. */
double kg_gpu_time_corrected(double time_ns, double overhead_ns);

/* Input of kg_gpu_doubt. */
struct kg_gpu_doubt_facts {
    double gpu_ns;
    double launch_ns;
    double resolution_ns;
    bool holds;        /* the device can wait at a blocking kernel while the host launches */
    bool held;         /* the device can wait while the host launches this call */
    bool synchronises; /* the device cannot wait, because the call waits for the device */
};
/* The reason to doubt times of that kind, in words for people; the lack of a blocking kernel comes
 * first. NULL if there is none. A string literal. */
const char *kg_gpu_doubt(enum kg_timing timing, const struct kg_gpu_doubt_facts *facts);

/* Limit of a blocking kernel that shows whether `run` returns while the device waits.
 * launch_ns  time of `run` without a blocking kernel
 * returns    0 if that time is too long for any blocking kernel */
double kg_gpu_hold_limit_ns(double launch_ns);

/* How many calls to launch behind one blocking kernel, so that the device is then busy for a while: 1
 * to KG_GPU_HELD_MOST. */
uint64_t kg_gpu_held_calls(double gpu_ns);

/* Input of kg_gpu_batch. */
struct kg_gpu_batch_facts {
    double gpu_ns;
    double launch_ns;
    double resolution_ns;
    uint64_t held_calls; /* calls that fit behind one blocking kernel; 0: none */
    uint64_t reference;  /* calls per sample of a reference; 0: there is none */
};

/* How many calls a sample of that timing must have. Cold and wall: 1. Hot and graph: a power of two
 * that makes the timer's resolution less than 0.1 % of the sample. If the reference's number is about
 * as good, that number. Launch-bound calls of hot: at most as many as fit behind a blocking kernel. */
uint64_t kg_gpu_batch(enum kg_timing timing, const struct kg_gpu_batch_facts *facts);

/* How many calls of a batch to capture into one graph, which is then replayed: a divisor of it. */
uint64_t kg_gpu_graph_calls(uint64_t batch);

/* Limit of the time in which kgate keeps the device busy: 250 ms, or 50 ms after two times without a
 * steady clock. At the power limit it does not become steady, and each case would wait in vain.
 * unsteady  such times in a row */
double kg_gpu_busy_most_ns(unsigned unsteady);

/* Whether the device was busy for long enough. Its clock must be steady within half a percent, and
 * in a new process 50 ms must have passed. After most_ns the answer is always true.
 * clocks_hz  the last readings, in any order; NaN: unknown, which does not count as steady
 * taken      number of readings so far */
enum { KG_GPU_STEADY_READINGS = 5 };
bool kg_gpu_clock_settled(double elapsed_ns, double most_ns, bool new_process,
                          const double clocks_hz[KG_GPU_STEADY_READINGS], size_t taken);

/* Whether the warm-up of a case has settled. The function compares the last quarter of the readings,
 * 5 to 64 of them, with as many readings before. Their median times may differ by the timer's
 * resolution and 1 %; their clocks by 0.5 %.
 * times_ns   times of the samples so far, in the order taken
 * clocks_hz  clock during each sample; NaN: unknown, and no obstacle */
enum { KG_GPU_SETTLED_MOST = 2 * 64 /* readings that the function uses */ };
bool kg_gpu_settled(const double *times_ns, const double *clocks_hz, size_t count,
                    double resolution_ns);

/* Whether the warm-up of a case may end. If it has settled: after 10 ms, or after min_time if that is
 * shorter. Otherwise: after min_time. */
bool kg_gpu_warm_enough(double elapsed_ns, double min_time_ns, bool settled);

/* Whether a round is long enough: by its measured time, or by three times that time in all. The work
 * around a sample, such as flushing the cache, can take longer than the sample. */
bool kg_gpu_round_done(double measured_ns, double elapsed_ns, double wanted_ns);

/* Whether to drop a sample whose blocking kernel ended before all its calls were launched. If this is
 * rare, the host was preempted, and kgate drops the sample. If it is common, it is a property of the
 * call, and the samples count. */
bool kg_gpu_sample_dropped(uint64_t taken, uint64_t dropped);

/* Whether the device was throttled during a sample: its clock is below three quarters of the round's
 * highest. Relative to the round, because a user may have locked a low clock. Unknown clocks: false. */
bool kg_gpu_sample_slow(double clock_hz, double highest_hz);
/* Time to let the device recover after the n-th such sample of a round, n from 1: 10 ms, doubled each
 * time, at most 160 ms. */
double kg_gpu_recovery_ns(uint64_t dropped);

/* How many single calls to time by the host's clock in a round: 1 to 5, fewer if calls are long. */
int kg_gpu_whole_calls(double call_ns, double min_time_ns);
