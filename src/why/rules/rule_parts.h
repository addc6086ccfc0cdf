/* rule_parts.h: conditions and estimates that the families of rules share. Pure. If a condition
 * needs an unknown fact, it is false. */
#pragma once
#include <math.h>
#include <string.h>

#include "why/rules/rules.h"

/* The rules of one rules_*.c. */
struct kg_rule_family {
    const struct kg_rule *rules;
    size_t count;
};
extern const struct kg_rule_family kg_rules_compare; /* against other cases */
extern const struct kg_rule_family kg_rules_calls;   /* calls of scopes, starting, waiting */
extern const struct kg_rule_family kg_rules_profile; /* scopes of a program's profile alone */
extern const struct kg_rule_family kg_rules_memory;  /* memory traffic and peak memory */
extern const struct kg_rule_family kg_rules_threads; /* idle CPUs, conflicts between threads */
extern const struct kg_rule_family kg_rules_vectors; /* one element at a time */
extern const struct kg_rule_family kg_rules_gpu;
extern const struct kg_rule_family kg_rules_causes;        /* functions that a program calls */
extern const struct kg_rule_family kg_rules_causes_core;   /* execution of loops by a core */
extern const struct kg_rule_family kg_rules_causes_system; /* the kernel, other threads */

/* Conditions of rules that other rules and the diagnosis use too. */
bool kg_parallel_regions_applies(const struct kg_facts *facts,
                                 const struct kg_suggest_settings *settings);
bool kg_page_faults_applies(const struct kg_facts *facts,
                            const struct kg_suggest_settings *settings);
bool kg_access_pattern_applies(const struct kg_facts *facts,
                               const struct kg_suggest_settings *settings);
bool kg_idle_cpu_applies(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
/* Time per call without a CPU, except time spent waiting for a CPU. */
double kg_idle_ns(const struct kg_facts *facts);
bool kg_false_sharing_applies(const struct kg_facts *facts,
                              const struct kg_suggest_settings *settings);
bool kg_load_imbalance_applies(const struct kg_facts *facts,
                               const struct kg_suggest_settings *settings);

static inline bool kg_at_least(double value, double limit)
{
    return isfinite(value) && isfinite(limit) && value >= limit;
}

static inline bool kg_under(double value, double limit)
{
    return isfinite(value) && isfinite(limit) && value >= 0 && value < limit;
}

static inline bool kg_on_device(const struct kg_facts *facts, const char *device)
{
    return facts->device && !strcmp(facts->device, device);
}

static inline double kg_known_or_zero(double value)
{
    return kg_known(value) ? value : 0;
}

/* Time to copy the operation's data to the GPU and back. The link between host and GPU is not
 * measured: PCI Express 3.0 with 16 lanes is assumed. NaN: no data are known. */
double kg_handing_over_ns(const struct kg_facts *facts);

/* The least time that a well-made version could take, by each known ceiling alone; 0: no ceiling
 * is known. */
static inline double kg_attainable_ns(const struct kg_facts *facts,
                                      const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double share =
        fmax(kg_known_or_zero(traits->bandwidth_share), kg_known_or_zero(traits->flops_share));
    return fmax(kg_known_or_zero(traits->roof_ns), share * traits->time_ns) / settings->attainable;
}

/* kg_lines_brought: bytes of the cache lines that the case loaded. If they exceed the work's
 * bytes, some lines were loaded in vain. kg_moving_share: least time to move `bytes`, as a share
 * of the case's time. */
double kg_lines_brought(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
double kg_moving_share(const struct kg_facts *facts, double bytes);

/* Share of the time in which the case has work for a CPU, preempted or not; 1: unknown. */
double kg_running_share(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Instructions retired per cycle. If the case has several threads: by its time with one thread.
 * NaN if no core can retire so many: then the count includes other work. */
double kg_instructions_per_cycle(const struct kg_facts *facts);

/* Instructions per cycle that cores of the last decade can sustain. */
static const double KG_ISSUE_WIDTH = 4;

/* Whether other programs took so much CPU time that kgate cannot judge the case's threads. */
bool kg_cpus_taken(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Time per call spent on first touches of fresh pages. */
double kg_faulting_ns(const struct kg_facts *facts);

/* Speedup that the threads can reach over one thread. If two threads share a core, it is less
 * than their number. */
double kg_threads_do(const struct kg_facts *facts);

/* Time of all threads together. kg_shared_work_ns: expected for the work, with the loss of a
 * fully busy machine. kg_threads_spend_ns: measured. */
double kg_shared_work_ns(const struct kg_facts *facts);
double kg_threads_spend_ns(const struct kg_facts *facts);

/* Whether the code computes one single-precision element at a time. */
bool kg_is_scalar(const struct kg_facts *facts);

/* Speedup of a compiler's vectors over scalar instructions; lanes must be known. */
double kg_vectors_gain(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Whether the profile shows threads that wait for each other or for a parallel region to start. */
bool kg_threads_wait(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Whether the case is near a peak of the roofline. */
static inline bool kg_at_roof(const struct kg_facts *facts,
                              const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->traits.bandwidth_share, settings->bound_share) ||
           kg_at_least(facts->traits.flops_share, settings->bound_share);
}
