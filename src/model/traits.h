/* traits.h: features of a case ("traits") as numbers, derived from its results and the ceilings of
 * its machine. A baseline stores them, so that a later run can explain a change. Unknown or
 * impossible numbers are NaN. Pure functions; thread-safe. */
#pragma once
#include <stddef.h>

#include "model/results.h"

/* Amounts and times are per call. */
struct kg_traits {
    double time_ns;
    double cpu_ns;      /* of all threads */
    double kernel_ns;   /* part of cpu_ns in the kernel, on the CPU only */
    double threads;     /* number of threads that it may use */
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
    double intensity; /* flops per byte */
    /* the roofline of the GPU, or of the CPU for these threads and this working set */
    double working_set_bytes;
    /* enum kg_cache_level of the working set, or a nearer level if data moves faster than that
     * level allows. On a GPU: memory, or NaN in its L2 cache */
    double level;
    double bandwidth_ceiling_bytes_per_s;
    double flops_ceiling_per_s;
    double ridge; /* flops per byte at the ridge point */
    /* of its ceiling, like flops_share. If clearly above 1, share and ceiling are NaN: the
     * ceiling does not apply */
    double bandwidth_share;
    double flops_share;
    /* the roofline's least time: the longer of moving and computing; NaN: a needed ceiling is
     * unknown */
    double roof_ns;
    /* counts */
    double instructions;
    double instructions_per_cycle; /* of one busy core; NaN if several threads are busy */
    double flops_per_instruction;
    double line_bytes;        /* brought into the first level of cache */
    double memory_line_bytes; /* from and to memory; on the GPU by CUPTI */
    /* memory */
    double peak_bytes;
    double allocated_bytes;
    /* the GPU */
    double gpu_ns;
    double transfer_ns; /* exposed: without hidden_ns, the part that overlaps kernels */
    double hidden_ns;
    double overhead_ns;
    double gap_ns;
    double launch_ns; /* host time for launching; NaN if it includes waiting */
    double launches;  /* of kernels */
    double to_device_bytes;
    double to_host_bytes;
    double pageable_bytes;
    /* the kernel with the most time; NaN for several kernels without times */
    double main_kernel_ns; /* all its launches */
    double occupancy;
    double waves;
    double local_bytes; /* per thread */
};

/* Unit of a trait. */
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

/* The row of a trait; rows are in the struct's order. For files, reports and documents. */
struct kg_trait {
    const char *name; /* name of the member */
    enum kg_trait_unit unit;
    size_t offset;
    const char *words; /* its name in a report: "of the bandwidth ceiling" */
};
extern const struct kg_trait kg_trait_table[];
extern const size_t kg_trait_count;

/* The member of that row. */
double kg_trait_get(const struct kg_traits *traits, const struct kg_trait *trait);
void kg_trait_set(struct kg_traits *traits, const struct kg_trait *trait, double value);

/* "3.2 ms", "12.4 GB/s", "41 %", "L2". */
void kg_trait_format(enum kg_trait_unit unit, double value, struct kg_text *text);

/* The kernel with the most time; a single kernel needs no times. NULL: none. */
const struct kg_kernel_use *kg_trace_main_kernel(const struct kg_trace *trace);

/* Sets all to NaN. */
void kg_traits_clear(struct kg_traits *traits);

/* The traits of one case of the results; all NaN without rounds. */
void kg_traits_find(const struct kg_results *results, const struct kg_case_result *result,
                    struct kg_traits *traits);
