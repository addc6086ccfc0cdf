/* profile_facts.h: the lines before and after the rows of every text report of a profile. Pure. */
#pragma once
#include "profiler/read/profile.h"

/* Appends a sentence: the program, the numbers of processes, threads and entries, and the time.
 * width  characters per line, here and in the next function; 0: any */
void kg_profile_facts_print(const struct kg_profile *profile, size_t width, struct kg_text *text);

/* Appends remarks on losses, on processes that have not ended the recording, and on sampling. Appends
 * nothing if none applies. */
void kg_profile_remarks_print(const struct kg_profile *profile, size_t width, struct kg_text *text);

/* Appends a line on the rows that were left out, if there are any. */
void kg_profile_rest_print(size_t shown, size_t count, const char *what, struct kg_text *text);
