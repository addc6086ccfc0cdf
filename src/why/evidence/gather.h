/* gather.h: the facts of every case and scope, which rules and `explain` read. */
#pragma once
#include "base/error.h"
#include "model/results.h"
#include "why/evidence/facts.h"
#include "why/suggestions.h"

/* The facts of every case, in the results' order, as the rules see them, and of every scope that
 * takes enough of its whole for a suggestion; strings borrowed or in `arena`. For `explain`. */
void kg_facts_gather(const struct kg_suggest_input *input, struct kg_arena *arena,
                     struct kg_facts_list *cases, struct kg_facts_list *scopes);

/* The thresholds that hold for the input, complete. */
void kg_suggest_settings_of(const struct kg_suggest_input *input,
                            struct kg_suggest_settings *settings);

/* "cores busy: 1.0", "87 % of the bandwidth ceiling": appends what that fact says. */
void kg_fact_words(const struct kg_trait *fact, double value, struct kg_text *text);

/* neighbours.c: what other cases of the same results say of one: the same on the other device,
 * other versions of the same kernel, its place in a sweep. Only cases of status OK with a time. */

/* Fills the neighbours' part of the facts of all cases; facts[i] are those of case i, with its
 * traits and device. Strings are borrowed from the results. In time that grows as cases x their
 * parameters x log.
 * The other device is the one with the fastest case of the same target and parameters, versions
 * aside, whose data are not in the GPU's cache from the call before, where there is such a case.
 * A version is faster where a call is, too. The parameter `version` is what makes versions,
 * whatever its values. A sweep is cases of one target, device, threads and timing whose parameters
 * are the same but for one, of at least three different numeric values above 0 (two for fixed_ns),
 * that changes what a call does where that is known; where there are several, the one over which
 * time changes the most. What a command does is known by its workload alone. */
void kg_neighbours_find(const struct kg_results *results, struct kg_facts *facts);
