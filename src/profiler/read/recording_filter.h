/* recording_filter.h: the processes of a recording whose labels match: a part of the file, copied. */
#pragma once
#include <stdbool.h>

#include "base/error.h"

/* Appends the segments whose label matches the glob (fnmatch) to the descriptor `to`.
 * err: KG_ERROR_USAGE if no label matches, or if the recording is damaged */
bool kg_profile_filter(int file, const char *path, const char *glob, int to, struct kg_error *err);
