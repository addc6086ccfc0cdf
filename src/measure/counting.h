/* counting.h: instructions of a piece of the worker process: by the processor's own counter through
 * perf_event, or by Valgrind's Callgrind where the worker runs under it. One thread counts; threads
 * that it starts are counted too. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct kg_counting {
    int descriptor; /* of perf_event; -1: Callgrind counts */
};

/* Whether this process may count by perf_event. */
bool kg_counting_perf_usable(void);

/* To be called before the workload starts threads. perf: by perf_event, else by Callgrind. */
bool kg_counting_open(struct kg_counting *counting, bool perf, struct kg_error *err);
/* Counting begins, and ends. *instructions is NaN where Callgrind has written them to its file. */
void kg_counting_start(const struct kg_counting *counting);
bool kg_counting_stop(const struct kg_counting *counting, double *instructions,
                      struct kg_error *err);
void kg_counting_close(struct kg_counting *counting);
