/* core_events.h: what the counters of a processor's core can count here: the events that every
 * processor has, and those of the top-down method (A. Yasin, "A Top-Down Method for Performance
 * Analysis and Counters Architecture", ISPASS 2014) where the kernel exports them, or AMD documents
 * them for this model. Written without such counters at hand: virtual machines seldom have any. */
#pragma once
#include <stdbool.h>

#include "run/timing/perf_event.h"

/* A slot is room for one operation in one cycle of the pipeline. */
enum kg_core_event {
    KG_CORE_CYCLES,
    KG_CORE_INSTRUCTIONS,
    KG_CORE_BRANCHES,
    KG_CORE_MISPREDICTED,
    KG_CORE_CACHE_REFERENCES, /* of the last level */
    KG_CORE_CACHE_MISSES,
    KG_CORE_STALLED_FRONTEND, /* cycles */
    KG_CORE_STALLED_BACKEND,
    KG_CORE_SLOTS,
    KG_CORE_ISSUED,    /* slots with an operation, retired later or not */
    KG_CORE_RETIRED,   /* slots */
    KG_CORE_WASTED,    /* slots of operations that a wrong guess led to, and of recovering */
    KG_CORE_RECOVERY,  /* of these: recovering alone */
    KG_CORE_UNFED,     /* slots left empty since no operation was fetched in time */
    KG_CORE_BLOCKED,   /* slots left empty since nothing behind could take an operation */
    KG_CORE_MEMORY,    /* of these: for loads and stores */
    KG_CORE_UNRETIRED, /* cycles in which the oldest operation was not done */
    KG_CORE_LOADING,   /* of these: it waited for a load */
    KG_CORE_EVENTS
};
/* "cycles"; as a worker reports them. */
extern const char *const kg_core_event_names[KG_CORE_EVENTS];

struct kg_core_counter {
    bool there;
    struct kg_perf_event event;
    double scale; /* what one count stands for */
    int group;    /* those of one number are counted at the same time, the first of them leads */
};

struct kg_core_events {
    struct kg_core_counter of[KG_CORE_EVENTS];
};

#define KG_CORE_DEVICES "/sys/bus/event_source/devices"
#define KG_CORE_CPUINFO "/proc/cpuinfo"

/* Of the top-down events there are those of one method, all that it needs, or none. Whether an
 * event may be counted, kg_perf_open tells.
 * devices, cpuinfo  KG_CORE_DEVICES and KG_CORE_CPUINFO, or copies of such */
void kg_core_events_find(const char *devices, const char *cpuinfo, struct kg_core_events *events);

/* topdown.c: what the slots of a processor's pipeline went to: level 1 of the top-down method
 * (Yasin 2014), and what part waited for memory. Pure. */

/* Shares of all slots; NaN: not known. They may add up to less than 1 where two threads share a
 * core. */
struct kg_topdown {
    double retiring;        /* did what was wanted */
    double bad_speculation; /* did what a wrong guess led to, or recovered from that */
    double frontend_bound;  /* nothing was fetched and decoded in time */
    double backend_bound;   /* nothing behind could take it */
    double memory_bound;    /* of that: it waited for loads and stores; the rest for the core */
};

/* counts   NaN for what was not counted
 * returns  all NaN where too little was counted, or what no pipeline can give */
struct kg_topdown kg_topdown_of(const double counts[KG_CORE_EVENTS]);
