/* facts.h: everything that is known of one operation, gathered before any rule looks at it: a rule
 * sees nothing else. An operation is a case, or a scope inside a profiled one. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "model/hot_code.h"
#include "model/traits.h"

struct kg_causes;

enum kg_operation_kind { KG_OPERATION_CASE, KG_OPERATION_SCOPE };
extern const char *const kg_operation_kind_names[3]; /* "case", "scope" */

/* Times and counts are those of one call of the case; of a scope, those of all its calls in one
 * call of the case, or of the outermost scope, that it is inside of. Not known is NaN or NULL. */
struct kg_facts {
    enum kg_operation_kind kind;
    const char *operation; /* id of the case; path of a scope: "case;outer;inner" */
    const char *whole;     /* id of the case, or name of the outermost scope, that it belongs to */
    const char *device;    /* "cpu" or "cuda" */
    const char *workload;
    double whole_ns;          /* of a scope: of what it is inside of; of a case its own time */
    double scheduler_wait_ns; /* of a case on the CPU: that its threads waited for one, summed */
    double whole_cores_busy;  /* of a scope: that what it is inside of keeps busy */
    const struct kg_hot *hot; /* of a case on the CPU: where its time goes; NULL where not known */
    const struct kg_causes *causes; /* likewise: what that goes to (causes.h) */
    struct kg_place main_kernel;    /* of a case on the GPU: the kernel with the most time */
    struct kg_traits traits; /* of a scope: time_ns, bytes and what follows from them, memory */

    /* --- the machine: ceilings that are not in the traits --- */
    double machine_cores;  /* that the case may use */
    double vector_lanes;   /* what vectors do over what scalar instructions do, on this CPU */
    double thread_scaling; /* what the case's threads do together over what one does, at what scales
                              best: arithmetic, or moving within their own caches */
    double clock_hz;       /* of a core at work */
    double fork_join_ns;
    double barrier_ns;
    double page_fault_ns;
    double memory_ceiling_bytes_per_s; /* of memory proper, for the case's threads */
    double gpu_launch_ns;
    double gpu_memory_bytes;
    double gpu_roof_ns; /* of a case on the CPU: the GPU's roofs for its work */

    /* --- neighbours: other cases of the same results --- */
    double other_device_ns; /* the same case on the other device, transfers and launches included */
    double other_transfer_ns; /* of that, transfers */
    const char *other_device_id;
    double faster_version_ns; /* the fastest other version of the same kernel and parameters */
    const char *faster_version_id;
    bool known_slower;    /* some version is faster; also of one that is kept as a reference */
    bool threads_assumed; /* `threads` is the default, and of a program that need not know of it */
    bool disturbed; /* others had the case's CPUs in more than a third of its rounds, so that how
                          busy it was and what it waited for is theirs too */
    const char *sweep_parameter; /* the parameter whose values the next are over */
    const char *sweep_measure;   /* what a call does is told in: by kg_sweep_measure */
    double sweep_points;
    double time_growth;   /* exponent of time over what a call does: flops, else items, else bytes,
                             else the parameter */
    double log_growth;    /* exponent that n log n has over the same, n being what a call does */
    double work_growth;   /* exponent of that over the parameter */
    double bytes_growth;  /* exponent of the bytes that a call moves over the parameter */
    double memory_growth; /* exponent of peak memory over the parameter */
    double linear_ns;     /* what time would be, had it grown as n log n from the smallest on */
    double linear_bytes;  /* peak memory without what grows with the square of the parameter */
    double fixed_ns;      /* of a call, however little it does: from the sweep's smallest sizes */

    /* --- the profile: of a case all its scopes together, of a scope its own --- */
    double calls;          /* of the scope in one call of what it is directly inside of */
    double call_ns;        /* mean of one of those */
    double between_ns;     /* of all: what is between them, in nothing else */
    double self_ns;        /* of all: in no scope inside of it */
    double self_share;     /* that, of what it is inside of */
    double whole_roof_ns;  /* the least time that the roofs leave of what it is inside of */
    double parallel_count; /* parallel regions */
    double parallel_ns;    /* in them, but in no scope of the same thread: starting, joining */
    double wait_count;     /* times that the first thread waited for others, or for the device */
    double wait_ns;
    double scope_threads;  /* that its scopes ran on */
    double imbalance;      /* busiest thread over an even share, at least 1 */
    double imbalance_ns;   /* what an even share would save */
    double thread_busy_ns; /* time in scopes of all threads, but waiting and parallel regions */
    double fusible_count;  /* scopes, one after the other, each limited by memory */
    double fusible_ns;     /* of them */
    double fused_bytes;    /* what the one with the most of them moves; */
    double separate_bytes; /* and all of them together */
};

/* What facts that are not traits are called: for evidence. Trait-like rows over struct kg_facts. */
extern const struct kg_trait kg_fact_table[];
extern const size_t kg_fact_count;

/* The fact or trait of that name, as a row whose offset is in struct
 * kg_facts; false without one. */
bool kg_fact_find(const char *name, struct kg_trait *fact);

/* The member of a row that kg_fact_find or kg_fact_table gave. */
double kg_fact_get(const struct kg_facts *facts, const struct kg_trait *fact);

/* Everything NaN and NULL; a case. */
void kg_facts_clear(struct kg_facts *facts);

/* Time of one call by the host's clock, launches and transfers included: of a case on the GPU what
 * its breakdown adds up to, else its time. NaN where not known. */
double kg_facts_call_ns(const struct kg_facts *facts);

/* A list that grows; in its arena. */
struct kg_facts_list {
    struct kg_facts *of;
    size_t count, capacity;
};

/* Whether a number is known and makes sense as a time or an amount: finite and above 0. */
bool kg_known(double value);
