/* ordinary.h: common code of the ordinary workloads. Each does its piece of work `turns` times per
 * call. The builds differ only in this number and in a text of four letters. The object code is the
 * same, and so is its place in the file. A build that is slower by 10 % does the same work 110
 * times instead of 100. */
#pragma once
#include <stdint.h>

#include "kgate/plugin.h"

/* 100, or more in a slower build. In turns.c, so that no compiler sees its value. */
extern const unsigned turns;

extern const struct kgate_workload heap_workload, pipe_workload, locks_workload, files_workload,
    pool_workload, chase_workload, stream_workload, tiny_workload, compute_workload, words_workload;

/* Marsaglia (2003): the next of a sequence of numbers that look random. *state is not 0. */
static inline uint64_t xorshift(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}
