/* core_events.h: the events that this processor's core can count. Every processor has the first ones.
 * The others belong to the top-down method (A. Yasin, "A Top-Down Method for Performance Analysis and
 * Counters Architecture", ISPASS 2014). They are available if the kernel exports them, or if AMD
 * documents them for this model. Not tested with real counters: virtual machines seldom have any. */
#pragma once
#include <stdbool.h>

#include "run/timing/perf_event.h"

/* A slot is room for one operation in one cycle of the pipeline. */
enum kg_core_event {
    KG_CORE_CYCLES,
    KG_CORE_INSTRUCTIONS,
    KG_CORE_BRANCHES,
    KG_CORE_MISPREDICTED,
    KG_CORE_CACHE_REFERENCES, /* last-level cache */
    KG_CORE_CACHE_MISSES,
    KG_CORE_STALLED_FRONTEND, /* cycles */
    KG_CORE_STALLED_BACKEND,
    KG_CORE_SLOTS,
    KG_CORE_ISSUED,    /* slots with an operation, retired later or not */
    KG_CORE_RETIRED,   /* slots */
    KG_CORE_WASTED,    /* slots of wrongly predicted operations, and of the recovery from them */
    KG_CORE_RECOVERY,  /* part of KG_CORE_WASTED: the recovery alone */
    KG_CORE_UNFED,     /* slots left empty because no operation was fetched in time */
    KG_CORE_BLOCKED,   /* slots left empty because no later stage could take an operation */
    KG_CORE_MEMORY,    /* part of KG_CORE_BLOCKED: for loads and stores */
    KG_CORE_UNRETIRED, /* cycles in which the oldest operation was not done */
    KG_CORE_LOADING,   /* part of KG_CORE_UNRETIRED: the oldest operation waited for a load */
    KG_CORE_EVENTS
};
/* "cycles"; the names in a worker's reports. */
extern const char *const kg_core_event_names[KG_CORE_EVENTS];

struct kg_core_counter {
    bool there;
    struct kg_perf_event event;
    double scale; /* events per count */
    int group;    /* counters of one group count at the same time; the first one leads */
};

struct kg_core_events {
    struct kg_core_counter of[KG_CORE_EVENTS];
};

#define KG_CORE_DEVICES "/sys/bus/event_source/devices"
#define KG_CORE_CPUINFO "/proc/cpuinfo"

/* Finds the events of this core. Top-down events belong to one method: all that the method needs, or
 * none. Only kg_perf_open shows whether this process may count an event.
 * devices, cpuinfo  KG_CORE_DEVICES and KG_CORE_CPUINFO, or copies of them */
void kg_core_events_find(const char *devices, const char *cpuinfo, struct kg_core_events *events);

/* topdown.c: how the slots of a processor's pipeline were used: level 1 of the top-down method (Yasin
 * 2014), and the part that waited for memory. Pure. */

/* Shares of all slots, 0 to 1; NaN: not known. The sum may be less than 1 if two threads share a
 * core. */
struct kg_topdown {
    double retiring;        /* slots of operations that retired */
    double bad_speculation; /* slots of wrongly predicted operations, and of the recovery */
    double frontend_bound;  /* empty slots: no operation was fetched and decoded in time */
    double backend_bound;   /* empty slots: no later stage could take an operation */
    double memory_bound;    /* part of backend_bound: waits for loads and stores, not the core */
};

/* counts   NaN: not counted
 * returns  all NaN if needed counts are missing, or if the counts are impossible */
struct kg_topdown kg_topdown_of(const double counts[KG_CORE_EVENTS]);
