/* stored_runs.h: the runs of a baseline file as they must be to each other. */
#pragma once
#include "model/baseline.h"

/* Whether both are one measurement, as far as a file keeps it. */
bool kg_stored_run_same(const struct kg_baseline_run *a, const struct kg_baseline_run *b);

/* Puts the runs of a file, which somebody may have merged by hand, into the order of their times.
 * err  KG_ERROR_USAGE: a time that is none, or one ordinary run twice */
bool kg_stored_runs_settle(struct kg_baseline *baseline, struct kg_error *err);
