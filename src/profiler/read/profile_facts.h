/* profile_facts.h: what every text report of a profile says before and after its rows. Pure. */
#pragma once
#include "profiler/read/profile.h"

/* Appends a sentence: of what the profile is, how long, how many.
 * width  characters of a line, of this as of the next; 0: any */
void kg_profile_facts_print(const struct kg_profile *profile, size_t width, struct kg_text *text);

/* Appends lines on what to know when reading: what was lost, sampled, or cut off; none where there
 * is nothing to say. */
void kg_profile_remarks_print(const struct kg_profile *profile, size_t width, struct kg_text *text);

/* Appends a line on rows that were left out; none where none were. */
void kg_profile_rest_print(size_t shown, size_t count, const char *what, struct kg_text *text);
