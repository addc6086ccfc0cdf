/* gather.h: gathers the facts of every case and scope. Rules and `explain` read them. */
#pragma once
#include "base/error.h"
#include "model/results.h"
#include "why/evidence/facts.h"
#include "why/suggestions.h"

/* Gathers the facts of every case, in the results' order, as the rules see them. Gathers also
 * every scope with enough of its whole's time for a suggestion. Strings are borrowed or live in
 * `arena`. */
void kg_facts_gather(const struct kg_suggest_input *input, struct kg_arena *arena,
                     struct kg_facts_list *cases, struct kg_facts_list *scopes);

/* The thresholds for the input, with defaults filled in. */
void kg_suggest_settings_of(const struct kg_suggest_input *input,
                            struct kg_suggest_settings *settings);

/* Appends a fact's words: "cores busy: 1.0", "87 % of the bandwidth ceiling". */
void kg_fact_words(const struct kg_trait *fact, double value, struct kg_text *text);

/* neighbours.c: facts about one case from other cases of the same results: the same case on the
 * other device, other versions of its kernel, its place in a sweep. Only cases of status OK with
 * a time count. */

/* Fills the neighbours' part of the facts of all cases. facts[i] belongs to case i and has its
 * traits and device. Strings are borrowed from the results. The time grows as cases x parameters
 * x log.
 *
 * Other device: the fastest case of the same target and parameters, of any version. Cases that
 * find their data in the GPU's cache from the previous call count only if there is no other.
 *
 * Version: the values of the parameter `version`. A version is faster only if its call is faster
 * too.
 *
 * Sweep: cases of one target, device, number of threads and timing that differ in one parameter
 * only. They need at least three different numeric values above 0 (two for fixed_ns). If the
 * work of a call is known, the parameter must change it. Of several sweeps, the one with the
 * largest change of time counts.
 *
 * A command's work is known by its workload name alone. */
void kg_neighbours_find(const struct kg_results *results, struct kg_facts *facts);
