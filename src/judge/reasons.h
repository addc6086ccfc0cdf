/* reasons.h: one sentence that explains the change of a metric. */
#pragma once
#include "model/comparison.h"

/* Sets metric->reason from its reason code and values; NULL if the values need no explanation. The sentence lives in
 * `arena`. */
void kg_reason_make(struct kg_arena *arena, struct kg_metric *metric);
