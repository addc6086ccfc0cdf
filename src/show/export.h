/* export.h: a report into a file that the user names: the file's ending says which format it is. */
#pragma once
#include "show/formats.h"

/* Whether a report can be written there: its ending is known, what the format needs is on this
 * machine, and its folder is there. To be asked before anything is measured.
 * schema  of what is reported */
bool kg_export_check(const char *schema, const char *path, struct kg_error *err);

/* A picture of what there is nothing to draw of is none: that is said on standard error. */
bool kg_export_write(const char *schema, const char *path, const struct kg_report_subject *subject,
                     struct kg_error *err);
