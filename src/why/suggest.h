/* suggest.h: makes suggestions from results, a profile, or both: causes of a time, and changes
 * to try. Reads only files and measures nothing. */
#pragma once
#include "why/suggestions.h"

/* Makes suggestions.
 * suggestions  filled; the caller frees them with kg_suggestions_free */
void kg_suggest(const struct kg_suggest_input *input, struct kg_suggestions *suggestions);
