/* timed_loop.h: the timed loop: batching, warm-up, samples. Runs inside the worker process; the
 * caller's `run` is all that happens between two readings of the clock. One thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/results.h"
#include "run/timing/core_events.h"
#include "run/timing/samples.h"

/* cpu_waits.c: how long the threads of this process were ready to run and waited for a CPU while
 * pieces of a round were timed, and what the host of a virtual machine took. All is read before
 * and after a piece, never inside one. One thread. */

enum { KG_WAITING_THREADS_MOST = 512 };

/* A thread's wait for a CPU since it began. */
struct kg_thread_wait {
    pid_t thread;
    double wait_ns;
};

struct kg_waiting {
    struct kg_thread_wait before[KG_WAITING_THREADS_MOST]; /* of the piece */
    size_t before_count;
    bool known;      /* the kernel tells of every thread so far */
    size_t cpus;     /* that the process may use */
    bool host_takes; /* the host ever took time from one of those */
    double started_ns;
    double cpu_before_ns;
    double stolen_before_ns;
    double wait_ns;   /* this and what follows: sums over the pieces */
    double unused_ns; /* time of all the CPUs that this process did not use */
    double stolen_ns;
};

/* What comes of it. */
struct kg_waited {
    double wait_ns;   /* summed over threads; NaN where the kernel does not tell. Without what the
                         process's own threads took from each other: no more than the time that its
                         CPUs did not work for it. */
    double stolen_ns; /* of the CPUs that it may use, by /proc/stat: whole hundredths of a second */
};

void kg_waiting_open(struct kg_waiting *waiting);
/* Around a piece. Threads that end within it are not counted. */
void kg_waiting_begin(struct kg_waiting *waiting);
void kg_waiting_end(struct kg_waiting *waiting);
/* Adds what a process waited that this one ran to its end. */
void kg_waiting_add(struct kg_waiting *waiting, double wait_ns);
struct kg_waited kg_waiting_close(const struct kg_waiting *waiting);

/* core_counting.c: counts what core_events.h finds, of this thread and those that it starts later,
 * in user mode. */

struct kg_core_counting {
    struct kg_core_events events;    /* what to count; to be filled first */
    int descriptors[KG_CORE_EVENTS]; /* -1: it cannot be counted */
};

/* Counters that are refused are left out, and those that they lead.
 * returns  false where not even cycles can be counted; then nothing is held */
bool kg_core_counting_open(struct kg_core_counting *counting);
void kg_core_counting_start(const struct kg_core_counting *counting);
/* counts  filled; NaN for what was not counted */
void kg_core_counting_stop(const struct kg_core_counting *counting, double counts[KG_CORE_EVENTS]);
void kg_core_counting_close(struct kg_core_counting *counting);

struct kg_sampler {
    void (*run)(void *state);
    void *state;
    void (*after)(void *state); /* after a sample, out of its time; or NULL */
    /* Optional, with `owner`: makes the first call and sees to where the threads run, and looks
     * after that between samples, at most every millisecond; true where it made a call then. */
    void (*settle)(void *owner);
    bool (*settle_again)(void *owner, double measured_ns);
    /* Optional, with `owner`: the time of the last call as the workload itself has measured it. Then that
     * is the sample, and the workload warms up by itself. */
    double (*own_ns)(void *owner);
    void *owner;
    double resolution_ns; /* kg_clock_resolution_ns */
    double min_time_ns;
    uint64_t warm_calls; /* before the warm-up that is made anyway */ /* measured time of a round */
    bool children;  /* the work is done in child processes: count their CPU time */
    double *buffer; /* room for `capacity` samples */
    size_t capacity;
};

enum { KG_SAMPLES_MOST = 16384 };

/* Room that a round of this length needs: samples of a quarter of the shortest that kg_sampler_batch allows
 * fit, at most KG_SAMPLES_MOST. A round with more keeps every second one. */
size_t kg_sampler_room(double min_time_ns);

/* Calls a sample must have, so that the clock's resolution is under 0.1 % of it, and that a round
 * has no more than a few thousand samples: a power of four, by the fastest of several trials, so
 * that two searches on one machine find the same. Runs the workload for some milliseconds, but a
 * long call no more than twice.
 * reference  calls that samples of a reference had, or 0: kept where they can be timed at all,
 *            because for skewed times the median of samples of two calls is not that of samples of
 *            one */
uint64_t kg_sampler_batch(const struct kg_sampler *sampler, uint64_t reference);

/* Readings of the core's speed (kg_clock_pace_ns), spread over a round between its samples. */
enum { KG_PULSES_MOST = 256 };
struct kg_pulses {
    double ns[KG_PULSES_MOST];
    size_t count;
    double since_ns; /* measured time since the last */
};

/* A round that is measured piece by piece. */
struct kg_sampling {
    const struct kg_sampler *sampler;
    uint64_t batch;
    size_t count;   /* samples in the buffer */
    uint64_t taken; /* samples so far */
    double spent_ns;
    double warm_up_ns;
    struct kg_pulses pulses;
    struct kg_usage usage;
};

/* Warms up until three samples in a row agree within 2 %, at least one call and at most a tenth of min_time or
 * 1 ms, whichever is more. One call may take longer. The sampler must live as long. */
void kg_sampling_begin(struct kg_sampling *sampling, const struct kg_sampler *sampler,
                       uint64_t batch);
/* Samples until `time_ns` are measured, at least one; returns the time measured. */
double kg_sampling_run(struct kg_sampling *sampling, double time_ns);
/* Fills everything of `round` but peak_bytes, from all samples. The kept samples live in `arena`. */
bool kg_sampling_end(struct kg_sampling *sampling, struct kg_arena *arena, struct kg_round *round,
                     struct kg_error *err);
