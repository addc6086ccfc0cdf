/* perf_event.h: one counter of perf_event_open(2), of this thread and of the threads and processes
 * that it starts later, in user mode. */
#pragma once
#include <stdint.h>

struct kg_perf_event {
    uint32_t type;
    uint64_t config;
};

/* leader   -1: it starts when it is told to; else when that one does, and only together with it
 * returns  its descriptor; -1 with errno */
int kg_perf_open(const struct kg_perf_event *event, int leader);

/* From zero on: a leader, and those that were opened with it. */
void kg_perf_start(int leader);
void kg_perf_stop(int leader);

/* What it counted; where counters had to take turns, what it would have counted all the time. NaN
 * where it is -1, or was never counted. */
double kg_perf_read(int descriptor);
