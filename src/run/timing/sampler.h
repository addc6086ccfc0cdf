/* sampler.h: the timed loop: batching, warm-up, samples. Runs inside the worker process; the
 * caller's `run` is all that happens between two readings of the clock. One thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/results.h"
#include "run/timing/samples.h"

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

/* Warms up, as kg_sampler_round does. The sampler must live as long. */
void kg_sampling_begin(struct kg_sampling *sampling, const struct kg_sampler *sampler,
                       uint64_t batch);
/* Samples until `time_ns` are measured, at least one; returns the time measured. */
double kg_sampling_run(struct kg_sampling *sampling, double time_ns);
/* Fills the round, from all samples. */
bool kg_sampling_end(struct kg_sampling *sampling, struct kg_arena *arena, struct kg_round *round,
                     struct kg_error *err);

/* Warms up until three samples in a row agree within 2 %, at least one call and at most a tenth of
 * min_time or 1 ms, whichever is more (one call may take longer); then samples until min_time is reached. Fills everything of
 * `round` but peak_bytes; the kept samples live in `arena`. */
bool kg_sampler_round(const struct kg_sampler *sampler, uint64_t batch, struct kg_arena *arena,
                      struct kg_round *round, struct kg_error *err);
