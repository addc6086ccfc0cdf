/* suggest.h: from results, or a profile, or both, to suggestions: causes of a time and changes to try. Reads files
 * alone and measures nothing. */
#pragma once
#include "why/suggestions.h"

/* suggestions: filled on success, to be freed with kg_suggestions_free; zeroed on failure */
void kg_suggest(const struct kg_suggest_input *input, struct kg_suggestions *suggestions);
