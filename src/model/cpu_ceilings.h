/* cpu_ceilings.h: the CPU's peaks and the costs of threads (start, stop, interference), as kgate
 * measured them. Cases on the CPU are compared with these peaks by the roofline model (Williams,
 * Waterman and Patterson, "Roofline", 2009). Each level of cache has its own peak (Ilic, Pratas and
 * Sousa, "Cache-aware Roofline", 2014). */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"
#include "device/cpu_caches.h"

/* The rates of some threads together; NaN: not measured. Bytes are read plus written ones. They
 * come from the fastest of reading, copying, and adding two arrays into a third. */
struct kg_cpu_ceiling {
    double threads;
    double scalar_flops_per_s; /* single-precision multiply-adds, two each, one per instruction */
    double vector_flops_per_s; /* the same in the widest vectors that kernels use here */
    double l1_bytes_per_s;
    double l2_bytes_per_s;
    double l3_bytes_per_s;
    double memory_bytes_per_s;
};

/* NaN: not measured. */
struct kg_cpu_ceilings {
    struct kg_cpu_ceiling one; /* one thread */
    struct kg_cpu_ceiling all; /* one thread on each CPU that the process may use */
    double cores;              /* number of cores of these CPUs */
    double l1_bytes;           /* bytes of a core's caches, and of the whole last level */
    double l2_bytes;
    double l3_bytes;          /* NaN: no such level */
    double l3_count;          /* number of its parts, each for some of the cores */
    double clock_hz;          /* of a core at work */
    double memory_latency_ns; /* of a load from memory that depends on the load before */
    double fork_join_ns;      /* of an empty parallel region of all threads */
    double barrier_ns;        /* until all threads have waited for each other */
    double line_transfer_ns;  /* of a written cache line from one core's cache to another's */
    double page_fault_ns;     /* of the first touch of a page, with clearing and release */
    const char *measured;     /* UTC, "2026-01-31T12:00:00Z"; NULL: nothing was measured */
    const char *reason;       /* why numbers are missing; NULL: none is */
    const char *note;         /* why the numbers are doubtful and soon measured again; else NULL */
};

/* Needs <math.h>. */
#define KG_CPU_CEILING_NONE                                                                        \
    {                                                                                              \
        NAN, NAN, NAN, NAN, NAN, NAN, NAN                                                          \
    }
#define KG_CPU_CEILINGS_NONE                                                                       \
    {                                                                                              \
        .one = KG_CPU_CEILING_NONE, .all = KG_CPU_CEILING_NONE, .cores = NAN, .l1_bytes = NAN,     \
        .l2_bytes = NAN, .l3_bytes = NAN, .l3_count = NAN, .clock_hz = NAN,                        \
        .memory_latency_ns = NAN, .fork_join_ns = NAN, .barrier_ns = NAN, .line_transfer_ns = NAN, \
        .page_fault_ns = NAN                                                                       \
    }

extern const struct kg_record kg_cpu_ceilings_record;

/* Whether every known number is possible for a machine: above 0, and not beyond all hardware by
 * orders of magnitude. All threads must not be slower than one. For numbers from a file; true if
 * none is known. Pure. */
bool kg_cpu_ceilings_good(const struct kg_cpu_ceilings *ceilings);

/* The level of cache that holds a working set shared by `threads` threads. Each thread has its part
 * in the caches of its own core. The last level, or the parts of it that the threads run on, serves
 * all threads. KG_LEVEL_MEMORY if cache sizes or `bytes` are unknown. An unknown number of threads
 * counts as one. Pure. */
enum kg_cache_level kg_cpu_level(const struct kg_cpu_ceilings *ceilings, double bytes,
                                 double threads);

/* The peaks of `threads` threads: between one and all, `threads` times the peak of one thread, at
 * most the peak of all. NaN if unknown. Pure. */
double kg_cpu_bandwidth(const struct kg_cpu_ceilings *ceilings, enum kg_cache_level level,
                        double threads);
double kg_cpu_flops(const struct kg_cpu_ceilings *ceilings, bool vectors, double threads);
