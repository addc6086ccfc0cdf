/* crossing.h: what would settle a metric whose interval crosses the threshold. */
#pragma once
#include "model/comparison.h"

/* Whether both builds were measured in turn: then there is no baseline to refresh. */
bool kg_metric_in_pairs(const struct kg_metric *metric);

/* The sentence of KG_DOUBT_CROSSING, in the arena: how many more rounds, more stored runs, pairs or a
 * quieter machine; NULL where memory is out. The metric has an interval. */
const char *kg_crossing_say(struct kg_arena *arena, const struct kg_metric *metric);
