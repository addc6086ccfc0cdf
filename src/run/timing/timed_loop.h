/* timed_loop.h: the timed loop: batching, warm-up, samples. Runs inside the worker process. Between
 * two readings of the clock it only calls the caller's `run`. One thread. */
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

/* cpu_waits.c: CPU contention and steal time during the timed pieces of a round. Contention is the time
 * that ready threads of this process waited for a CPU. kgate reads both before and after a piece, never
 * inside it. One thread. */

enum { KG_WAITING_THREADS_MOST = 512 };

/* A thread's wait for a CPU since it began. */
struct kg_thread_wait {
    pid_t thread;
    double wait_ns;
};

struct kg_waiting {
    struct kg_thread_wait before[KG_WAITING_THREADS_MOST]; /* at the start of the piece */
    size_t before_count;
    bool known;      /* the kernel has given the wait of every thread so far */
    size_t cpus;     /* number of CPUs that the process may use */
    bool host_takes; /* the host once took time from one of these CPUs */
    double started_ns;
    double cpu_before_ns;
    double stolen_before_ns;
    double wait_ns;   /* sum over the pieces, like the next two fields */
    double unused_ns; /* time of all the CPUs that this process did not use */
    double stolen_ns;
};

/* The result for a round. */
struct kg_waited {
    double wait_ns;   /* summed over threads; NaN if the kernel does not give it. Excludes waits for
                         the process's own threads: at most the time that its CPUs did not work
                         for it. */
    double stolen_ns; /* steal time of the process's CPUs, by /proc/stat: a multiple of 10 ms */
};

void kg_waiting_open(struct kg_waiting *waiting);
/* Start and end of a piece. Threads that end within it are not counted. */
void kg_waiting_begin(struct kg_waiting *waiting);
void kg_waiting_end(struct kg_waiting *waiting);
/* Adds the wait of a child process that has ended. */
void kg_waiting_add(struct kg_waiting *waiting, double wait_ns);
struct kg_waited kg_waiting_close(const struct kg_waiting *waiting);

/* core_counting.c: counts the events of core_events.h in this thread and in threads that it starts
 * later, in user mode. */

struct kg_core_counting {
    struct kg_core_events events;    /* events to count; to be filled first */
    int descriptors[KG_CORE_EVENTS]; /* -1: it cannot be counted */
};

/* Opens the counters. If the kernel refuses a leader, its whole group is left out.
 * returns  false if not even cycles can be counted; then nothing is open */
bool kg_core_counting_open(struct kg_core_counting *counting);
void kg_core_counting_start(const struct kg_core_counting *counting);
/* counts  filled; NaN: not counted */
void kg_core_counting_stop(const struct kg_core_counting *counting, double counts[KG_CORE_EVENTS]);
void kg_core_counting_close(struct kg_core_counting *counting);

struct kg_sampler {
    void (*run)(void *state);
    void *state;
    void (*after)(void *state); /* called after a sample, outside its time; or NULL */
    /* Optional, called with `owner`. `settle` makes the first call and places the threads. Between
     * samples, at most every millisecond, `settle_again` checks their places; true: it made a call. */
    void (*settle)(void *owner);
    bool (*settle_again)(void *owner, double measured_ns);
    /* Optional, called with `owner`: the time of the last call as measured by the workload itself. It
     * becomes the sample, and the workload warms up by itself. */
    double (*own_ns)(void *owner);
    void *owner;
    double resolution_ns; /* kg_clock_resolution_ns */
    double min_time_ns;   /* measured time of a round */
    uint64_t iterations;  /* calls of all pieces, at least; 0: kg_sampling_run's time decides */
    uint64_t piece_calls; /* with iterations: calls that end a piece; 0: the piece has them all */
    uint64_t warm_calls;  /* calls before the usual warm-up */
    bool cold;            /* no warm-up: each call starts a process of its own */
    bool children;        /* child processes do the work: count their CPU time */
    double *buffer;       /* room for `capacity` samples */
    size_t capacity;
};

enum { KG_SAMPLES_MOST = 16384 };

/* Room for the samples of a round of this length. Samples may be as short as a quarter of the shortest
 * that kg_sampler_batch allows; at most KG_SAMPLES_MOST. A round with more keeps every second one. */
size_t kg_sampler_room(double min_time_ns);

/* Calls that a sample must have. The clock's resolution is then under 0.1 % of a sample, and a round
 * has at most a few thousand samples. The number is a power of four, by the fastest of several
 * trials: two searches on one machine then find the same number. Runs the workload for some
 * milliseconds, but a long call at most twice.
 * reference  calls per sample of a reference, or 0. kgate keeps this number if it can be timed at
 *            all: for skewed times, samples of one call and of two calls have different medians. */
uint64_t kg_sampler_batch(const struct kg_sampler *sampler, uint64_t reference);

/* Clock probes: readings of the core clock (kg_pulse_ns), spread over a round between its
 * samples. */
enum { KG_PULSES_MOST = 256 };
struct kg_pulses {
    double ns[KG_PULSES_MOST];
    size_t count;
    double since_ns; /* measured time since the last probe */
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

/* Warms up until three samples in a row agree within 2 %, with at least one call. It takes at most a
 * tenth of min_time or 1 ms, whichever is longer, unless one call takes longer. The sampler must
 * outlive the sampling. */
void kg_sampling_begin(struct kg_sampling *sampling, const struct kg_sampler *sampler,
                       uint64_t batch);
/* Takes samples until `time_ns` are measured, at least one. With the sampler's `iterations`: until
 * these are made in all pieces; in pieces of `piece_calls`, until these or `time_ns` are reached.
 * Returns the measured time. */
double kg_sampling_run(struct kg_sampling *sampling, double time_ns);
/* Fills all fields of `round` except peak_bytes, from all samples. The kept samples live in `arena`. */
bool kg_sampling_end(struct kg_sampling *sampling, struct kg_arena *arena, struct kg_round *round,
                     struct kg_error *err);
