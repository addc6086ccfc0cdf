/* counting.h: instructions and cache lines of a piece of the worker process: by the processor's own
 * counters through perf_event, or by Valgrind's Callgrind where the worker runs under it. One
 * thread counts; threads that it starts are counted too. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* NaN for what was not counted. */
struct kg_counts {
    double instructions;
    double line_bytes;        /* of cache lines that came into the first level */
    double memory_line_bytes; /* of those that came from memory, and written ones that went there */
};

/* Needs <math.h>. */
#define KG_COUNTS_NONE                                                                             \
    {                                                                                              \
        NAN, NAN, NAN                                                                              \
    }

struct kg_counting {
    int instructions; /* descriptors of perf_event, -1 where there is none: Callgrind counts, */
    int lines;        /* and of the latter two where the processor does not */
    int memory_lines;
};

/* Whether this process may count by perf_event. */
bool kg_counting_perf_usable(void);

/* To be called before the workload starts threads.
 * perf   by perf_event, else by Callgrind
 * lines  cache lines too, where they can be counted */
bool kg_counting_open(struct kg_counting *counting, bool perf, bool lines, struct kg_error *err);

/* Makes Callgrind simulate the caches from here on. They are empty at first, so a call is run
 * before counting starts. The processor's own caches need no such call. */
void kg_counting_watch(const struct kg_counting *counting);

/* Counting begins, and ends. All of *counts is NaN where Callgrind has written them to its file. */
void kg_counting_start(const struct kg_counting *counting);
bool kg_counting_stop(const struct kg_counting *counting, struct kg_counts *counts,
                      struct kg_error *err);
/* Makes Callgrind write what it has counted so far to a file; nothing where it does not run. */
void kg_counting_dump(void);
void kg_counting_close(struct kg_counting *counting);
