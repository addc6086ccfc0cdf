/* gpu_plan.h: how work on the GPU is to be timed: what the timer's parts decide from figures that
 * were measured. Pure functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/suite.h"

/* What NVIDIA documents of the time between two events: a resolution of about half a microsecond.
 * Devices are seen to do better; what a device does is measured (kg_gpu_resolution_ns). */
#define KG_EVENT_RESOLUTION_NS 500.0

/* Calls that are put on the stream while it is held back, at most. The driver's queue takes about a
 * thousand launches; when it is full a launch waits for the device, which waits for the host. */
enum { KG_GPU_HELD_MOST = 64 };

/* The timer's step from times of the same things, by the smallest distance between two of them that
 * differ; no more than KG_EVENT_RESOLUTION_NS, since things differ by more than steps; at least 1.
 * Sorts the times. */
double kg_gpu_resolution_ns(double *times_ns, size_t count);

/* A time with the timer's own taken out: never below 0. */
double kg_gpu_time_corrected(double time_ns, double overhead_ns);

/* Whether the device is done with a call before the next is launched: back to back calls would then
 * be timed with gaps between them, but for those that are held back. */
bool kg_gpu_launch_bound(double gpu_ns, double launch_ns);

/* What is known of a call when it is judged how well it can be timed. */
struct kg_gpu_doubt_facts {
    double gpu_ns;
    double launch_ns;
    double resolution_ns;
    bool holds;        /* the device's launches can be held back at all */
    bool held;         /* a call of this can */
    bool synchronises; /* where it cannot: it waits for the device */
};
/* What speaks against times of that kind, for people: first that they were taken without a hold.
 * NULL where nothing does; a literal. */
const char *kg_gpu_doubt(enum kg_timing timing, const struct kg_gpu_doubt_facts *facts);

/* How long the device is to be held back to see whether `run` returns meanwhile: `run` took so long
 * when nothing was held. 0: too long for the device to be held at all. */
double kg_gpu_hold_limit_ns(double launch_ns);

/* Calls to put behind one hold: as many as keep the device busy for a while, 1 to KG_GPU_HELD_MOST.
 */
uint64_t kg_gpu_held_calls(double gpu_ns);

/* What is known of a call when a batch is chosen. */
struct kg_gpu_batch_facts {
    double gpu_ns;
    double launch_ns;
    double resolution_ns;
    uint64_t held_calls; /* that can be held back together; 0: none */
    uint64_t reference;  /* calls that samples of a reference had; 0: there is none */
};

/* Calls a sample of that timing must have: 1 for cold and wall, else a power of two so that the
 * timer's resolution is under 0.1 % of it; a reference's where that does. Launch-bound calls are no
 * more than can be held back, but in a graph. */
uint64_t kg_gpu_batch(enum kg_timing timing, const struct kg_gpu_batch_facts *facts);

/* Calls of a batch to record into one graph; the rest is replays of it. Divides the batch. */
uint64_t kg_gpu_graph_calls(uint64_t batch);

/* Whether a device that is kept busy has been for long enough: its clock is steady within half a
 * percent, and 50 ms have passed in a new process; or 250 ms in any case.
 * clocks_hz  the last readings, in any order, of `taken`; NaN where not known, which is not steady
 */
enum { KG_GPU_STEADY_READINGS = 5 };
bool kg_gpu_clock_settled(double elapsed_ns, bool new_process,
                          const double clocks_hz[KG_GPU_STEADY_READINGS], size_t taken);

/* Whether the warm-up of a case has settled: the last quarter of its readings, 5 to 64, differs
 * from as many before by no more than the timer's resolution and a percent, the clocks by half a
 * percent. times_ns   of samples of `batch` calls, in the order taken clocks_hz  beside each; NaN
 * where not known, which is no obstacle */
enum { KG_GPU_SETTLED_MOST = 2 * 64 /* readings that are looked at */ };
bool kg_gpu_settled(const double *times_ns, const double *clocks_hz, size_t count,
                    double resolution_ns);

/* Whether the warm-up of a case may end: where it has settled after 10 ms, or min_time where that
 * is shorter; else after min_time. */
bool kg_gpu_warm_enough(double elapsed_ns, double min_time_ns, bool settled);

/* Whether a round has what it needs: measured time, or, since what lies around a sample can take
 * longer than it, three times as much time altogether. */
bool kg_gpu_round_done(double measured_ns, double elapsed_ns, double wanted_ns);

/* Whether to drop a sample whose hold ran out before its launches were there, the host having been
 * kept from it: where that is rare; where it is the rule, it is how the call is. */
bool kg_gpu_sample_dropped(uint64_t taken, uint64_t dropped);

/* Whole calls to time by the host's clock in a round: a few, one where they are long. */
int kg_gpu_whole_calls(double call_ns, double min_time_ns);
