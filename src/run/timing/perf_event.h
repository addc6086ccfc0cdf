/* perf_event.h: one counter of perf_event_open(2). It counts in user mode, for this thread and for the
 * threads and processes that it starts later. */
#pragma once
#include <stdint.h>

struct kg_perf_event {
    uint32_t type;
    uint64_t config;
};

/* leader   -1: the counter starts by kg_perf_start; else it counts only together with this leader
 * returns  its descriptor; -1 with errno */
int kg_perf_open(const struct kg_perf_event *event, int leader);

/* Starts a leader and the counters opened with it, from zero. */
void kg_perf_start(int leader);
void kg_perf_stop(int leader);

/* A counter's count. If counters shared the processor's, the count is scaled to the whole time. NaN
 * if the descriptor is -1, or if the counter never ran. */
double kg_perf_read(int descriptor);
