/* samples.h: what the samples of a round amount to: the same for those of the CPU and of the GPU.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "measure/results.h"
#include "util/arena.h"
#include "util/error.h"

/* The power of two that is so many calls or the next above, at least 1: batches are such. */
uint64_t kg_batch_from(double calls);

/* Whole picoseconds: finer than any clock, and short in a file. */
double kg_samples_rounded(double ns);

/* Every second of the values goes; returns how many are left. So a round can go on when its buffer
 * is full, and what is kept is spread over it. */
size_t kg_samples_thin(double *values, size_t count);

/* Keeps samples evenly spread over the round, in their order, in `arena`.
 * taken  samples that the round had, also those that were thinned out */
bool kg_samples_keep(const double *samples_ns, size_t count, uint64_t taken, struct kg_arena *arena,
                     struct kg_round *round, struct kg_error *err);

/* Fills median, mean, min, max and p95; sorts the samples, at least one. */
void kg_samples_summarize(double *samples_ns, size_t count, struct kg_round *round);

/* CPU time of both kinds, and what the process did between two readings: context switches, faults.
 */
double kg_usage_cpu_ns(const struct rusage *usage);
void kg_usage_record(struct kg_round *round, const struct rusage *before,
                     const struct rusage *after);
