/* run.h: one run of a plan: checks every case once, then measures rounds. Each round is a fresh process, and
 * the rounds of all cases are interleaved. One at a time in a process: it owns the signals meanwhile. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/random.h"
#include "run/session.h"

/* speed_probe.c: the machine's present speed. Between rounds a probe times a small fixed amount of
 * computing, of streaming and of pointer chasing. One thread; owns its memory. */

struct kg_probe {
    char *stream; /* read a window at a time, so that the data always come from beyond the caches */
    void **chain; /* each entry points to the next of one random cycle */
    size_t at;
    void **link;
    uint64_t started_ns;
    uint64_t last_ns;
    uint64_t every_ns; /* shortest time between two readings; doubled when the results are full */
};

/* Allocates and fills 40 MiB. Without memory there are no readings. Readings explain a result and
 * never decide it. */
void kg_probe_start(struct kg_probe *probe, uint64_t started_ns);

/* Adds a reading to the results if the last one is at least 100 ms old. It takes about 0.4 ms.
 * cpu  the CPU of the reading; -1: any */
void kg_probe_take(struct kg_probe *probe, int cpu, struct kg_results *results);

void kg_probe_free(struct kg_probe *probe);

/* Receives the least time that the missing minimum rounds take. Called before the first wave of
 * rounds and after each wave, while a case lacks minimum rounds. */
struct kg_fewest_watch {
    void (*report)(void *user, double missing_ns);
    void *user;
};

/* The suite, plan, machine and shard of a run; all of them must outlive it. */
struct kg_prepared_suite {
    const struct kg_suite *suite;
    const struct kg_plan *plan;
    const struct kg_machine *machine;
    const struct kg_shard *shard; /* NULL: no shard */
};

struct kg_run_options {
    const char *results_path; /* future path of the results, with the journal beside it; or NULL */
    const char *filter;       /* the filter's text, for the results; NULL without a filter */
    struct kg_progress progress; /* may be all zero */
    bool sequential;             /* the number of rounds depends on their results */
    size_t tests;                /* as in struct kg_results */
    const uint64_t *batches;     /* per case: calls per sample of its reference, else 0; or NULL */
    const double *round_ns;      /* per case: time of a round, 0: the suite's min_time; or NULL */
    /* Called when the results list the plan's cases, before any measuring. It may mark cases that
     * need no measuring. NULL: none. */
    void (*select)(void *user, struct kg_results *results);
    void *select_user;
    const struct kg_build *const *builds; /* per case; NULL of a case: this kgate with its suite;
                                             NULL: no other builds */
    bool paired;                          /* interleaved with another run */
    struct kg_interrupt *interrupt;       /* the caller's; NULL: the run's own */
};

/* A run while its cases are measured. kg_run_begin starts it, kg_run_rounds adds rounds, kg_run_end ends it. */
struct kg_run {
    struct kg_results results; /* grows; complete after kg_run_end */
    const struct kg_plan *plan;
    struct kg_launcher launcher;
    struct kg_steps steps;
    struct kg_journal journal;
    bool journaled;
    /* The rounds (rounds.c): per case, its total time, and the order of the next wave. */
    double *elapsed_ns;
    size_t *order;
    size_t *grouped; /* room for the cases that share a process */
    struct kg_random random;
    uint64_t started_ns;
    uint64_t until_ns; /* by kg_clock_ns: after its minimum rounds a case gets no round that would
                          end later; 0: no limit. May be set at any time */
    struct kg_fewest_watch fewest; /* may be set at any time; all zero: no reports */
    struct kg_probe probe;
    struct kg_interrupt own_interrupt;
};

/* The part that passes and observers take. It borrows from the run. */
struct kg_session kg_run_session(struct kg_run *run);

/* Finds the program of each case and makes the empty results. To be freed. A `pin` to a CPU that
 * this process may not use is KG_ERROR_USAGE at its workload. Starts no process. */
bool kg_run_prepare(struct kg_run *run, const struct kg_prepared_suite *what,
                    const struct kg_run_options *options, struct kg_error *err);

/* Calls kg_run_prepare and runs the passes before the rounds. Each case that can run here is checked,
 * so a wrong result is FAILED before any timing. Instructions are counted if the suite compares
 * them. The GPU's peaks are measured. A failure leaves nothing to free. */
bool kg_run_begin(struct kg_run *run, const struct kg_prepared_suite *what,
                  const struct kg_run_options *options, struct kg_error *err);

/* Least distance between two confirming rounds. Confirming rounds of pairs use it as delay after the
 * other rounds too: both builds meet the same moment. */
extern const double KG_CONFIRM_APART_NS;

/* Keeps `count` of the case's rounds, from round `from` on. The others had another length, and times
 * of rounds of two lengths are not comparable. The journal keeps all rounds. */
void kg_run_rounds_keep(struct kg_run *run, size_t index, size_t from, size_t count);

/* Measures until case i has wanted[i] rounds. Each wave measures one round of every unfinished case,
 * in a shuffled order.
 * wanted   rounds per case; 0 leaves the case unchanged. A case that fails gets no more rounds.
 * confirm  marks the new rounds as confirming. They are spread over more time, so one burst of other
 *          work on the machine cannot hit them all.
 * returns  false if measuring itself broke (err); true otherwise, also when interrupted */
bool kg_run_rounds(struct kg_run *run, const size_t *wanted, bool confirm, struct kg_error *err);

/* Summarises the results, and makes cases with impossible rates FAILED (docs/timing.md). To be called
 * after the rounds and before the comparison.
 * observes  whether a case may make kgate measure the CPU's peaks, unless its suite says `trace: no` */
bool kg_run_judge(struct kg_run *run, bool observes, struct kg_error *err);

/* Summarises the results so far; may be called again after more rounds. */
void kg_run_summarize(struct kg_run *run);

/* Ends measuring: summarises, sets the times, restores the signals. The run still owns the results. */
void kg_run_end(struct kg_run *run);

/* Nanoseconds since measuring began. */
double kg_run_elapsed_ns(const struct kg_run *run);

/* The signal that asked to stop, or 0. */
int kg_run_interrupted(const struct kg_run *run);

/* Removes the journal. To be called when the results are safely written. */
void kg_run_written(struct kg_run *run);

/* Frees everything. A journal that still exists is closed, not removed. */
void kg_run_free(struct kg_run *run);
