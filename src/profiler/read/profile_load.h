/* profile_load.h: profiles from files of either kind, recording or JSON. kgate's own, not part of
 * the profiler library: it needs a JSON reader. */
#pragma once
#include "base/record.h"
#include "profiler/read/profile.h"

/* The members of a kgate.profile.v1 file, for its schema; its struct is for profile_load.c alone. */
extern const struct kg_record kg_profile_file_record;

/* Loads a recording, or a kgate.profile.v1 file. Its entries are passed over: in bounded memory
 * where they are one a line, as kg_profile_json writes them, else (a file that went through jq)
 * with all of the file, of at most 1 GiB, in memory.
 * profile  as kg_profile_read
 * err      KG_ERROR_USAGE naming what is wrong and where */
bool kg_profile_load(const char *path, struct kg_profile *profile, struct kg_error *err);

/* Tells what a kgate.profile.v1 file holds, entries included, as kg_profile_scan_file tells it of a
 * recording; but all processes, paths and threads come before the first entry, and all ends of
 * processes after the last. Paths are those of kg_profile_load, in its order. */
bool kg_profile_json_scan(const char *path, const struct kg_profile_visitor *visitor,
                          struct kg_error *err);

/* Whether a file is a profile of either kind, going by its first bytes; false also where it is no
 * regular file or cannot be read. */
bool kg_profile_is(const char *path);

/* Whether a file is a recording or may be JSON, going by its first bytes; what is no regular file,
 * or cannot be read, may be.
 * err: KG_ERROR_USAGE saying what it is instead */
bool kg_profile_or_json(const char *path, struct kg_error *err);

/* profile_load_usual.c: a profile of the calls that took as long as they usually do. A case's time
 * is the median of its calls; where a few of many were interrupted, their scopes waited for as long
 * as all others together worked, and sums would be of that. */

/* As kg_profile_load; but of a recording's process whose label is the name of an outermost scope,
 * as `run --profile` makes them, what began in such a call is left out if that took more than 1.25
 * times the median of the process. Of fewer than five calls, and of JSON, nothing is left out. */
bool kg_profile_load_usual(const char *path, struct kg_profile *profile, struct kg_error *err);
