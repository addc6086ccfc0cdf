/* waivers_read.h: what reading and changing a file of accepted changes share. Internal to src/config. */
#pragma once
#include "config/waivers.h"

/* The order of a file's entries, for qsort: by kind, case and metric. */
int kg_waivers_by_place(const void *a, const void *b);

/* Whether the reader would take its texts back.
 * err  KG_ERROR_USAGE: what the key must be */
bool kg_waiver_check(const struct kg_waiver *waiver, struct kg_error *err);
