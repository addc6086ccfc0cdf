/* profile_load.h: loads profiles from files of both kinds, recording and JSON. Part of kgate, not of
 * the profiler library: it needs a JSON reader. */
#pragma once
#include "base/record.h"
#include "profiler/read/profile.h"

/* The members of a kgate.profile.v1 file, for its schema; its struct is for profile_load.c alone. */
extern const struct kg_record kg_profile_file_record;

/* Loads a recording, or a kgate.profile.v1 file without its entries. If each entry has a line of its
 * own, as kg_profile_json writes them, the memory is bounded. Otherwise, for example after jq, the
 * whole file is in memory; it may have at most 1 GiB.
 * profile  as in kg_profile_read;
 * err      KG_ERROR_USAGE with the mistake and its place */
bool kg_profile_load(const char *path, struct kg_profile *profile, struct kg_error *err);

/* Scans a kgate.profile.v1 file with its entries, like kg_profile_scan_file a recording. The order
 * differs: all processes, paths and threads come before the first entry, and all ends of processes
 * after the last. Paths have the indices of kg_profile_load. */
bool kg_profile_json_scan(const char *path, const struct kg_profile_visitor *visitor,
                          struct kg_error *err);

/* Whether a file is a profile of either kind, by its first bytes. False also if it is no regular file
 * or cannot be read. */
bool kg_profile_is(const char *path);

/* Whether a file is a recording or may be JSON, by its first bytes. True also for a file that is not
 * regular or cannot be read.
 * err: KG_ERROR_USAGE with the file's real kind */
bool kg_profile_or_json(const char *path, struct kg_error *err);

/* profile_load_usual.c: a profile of the calls of usual length. A case's time is the median of its
 * calls. If a few of many calls were interrupted, their waits can exceed the work of all others.
 * They would then dominate sums. */

/* Like kg_profile_load, without unusually long calls. It applies to a process whose label is the name
 * of an outermost scope, as `run --profile` makes them. A call longer than 1.25 times the process's
 * median is left out, with all scopes that began in it. If the process has fewer than five calls, or
 * the file is JSON, nothing is left out. */
bool kg_profile_load_usual(const char *path, struct kg_profile *profile, struct kg_error *err);
