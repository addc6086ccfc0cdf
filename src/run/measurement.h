/* measurement.h: the state of a run while its cases are measured. run.h begins it, adds rounds and ends it.
 * One at a time in a process: it owns the signals meanwhile. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/process/interrupt.h"
#include "base/random.h"
#include "model/journal.h"
#include "model/results.h"
#include "run/build.h"
#include "suite/plan.h"

/* probe.c: how fast this machine is at the moment: a small fixed piece of computing, of streaming
 * and of pointer chasing, timed between rounds. One thread; owns its memory. */

struct kg_probe {
    char *stream; /* read a window at a time, so that it always comes from beyond the caches */
    void **chain; /* each entry points to the next of one random cycle */
    size_t at;
    void **link;
    uint64_t started_ns;
    uint64_t last_ns;
    uint64_t every_ns; /* the least between two readings; doubled when the results are full */
};

/* Allocates and fills 40 MiB. Without memory there are no readings: they explain, and decide
 * nothing. */
void kg_probe_start(struct kg_probe *probe, uint64_t started_ns);

/* Adds a reading to the results if the last one is 100 ms ago or more. It takes about 0.4 ms. cpu
 * to read on; -1: any */
void kg_probe_take(struct kg_probe *probe, int cpu, struct kg_results *results);

void kg_probe_free(struct kg_probe *probe);

/* Called before the first worker process, and after each. */
struct kg_progress {
    void (*report)(void *user, size_t done, size_t planned, const char *id);
    void *user;
};

/* Told, before the first wave of rounds and after each, while cases have not their fewest rounds:
 * how long the missing ones take at the least. */
struct kg_fewest_watch {
    void (*report)(void *user, double missing_ns);
    void *user;
};

/* What is to be measured; all of it must outlive the measurement. */
struct kg_prepared_suite {
    const struct kg_suite *suite;
    const struct kg_plan *plan;
    const struct kg_machine *machine;
};

struct kg_measurement_options {
    const char *results_path; /* where results will be written, with the journal beside; or NULL */
    const char *filter;       /* what was left out, for the results; NULL where nothing was */
    struct kg_progress progress; /* may be all zero */
    bool sequential;             /* how many rounds there are depends on what they show */
    const uint64_t *batches; /* calls a sample of each case's reference, 0 without one; or NULL */
    const double *round_ns;  /* likewise the time measured in a round, 0: the suite's min_time */
    /* Called when the results say what the plan does, and nothing is measured: it may mark cases
     * that need not be. NULL: none. false: err is filled. */
    bool (*select)(void *user, struct kg_results *results, struct kg_error *err);
    void *select_user;
    const struct kg_build *const *builds; /* of each case, NULL in the place of this kgate's suite;
                                             NULL: no other builds */
    bool paired;                          /* measured turn by turn with another measurement */
    struct kg_interrupt *interrupt;       /* of the caller's; NULL: the measurement's own */
};

/* How a case on the GPU can be timed, as kg_gpu_call_timing has it. */
struct kg_call_timing {
    uint64_t held_calls;
    double call_ns;
};

struct kg_measurement {
    struct kg_results results; /* grows; complete after kg_measurement_end (run.h) */
    /* the measurement's own */
    const struct kg_plan *plan;
    struct kg_progress progress;
    char program[4096];
    char worker[4096]; /* its kgate-worker; empty where there is none and no case needs it */
    struct kg_journal journal;
    bool journaled;
    uint64_t *batch;                    /* calls a sample, found by the check */
    double *elapsed_ns;                 /* of each case's rounds so far, all told; 0 of those that
                                           share processes */
    struct kg_call_timing *call_timing; /* on the GPU: likewise */
    size_t *order;
    size_t *grouped; /* room for the cases that share a process */
    const struct kg_build *const *builds;
    bool paired;
    struct kg_interrupt own_interrupt;
    struct kg_interrupt *interrupt;
    struct kg_random random;
    uint64_t check_seed; /* of what checks draw in this run */
    bool *check_due;     /* whether the case's next round is checked after its timed calls */
    double *checked_ns;  /* what that took so far, for each case */
    struct kg_probe probe;
    bool cpu_ceilings_kept; /* those of the results are an earlier run's */
    uint64_t started_ns;
    uint64_t until_ns; /* by kg_clock_ns: no round beyond a case's fewest that would end after it;
                          0: no limit. May be set at any time */
    struct kg_fewest_watch fewest; /* likewise; all zero: nobody is told */
    size_t done;
    size_t planned;
};

/* The build that a case is measured with; NULL: this kgate, and what the suite names. */
const struct kg_build *kg_measurement_build(const struct kg_measurement *measurement, size_t index);

/* Measured time of the case's next rounds. */
double kg_measurement_round_ns(const struct kg_measurement *measurement, size_t index);

/* Waits, but not when asked to stop. */
void kg_measurement_pause(const struct kg_measurement *measurement, double ns);

/* Tells the progress. */
void kg_measurement_progress(const struct kg_measurement *measurement, const char *id);

/* Nanoseconds since measuring began. */
double kg_measurement_elapsed_ns(const struct kg_measurement *measurement);

/* The signal that asked to stop, or 0. */
int kg_measurement_interrupted(const struct kg_measurement *measurement);

/* To be called when the results are safely written: removes the journal. */
void kg_measurement_written(struct kg_measurement *measurement);

/* Frees everything, closing (not removing) a journal that is still there. */
void kg_measurement_free(struct kg_measurement *measurement);
