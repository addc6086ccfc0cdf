/* export.h: writes a report to a file that the user names. The file's ending selects the format. */
#pragma once
#include "show/formats.h"

/* Checks that kgate can write the report: the ending is known, this machine has the format's programs, and the
 * folder is writable. The caller checks before it measures.
 * schema  schema of the reported file
 * err     KG_ERROR_USAGE with the reason */
bool kg_export_check(const char *schema, const char *path, struct kg_error *err);

/* Writes the report. If a picture has nothing to draw, the function writes no file, prints a note on standard
 * error, and returns true. */
bool kg_export_write(const char *schema, const char *path, const struct kg_report_subject *subject,
                     struct kg_error *err);
