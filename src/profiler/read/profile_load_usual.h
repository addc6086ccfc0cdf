/* profile_load_usual.h: a profile of the calls that took as long as they usually do. A case's time
 * is the median of its calls; where a few of many were interrupted, their scopes waited for as long
 * as all others together worked, and sums would be of that. */
#pragma once
#include "profiler/read/profile.h"

/* As kg_profile_load; but of a recording's process whose label is the name of an outermost scope,
 * as `run --profile` makes them, what began in such a call is left out if that took more than 1.25
 * times the median of the process. Of fewer than five calls, and of JSON, nothing is left out. */
bool kg_profile_load_usual(const char *path, struct kg_profile *profile, struct kg_error *err);
