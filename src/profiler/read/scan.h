/* scan.h: the parts of a scan that only this folder needs. */
#pragma once
#include <stdint.h>

#include "profiler/read/profile.h"

/* A descriptor to read a file from; -1 with err (KG_ERROR_USAGE) if it cannot be opened. */
int kg_profile_open(const char *path, struct kg_error *err);

/* The size of a regular file in bytes; another kind of file is KG_ERROR_USAGE. */
bool kg_profile_size(int file, const char *path, uint64_t *size, struct kg_error *err);

/* Like kg_profile_scan_file, but only for the first `size` bytes, which the file must have. Two scans
 * of a growing recording then give the same data. */
bool kg_profile_scan_part(int file, const char *path, uint64_t size,
                          const struct kg_profile_visitor *visitor, struct kg_error *err);
