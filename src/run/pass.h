/* pass.h: the one loop over the cases of a session, apart from the rounds: what checks, counts,
 * traces and profiles them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/advice.h"
#include "run/session.h"

struct kg_pass {
    const char
        *verb; /* for errors: "tracing", as in "tracing 'copy/cpu': cannot start a process" */
    bool (*wanted)(const struct kg_session *session, size_t index);
    /* Does what the pass is for with a case that is wanted. A case that fails is marked so and is
     * no failure of the pass. */
    bool (*each)(const struct kg_session *session, size_t index, void *user, struct kg_error *err);
    bool stored; /* a case gains something that the journal must keep */
};

/* Runs the pass over all cases that it wants, in the order of the suite, each with its progress.
 * Stops early when asked to stop.
 * user     handed to `each`
 * returns  false where `each` does, or the journal cannot be written */
bool kg_pass_run(const struct kg_pass *pass, const struct kg_session *session, void *user,
                 struct kg_error *err);

/* An observer profiles cases apart from the timed rounds, and no verdict depends on it. */
struct kg_observer {
    struct kg_pass pass; /* `user` is the observer's state */
    size_t state_bytes;  /* zeroed; 0: it has none */
    /* Before the first case; NULL: nothing to do. Not called if no case is wanted. */
    void (*begin)(const struct kg_session *session, void *state);
    void (*end)(void *state);
};

/* Runs the observer over all cases that it wants. A case whose `each` fails has the reason in its `look`, and
 * the next case follows. One note names all such cases. */
void kg_observer_run(const struct kg_observer *observer, const struct kg_session *session,
                     struct kg_advice *advice);

/* The first case that `wanted` holds for; the count of cases where there is none. */
size_t kg_pass_first(const struct kg_session *session,
                     bool (*wanted)(const struct kg_session *session, size_t index));

/* Whether a case may be observed apart from its rounds, as the suite's `trace` says, and can be
 * measured at all. `trace: no` is for runs under a memory checker, say, whose figures mean nothing
 * and must not be stored. */
bool kg_pass_observes(const struct kg_session *session, size_t index);
