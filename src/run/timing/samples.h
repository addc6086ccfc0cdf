/* samples.h: the summary of a round's samples, on the CPU and on the GPU. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/results.h"

/* `calls`, rounded up to a power of two, at least 1: the size of a batch. */
uint64_t kg_batch_from(double calls);

/* Whole picoseconds: finer than any clock, and short in a file. */
double kg_samples_rounded(double ns);

/* Drops every second value, so that a round can go on when its buffer is full. The other values still
 * cover the whole round. Returns their number. */
size_t kg_samples_thin(double *values, size_t count);

/* Keeps samples evenly spread over the round, in their order, in `arena`.
 * taken  number of samples of the round, with those that were thinned out */
void kg_samples_keep(const double *samples_ns, size_t count, uint64_t taken, struct kg_arena *arena,
                     struct kg_round *round);

/* Fills median, its error, mean, min, max and p95. Takes the samples in their order, at least one,
 * and sorts them. The error: the standard deviation of the medians of eight parts of the round, divided
 * by the root of eight. NaN for fewer than four samples. */
void kg_samples_summarize(double *samples_ns, size_t count, struct kg_round *round);

/* Sets the clock of the GPU's multiprocessors, as another harness measured it, and what follows from it.
 * clock_hz  an impossible clock counts as unknown
 * cycles    per call; not above 0: by the round's median and the clock */
void kg_samples_clock(double clock_hz, double cycles, struct kg_round *round);

/* A process's usage in the timed parts of a round. */
struct kg_usage {
    double cpu_ns;    /* all threads, user and system */
    double system_ns; /* part of cpu_ns in the kernel */
    uint64_t voluntary_switches;
    uint64_t involuntary_switches;
    uint64_t minor_faults;
    uint64_t major_faults;
};

/* Adds the usage between two readings. */
void kg_usage_add(struct kg_usage *usage, const struct rusage *before, const struct rusage *after);
/* Fills the round's counts of switches and faults. */
void kg_usage_record(struct kg_round *round, const struct kg_usage *usage);
