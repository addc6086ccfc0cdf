/* plan_seconds.h: the expected duration of each case, for the division of a suite among machines. */
#pragma once
#include <stdbool.h>

#include "model/shard_plan.h"
#include "run/run.h"

/* Makes the plan of a fleet: fills everything but `kgate_version`, `suite_path` and the hash. A stored case has the
 * duration of its stored rounds, from the newest ordinary run of any machine. Another case has the minimum rounds twice,
 * because most cases get more than the minimum.
 * what       its plan has every case
 * directory  folder of the store; it may be missing
 * shards     at least 1
 * planned    zeroed by the caller, who frees it with kg_shard_plan_free
 * err        KG_ERROR_USAGE: a file of the store is unreadable */
bool kg_fleet_plan(const struct kg_prepared_suite *what, const char *directory, size_t shards,
                   struct kg_shard_plan *planned, struct kg_error *err);
