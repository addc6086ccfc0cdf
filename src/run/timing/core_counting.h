/* core_counting.h: counts what core_events.h finds, of this thread and those that it starts later,
 * in user mode. */
#pragma once
#include "run/timing/core_events.h"

struct kg_core_counting {
    struct kg_core_events events;    /* what to count; to be filled first */
    int descriptors[KG_CORE_EVENTS]; /* -1: it cannot be counted */
};

/* Counters that are refused are left out, and those that they lead.
 * returns  false where not even cycles can be counted; then nothing is held */
bool kg_core_counting_open(struct kg_core_counting *counting);
void kg_core_counting_start(const struct kg_core_counting *counting);
/* counts  filled; NaN for what was not counted */
void kg_core_counting_stop(const struct kg_core_counting *counting, double counts[KG_CORE_EVENTS]);
void kg_core_counting_close(struct kg_core_counting *counting);
