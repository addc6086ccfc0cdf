/* scopes.h: what a profile says: of a case all its scopes together, and each scope by itself. */
#pragma once
#include "measure/results.h"
#include "profile/profile.h"
#include "suggest/facts.h"
#include "util/error.h"

/* Adds to the facts of a case what the recording has under the case's id: waits, parallel regions,
 * balance of threads. Leaves them alone where there is nothing. Scopes of other threads, whose
 * outermost scopes stand beside the case, are those of the processes recorded for it. Times are
 * scaled from the recorded call's mean to `traits.time_ns`, so that the profiler's own cost and a
 * slower moment do not count. Pure but for the arena; false where memory is out. */
bool kg_scopes_of_case(const struct kg_profile *profile, struct kg_facts *facts,
                       struct kg_error *err);

/* Facts of each scope inside `whole` (a case's id, or NULL for every outermost scope of a profile
 * of any program) that takes at least `least_share` of it, in `arena`. `ceilings` may be NULL. */
bool kg_scopes_find(const struct kg_profile *profile, const char *whole, double least_share,
                    const struct kg_cpu_ceilings *ceilings, struct kg_arena *arena,
                    struct kg_facts_list *list, struct kg_error *err);
