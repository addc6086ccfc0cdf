/* rule_parts.h: what the families of rules share. Pure. A condition is false where a fact that it
 * needs is unknown. */
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
extern const struct kg_rule_family kg_rules_memory;  /* what is moved and held */
extern const struct kg_rule_family kg_rules_threads; /* CPUs that are idle, threads in conflict */
extern const struct kg_rule_family kg_rules_vectors; /* one element at a time */
extern const struct kg_rule_family kg_rules_gpu;
extern const struct kg_rule_family kg_rules_causes; /* where the time goes: what a program does */
extern const struct kg_rule_family kg_rules_causes_core;   /* how a core executes it */
extern const struct kg_rule_family kg_rules_causes_system; /* the kernel, other threads */

/* Conditions of rules that other rules and the diagnosis ask too. */
bool kg_parallel_regions_applies(const struct kg_facts *facts,
                                 const struct kg_suggest_settings *settings);
bool kg_page_faults_applies(const struct kg_facts *facts,
                            const struct kg_suggest_settings *settings);
bool kg_access_pattern_applies(const struct kg_facts *facts,
                               const struct kg_suggest_settings *settings);
bool kg_idle_cpu_applies(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
/* Time of a call in which no CPU worked for it, and it did not wait for one. */
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

/* The least time that a well-made version could take by the known ceilings, each of which limits it
 * alone; 0 if none is known. */
static inline double kg_attainable_ns(const struct kg_facts *facts,
                                      const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double share =
        fmax(kg_known_or_zero(traits->bandwidth_share), kg_known_or_zero(traits->flops_share));
    return fmax(kg_known_or_zero(traits->roof_ns), share * traits->time_ns) / settings->attainable;
}

/* Bytes of the cache lines that the case brought in, and the least time that moving `bytes` takes,
 * as a share of the case's time. More than the work's bytes: lines came in vain. */
double kg_lines_brought(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
double kg_moving_share(const struct kg_facts *facts, double bytes);

/* Share of the time in which the case has work for a CPU, preempted or not; 1 if unknown. */
double kg_running_share(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Instructions retired in a cycle; if the case has several threads, by its time with one thread.
 * NaN if it is more than any core can retire: then something else than the work was counted. */
double kg_instructions_per_cycle(const struct kg_facts *facts);

/* Instructions a cycle that cores of the last decade can sustain. */
static const double KG_ISSUE_WIDTH = 4;

/* Whether other programs took so much of the case's CPUs that its threads cannot be judged. */
bool kg_cpus_taken(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Time that touching fresh pages takes in a call. */
double kg_faulting_ns(const struct kg_facts *facts);

/* Speedup that the threads can reach over one: less than their number if two share a core. */
double kg_threads_do(const struct kg_facts *facts);

/* Time of all threads together: what the work should take, given what cores lose when all are busy,
 * and what the threads spend. */
double kg_shared_work_ns(const struct kg_facts *facts);
double kg_threads_spend_ns(const struct kg_facts *facts);

/* Whether it computes one element of single precision at a time. */
bool kg_is_scalar(const struct kg_facts *facts);

/* Speedup of a compiler's vectors over scalar instructions; lanes must be known. */
double kg_vectors_gain(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Whether the profile shows threads that wait for each other, or for a parallel region to start. */
bool kg_threads_wait(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Whether the case is roofline bound. */
static inline bool kg_at_roof(const struct kg_facts *facts,
                              const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->traits.bandwidth_share, settings->bound_share) ||
           kg_at_least(facts->traits.flops_share, settings->bound_share);
}
