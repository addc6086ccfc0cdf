/* run.h: one run of a plan: checks every case once, then measures rounds. Each round is a fresh process, and
 * the rounds of all cases are interleaved. One at a time in a process: it owns the signals meanwhile. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/random.h"
#include "run/session.h"

/* speed_probe.c: how fast this machine is at the moment: a small fixed piece of computing, of streaming
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

/* Told, before the first wave of rounds and after each, while cases have not their fewest rounds:
 * how long the missing ones take at the least. */
struct kg_fewest_watch {
    void (*report)(void *user, double missing_ns);
    void *user;
};

/* What is to be measured; all of it must outlive the run. */
struct kg_prepared_suite {
    const struct kg_suite *suite;
    const struct kg_plan *plan;
    const struct kg_machine *machine;
};

struct kg_run_options {
    const char *results_path; /* where results will be written, with the journal beside; or NULL */
    const char *filter;       /* what was left out, for the results; NULL where nothing was */
    struct kg_progress progress; /* may be all zero */
    bool sequential;             /* how many rounds there are depends on what they show */
    const uint64_t *batches; /* calls a sample of each case's reference, 0 without one; or NULL */
    const double *round_ns;  /* likewise the time measured in a round, 0: the suite's min_time */
    /* Called when the results say what the plan does, and nothing is measured: it may mark cases
     * that need not be. NULL: none. */
    void (*select)(void *user, struct kg_results *results);
    void *select_user;
    const struct kg_build *const *builds; /* of each case, NULL in the place of this kgate's suite;
                                             NULL: no other builds */
    bool paired;                          /* measured turn by turn with another run */
    struct kg_interrupt *interrupt;       /* of the caller's; NULL: the run's own */
};

/* A run while its cases are measured. kg_run_begin starts it, kg_run_rounds adds rounds, kg_run_end ends it. */
struct kg_run {
    struct kg_results results; /* grows; complete after kg_run_end */
    const struct kg_plan *plan;
    struct kg_launcher launcher;
    struct kg_steps steps;
    struct kg_journal journal;
    bool journaled;
    /* The rounds (rounds.c): per case, its time in all, and the order of the next wave. */
    double *elapsed_ns; /* 0 of cases that share processes */
    size_t *order;
    size_t *grouped; /* room for the cases that share a process */
    struct kg_random random;
    uint64_t started_ns;
    uint64_t until_ns; /* by kg_clock_ns: no round beyond a case's fewest that would end after it;
                          0: no limit. May be set at any time */
    struct kg_fewest_watch fewest; /* likewise; all zero: nobody is told */
    struct kg_probe probe;
    struct kg_interrupt own_interrupt;
};

/* The part that passes and observers take. It borrows from the run. */
struct kg_session kg_run_session(struct kg_run *run);

/* Finds what cases are measured by, and makes their empty results. To be freed. A `pin` that is no
 * CPU of this process is KG_ERROR_USAGE at its workload. Starts nothing. */
bool kg_run_prepare(struct kg_run *run, const struct kg_prepared_suite *what,
                    const struct kg_run_options *options, struct kg_error *err);

/* Does that, checks every case that can run here, so that a wrong result is
 * FAILED before anything is timed, counts instructions where the suite compares them, and finds
 * what the GPU is capable of. On failure nothing is held. */
bool kg_run_begin(struct kg_run *run, const struct kg_prepared_suite *what,
                  const struct kg_run_options *options, struct kg_error *err);

/* Confirming rounds begin so long after the other rounds, and are at least so far apart. Those of
 * pairs begin after the shorter of the two times: both builds are measured in the same moment. */
extern const double KG_CONFIRM_AFTER_NS, KG_CONFIRM_APART_NS;

/* Keeps `count` of the case's rounds, those that begin with `from`. Others were of another length:
 * times of rounds of two lengths are not alike. The journal keeps all. */
void kg_run_rounds_keep(struct kg_run *run, size_t index, size_t from, size_t count);

/* Measures until case i has wanted[i] rounds: one round of every case that needs one, in a shuffled
 * order, then the next.
 * wanted   a number for each case; 0 leaves the case as it is. One that fails has no more rounds
 * confirm  marks the new rounds as confirming, and spreads them over more time, so that one burst
 *          of other work on the machine cannot hit them all
 * returns  false where measuring itself broke (err), true otherwise, also when interrupted */
bool kg_run_rounds(struct kg_run *run, const size_t *wanted, bool confirm, struct kg_error *err);

/* Summarises the results, and makes cases FAILED whose rates are impossible (docs/timing.md): after
 * rounds, and before they are compared.
 * observes  whether what the CPU can do is found out for it, unless the suite says `trace: no` */
bool kg_run_judge(struct kg_run *run, bool observes, struct kg_error *err);

/* Summaries of what there is so far; may be called again after more rounds. */
void kg_run_summarize(struct kg_run *run);

/* Ends measuring: summaries, times, signals as before. The results stay the run's. */
void kg_run_end(struct kg_run *run);

/* Nanoseconds since measuring began. */
double kg_run_elapsed_ns(const struct kg_run *run);

/* The signal that asked to stop, or 0. */
int kg_run_interrupted(const struct kg_run *run);

/* To be called when the results are safely written: removes the journal. */
void kg_run_written(struct kg_run *run);

/* Frees everything, closing (not removing) a journal that is still there. */
void kg_run_free(struct kg_run *run);
