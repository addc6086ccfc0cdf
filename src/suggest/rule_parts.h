/* rule_parts.h: conditions and estimators of the rules, as rules.c names them in its table, and
 * what they share. Pure. A condition is false where a fact that it needs is not known. */
#pragma once
#include <math.h>
#include <string.h>

#include "suggest/rules.h"

/* A condition and the estimator of the same rule. */
#define KG_RULE_CONDITION(name)                                                                    \
    bool kg_applies_##name(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
#define KG_RULE_ESTIMATOR(name)                                                                    \
    double kg_estimate_##name(const struct kg_facts *facts,                                        \
                              const struct kg_suggest_settings *settings)
#define KG_RULE_PARTS(name)                                                                        \
    KG_RULE_CONDITION(name);                                                                       \
    KG_RULE_ESTIMATOR(name)

/* rules_compare.c: held against other cases */
KG_RULE_PARTS(cpu_instead);
KG_RULE_PARTS(gpu_instead);
KG_RULE_PARTS(gpu_untried);
KG_RULE_PARTS(slower_version);
KG_RULE_PARTS(superlinear);
KG_RULE_PARTS(batch_small);
/* rules_calls.c: what surrounds the work */
KG_RULE_PARTS(batch_calls);
KG_RULE_PARTS(cache_results);
KG_RULE_PARTS(parallel_regions);
KG_RULE_PARTS(synchronisation);
KG_RULE_PARTS(page_faults);
/* rules_memory.c: what is moved and held */
KG_RULE_PARTS(access_pattern);
KG_RULE_PARTS(fuse_passes);
KG_RULE_PARTS(memory_quadratic);
KG_RULE_PARTS(memory_workspace);
KG_RULE_PARTS(memory_fragmentation);
/* rules_threads.c: what of the CPU is idle, or in its own way */
KG_RULE_PARTS(unused_cores);
KG_RULE_PARTS(idle_cpu);
KG_RULE_PARTS(false_sharing);
KG_RULE_PARTS(load_imbalance);
KG_RULE_PARTS(unvectorised);
/* rules_gpu.c */
KG_RULE_PARTS(launch_gaps);
KG_RULE_PARTS(pageable_transfers);
KG_RULE_PARTS(overlap_transfers);
KG_RULE_PARTS(low_occupancy);
KG_RULE_PARTS(small_grid);
KG_RULE_PARTS(tail_effect);

double kg_batch_calls_current(const struct kg_facts *facts);

/* Whether what a rule says holds only if something does that no measurement shows. */
#define KG_RULE_DOUBT(name)                                                                        \
    bool kg_doubtful_##name(const struct kg_facts *facts,                                          \
                            const struct kg_suggest_settings *settings)
KG_RULE_DOUBT(superlinear);
KG_RULE_DOUBT(launch_gaps);
KG_RULE_DOUBT(gpu_instead);
KG_RULE_DOUBT(overlap_transfers);

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

/* The least time that a well-made version could take, by those roofs that are known, each of which
 * alone holds; 0 where none is. */
static inline double kg_attainable_ns(const struct kg_facts *facts,
                                      const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    const double share =
        fmax(kg_known_or_zero(traits->bandwidth_share), kg_known_or_zero(traits->flops_share));
    return fmax(kg_known_or_zero(traits->roof_ns), share * traits->time_ns) / settings->attainable;
}

/* What moves more than it needs is told by these: cache lines that the case brought in, and the
 * least time that moving so many bytes takes, as a share of the case's. */
double kg_lines_brought(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
double kg_moving_share(const struct kg_facts *facts, double bytes);

/* Share of the time in which there is something to do for a CPU, which others may have: 1 where
 * that is not known. */
double kg_running_share(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* How a core is used, of a case with several threads when it has one; NaN where more instructions
 * were counted than any core ends: they are not the work's. */
double kg_instructions_per_cycle(const struct kg_facts *facts);

/* Instructions a cycle that cores of the last decade can keep up. */
static const double KG_ISSUE_WIDTH = 4;

/* Whether so much of the case's CPUs went to other programs that what its threads do together, and
 * for each other, cannot be told. */
bool kg_cpus_taken(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Time that touching fresh pages takes. */
double kg_faulting_ns(const struct kg_facts *facts);

/* What the threads can do together over what one does: less than their number where two share a
 * core's units. */
double kg_threads_do(const struct kg_facts *facts);

/* Time of all threads together for the work that one alone does, by what the machine's cores lose
 * when all are busy. */
double kg_shared_work_ns(const struct kg_facts *facts);
double kg_threads_spend_ns(const struct kg_facts *facts); /* that they do spend */

/* Whether it computes one element of single precision at a time. */
bool kg_is_scalar(const struct kg_facts *facts);

/* What vectors that a compiler makes gain over scalar instructions, where lanes are known. */
double kg_vectors_gain(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Whether the profile says that the threads wait for each other, or to be started. */
bool kg_threads_wait(const struct kg_facts *facts, const struct kg_suggest_settings *settings);

/* Whether one of the roofs is what limits. */
static inline bool kg_at_roof(const struct kg_facts *facts,
                              const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->traits.bandwidth_share, settings->bound_share) ||
           kg_at_least(facts->traits.flops_share, settings->bound_share);
}
