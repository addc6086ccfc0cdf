/* workload.h: common code of this benchmark's workloads. Each pair is one file with two workloads,
 * NAME_bad and NAME_good. Both do the same work with the same result, once with a typical mistake
 * and once without. truth.tsv names the mistake. There are no scopes, bytes or flops: kgate knows
 * only the function to call. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"

/* Allocates the state of a workload, `bytes` long and zeroed, for workload_end to release. If
 * memory is missing, returns NULL and sets the message. */
void *workload_begin(struct kgate_context *context, size_t bytes, void **state);
void workload_end(struct kgate_context *context, void *state);

/* Result of a check: the number of wrong values. It must be 0. */
bool workload_wrong(struct kgate_check *check, size_t wrong);

/* The next number of a sequence (Steele, Lea and Flood 2014, SplitMix64). */
uint64_t workload_random(uint64_t *sequence);

#define WORKLOAD_ENDED(NAME, SUMMARY, RUN, TEAR_DOWN)                                              \
    const struct kgate_workload NAME = {.name = #NAME,                                             \
                                        .summary = SUMMARY,                                        \
                                        .devices = 1U << KGATE_DEVICE_CPU,                         \
                                        .revision = 1,                                             \
                                        .set_up = set_up,                                          \
                                        .run = RUN,                                                \
                                        .check = check,                                            \
                                        .tear_down = TEAR_DOWN}
#define WORKLOAD(NAME, SUMMARY, RUN) WORKLOAD_ENDED(NAME, SUMMARY, RUN, workload_end)

/* The two of a pair: a file has set_up, run_bad, run_good and check. */
#define PAIR_ENDED(NAME, SUMMARY, TEAR_DOWN)                                                       \
    WORKLOAD_ENDED(NAME##_bad, SUMMARY, run_bad, TEAR_DOWN);                                       \
    WORKLOAD_ENDED(NAME##_good, SUMMARY, run_good, TEAR_DOWN)
#define PAIR(NAME, SUMMARY) PAIR_ENDED(NAME, SUMMARY, workload_end)
