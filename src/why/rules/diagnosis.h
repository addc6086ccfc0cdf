/* diagnosis.h: the bottleneck of an operation, from measured facts alone. Pure. */
#pragma once
#include "base/text.h"
#include "model/suggest_settings.h"
#include "why/evidence/facts.h"

enum kg_bound {
    KG_BOUND_UNKNOWN, /* the facts are missing, or support no other bound */
    KG_BOUND_MEMORY,  /* moving data, from memory or a level of cache */
    KG_BOUND_COMPUTE, /* arithmetic, or instructions of any kind */
    KG_BOUND_LATENCY, /* waiting for single loads or results; far below each peak */
    KG_BOUND_LAUNCH,  /* starting work: kernels, parallel regions, calls */
    KG_BOUND_TRANSFER,
    KG_BOUND_SYNCHRONISATION, /* threads, or the host and the device, waiting for each other */
    KG_BOUND_SYSTEM,          /* the kernel's work: system calls, fresh pages, processes */
    KG_BOUND_WAITING,         /* off the CPU: sleeps, files, the network */
    KG_BOUND_COUNT
};
extern const char *const kg_bound_names[KG_BOUND_COUNT + 1]; /* "unknown", "memory-bound", … */

struct kg_diagnosis {
    enum kg_bound bound;
    double share; /* share of the time or of the peak that supports the bound; NaN: unknown */
    const char *evidence[6]; /* names of the supporting facts; NULL ends the list */
    /* A sentence for an unknown bound: the missing measurement and its command. Static text;
     * otherwise NULL. */
    const char *missing;
};

void kg_diagnose(const struct kg_facts *facts, const struct kg_suggest_settings *settings,
                 struct kg_diagnosis *diagnosis);
