/* report.h: what `kgate report` can make of a file, and of which files. */
#pragma once
#include "cli/cli.h"

enum kg_cli_format {
    KG_FORMAT_TEXT,
    KG_FORMAT_MARKDOWN,
    KG_FORMAT_JSON,
    KG_FORMAT_TREE, /* this and what follows: of profiles only */
    KG_FORMAT_TOP,
    KG_FORMAT_TRACE,
    KG_FORMAT_FOLDED,
    KG_FORMAT_CSV,
    KG_FORMAT_COUNT
};

/* Reports a profile at `path` to --output or standard output. */
bool kg_cli_report_profile(const struct kg_arguments *arguments, const char *path,
                           enum kg_cli_format format, struct kg_error *err);
