/* pairs.h: common code of this benchmark's workloads. Each is one piece of ordinary work with a
 * parameter `version`. One value is the work as usually written, another the fixed version. Both
 * give the same result. `check` compares it with another way to compute it. The workloads have
 * scopes as a user of the profiler would set them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"

/* The first member of a workload's state: the memory that tear_down releases. */
enum { PAIR_ARRAYS = 8 };
struct pair {
    void *arrays[PAIR_ARRAYS];
    size_t array_count;
    int threads;
};

/* Allocates the state, `bytes` long and zeroed. Its first member is a struct pair. If memory is
 * missing, returns NULL and sets the message. */
void *pair_begin(struct kgate_context *context, size_t bytes);

/* Allocates `count` elements of `bytes` each, zeroed, for pair_end to release. NULL if memory is
 * missing, with the message set, or if count is 0. */
void *pair_array(struct kgate_context *context, struct pair *pair, size_t count, size_t bytes);

/* tear_down of all workloads. */
void pair_end(struct kgate_context *context, void *state);

/* The next number of a sequence (Steele, Lea and Flood 2014, SplitMix64), and one in [0, 1). */
uint64_t pair_random(uint64_t *sequence);
float pair_uniform(uint64_t *sequence);
/* `count` numbers in [-1, 1). */
void pair_fill(float *x, size_t count, uint64_t seed);

/* Sets *worst to the error if it is larger, or NaN. */
void pair_worse(double *worst, double error);

/* Whether set_up has all its memory. If not, sets the message and releases everything. */
bool pair_whole(struct kgate_context *context, struct pair *pair, bool whole, void **state);

/* Rounding of a sum of n terms: a check's tolerance, relative to the sum of their sizes. */
double pair_roundings(double n);

extern const struct kgate_workload pair_columns;
extern const struct kgate_workload pair_convolution;
extern const struct kgate_workload pair_journal;
extern const struct kgate_workload pair_histogram;
extern const struct kgate_workload pair_frames;
extern const struct kgate_workload pair_distances;
extern const struct kgate_workload pair_nearest;
extern const struct kgate_workload pair_distinct;
extern const struct kgate_workload pair_rescale;
extern const struct kgate_workload pair_box_filter;
extern const struct kgate_workload pair_lookup;
