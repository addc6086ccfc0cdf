/* export_options.h: the files of --export. The ending of a file's name selects the format of its report. */
#pragma once
#include "cli/arguments.h"
#include "show/formats.h"

/* Whether kgate can write all exports. The caller asks before kgate measures.
 * schema  schema of the reported file
 * err     KG_ERROR_USAGE with the reason */
bool kg_exports_check(const struct kg_arguments *arguments, const char *schema,
                      struct kg_error *err);
bool kg_exports_write(const struct kg_arguments *arguments, const char *schema,
                      const struct kg_report_subject *subject, struct kg_error *err);
