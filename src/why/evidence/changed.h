/* changed.h: what changed in the evidence of cases that became slower, or take more. */
#pragma once
#include "why/suggestions.h"

/* Fills suggestions->changes of the cases that became worse in time, memory or instructions, the
 * worst first; also of those whose time or amount rose beyond the threshold but is SUSPECT or INCONCLUSIVE,
 * so whoever shows a case shows what there is of it, whatever its verdict. Of each the most
 * telling changes of its traits against those of the baseline's newest ordinary run of the results'
 * suite that has any, or, where it is worse than a pinned run alone, against those of that run.
 * Shares of ceilings are each run's own. Nothing without a baseline of the same machine that has
 * traits, or where the case's definition is another.
 * traits   [i] are those of case i of the results
 * *missing why the results could not be compared with a baseline that there is, in the suggestions'
 *          arena; NULL where they could, or where a comparison has said so
 * returns  false where memory is out */
bool kg_changes_find(const struct kg_suggest_input *input, const struct kg_traits *traits,
                     struct kg_suggestions *suggestions, const char **missing,
                     struct kg_error *err);
