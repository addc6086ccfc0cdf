/* changed.h: what changed in the evidence of cases that became slower. */
#pragma once
#include "suggest/suggest.h"

/* Fills suggestions->changes from the traits of the baseline's newest ordinary run of the results'
 * suite that has any. traits[i] are those of case i of the results. */
bool kg_changes_find(const struct kg_suggest_input *input, const struct kg_traits *traits,
                     struct kg_suggestions *suggestions, struct kg_error *err);
