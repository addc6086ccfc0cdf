/* spread.h: over which workloads a change is spread. */
#pragma once
#include "model/comparison.h"

/* "all 5 of encode, 1 of 8 of copy": the workloads with the most cases of that change that nothing
 * waives, and of how many; "" where none has more than one. In the comparison's arena; NULL where
 * memory is out. */
const char *kg_spread_words(struct kg_comparison *comparison, enum kg_change change);
