/* traits.h: how a case runs, as numbers ("traits"): derived from one case's results and the
 * ceilings of its machine. A baseline stores them, so that a later run can say what changed.
 * Unknown or impossible figures are NaN. Pure functions; thread-safe. */
#pragma once
#include <stddef.h>

#include "model/results.h"

/* Amounts and times are per call. */
struct kg_traits {
    double time_ns;
    double cpu_ns;      /* of all threads */
    double threads;     /* that it may use */
    double cores_busy;  /* CPU time over wall time, in the least disturbed rounds; NaN on the GPU */
    double alone_ns;    /* with one thread */
    double page_faults; /* minor ones. This and the next two: during timed calls, on the CPU only */
    double waits;       /* times that a thread gave up its CPU to wait */
    double preempted;   /* times that a thread was preempted */
    /* work */
    double items;
    double bytes;
    double flops;
    double bytes_per_s;
    double flops_per_s;
    double intensity; /* flops a byte */
    /* the roofline: of the GPU, or of the CPU for these threads and this working set */
    double working_set_bytes;
    double level; /* enum kg_cache_level of the working set, or a nearer one where data moves faster
                     than that level allows. On a GPU: memory, or NaN in its L2 cache */
    double bandwidth_ceiling_bytes_per_s;
    double flops_ceiling_per_s;
    double ridge;           /* flops a byte at which both ceilings give the same time */
    double bandwidth_share; /* of its ceiling, like flops_share. NaN, with its ceiling, where it is
                               clearly above 1: then the ceiling does not apply */
    double flops_share;
    double roof_ns; /* the roofline's least time: the longer of moving and computing; NaN where a
                       ceiling that it needs is unknown */
    /* what was counted */
    double instructions;
    double instructions_per_cycle; /* of one busy core; NaN where several threads are busy */
    double flops_per_instruction;
    double line_bytes;        /* of the first level of cache */
    double memory_line_bytes; /* of memory; of the GPU's, by CUPTI */
    /* memory */
    double peak_bytes;
    double allocated_bytes;
    /* the GPU */
    double gpu_ns;
    double transfer_ns; /* exposed: without the part that overlaps kernels, which is: */
    double hidden_ns;
    double overhead_ns;
    double gap_ns;
    double launch_ns; /* host time for launching; NaN where it includes waiting */
    double launches;  /* of kernels */
    double to_device_bytes;
    double to_host_bytes;
    double pageable_bytes;
    /* the kernel with the most time; NaN for several kernels without times */
    double main_kernel_ns; /* all its launches */
    double occupancy;
    double waves;
    double local_bytes; /* of a thread */
};

/* What a trait is counted in. */
enum kg_trait_unit {
    KG_TRAIT_NS,
    KG_TRAIT_BYTES,
    KG_TRAIT_BYTES_PER_S,
    KG_TRAIT_FLOPS_PER_S,
    KG_TRAIT_SHARE,
    KG_TRAIT_COUNT,
    KG_TRAIT_LEVEL, /* enum kg_cache_level */
};
extern const char *const kg_trait_unit_names[8]; /* "ns", "bytes", "bytes/s", "flops/s", "share",
                                                    "", "level", NULL */

/* All of them, in the struct's order: for files, reports and documents. */
struct kg_trait {
    const char *name; /* the member's */
    enum kg_trait_unit unit;
    size_t offset;
    const char *words; /* as a report calls it: "of the bandwidth ceiling" */
};
extern const struct kg_trait kg_trait_table[];
extern const size_t kg_trait_count;

/* The member of that row. */
double kg_trait_get(const struct kg_traits *traits, const struct kg_trait *trait);
void kg_trait_set(struct kg_traits *traits, const struct kg_trait *trait, double value);

/* "3.2 ms", "12.4 GB/s", "41 %", "L2". */
void kg_trait_format(enum kg_trait_unit unit, double value, struct kg_text *text);

/* The kernel that takes the most time. A single kernel needs no times to be the one. NULL: none. */
const struct kg_kernel_use *kg_trace_main_kernel(const struct kg_trace *trace);

/* All NaN. */
void kg_traits_clear(struct kg_traits *traits);

/* Of one case of the results; all NaN where it has no rounds. */
void kg_traits_find(const struct kg_results *results, const struct kg_case_result *result,
                    struct kg_traits *traits);
