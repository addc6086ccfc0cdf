/* facts.h: all facts about one operation, gathered before any rule runs. A rule reads nothing
 * else. An operation is a case, or a scope inside a profiled one. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "model/hot_code.h"
#include "model/traits.h"

struct kg_causes;

enum kg_operation_kind { KG_OPERATION_CASE, KG_OPERATION_SCOPE };
extern const char *const kg_operation_kind_names[3]; /* "case", "scope" */

/* Times and counts of a case are per call. Times and counts of a scope cover all its calls
 * within one call of its whole: its case, or its outermost scope. Unknown: NaN or NULL. */
struct kg_facts {
    enum kg_operation_kind kind;
    const char *operation; /* case: its id; scope: its path "case;outer;inner" */
    const char *whole;  /* id of the case, or name of the outermost scope, around the operation */
    const char *device; /* "cpu" or "cuda" */
    const char *workload;
    double whole_ns;                /* time of the whole around a scope; of a case: its own time */
    double scheduler_wait_ns;       /* case on the CPU: time its threads waited for a CPU, summed */
    double whole_cores_busy;        /* scope: busy cores of its whole */
    const struct kg_hot *hot;       /* case on the CPU: its profile; NULL: unknown */
    const struct kg_causes *causes; /* case: weighed causes (causes.h); NULL: unknown */
    struct kg_place main_kernel;    /* case on the GPU: the kernel with the most time */
    /* scope: times, threads, bytes and memory, and traits derived from them */
    struct kg_traits traits;

    /* --- the machine: ceilings that are not in the traits --- */
    double machine_cores; /* number of CPUs that the case may use */
    double vector_lanes;  /* throughput of vector over scalar arithmetic on this CPU */
    /* Combined throughput of the case's threads over one thread's. Measured on work that scales
     * best: arithmetic, or moving data within the threads' own caches. */
    double thread_scaling;
    double clock_hz; /* clock of a busy core, in Hz */
    double fork_join_ns;
    double barrier_ns;
    double page_fault_ns;
    double memory_ceiling_bytes_per_s; /* bandwidth of main memory for the case's threads */
    double gpu_launch_ns;
    double gpu_memory_bytes;
    double gpu_roof_ns; /* case on the CPU: least time of its work by the GPU's peaks */

    /* --- neighbours: other cases of the same results --- */
    /* time of the same case on the other device, with transfers and launches */
    double other_device_ns;
    double other_transfer_ns; /* part of other_device_ns spent on transfers */
    const char *other_device_id;
    double faster_version_ns; /* the fastest other version of the same kernel and parameters */
    const char *faster_version_id;
    bool known_slower;    /* a version is faster; set for reference versions too */
    bool threads_assumed; /* `threads` is the default, and the program may not know about threads */
    /* Other processes had the case's CPUs in more than a third of its rounds. So kgate cannot
     * trust its busy time and its waits. */
    bool disturbed;
    const char *sweep_parameter; /* parameter that the sweep varies */
    const char *sweep_measure;   /* measure of a call's work: kg_sweep_measure */
    double sweep_points;
    /* Exponent of time over the work of a call: flops, else items, else bytes, else the
     * parameter. */
    double time_growth;
    double log_growth;    /* exponent of n log n over n, with n the work of a call */
    double work_growth;   /* exponent of the work over the parameter */
    double bytes_growth;  /* exponent of the bytes that a call moves over the parameter */
    double memory_growth; /* exponent of peak memory over the parameter */
    double linear_ns;     /* time if it had grown as n log n from the smallest size on */
    double linear_bytes;  /* peak memory without its part that grows with the parameter's square */
    double fixed_ns;      /* fixed time of a call, from the sweep's smallest sizes */
    double largest_ns;    /* time of a call of the sweep's largest size */

    /* --- the profile: of a case all its scopes together, of a scope its own --- */
    double calls;      /* scope: number of calls per call of the scope directly around it */
    double call_ns;    /* mean time of one call of the scope */
    double between_ns; /* time between calls of the scope, in no other scope */
    /* Scope without inner scopes, in a program's profile: its recorded calls, and their times. */
    double leaf_calls;
    double max_ns;
    double p99_ns;
    /* scope in a program's profile: its peak memory, unless a scope inside it holds half of it */
    double held_bytes;
    double self_ns;        /* scope: time outside of the scopes inside it */
    double self_share;     /* self_ns as a share of whole_ns */
    double whole_roof_ns;  /* least time of the scope's whole by the roofline */
    double parallel_count; /* parallel regions */
    /* time of parallel regions outside of scopes: starting and joining threads */
    double parallel_ns;
    double wait_count; /* number of waits of the first thread, for other threads or the device */
    double wait_ns;
    double scope_threads;  /* number of threads that its scopes ran on */
    double imbalance;      /* busiest thread over an even share, at least 1 */
    double imbalance_ns;   /* time that an even share would save */
    double thread_busy_ns; /* time in scopes of all threads, without waits and parallel regions */
    double fusible_count;  /* number of consecutive scopes that memory limits */
    double fusible_ns;     /* time of the fusible scopes */
    double fused_bytes;    /* bytes moved by the largest fusible scope, summed over groups */
    double separate_bytes; /* bytes moved by all fusible scopes */
};

/* The names of the facts that are not traits, for evidence. Rows as of traits, over struct
 * kg_facts. */
extern const struct kg_trait kg_fact_table[];
extern const size_t kg_fact_count;

/* Finds the fact or trait of this name. The row's offset is in struct kg_facts. Returns false if
 * there is none. */
bool kg_fact_find(const char *name, struct kg_trait *fact);

/* The value of a row from kg_fact_find or kg_fact_table. */
double kg_fact_get(const struct kg_facts *facts, const struct kg_trait *fact);

/* Sets a case with every other member NaN or NULL. */
void kg_facts_clear(struct kg_facts *facts);

/* Time of one call by the host's clock, with launches and transfers. Case on the GPU: the sum of
 * its breakdown. Otherwise its time. NaN: unknown. */
double kg_facts_call_ns(const struct kg_facts *facts);

/* A growing list in the caller's arena. */
struct kg_facts_list {
    struct kg_facts *of;
    size_t count, capacity;
};

/* Whether a number is known and makes sense as a time or an amount: finite and above 0. */
bool kg_known(double value);
