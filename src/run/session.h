/* session.h: the part of a run that passes and observers use: the plan, the results to fill, and the launcher of
 * worker processes. Borrowed. One at a time in a process, since the run owns the signals. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process/interrupt.h"
#include "model/journal.h"
#include "model/results.h"
#include "run/build.h"
#include "suite/plan.h"

/* Called before the first worker process, and after each. */
struct kg_progress {
    void (*report)(void *user, size_t done, size_t planned, const char *id);
    void *user;
};

/* How far a run is. */
struct kg_steps {
    struct kg_progress progress; /* may be all zero */
    size_t done;
    size_t planned;
};

/* The way of timing a case on the GPU, as in kg_gpu_call_timing. */
struct kg_call_timing {
    uint64_t held_calls;
    double call_ns;
};

/* Starts the worker processes of cases. */
struct kg_launcher {
    char program[4096]; /* this kgate */
    const struct kg_build *const
        *builds; /* per case, NULL for this kgate's; NULL: no other builds */
    bool paired; /* rounds of two builds are interleaved */
    struct kg_interrupt *interrupt;
    uint64_t check_seed; /* of the values that checks draw in this run */
    /* Per case, from its check or its rounds so far: */
    uint64_t *batch;                    /* calls per sample */
    struct kg_call_timing *call_timing; /* on the GPU */
    bool *check_due;    /* the next round's result is checked after its timed calls */
    double *checked_ns; /* time of such checks so far */
};

struct kg_session {
    const struct kg_plan *plan;
    struct kg_results *results;
    struct kg_launcher *launcher;
    struct kg_journal *journal; /* NULL: none is kept */
    struct kg_steps *steps;
};

/* The build that a case is measured with; NULL: this kgate, and the programs that the suite names. */
const struct kg_build *kg_session_build(const struct kg_session *session, size_t index);

/* Whether each call of the case is a process of its own (struct kg_source_facts). */
static inline bool kg_session_own_process(const struct kg_session *session, size_t index)
{
    return kg_source_facts[session->plan->cases[index].spec->source].own_process;
}

/* Time to measure in the case's next rounds. */
double kg_session_round_ns(const struct kg_session *session, size_t index);

/* Waits, unless asked to stop. */
void kg_session_pause(const struct kg_session *session, double ns);

/* Reports the progress. */
void kg_session_progress(const struct kg_session *session, const char *id);
