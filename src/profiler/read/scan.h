/* scan.h: of kg_profile_scan_file, what only this folder needs. */
#pragma once
#include <stdint.h>

#include "profiler/read/profile.h"

/* A descriptor to read a file from; -1 with err (KG_ERROR_USAGE) where it cannot be opened. */
int kg_profile_open(const char *path, struct kg_error *err);

/* The bytes that a regular file has; anything else is KG_ERROR_USAGE. */
bool kg_profile_size(int file, const char *path, uint64_t *size, struct kg_error *err);

/* As kg_profile_scan_file, but no further than `size` bytes, which the file has: twice over a
 * recording that grows meanwhile gives the same twice. */
bool kg_profile_scan_part(int file, const char *path, uint64_t size,
                          const struct kg_profile_visitor *visitor, struct kg_error *err);
