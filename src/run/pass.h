/* pass.h: the one loop over the cases of a session, apart from the rounds. Passes check, count, trace
 * and profile the cases. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/advice.h"
#include "run/session.h"

struct kg_pass {
    const char *
        verb; /* for progress and errors: "tracing", as in "tracing 'copy/cpu': cannot start a process" */
    bool (*wanted)(const struct kg_session *session, size_t index);
    /* Handles one wanted case. If the case fails, `each` marks it as FAILED and returns true. */
    bool (*each)(const struct kg_session *session, size_t index, void *user, struct kg_error *err);
    bool stored; /* a case may gain values that the journal must keep */
};

/* Runs the pass over all wanted cases, in the order of the suite, and reports the progress of each.
 * Stops early when asked to stop.
 * user     passed to `each`
 * returns  false if `each` does, or if the journal cannot be written */
bool kg_pass_run(const struct kg_pass *pass, const struct kg_session *session, void *user,
                 struct kg_error *err);

/* An observer profiles cases apart from the timed rounds, and no verdict depends on it. */
struct kg_observer {
    struct kg_pass pass; /* `user` is the observer's state */
    size_t state_bytes;  /* size of the state, which starts zeroed; 0: no state */
    /* Called before the first case; NULL: nothing to do. Not called if no case is wanted. */
    void (*begin)(const struct kg_session *session, void *state);
    void (*end)(void *state);
};

/* Runs the observer over all wanted cases. If `each` fails for a case, its `look` gets the reason,
 * and the next case follows. One note names all such cases. */
void kg_observer_run(const struct kg_observer *observer, const struct kg_session *session,
                     struct kg_advice *advice);

/* Index of the first case for which `wanted` is true; the number of cases if there is none. */
size_t kg_pass_first(const struct kg_session *session,
                     bool (*wanted)(const struct kg_session *session, size_t index));

/* Whether kgate may observe a case apart from its rounds: the suite's `trace` allows it, and the case
 * is measurable. `trace: no` serves runs under a memory checker, for example: their figures mean
 * nothing, and kgate must not store them. */
bool kg_pass_observes(const struct kg_session *session, size_t index);
/* Whether the suite's `trace` wants the peaks of the case's device, with a trace or without. */
bool kg_pass_finds_peaks(const struct kg_session *session, size_t index);
