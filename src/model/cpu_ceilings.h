/* cpu_ceilings.h: what the CPU was measured to be capable of, by kgate itself: the roofs that cases
 * on it are compared with (Williams, Waterman and Patterson, "Roofline", 2009; with a roof for each
 * level of cache as Ilic, Pratas and Sousa, "Cache-aware Roofline", 2014), and what starting,
 * stopping and disturbing threads costs. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"
#include "device/cpu_caches.h"

/* The rates of some threads together; NaN where not measured. Bytes are read and written ones, the
 * fastest of reading, of copying, and of adding two arrays into a third. */
struct kg_cpu_ceiling {
    double threads;
    double scalar_flops_per_s; /* single-precision multiply-adds, two each, one an instruction */
    double vector_flops_per_s; /* the same in the widest vectors that kernels use here */
    double l1_bytes_per_s;
    double l2_bytes_per_s;
    double l3_bytes_per_s;
    double memory_bytes_per_s;
};

/* NaN where not measured. */
struct kg_cpu_ceilings {
    struct kg_cpu_ceiling one; /* thread */
    struct kg_cpu_ceiling all; /* one on each CPU that the process may use */
    double cores;              /* that those CPUs are of */
    double l1_bytes;           /* of a core's caches, and of the whole last level */
    double l2_bytes;
    double l3_bytes;          /* NaN where there is none */
    double l3_count;          /* so many parts it has, each for some of the cores */
    double clock_hz;          /* of a core at work */
    double memory_latency_ns; /* of a load from memory that waits for the one before */
    double fork_join_ns;      /* of a parallel region of all threads in which nothing is done */
    double barrier_ns;        /* until all threads have waited for each other */
    double line_transfer_ns; /* of a cache line from one core's cache to another's, written there */
    double page_fault_ns;    /* of the first touch of a page, with clearing it and giving it back */
    const char *measured;    /* UTC, "2026-01-31T12:00:00Z"; NULL where nothing was measured */
    const char *reason;      /* why figures are missing; NULL where none is */
    const char *note;        /* what makes them doubtful: they are soon measured anew; else NULL */
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

/* Whether every figure that is known is one that a machine could have: above 0, and not beyond all
 * hardware by orders of magnitude; and all threads not slower than one. Of what a file says; none
 * known is good. Pure. */
bool kg_cpu_ceilings_good(const struct kg_cpu_ceilings *ceilings);

/* The level that a working set lies in when `threads` threads share it: each has its part in the
 * caches of its own core, all have the last level together, or those parts of it that they are on.
 * KG_LEVEL_MEMORY where cache sizes or bytes are not known; threads that are not known are one.
 * Pure. */
enum kg_cache_level kg_cpu_level(const struct kg_cpu_ceilings *ceilings, double bytes,
                                 double threads);

/* The roofs for `threads` threads: of one, of all, and in between so many times that of one, but
 * not more than that of all. NaN where not known. Pure. */
double kg_cpu_bandwidth(const struct kg_cpu_ceilings *ceilings, enum kg_cache_level level,
                        double threads);
double kg_cpu_flops(const struct kg_cpu_ceilings *ceilings, bool vectors, double threads);
