/* gpu_plan.h: how work on the GPU is to be timed: the decisions that the timer takes from measured
 * figures. Pure functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/suite.h"

/* The resolution of the time between two events, as NVIDIA documents it: about half a microsecond.
 * Devices often do better; what a device does is measured (kg_gpu_resolution_ns). */
#define KG_EVENT_RESOLUTION_NS 500.0

/* The most calls that are launched while the device is held back. The driver's queue takes about a
 * thousand launches. When it is full, a launch waits for the device, which waits for the host. */
enum { KG_GPU_HELD_MOST = 64 };

/* The step of the timer, from times of equal work: the smallest difference between two of them.
 * Equal work too may differ by more than a step, so KG_EVENT_RESOLUTION_NS is the most it can be.
 * times_ns  `count` of them; sorted
 * returns   1 to KG_EVENT_RESOLUTION_NS */
double kg_gpu_resolution_ns(double *times_ns, size_t count);

/* A time less what the timer itself takes: never below 0. */
double kg_gpu_time_corrected(double time_ns, double overhead_ns);

/* What kg_gpu_doubt decides from. */
struct kg_gpu_doubt_facts {
    double gpu_ns;
    double launch_ns;
    double resolution_ns;
    bool holds;        /* the device can be held back at all while the host launches */
    bool held;         /* it can be while this call is launched */
    bool synchronises; /* it cannot, because the call waits for the device */
};
/* What makes times of that kind doubtful, in words for people; the lack of a hold comes first. NULL
 * where nothing does. A string literal. */
const char *kg_gpu_doubt(enum kg_timing timing, const struct kg_gpu_doubt_facts *facts);

/* How long to hold the device back to see whether `run` returns meanwhile.
 * launch_ns  what `run` took when the device was not held
 * returns    0 where that is too long for the device to be held at all */
double kg_gpu_hold_limit_ns(double launch_ns);

/* How many calls to launch behind one hold, so that the device then stays busy for a while: 1 to
 * KG_GPU_HELD_MOST. */
uint64_t kg_gpu_held_calls(double gpu_ns);

/* What kg_gpu_batch decides from. */
struct kg_gpu_batch_facts {
    double gpu_ns;
    double launch_ns;
    double resolution_ns;
    uint64_t held_calls; /* that can be held back together; 0: none */
    uint64_t reference;  /* calls that samples of a reference had; 0: there is none */
};

/* How many calls a sample of that timing must have. Cold and wall: 1. Hot and graph: a power of two
 * with which the timer's resolution is under 0.1 % of the sample, or the reference's number if that
 * is about as good. Hot, where calls are launch-bound: no more than can be held back. */
uint64_t kg_gpu_batch(enum kg_timing timing, const struct kg_gpu_batch_facts *facts);

/* How many calls of a batch to record into one graph, which is then replayed: a divisor of it. */
uint64_t kg_gpu_graph_calls(uint64_t batch);

/* Whether the device has been kept busy for long enough: its clock is steady within half a percent,
 * and in a new process 50 ms have passed; or 250 ms have passed in any case.
 * clocks_hz  the last readings, in any order; NaN where unknown, which does not count as steady
 * taken      how many readings there were so far */
enum { KG_GPU_STEADY_READINGS = 5 };
bool kg_gpu_clock_settled(double elapsed_ns, bool new_process,
                          const double clocks_hz[KG_GPU_STEADY_READINGS], size_t taken);

/* Whether the warm-up of a case has settled: the median of the last quarter of its readings, 5 to
 * 64 of them, differs from that of as many before by no more than the timer's resolution and a
 * percent, and the clock by no more than half a percent.
 * times_ns   of the samples so far, in the order taken
 * clocks_hz  the clock during each; NaN where unknown, which is no obstacle */
enum { KG_GPU_SETTLED_MOST = 2 * 64 /* readings that are looked at */ };
bool kg_gpu_settled(const double *times_ns, const double *clocks_hz, size_t count,
                    double resolution_ns);

/* Whether the warm-up of a case may end: once it has settled, after 10 ms, or after min_time where
 * that is shorter; if it does not settle, after min_time. */
bool kg_gpu_warm_enough(double elapsed_ns, double min_time_ns, bool settled);

/* Whether a round is long enough: by its measured time, or by three times as much time in all,
 * since what surrounds a sample, such as flushing the cache, can take longer than the sample. */
bool kg_gpu_round_done(double measured_ns, double elapsed_ns, double wanted_ns);

/* Whether to drop a sample whose hold ran out before all its calls were launched. Where that is
 * rare the host was preempted, and the sample is dropped; where it is common it is a property of
 * the call, and the samples count. */
bool kg_gpu_sample_dropped(uint64_t taken, uint64_t dropped);

/* How many single calls to time by the host's clock in a round: 1 to 5, fewer where calls are
 * long. */
int kg_gpu_whole_calls(double call_ns, double min_time_ns);
