/* diagnosis.h: what holds an operation back, from measured facts alone. Pure. */
#pragma once
#include "base/text.h"
#include "model/suggest_settings.h"
#include "why/evidence/facts.h"

enum kg_bound {
    KG_BOUND_UNKNOWN, /* the evidence for any of the others is missing, or says none of them */
    KG_BOUND_MEMORY,  /* moving data, from memory or a level of cache */
    KG_BOUND_COMPUTE, /* arithmetic, or instructions of any kind */
    KG_BOUND_LATENCY, /* waiting for single loads or results: neither roof is near */
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
    double share;            /* of the time or of the roof that says so; NaN for unknown */
    const char *evidence[6]; /* names of facts that say so, the first NULL ends them */
    const char *missing; /* for unknown: what would tell, and how to measure it; a sentence, static
                            text; else NULL */
};

void kg_diagnose(const struct kg_facts *facts, const struct kg_suggest_settings *settings,
                 struct kg_diagnosis *diagnosis);
