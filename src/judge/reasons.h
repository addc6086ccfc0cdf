/* reasons.h: says in one sentence why a metric got its change. */
#pragma once
#include "model/comparison.h"

/* Sets metric->reason from its doubt and figures; NULL where the figures need no explanation. The
 * sentence lives in `arena`. */
void kg_reason_make(struct kg_arena *arena, struct kg_metric *metric);
