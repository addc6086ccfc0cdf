/* counting.h: instructions and cache lines of a part of the worker process. The processor's own
 * counters count through perf_event; Valgrind's Callgrind counts if the worker runs under it. One
 * thread counts; threads that it starts later are counted too. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* NaN: not counted. */
struct kg_counts {
    double instructions;
    double line_bytes;        /* bytes of cache lines that came into the first level */
    double memory_line_bytes; /* bytes of cache lines that came from memory or went back to it */
};

/* Needs <math.h>. */
#define KG_COUNTS_NONE                                                                             \
    {                                                                                              \
        NAN, NAN, NAN                                                                              \
    }

struct kg_counting {
    int instructions; /* descriptors of perf_event; -1: Callgrind counts, or */
    int lines;        /* for the last two: the processor cannot count them */
    int memory_lines;
};

/* Whether this process may count by perf_event. */
bool kg_counting_perf_usable(void);

/* To be called before the workload starts threads.
 * perf   true: perf_event counts; false: Callgrind
 * lines  counts cache lines too, if possible */
bool kg_counting_open(struct kg_counting *counting, bool perf, bool lines, struct kg_error *err);

/* Makes Callgrind simulate the caches from here on. They start empty, so the caller runs one call
 * before counting starts. The processor's own caches need no such call. */
void kg_counting_watch(const struct kg_counting *counting);

/* Start and end of counting. All of *counts is NaN if Callgrind wrote its counts to its file. */
void kg_counting_start(const struct kg_counting *counting);
bool kg_counting_stop(const struct kg_counting *counting, struct kg_counts *counts,
                      struct kg_error *err);
/* Makes Callgrind write its counts so far to a file; does nothing without Callgrind. */
void kg_counting_dump(void);
void kg_counting_close(struct kg_counting *counting);
