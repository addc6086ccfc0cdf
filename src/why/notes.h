/* notes.h: what could not be told, and why. */
#pragma once
#include "why/suggestions.h"

/* Fills suggestions->notes, which have their findings.
 * no_changes  why nothing was compared with the baseline; or NULL */
bool kg_notes_make(const struct kg_suggest_input *input, const struct kg_facts_list *cases,
                   const char *no_changes, struct kg_suggestions *suggestions,
                   struct kg_error *err);
