/* pass.h: the one loop over the cases of a measurement, apart from the rounds: what checks, counts,
 * traces and profiles them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/advice.h"
#include "run/measurement.h"

struct kg_pass {
    const char *verb; /* for errors: "tracing", as in "tracing 'copy/cpu': out of memory" */
    bool (*wanted)(const struct kg_measurement *measurement, size_t index);
    /* Does what the pass is for with a case that is wanted. A case that fails is marked so and is
     * no failure of the pass. */
    bool (*each)(struct kg_measurement *measurement, size_t index, void *user,
                 struct kg_error *err);
    bool stored; /* a case gains something that the journal must keep */
};

/* Runs the pass over all cases that it wants, in the order of the suite, each with its progress.
 * Stops early when asked to stop.
 * user     handed to `each`
 * returns  false where `each` does, or the journal cannot be written */
bool kg_pass_run(const struct kg_pass *pass, struct kg_measurement *measurement, void *user,
                 struct kg_error *err);

/* The same of a pass that profiles cases, which no verdict depends on. A case whose `each` fails has
 * the reason in its `look`, and the pass goes on with the next one. One note tells of all such cases. */
void kg_pass_look(const struct kg_pass *pass, struct kg_measurement *measurement, void *user,
                  struct kg_advice *advice);

/* The first case that `wanted` holds for; the count of cases where there is none. */
size_t kg_pass_first(const struct kg_measurement *measurement,
                     bool (*wanted)(const struct kg_measurement *measurement, size_t index));

/* Whether a case may be observed apart from its rounds, as the suite's `trace` says, and can be
 * measured at all. `trace: no` is for runs under a memory checker, say, whose figures mean nothing
 * and must not be stored. */
bool kg_pass_observes(const struct kg_measurement *measurement, size_t index);
