/* reasons.h: why a metric is judged as it is, in one sentence made from what its decision stored. */
#pragma once
#include "compare/comparison.h"

/* Sets metric->reason from its doubt and figures; NULL where those say it all. The sentence lives in
 * `arena`. false where memory is out. */
bool kg_reason_make(struct kg_arena *arena, struct kg_metric *metric);
