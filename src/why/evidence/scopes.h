/* scopes.h: what a profile says: of a case all its scopes together, and each scope by itself. Pure
 * but for the memory; thread-safe. Both return false only where memory is out.
 *
 * A case's recording is that of the processes whose label is the case's id. In them the case is the
 * outermost scope of that name, as `run --profile` puts around each call, and its thread is the
 * first; the outermost scopes of other threads stand beside it. A command has no such scope: each
 * of its processes is a call, and its first thread is the first that recorded. */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "model/cpu_ceilings.h"
#include "model/suggest_settings.h"
#include "profiler/read/profile.h"
#include "why/evidence/facts.h"

/* Adds to the facts of a case what the recording has of it (facts->operation is its id): waits,
 * parallel regions, balance of threads, what could be fused. What there is nothing of stays as it
 * is. Times are scaled from the recorded call's mean, less what the profiler took, to the time
 * that was measured, so that a slower moment does not count; those of a command are made smaller
 * only, for it does more than its scopes say. Whether a scope is limited by memory is told by
 * facts->memory_ceiling_bytes_per_s, on the GPU by traits.bandwidth_ceiling_bytes_per_s. */
bool kg_scopes_of_case(const struct kg_profile *profile, const struct kg_suggest_settings *settings,
                       struct kg_facts *facts, struct kg_error *err);

/* Facts of each scope on the first thread that takes at least `least_share` of what it is inside
 * of, in `arena`, added to the list; strings are in it too, or borrowed from `of`.
 * of        facts of the case whose scopes they are; what they say of the machine is copied. NULL:
 *           a profile of any program: its outermost scopes on a first thread (the 200 with the most
 *           time), and those inside them
 * ceilings  may be NULL
 * Of scopes of the kinds waiting and parallel region `calls` and what goes with it is not told: to
 * call them less often is what `wait_count` and `parallel_count` are for. */
bool kg_scopes_find(const struct kg_profile *profile, const struct kg_facts *of,
                    const struct kg_suggest_settings *settings,
                    const struct kg_cpu_ceilings *ceilings, double least_share,
                    struct kg_arena *arena, struct kg_facts_list *list, struct kg_error *err);
