/* changed.h: what changed in the evidence of cases that became slower. */
#pragma once
#include "suggest/suggest.h"

/* Fills suggestions->changes of the cases that became slower, the worst first: of each the most
 * telling changes of its traits against those of the baseline's newest ordinary run of the results'
 * suite that has any, or, where it is slower than a pinned run alone, against those of that run.
 * Shares of ceilings are each run's own. Nothing without a baseline of the same machine that has
 * traits, or where the case's definition is another.
 * traits  [i] are those of case i of the results
 * returns false where memory is out */
bool kg_changes_find(const struct kg_suggest_input *input, const struct kg_traits *traits,
                     struct kg_suggestions *suggestions, struct kg_error *err);
