#include "run/timing/timed_loop.h"

#include <unistd.h>

/* The first of the event's group. */
static size_t leader_of(const struct kg_core_counting *counting, size_t event)
{
    size_t leader = 0;
    while (!counting->events.of[leader].there ||
           counting->events.of[leader].group != counting->events.of[event].group)
        leader++;
    return leader;
}

static bool is_leader(const struct kg_core_counting *counting, size_t event)
{
    return counting->descriptors[event] >= 0 && leader_of(counting, event) == event;
}

bool kg_core_counting_open(struct kg_core_counting *counting)
{
    for (size_t i = 0; i < KG_CORE_EVENTS; i++) {
        const struct kg_core_counter *counter = &counting->events.of[i];
        const size_t leader = counter->there ? leader_of(counting, i) : i;
        const int with = leader == i ? -1 : counting->descriptors[leader];
        const bool alone = leader != i && with < 0; /* its leader is refused */
        counting->descriptors[i] =
            counter->there && !alone ? kg_perf_open(&counter->event, with) : -1;
    }
    if (counting->descriptors[KG_CORE_CYCLES] >= 0)
        return true;
    kg_core_counting_close(counting);
    return false;
}

void kg_core_counting_start(const struct kg_core_counting *counting)
{
    for (size_t i = 0; i < KG_CORE_EVENTS; i++)
        if (is_leader(counting, i))
            kg_perf_start(counting->descriptors[i]);
}

void kg_core_counting_stop(const struct kg_core_counting *counting, double counts[KG_CORE_EVENTS])
{
    for (size_t i = 0; i < KG_CORE_EVENTS; i++)
        if (is_leader(counting, i))
            kg_perf_stop(counting->descriptors[i]);
    for (size_t i = 0; i < KG_CORE_EVENTS; i++)
        counts[i] = kg_perf_read(counting->descriptors[i]) * counting->events.of[i].scale;
}

void kg_core_counting_close(struct kg_core_counting *counting)
{
    for (size_t i = 0; i < KG_CORE_EVENTS; i++) {
        if (counting->descriptors[i] >= 0)
            close(counting->descriptors[i]);
        counting->descriptors[i] = -1;
    }
}
