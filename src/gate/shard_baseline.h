/* shard_baseline.h: writes the stored runs that a shard compared with, for `kgate merge`. The machine of the merge may
 * have no access to the store, and the store may change before the merge. */
#pragma once
#include <stdbool.h>

#include "model/baseline.h"
#include "run/run.h"

/* Writes DIRECTORY/baseline.json: the runs of the suite, with the shard's cases only. If the baseline has a prior:
 * baseline.prior.json, too. The first shard also keeps the
 * cases that no shard has, so that the merge finds REMOVED cases. With --filter it keeps none of these.
 * what      has a shard; else the function writes nothing
 * baseline  unchanged */
bool kg_shard_baseline_write(const struct kg_prepared_suite *what,
                             const struct kg_baseline *baseline, const char *directory,
                             struct kg_error *err);
