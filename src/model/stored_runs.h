/* stored_runs.h: the order of a baseline file's runs, and the check for duplicates. */
#pragma once
#include "model/baseline.h"

/* Whether both runs are the same measurement, by the data in a file. Runs without cases are not: a shard's file may
 * have several of one second. */
bool kg_stored_run_same(const struct kg_baseline_run *a, const struct kg_baseline_run *b);

/* Sorts the runs of a file by time: somebody may have merged the file by hand.
 * err  KG_ERROR_USAGE: an invalid time, or an ordinary run twice */
bool kg_stored_runs_settle(struct kg_baseline *baseline, struct kg_error *err);
