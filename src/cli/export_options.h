/* export_options.h: the files of --export. */
#pragma once
#include "cli/arguments.h"
#include "show/formats.h"

/* Whether kgate can write all exports. The caller asks before kgate measures. */
bool kg_exports_check(const struct kg_arguments *arguments, const char *schema,
                      struct kg_error *err);
bool kg_exports_write(const struct kg_arguments *arguments, const char *schema,
                      const struct kg_report_subject *subject, struct kg_error *err);
