/* neighbours.h: what other cases of the same results say of one: the same on the other device,
 * other versions of the same kernel, its place in a sweep. Only cases of status OK with rounds.
 * Pure. */
#pragma once
#include "measure/results.h"
#include "suggest/facts.h"

/* Fills the neighbours' part of facts[i], i being the case's index in the results; traits[j] are
 * those of case j. Strings are borrowed from the results.
 * A sweep is cases of one target, device and timing whose parameters are the same but for one with
 * at least three numeric values (two for fixed_ns); where there are several, the one over which
 * time grows the most. The parameter `version` is what makes versions, whatever its values. */
void kg_neighbours_find(const struct kg_results *results, const struct kg_traits *traits,
                        size_t index, struct kg_facts *facts);
